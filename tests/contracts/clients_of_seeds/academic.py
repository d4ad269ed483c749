"""The client of seed `academic`: a server with a key, which checks each citation that it is given."""

import re
from typing import Any, Literal
from uuid import UUID

import httpx
from pydantic import BaseModel, Field

from tests.contracts.clients_of_seeds.wire import Wire

CITATION = re.compile(r'\[Source: (?P<section>[^"]+?) \((?P<place>[^()]*)\) - "(?P<excerpt>[^"]+)"\]')
"""The seed's form; the specification puts the section's URL where a source has no pages."""


class Source(BaseModel):
    id: str
    excerpt: str = Field(min_length=1)
    page: int | None
    section: str


class AcademicAnswer(BaseModel):
    answer_id: UUID
    answer: str = Field(min_length=1)
    sources: list[Source]
    confidence: float = Field(ge=0.0, le=1.0)
    confidence_level: Literal["high", "medium", "low"]
    status: Literal["success", "partial", "out_of_scope", "error"]
    source_mode: Literal["full-book", "context-restricted"] | None = None


class AcademicError(BaseModel):
    code: str
    message: str = Field(min_length=1)
    details: str | None


class Ingest(BaseModel):
    ingest_id: UUID
    status: Literal["queued", "running", "done", "failed"]
    message: str | None = None
    chunks_created: int | None = None
    document_id: str | None = None


class AcademicClient:
    def __init__(self, wire: Wire, key: str | None) -> None:
        self._wire = wire
        self._bearer = {"Authorization": f"Bearer {key}"} if key else {}

    def ask(self, query: str, **fields: Any) -> AcademicAnswer:
        return answer_of(self.send("/chat/query", {"query": query, **fields}))

    def ask_passage(self, query: str, passage: str) -> AcademicAnswer:
        return answer_of(self.send("/chat/context-restricted", {"query": query, "selected_passage": passage}))

    def send(self, path: str, body: Any) -> httpx.Response:
        return self._wire.post(path, body, **self._bearer)

    def send_bytes(self, body: bytes) -> httpx.Response:
        return self._wire.post_bytes("/chat/query", body, **self._bearer)

    def read(self, path: str) -> httpx.Response:
        return self._wire.get(path, **self._bearer)

    def upload(self, name: str, content: bytes, chapter_id: str) -> httpx.Response:
        fields = {"chapter_id": chapter_id, "metadata": "{}"}
        return self._wire.upload("/content/ingest", name, content, fields, **self._bearer)


def answer_of(reply: httpx.Response) -> AcademicAnswer:
    assert reply.status_code == 200, reply.text
    return AcademicAnswer.model_validate_json(reply.content, strict=True)


def error_of(reply: httpx.Response) -> AcademicError:
    return AcademicError.model_validate(reply.json()["error"], strict=True)
