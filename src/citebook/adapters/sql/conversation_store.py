"""Sessions and their messages in SQL. Who owns a session is asked in the same statement that reads or changes it."""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Table, case, delete, false, insert, literal, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from citebook.adapters.sql import audit_rows
from citebook.adapters.sql.database import Database, uninterrupted
from citebook.adapters.sql.tables import Moment, chat_messages, chat_sessions, source_citations
from citebook.domain.callers import Caller
from citebook.domain.conversation import (
    MAX_TITLE_CHARACTERS,
    SESSION_LIFETIME,
    ChatMessage,
    ChatSession,
    Exchange,
    ListedSession,
    SessionOwner,
    SourceCitation,
    new_session,
)
from citebook.domain.entries import Entry
from citebook.domain.storable import storable, storable_value
from citebook.language.text import cut_at_word

log = logging.getLogger(__name__)

_LONGEST_CHAPTER_ID = 100
_LONGEST_CHAPTER_TITLE = 255
_LONGEST_SECTION_TITLE = 1000
_LONGEST_URL = 2000


class SqlConversationStore:
    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database, self._clock = database, clock

    @uninterrupted
    async def keep(self, *entries: Entry) -> list[bool]:
        async with self._database.transaction("write") as connection:
            kept = [await _add_words(connection, entry) for entry in entries]
            await audit_rows.append(connection, [entry.record for entry in entries if entry.record is not None])
        return kept

    @uninterrupted
    async def resume(self, session_id: UUID, user_id: UUID) -> bool:
        session, _ = new_session(self._clock(), id=session_id, user_id=user_id)
        query = select(chat_sessions.c.user_id).where(chat_sessions.c.id == session_id)
        async with self._database.transaction("write") as connection:
            await _add_session(connection, session)
            owner = (await connection.execute(query)).scalar_one()
        return bool(owner == user_id)

    @uninterrupted
    async def find(self, session_id: UUID, caller: Caller) -> ChatSession | None:
        async with self._database.transaction("read") as connection:
            query = select(chat_sessions).where(*_owned(session_id, caller.owner, self._clock()))
            row = (await connection.execute(query)).mappings().one_or_none()
        if row is None:
            return None
        fields = {**row, "session_token_hash": row["session_token"]}
        del fields["session_token"]
        return ChatSession.model_validate(fields)

    @uninterrupted
    async def sessions(self, user_id: UUID, limit: int, before: datetime | None) -> tuple[ListedSession, ...]:
        last = chat_sessions.c.last_activity_at
        conditions = [chat_sessions.c.user_id == user_id, last >= self._clock() - SESSION_LIFETIME]
        if before is not None:
            conditions.append(last < before)
        wanted = select(chat_sessions.c.id, chat_sessions.c.created_at, last, _first_question())
        query = wanted.where(*conditions).order_by(last.desc(), chat_sessions.c.id).limit(limit)
        async with self._database.transaction("read") as connection:
            rows = (await connection.execute(query)).mappings().all()
        return tuple(ListedSession.model_validate({**row, "title": _title(row["title"])}) for row in rows)

    @uninterrupted
    async def delete(self, session_id: UUID, caller: Caller) -> bool:
        async with self._database.transaction("write") as connection:
            owned = _owned(session_id, caller.owner, self._clock())
            gone = await connection.execute(delete(chat_sessions).where(*owned))
        return gone.rowcount > 0

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


def _owned(session_id: UUID, owner: SessionOwner, now: datetime) -> tuple[ColumnElement[bool], ...]:
    """A session that lives and is the owner's. Who shows nothing owns nothing, also not what has no user."""
    proofs: list[ColumnElement[bool]] = [false()]
    if owner.token_hash is not None:
        proofs.append(chat_sessions.c.session_token == owner.token_hash)
    if owner.user_id is not None:
        proofs.append(chat_sessions.c.user_id == owner.user_id)
    is_alive = chat_sessions.c.last_activity_at >= now - SESSION_LIFETIME
    return chat_sessions.c.id == session_id, or_(*proofs), is_alive


def _first_question() -> ColumnElement[str]:
    """Of each session that is looked for."""
    asked = select(chat_messages.c.content).where(
        chat_messages.c.session_id == chat_sessions.c.id, chat_messages.c.role == "user"
    )
    return asked.order_by(chat_messages.c.sequence).limit(1).scalar_subquery().label("title")


def _title(first_question: str | None) -> str:
    return cut_at_word(" ".join((first_question or "").split()), MAX_TITLE_CHARACTERS)


async def _add_session(connection: AsyncConnection, session: ChatSession) -> None:
    row = {**dict(session), "session_token": session.session_token_hash}
    del row["session_token_hash"]
    await _insert_once(connection, chat_sessions, row)


async def _add_words(connection: AsyncConnection, entry: Entry) -> bool:
    if entry.session is not None:
        await _add_session(connection, entry.session)
    if entry.message is None or await _add_message(connection, entry.message, entry):
        return True
    log.warning("a message was not kept: its session is gone or is not its sender's")
    return False


async def _insert_once(connection: AsyncConnection, table: Table, row: dict[str, Any]) -> bool:
    """False where there is a row of that id, which stays as it is."""
    insert_into = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    adding = insert_into(table).values(row).on_conflict_do_nothing(index_elements=["id"]).returning(table.c.id)
    return (await connection.execute(adding)).first() is not None


async def _add_message(connection: AsyncConnection, message: ChatMessage, entry: Entry) -> bool:
    """False where there is no such session of that owner. A clock that was set back makes no session older."""
    if message.session_id is None:
        return False
    is_its_session: tuple[ColumnElement[bool], ...] = (chat_sessions.c.id == message.session_id,)
    if entry.owner is not None:
        is_its_session = _owned(message.session_id, entry.owner, message.created_at)
    latest, now = chat_sessions.c.last_activity_at, literal(message.created_at, Moment)
    changes: dict[str, Any] = {"last_activity_at": case((latest < now, now), else_=latest)}
    if entry.session_metadata is not None:
        changes["metadata"] = storable_value(entry.session_metadata)
    touched = await connection.execute(update(chat_sessions).where(*is_its_session).values(**changes))
    if not touched.rowcount:
        return False
    values = message.model_dump(exclude={"sources"}) | {"content": storable(message.content)}
    values["parts"] = storable_value(values["parts"])
    is_new = await _insert_once(connection, chat_messages, values)
    if is_new and message.sources:
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
