"""The client of seed `textbook`: the models as the seed prints them, one endpoint, and the command line's result."""

from typing import Any, Self

import httpx
from pydantic import BaseModel, Field, model_validator

from tests.contracts.clients_of_seeds.wire import Wire


class Source(BaseModel):
    chapter: str = Field(min_length=1)
    section: str = Field(min_length=1)
    filename: str = Field(min_length=1)
    score: float = Field(ge=0.0, le=1.0)


class QueryResponse(BaseModel):
    answer: str = Field(min_length=1)
    sources: list[Source] = Field(min_length=1, max_length=5)


class RefusedResponse(BaseModel):
    """The specification: the seed's "1 to 5" binds only an answer that makes claims."""

    answer: str = Field(min_length=1)
    sources: list[Source] = Field(max_length=5)


class IngestResult(BaseModel):
    files_processed: int = Field(ge=0)
    chunks_created: int = Field(ge=0)
    errors: list[str]
    exit_code: int

    @model_validator(mode="after")
    def exit_code_tells_of_errors(self) -> Self:
        if bool(self.errors) != (self.exit_code != 0):
            raise ValueError("the exit code is 0 exactly when there are no errors")
        return self


class TextbookClient:
    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def ask(self, query: str, selected_text: str | None = None) -> QueryResponse:
        reply = self.send({"query": query, "selected_text": selected_text})
        assert reply.status_code == 200, reply.text
        return QueryResponse.model_validate_json(reply.content, strict=True)

    def send(self, body: Any) -> httpx.Response:
        return self._wire.post("/api/query", body)

    def send_bytes(self, body: bytes) -> httpx.Response:
        return self._wire.post_bytes("/api/query", body)

    def health(self) -> httpx.Response:
        return self._wire.get("/health")
