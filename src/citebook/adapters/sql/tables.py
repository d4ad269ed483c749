"""The tables as Python sees them. What they really are, the migrations say."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.types import TypeEngine


def moment_text(moment: datetime) -> str:
    """UTC, always as long, so that texts sort as the moments do."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Identifier(TypeDecorator[UUID]):
    """A UUID: of that type on PostgreSQL, as text on SQLite."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        native = postgresql.UUID(as_uuid=True)
        return dialect.type_descriptor(native if dialect.name == "postgresql" else Text())

    def process_bind_param(self, value: UUID | None, dialect: Dialect) -> Any:
        return value if value is None or dialect.name == "postgresql" else str(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> UUID | None:  # noqa: ARG002
        return UUID(value) if isinstance(value, str) else value


class Moment(TypeDecorator[datetime]):
    """A moment: TIMESTAMPTZ on PostgreSQL, as text on SQLite."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        native = postgresql.TIMESTAMP(timezone=True)
        return dialect.type_descriptor(native if dialect.name == "postgresql" else Text())

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        return value if value is None or dialect.name == "postgresql" else moment_text(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return datetime.fromisoformat(value) if isinstance(value, str) else value


Json = JSON().with_variant(postgresql.JSONB(), "postgresql")

metadata = MetaData()

chat_sessions = Table(
    "chat_sessions",
    metadata,
    Column("id", Identifier, primary_key=True),
    Column("user_id", Identifier),
    Column("session_token", Text),
    Column("created_at", Moment),
    Column("last_activity_at", Moment),
    Column("metadata", Json),
)

chat_messages = Table(
    "chat_messages",
    metadata,
    Column("id", Identifier, primary_key=True),
    Column("sequence", BigInteger),
    Column("session_id", Identifier),
    Column("role", Text),
    Column("content", Text),
    Column("tokens_used", Json),
    Column("confidence", Float),
    Column("created_at", Moment),
    Column("outcome", Text),
    Column("parts", Json),
)

source_citations = Table(
    "source_citations",
    metadata,
    Column("id", Identifier, primary_key=True),
    Column("message_id", Identifier),
    Column("chapter_id", Text),
    Column("chapter_title", Text),
    Column("relevance_score", Float),
    Column("excerpt", Text),
    Column("position", Integer),
    Column("section_title", Text),
    Column("page", Integer),
    Column("url", Text),
)

audit_logs = Table(
    "audit_logs",
    metadata,
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("log_id", Identifier),
    Column("query_id", Identifier),
    Column("answer_id", Identifier),
    Column("contract", Text),
    Column("client_id", Text),
    Column("book", Text),
    Column("edition", Text),
    Column("model", Text),
    Column("prompt_version", Text),
    Column("user_query_text", Text),
    Column("source_mode", Text),
    Column("retrieval_query", Text),
    Column("searched_part", Text),
    Column("chunks_retrieved_count", Integer),
    Column("chunks_returned", Json),
    Column("avg_similarity", Float),
    Column("retrieval_latency_ms", Integer),
    Column("llm_prompt", Text),
    Column("llm_response", Text),
    Column("answer_text", Text),
    Column("confidence_score", Float),
    Column("citations", Json),
    Column("outcome", Text),
    Column("is_partial", Boolean),
    Column("success", Boolean),
    Column("error_message", Text),
    Column("timestamp", Moment),
    Column("salt", Text),
    Column("text_digests", Json),
    Column("previous_hash", Text),
    Column("record_hash", Text),
    Column("erased_at", Moment),
)

audit_head = Table(
    "audit_head",
    metadata,
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("record_hash", Text),
)

audit_archives = Table(
    "audit_archives",
    metadata,
    Column("first_sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("last_sequence", BigInteger),
    Column("previous_hash", Text),
    Column("last_hash", Text),
    Column("archive", Text),
    Column("archived_at", Moment),
    Column("expired_at", Moment),
)

job_turns = Table(
    "job_turns",
    metadata,
    Column("job", Text, primary_key=True),
    Column("taken_at", Moment),
)

job_leases = Table(
    "job_leases",
    metadata,
    Column("job", Text, primary_key=True),
    Column("owner", Text),
    Column("ends_at", Moment),
)

shared_files = Table(
    "shared_files",
    metadata,
    Column("folder", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("sha256", Text),
    Column("content", LargeBinary),
    Column("changed_at", Moment),
)

clock_jumps = Table(
    "clock_jumps",
    metadata,
    Column("seen_at", Moment, primary_key=True),
    Column("seconds", Float),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Identifier, primary_key=True),
    Column("name", Text),
    Column("key_hash", Text),
    Column("created_at", Moment),
    Column("revoked_at", Moment),
    Column("limit_per_minute", Integer),
)

answer_grades = Table(
    "answer_grades",
    metadata,
    Column("id", Identifier, primary_key=True),
    Column("answer_id", Identifier),
    Column("verdict", Text),
    Column("note", Text),
    Column("grader", Text),
    Column("confidence", Float),
    Column("created_at", Moment),
)

book_chunks = Table(
    "book_chunks",
    metadata,
    Column("book", Text, primary_key=True),
    Column("chunk_id", Text, primary_key=True),
    Column("parent_document_id", Text),
    Column("start_page", Integer),
    Column("end_page", Integer),
    Column("start_sentence", Integer),
    Column("end_sentence", Integer),
    Column("text", Text),
    Column("metadata", Json),
    Column("added_at", Moment),
    Column("removed_at", Moment),
)

book_chunk_editions = Table(
    "book_chunk_editions",
    metadata,
    Column("book", Text, primary_key=True),
    Column("edition", Text),
    Column("kept_at", Moment),
)

answer_feedback = Table(
    "answer_feedback",
    metadata,
    Column("id", Identifier, primary_key=True),
    Column("answer_id", Identifier),
    Column("rating", Text),
    Column("note", Text),
    Column("reason", Text),
    Column("client_id", Text),
    Column("created_at", Moment),
)
