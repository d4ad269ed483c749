"""What is kept of each question for those who must be able to check an answer later."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from pydantic import Field

from citebook.domain.book import Sha256
from citebook.domain.value import UtcTime, Value

SourceMode = Literal["full-book", "context-restricted"]
AuditDetail = Literal["none", "metadata", "full"]
"""How much a contract keeps: nothing, figures without any text, or everything."""

ERASED = "erased"
"""Outcome of the record that an erasure leaves: who reads the chain sees that texts are gone, and since when."""
EXPIRED = "expired"
"""Outcome of the record that says that an archive was deleted, because its time was over."""
INTERRUPTED = "interrupted"
"""Outcome of a question whose reader left, or whose server stopped, before its answer was whole."""
OPERATOR = "operator"
"""Contract and client of records that no reader caused."""


class AuditRecord(Value):
    """One question and what became of it. Texts are empty where only metadata is kept."""

    log_id: UUID = Field(default_factory=uuid4)
    query_id: UUID
    answer_id: UUID | None = None
    contract: str = Field(min_length=1)
    client_id: str = Field(min_length=1)
    """Who asked: an API key's id, a user or a hashed address."""
    book: str = Field(min_length=1)
    edition: str | None = None
    model: str | None = None
    prompt_version: str | None = None
    user_query_text: str = ""
    source_mode: SourceMode = "full-book"
    retrieval_query: str | None = None
    searched_part: str | None = None
    """The question's `Filters` as JSON; None where it was asked of all of the book."""
    chunks_retrieved_count: int = Field(default=0, ge=0)
    chunks_returned: tuple[dict[str, Any], ...] = ()
    avg_similarity: float | None = Field(default=None, ge=0.0, le=1.0)
    """Of the chunks that were retrieved: the mean of their scores."""
    retrieval_latency_ms: int = Field(default=0, ge=0)
    llm_prompt: str | None = None
    llm_response: str | None = None
    answer_text: str | None = None
    confidence_score: float | None = Field(default=None, ge=0.0, le=1.0)
    citations: tuple[dict[str, Any], ...] = ()
    outcome: str = Field(min_length=1)
    is_partial: bool | None = None
    """True where only a part of what was written could be proven or was written in time."""
    success: bool
    error_message: str | None = None
    """An error code; never an exception's text."""
    timestamp: UtcTime


def erasure_of(query_id: UUID, book: str, erased_at: datetime) -> AuditRecord:
    """The record of an erasure."""
    return AuditRecord(
        query_id=query_id,
        contract=OPERATOR,
        client_id=OPERATOR,
        book=book,
        outcome=ERASED,
        success=True,
        timestamp=erased_at,
    )


def expiry_of(archive: str, expired_at: datetime) -> AuditRecord:
    """The record of an archive's end. An archive may hold questions to several books."""
    return AuditRecord(
        query_id=uuid4(),
        contract=OPERATOR,
        client_id=OPERATOR,
        book=OPERATOR,
        chunks_returned=({"archive": archive},),
        outcome=EXPIRED,
        success=True,
        timestamp=expired_at,
    )


class ChainedRecord(Value):
    """A record in its place in the chain: each hash covers the record and the hash before it."""

    sequence: int = Field(ge=1)
    previous_hash: Sha256
    record_hash: Sha256
    record: AuditRecord
    erased: bool = False
    """True where the texts were removed on request; the chain stays valid without them."""


class ChainFault(Value):
    """Where the chain is broken, and how."""

    sequence: int
    reason: str
