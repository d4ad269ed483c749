"""An entry that comes a second time changes nothing, on SQLite and on a real PostgreSQL."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.database import Database
from citebook.domain.callers import Caller
from citebook.domain.conversation import ChatMessage, ChatSession, SourceCitation, new_session
from citebook.domain.entries import Entry
from tests.conversing import TalkingStore, question_in
from tests.records import NOON, full_record


@pytest.fixture
def store(database: Database) -> TalkingStore:
    return TalkingStore(database, lambda: NOON)


def answer_in(session: ChatSession, text: str = "Inside the foot.") -> ChatMessage:
    message_id = uuid4()
    sources = tuple(
        SourceCitation(
            message_id=message_id,
            chapter_id="balance",
            chapter_title="Balance",
            relevance_score=0.5,
            excerpt="inside the foot",
            position=position,
        )
        for position in (1, 2)
    )
    return ChatMessage(
        id=message_id, session_id=session.id, role="assistant", content=text, sources=sources, created_at=NOON
    )


async def chain(database: Database) -> list[int]:
    """How often the number of each test record is in the chain, in its order; fails where the chain is broken."""
    log = SqlAuditLog(database)
    assert await log.verify() is None
    return [chained.record.chunks_retrieved_count async for chained in log.records()]


async def test_everything_twice(store: TalkingStore, database: Database) -> None:
    session, token = new_session(NOON)
    question, answer = question_in(session.id, "Where?", NOON), answer_in(session)
    entries = [Entry(session=session), Entry(message=question), Entry(message=answer, record=full_record())]
    for entry in (*entries, *entries):
        await store.keep(entry)
    holder = Caller(kind="session", address="::1", session_token=token)
    assert await store.find(session.id, holder) == session
    assert await store.history(session.id, 20, None) == (question, answer)
    assert await chain(database) == [2]


async def test_many_at_once(store: TalkingStore, database: Database) -> None:
    session, _ = new_session(NOON)
    entry = Entry(session=session, message=answer_in(session), record=full_record())
    await asyncio.gather(*(store.keep(entry) for _ in range(12)))
    assert await store.history(session.id, 20, None) == (entry.message,)
    assert await chain(database) == [2]


async def test_the_second_time_moves_nothing(store: TalkingStore, database: Database) -> None:
    session, token = new_session(NOON)
    await store.keep(Entry(session=session))
    said = [answer_in(session, text) for text in ("first", "second")]
    entries = [
        Entry(message=message, record=full_record(chunks_retrieved_count=number))
        for number, message in enumerate(said)
    ]
    for entry in (*entries, entries[0]):
        await store.keep(entry)
    assert [message.content for message in await store.history(session.id, 20, None)] == ["first", "second"]
    assert await chain(database) == [0, 1]
    later = question_in(session.id, "Still there?", NOON + timedelta(days=1))
    await store.keep(Entry(message=later))
    await store.keep(Entry(session=session))
    found = await store.find(session.id, Caller(kind="session", address="::1", session_token=token))
    assert found is not None
    assert found.last_activity_at == later.created_at


async def test_a_record_is_known_after_its_texts_were_erased(store: TalkingStore, database: Database) -> None:
    record = full_record()
    await store.keep(Entry(record=record))
    assert await SqlAuditLog(database).erase(record.query_id)
    await store.keep(Entry(record=record))
    log = SqlAuditLog(database)
    assert [chained.erased async for chained in log.records()] == [True, False]
    assert await log.verify() is None


async def test_what_is_only_half_there_is_completed(store: TalkingStore, database: Database) -> None:
    session, _ = new_session(NOON)
    answer, record = answer_in(session), full_record()
    await store.keep(Entry(session=session, message=answer))
    await store.keep(Entry(message=answer, record=record))
    assert await store.history(session.id, 20, None) == (answer,)
    assert await chain(database) == [2]
