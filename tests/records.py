"""Audit records and other values that several tests of the SQL stores use."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import text

from citebook.adapters.sql.database import Database
from citebook.domain.audit import AuditRecord

NOON = datetime(2026, 3, 14, 12, 0, 0, 123_456, UTC)


def full_record(number: int = 1, **changes: Any) -> AuditRecord:
    """A record with something in every field."""
    fields: dict[str, Any] = {
        "query_id": uuid4(),
        "answer_id": uuid4(),
        "contract": "academic",
        "client_id": "key:1",
        "book": "physical-ai",
        "edition": "first",
        "model": "extractive",
        "prompt_version": "1",
        "user_query_text": f"What is the zero moment point, asked for the {number}. time? 🤖",
        "source_mode": "context-restricted",
        "retrieval_query": "zero moment point",
        "searched_part": '{"module":1,"is_scope":true}',
        "chunks_retrieved_count": 2,
        "chunks_returned": ({"chunk_id": "a" * 64, "score": 0.87}, {"chunk_id": "b" * 64, "score": 1e-7}),
        "avg_similarity": 0.4350001,
        "retrieval_latency_ms": 12,
        "llm_prompt": "Answer from the book.",
        "llm_response": "The point where …",
        "answer_text": "The zero moment point is …",
        "confidence_score": 0.91,
        "citations": ({"position": 1, "excerpt": "“inside the foot”", "page": None},),
        "outcome": "answered",
        "is_partial": True,
        "success": True,
        "error_message": "NONE",
        "timestamp": NOON,
    }
    return AuditRecord(**fields | changes)


async def run_sql(database: Database, statement: str, **values: Any) -> None:
    """Changes a database behind our back."""
    async with database.transaction("write") as connection:
        await connection.execute(text(statement), values)
