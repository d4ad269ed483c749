"""Sessions and their messages in SQL. Who owns a session is asked in the same statement that reads or changes it."""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, case, delete, false, insert, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from citebook.adapters.sql import audit_rows
from citebook.adapters.sql.canonical_json import storable
from citebook.adapters.sql.database import Database, uninterrupted
from citebook.adapters.sql.tables import Moment, chat_messages, chat_sessions, source_citations
from citebook.domain.audit import AuditRecord
from citebook.domain.callers import Caller
from citebook.domain.conversation import (
    SESSION_LIFETIME,
    ChatMessage,
    ChatSession,
    Exchange,
    SourceCitation,
    hash_of_session_token,
    new_session_token,
)
from citebook.domain.errors import DatabaseUnavailable

log = logging.getLogger(__name__)

_LONGEST_CHAPTER_ID = 100
_LONGEST_CHAPTER_TITLE = 255
_LONGEST_SECTION_TITLE = 1000
_LONGEST_URL = 2000


class SqlConversationStore:
    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database, self._clock = database, clock

    @uninterrupted
    async def start(self, user_id: UUID | None) -> tuple[ChatSession, str]:
        session, token = self._new_session(user_id=user_id)
        async with self._database.transaction("write") as connection:
            await connection.execute(insert(chat_sessions).values(_session_row(session)))
        return session, token

    @uninterrupted
    async def resume(self, session_id: UUID, user_id: UUID) -> bool:
        session, _ = self._new_session(id=session_id, user_id=user_id)
        async with self._database.transaction("write") as connection:
            query = select(chat_sessions.c.user_id).where(chat_sessions.c.id == session_id)
            owner = (await connection.execute(query)).one_or_none()
            if owner is None:
                await connection.execute(insert(chat_sessions).values(_session_row(session)))
        return owner is None or owner.user_id == user_id

    def _new_session(self, **fields: Any) -> tuple[ChatSession, str]:
        token, now = new_session_token(), self._clock()
        token_hash = hash_of_session_token(token)
        return ChatSession(session_token_hash=token_hash, created_at=now, last_activity_at=now, **fields), token

    @uninterrupted
    async def find(self, session_id: UUID, caller: Caller) -> ChatSession | None:
        async with self._database.transaction("read") as connection:
            query = select(chat_sessions).where(*self._owned(session_id, caller))
            row = (await connection.execute(query)).mappings().one_or_none()
        if row is None:
            return None
        fields = {**row, "session_token_hash": row["session_token"]}
        del fields["session_token"]
        return ChatSession.model_validate(fields)

    @uninterrupted
    async def delete(self, session_id: UUID, caller: Caller) -> bool:
        async with self._database.transaction("write") as connection:
            gone = await connection.execute(delete(chat_sessions).where(*self._owned(session_id, caller)))
        return gone.rowcount > 0

    def _owned(self, session_id: UUID, caller: Caller) -> tuple[ColumnElement[bool], ...]:
        """A session that lives and is the caller's. A caller who shows nothing owns nothing, not what has no user."""
        proofs: list[ColumnElement[bool]] = [false()]
        if caller.session_token is not None:
            proofs.append(chat_sessions.c.session_token == hash_of_session_token(caller.session_token))
        if caller.user_id is not None:
            proofs.append(chat_sessions.c.user_id == caller.user_id)
        is_alive = chat_sessions.c.last_activity_at >= self._clock() - SESSION_LIFETIME
        return chat_sessions.c.id == session_id, or_(*proofs), is_alive

    @uninterrupted
    async def add_question(self, session_id: UUID, text: str) -> ChatMessage:
        """Raises `DatabaseUnavailable` where the session is gone."""
        content = storable(text)
        message = ChatMessage(session_id=session_id, role="user", content=content, created_at=self._clock())
        async with self._database.transaction("write") as connection:
            if not await _add_message(connection, message):
                raise DatabaseUnavailable("The session of this question was deleted meanwhile")
        return message

    @uninterrupted
    async def add_answer(self, answer: ChatMessage | None, record: AuditRecord | None) -> None:
        async with self._database.transaction("write") as connection:
            if answer is not None and not await _add_message(connection, answer):
                log.info("an answer was not kept: its session was deleted meanwhile")
            if record is not None:
                await audit_rows.append(connection, record)

    @uninterrupted
    async def last_exchanges(self, session_id: UUID, limit: int) -> tuple[Exchange, ...]:
        """A question without an answer is left out, so more messages are read than there are sides to an exchange."""
        async with self._database.transaction("read") as connection:
            rows = await _newest(connection, 4 * limit, chat_messages.c.session_id == session_id)
        exchanges = [
            Exchange(question=asked.content, answer=said.content)
            for asked, said in pairwise(rows)
            if (asked.role, said.role) == ("user", "assistant")
        ]
        return tuple(exchanges[-limit:]) if limit else ()

    @uninterrupted
    async def history(self, session_id: UUID, limit: int, before: datetime | None) -> tuple[ChatMessage, ...]:
        conditions = [chat_messages.c.session_id == session_id]
        if before is not None:
            conditions.append(chat_messages.c.created_at < before)
        async with self._database.transaction("read") as connection:
            rows = await _newest(connection, limit, *conditions)
            sources = await _sources_of(connection, [row.id for row in rows if row.role == "assistant"])
        return tuple(_message(row, sources.get(row.id, ())) for row in rows)

    @uninterrupted
    async def purge(self, now: datetime) -> int:
        idle = chat_sessions.c.last_activity_at < now - SESSION_LIFETIME
        async with self._database.transaction("write") as connection:
            return (await connection.execute(delete(chat_sessions).where(idle))).rowcount


def _session_row(session: ChatSession) -> dict[str, Any]:
    row = {**dict(session), "session_token": session.session_token_hash}
    del row["session_token_hash"]
    return row


async def _add_message(connection: AsyncConnection, message: ChatMessage) -> bool:
    """False where its session is gone. A clock that was set back does not make a session older."""
    latest, now = chat_sessions.c.last_activity_at, literal(message.created_at, Moment)
    touched = await connection.execute(
        update(chat_sessions)
        .where(chat_sessions.c.id == message.session_id)
        .values(last_activity_at=case((latest < now, now), else_=latest))
    )
    if not touched.rowcount:
        return False
    values = message.model_dump(exclude={"sources"}) | {"content": storable(message.content)}
    await connection.execute(insert(chat_messages).values(values))
    if message.sources:
        await connection.execute(insert(source_citations), [_citation_values(source) for source in message.sources])
    return True


def _citation_values(source: SourceCitation) -> dict[str, Any]:
    return {
        **dict(source),
        "chapter_id": storable(source.chapter_id)[:_LONGEST_CHAPTER_ID],
        "chapter_title": storable(source.chapter_title)[:_LONGEST_CHAPTER_TITLE],
        "excerpt": storable(source.excerpt),
        "section_title": storable(source.section_title or "")[:_LONGEST_SECTION_TITLE] or None,
        "url": _whole_url(source.url),
    }


def _whole_url(url: str | None) -> str | None:
    """Half an address leads nowhere."""
    return url if url is not None and len(url) <= _LONGEST_URL and storable(url) == url else None


async def _newest(connection: AsyncConnection, limit: int, *conditions: ColumnElement[bool]) -> list[Row[Any]]:
    """The newest messages, oldest of them first."""
    query = select(chat_messages).where(*conditions).order_by(chat_messages.c.sequence.desc()).limit(limit)
    return list(reversed((await connection.execute(query)).all()))


async def _sources_of(connection: AsyncConnection, message_ids: Sequence[UUID]) -> dict[UUID, list[SourceCitation]]:
    """The citations of all these messages by one statement."""
    query = select(source_citations).where(source_citations.c.message_id.in_(message_ids))
    found: dict[UUID, list[SourceCitation]] = defaultdict(list)
    for row in (await connection.execute(query.order_by(source_citations.c.position))).mappings():
        found[row["message_id"]].append(SourceCitation.model_validate(dict(row)))
    return found


def _message(row: Row[Any], sources: Iterable[SourceCitation]) -> ChatMessage:
    fields = {name: value for name, value in row._mapping.items() if name != "sequence"}
    return ChatMessage.model_validate({**fields, "sources": tuple(sources)})
