"""The client of seed `agent`: the ephemeral chat, which keeps its messages in memory and nowhere else."""

from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID, uuid4

import httpx
from pydantic import BaseModel, Field

from tests.contracts.clients_of_seeds.wire import Wire

ErrorType = Literal["network", "database", "llm", "validation", "agent", "unknown"]


class Message(BaseModel):
    """As the seed's store keeps it."""

    id: UUID = Field(default_factory=uuid4)
    role: Literal["user", "assistant"]
    content: str = Field(min_length=1, max_length=10_000)
    timestamp: datetime = Field(default_factory=lambda: datetime.now(UTC))
    sources: list[str] | None = None


class AgentAnswer(BaseModel):
    answer: str = Field(min_length=1, max_length=10_000)
    sources: list[str]
    confidence: float = Field(ge=0.0, le=1.0)
    processing_time_ms: float = Field(gt=0)


class AgentError(BaseModel):
    error: ErrorType
    message: str = Field(min_length=1)
    retryable: bool
    request_id: str = Field(min_length=1)


class Chapter(BaseModel):
    id: str = Field(min_length=1)
    title: str = Field(min_length=1)
    sections: list[Any]
    url: str


class Chapters(BaseModel):
    chapters: list[Chapter]
    total_count: int


class AgentClient:
    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.messages: list[Message] = []

    def ask(self, question: str) -> AgentAnswer:
        self.messages.append(Message(role="user", content=question))
        reply = self.send({"question": question})
        assert reply.status_code == 200, reply.text
        answer = AgentAnswer.model_validate_json(reply.content, strict=True)
        self.messages.append(Message(role="assistant", content=answer.answer, sources=answer.sources or None))
        return answer

    def send(self, body: Any) -> httpx.Response:
        return self._wire.post("/query", body)

    def send_bytes(self, body: bytes) -> httpx.Response:
        return self._wire.post_bytes("/query", body)

    def chapters(self) -> Chapters:
        return Chapters.model_validate_json(self._wire.get("/chapters").content, strict=True)

    def health(self) -> httpx.Response:
        return self._wire.get("/health")


def error_of(reply: httpx.Response) -> AgentError:
    return AgentError.model_validate_json(reply.content, strict=True)
