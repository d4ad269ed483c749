"""The client of seed `core`: its TypeScript types as models, since the specification has camelCase on the wire."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import httpx
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from tests.contracts.clients_of_seeds.wire import Wire


class _Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)


class TokenUsage(_Camel):
    input: int = Field(ge=0)
    output: int = Field(ge=0)
    total: int = Field(ge=0)


class SourceCitation(_Camel):
    id: str | None = None
    chapter_id: str = Field(pattern=r"^module-\d+(-[\w-]+)?/chapter-\d+(-[\w-]+)?$", max_length=100)
    chapter_title: str = Field(min_length=1, max_length=255)
    relevance_score: float = Field(ge=0.0, le=1.0)
    excerpt: str = Field(max_length=1000)
    position: int = Field(ge=1)


class QueryResponse(_Camel):
    answer: str = Field(min_length=1)
    sources: list[SourceCitation]
    confidence: float = Field(ge=0.0, le=1.0)
    session_id: UUID
    tokens_used: TokenUsage
    filter_message: str | None = None


class StreamChunk(_Camel):
    chunk: str | None = None
    done: bool | None = None
    sources: list[SourceCitation] | None = None
    confidence: float | None = Field(None, ge=0.0, le=1.0)
    tokens_used: TokenUsage | None = None
    error: str | None = None
    session_id: UUID | None = None
    filter_message: str | None = None


class ChatMessage(_Camel):
    id: UUID
    session_id: UUID
    role: Literal["user", "assistant"]
    content: str = Field(min_length=1, max_length=10_000)
    tokens_used: TokenUsage | None = None
    confidence: float | None = Field(None, ge=0.0, le=1.0)
    sources: list[SourceCitation] | None = None
    created_at: datetime


class History(_Camel):
    session_id: UUID
    created_at: datetime
    messages: list[ChatMessage]


class CoreError(_Camel):
    code: str
    message: str = Field(min_length=1)
    correlation_id: str = Field(min_length=1)
    retry_after: int | None = None


class CoreClient:
    """Keeps the session of its first question, as the seed's chat does."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._token: dict[str, str] = {}
        self.session: UUID | None = None

    def ask(self, query: str, **fields: Any) -> QueryResponse:
        if self.session is not None:
            fields["sessionId"] = str(self.session)
        reply = self.send({"query": query, **fields})
        assert reply.status_code == 200, reply.text
        if "x-session-token" in reply.headers:
            self._token = {"X-Session-Token": reply.headers["x-session-token"]}
        response = QueryResponse.model_validate_json(reply.content, strict=True)
        self.session = response.session_id
        return response

    def send(self, body: Any, **headers: str) -> httpx.Response:
        return self._wire.post("/api/v1/query", body, **self._token, **headers)

    def stream(self, query: str, **fields: Any) -> Iterator[StreamChunk]:
        frames = self._wire.stream("/api/v1/query", {"query": query, **fields}, Accept="text/event-stream")
        for frame in frames:
            yield StreamChunk.model_validate(frame)

    def history(self, question: str = "") -> History:
        reply = self.read_session(question)
        assert reply.status_code == 200, reply.text
        return History.model_validate_json(reply.content, strict=True)

    def read_session(self, question: str = "") -> httpx.Response:
        return self._wire.get(f"/api/v1/chat/sessions/{self.session}{question}", **self._token)

    def delete_session(self) -> httpx.Response:
        return self._wire.delete(f"/api/v1/chat/sessions/{self.session}", **self._token)

    def without_token(self) -> "CoreClient":
        """Somebody else who has only heard of the session."""
        other = CoreClient(self._wire)
        other.session = self.session
        return other

    def health(self) -> httpx.Response:
        return self._wire.get("/api/v1/health")


def error_of(reply: httpx.Response) -> CoreError:
    return CoreError.model_validate(reply.json()["error"], strict=True)
