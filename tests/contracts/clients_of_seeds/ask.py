"""The client of seed `ask`: the seed's models, and a chat state that grows by the stream's chunks."""

from collections.abc import Iterator
from typing import Any, Self

import httpx
from pydantic import BaseModel, Field, model_validator

from tests.contracts.clients_of_seeds.wire import Wire


class Citation(BaseModel):
    chapter: str = Field(min_length=1)
    chapter_title: str = Field(min_length=1)
    source_file: str = Field(min_length=1)
    excerpt: str = Field(max_length=200)


class RAGResponse(BaseModel):
    answer: str = Field(min_length=1)
    citations: list[Citation]
    confidence: float = Field(ge=0.0, le=1.0)

    @model_validator(mode="after")
    def who_is_sure_cites(self) -> Self:
        if self.confidence > 0 and not self.citations:
            raise ValueError("a confidence above 0 has at least one citation")
        return self


class StreamChunk(BaseModel):
    content: str
    done: bool = False
    citations: list[Citation] | None = None
    confidence: float | None = Field(None, ge=0.0, le=1.0)
    error: str | None = None


class AskError(BaseModel):
    error: str
    message: str = Field(min_length=1)
    details: Any


class AskClient:
    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def ask(self, question: str, **fields: Any) -> RAGResponse:
        return answer_of(self.send("/api/ask", {"question": question, **fields}))

    def ask_selected(self, question: str, selected_text: str) -> RAGResponse:
        return answer_of(self.send("/api/ask-selected", {"question": question, "selected_text": selected_text}))

    def send(self, path: str, body: Any) -> httpx.Response:
        return self._wire.post(path, body)

    def send_bytes(self, body: bytes) -> httpx.Response:
        return self._wire.post_bytes("/api/ask", body)

    def stream(self, question: str, **fields: Any) -> Iterator[StreamChunk]:
        for frame in self._wire.stream("/api/ask/stream", {"question": question, **fields}):
            yield StreamChunk.model_validate(frame, strict=True)

    def health(self) -> httpx.Response:
        return self._wire.get("/api/health")


def answer_of(reply: httpx.Response) -> RAGResponse:
    assert reply.status_code == 200, reply.text
    return RAGResponse.model_validate_json(reply.content, strict=True)


def error_of(reply: httpx.Response) -> AskError:
    return AskError.model_validate_json(reply.content, strict=True)
