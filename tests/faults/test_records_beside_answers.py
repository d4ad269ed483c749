"""What SQL does not take in time is kept beside it, and is in SQL later: once, in order, or told of."""

import asyncio
import random
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.database import Database
from citebook.domain.callers import Caller
from citebook.domain.conversation import ChatMessage, SourceCitation
from citebook.domain.entries import Entry
from citebook.domain.errors import DatabaseUnavailable
from citebook.records.conversations import Conversations
from citebook.records.outbox import Outbox
from tests.conversing import TalkingStore, conversations_in, question_in
from tests.foreign_locks import locked, locked_table
from tests.records import full_record

ROOT = Path(__file__).parents[2]
PATIENCE = 30.0
SOON = 15.0
"""Far less than if each thing that is kept waited for SQL."""
KILLS = 3
STRANGER = Caller(kind="session", address="::1", session_token="x" * 64)


def holder_of(token: str) -> Caller:
    return Caller(kind="session", address="::1", session_token=token)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "outbox"


Open = Callable[..., Conversations]


@pytest.fixture
async def opened(database: Database, root: Path) -> AsyncIterator[Open]:
    """Opens the conversations anew, as a program that starts does."""
    await database.ping()
    async with AsyncExitStack() as stack:

        def open_one(**options: float) -> Conversations:
            conversations = conversations_in(database, Outbox(root, PATIENCE), **options)
            stack.push_async_callback(conversations.aclose)
            return conversations

        yield open_one


@pytest.fixture
def conversations(opened: Open) -> Conversations:
    return opened()


@asynccontextmanager
async def running(conversations: Conversations) -> AsyncIterator[None]:
    """As a background job of the service."""
    task = asyncio.create_task(conversations.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until_empty(conversations: Conversations) -> None:
    async with asyncio.timeout(PATIENCE):
        while len(conversations._outbox):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def drained(conversations: Conversations) -> None:
    async with running(conversations):
        await until_empty(conversations)


async def converse(conversations: Conversations, session_id: UUID, count: int) -> list[UUID]:
    """So many exchanges; gives the ids of what was said, in order."""
    said = []
    for number in range(count):
        question = question_in(session_id, f"Question {number}")
        answer = question.model_copy(update={"id": uuid4(), "role": "assistant", "content": f"Answer {number}"})
        await conversations.keep(Entry(message=question))
        await conversations.keep(Entry(message=answer, record=full_record(query_id=question.id)))
        said += [question.id, answer.id]
    return said


async def messages(database: Database) -> list[UUID]:
    async with database.transaction("read") as connection:
        found = await connection.execute(text("SELECT id FROM chat_messages ORDER BY sequence"))
        return [UUID(str(one)) for one in found.scalars()]


async def questions_in_chain(database: Database) -> list[UUID]:
    log = SqlAuditLog(database)
    assert await log.verify() is None
    return [chained.record.query_id async for chained in log.records()]


async def test_a_lock_delays_a_conversation_once_and_loses_nothing(
    conversations: Conversations, database: Database, database_url: str
) -> None:
    session, token = await conversations.start(None)
    said = await converse(conversations, session.id, 1)
    async with running(conversations):
        async with locked(database_url):
            start = time.monotonic()
            said += await converse(conversations, session.id, 20)
            assert time.monotonic() - start < SOON
        said += await converse(conversations, session.id, 2)
        await until_empty(conversations)
    said += await converse(conversations, session.id, 1)
    assert await messages(database) == said
    assert await questions_in_chain(database) == said[::2]
    assert await conversations.find(session.id, holder_of(token)) is not None


async def test_what_comes_later_stands_behind_what_waits(
    conversations: Conversations, database: Database, database_url: str
) -> None:
    session, _ = await conversations.start(None)
    async with locked(database_url):
        said = await converse(conversations, session.id, 1)
    said += await converse(conversations, session.id, 1)  # SQL would take it now
    assert len(conversations._outbox) == (3 if database.is_postgresql else 4)
    await drained(conversations)
    assert await messages(database) == said


async def test_a_session_that_waits_is_its_owners_alone(conversations: Conversations, database_url: str) -> None:
    reader = uuid4()
    async with locked(database_url, "chat_sessions"):
        session, token = await conversations.start(reader)
        user = Caller(kind="user", address="::1", user_id=reader)
        for owner in (holder_of(token), user):
            assert await conversations.find(session.id, owner) == session
            with pytest.raises(DatabaseUnavailable, match="not in SQL yet"):
                await conversations.delete(session.id, owner)
        for other in (STRANGER, Caller(kind="anonymous", address="::1")):
            assert await conversations.find(session.id, other) is None
    assert await conversations.delete(session.id, STRANGER) is False
    assert await conversations.last_exchanges(session.id, 5) == ()
    await drained(conversations)
    assert await conversations.find(session.id, holder_of(token)) == session
    assert await conversations.delete(session.id, user) is True


async def test_a_conversation_that_began_while_sql_was_locked(
    conversations: Conversations, database_url: str
) -> None:
    async with locked(database_url, "chat_sessions"):
        session, token = await conversations.start(None)
        said = await converse(conversations, session.id, 2)
    await drained(conversations)
    history = await conversations.history(session.id, 20, None)
    assert [message.id for message in history] == said
    assert await conversations.find(session.id, holder_of(token)) is not None


async def test_a_reader_waits_for_sql_once(postgres_url: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where reading took the time, writing is not even tried."""
    async with Database.connect(postgres_url) as database:
        conversations = conversations_in(database, Outbox(root, PATIENCE))
        session, _ = await conversations.start(None)
        async with locked_table(postgres_url, "chat_messages", "ACCESS EXCLUSIVE"):
            assert await conversations.last_exchanges(session.id, 5) == ()
            monkeypatch.setattr(conversations, "keep_in_sql", None)
            said = await converse(conversations, session.id, 1)
        await drained(conversations)
        await conversations.aclose()
        assert await messages(database) == said


def refused_answer(session_id: UUID) -> ChatMessage:
    """No database takes a page 0."""
    message_id = uuid4()
    source = SourceCitation(
        message_id=message_id,
        chapter_id="balance",
        chapter_title="Balance",
        relevance_score=0.5,
        excerpt="inside the foot",
        position=1,
        page=0,
    )
    question = question_in(session_id, "Refused")
    return question.model_copy(update={"id": message_id, "role": "assistant", "sources": (source,)})


def aside_in(root: Path) -> list[Path]:
    return sorted(root.glob("1/aside/*"))


async def test_what_is_refused_is_put_aside_and_holds_up_nobody(
    conversations: Conversations, database: Database, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session, _ = await conversations.start(None)
    await conversations._outbox.put(Entry(message=refused_answer(session.id)))
    said = await converse(conversations, session.id, 1)
    await drained(conversations)
    assert await messages(database) == said
    assert "is put aside" in caplog.text
    assert [entry.name for entry in aside_in(root)] == ["000000000001.entry"]


async def test_an_attempt_that_was_thought_lost_and_was_not(opened: Open, database: Database) -> None:
    """It was written, but whoever wrote it never heard of it, and put it in the outbox as well."""
    conversations = opened(seconds=PATIENCE)
    session, _ = await conversations.start(None)
    question = Entry(message=question_in(session.id, "Twice?"), record=full_record())
    await conversations.keep_in_sql(question)
    await conversations._outbox.put(question)
    await drained(conversations)
    assert len(await messages(database)) == len(await questions_in_chain(database)) == 1


async def test_a_drain_that_is_stopped_midway(opened: Open, database: Database) -> None:
    first = opened()
    session, _ = await first.start(None)
    entries = [Entry(message=question_in(session.id, str(n)), record=full_record(n)) for n in range(30)]
    for entry in entries:
        await first._outbox.put(entry)
    while len(first._outbox):
        async with running(first):
            await asyncio.sleep(random.uniform(0.0, 0.4))
    assert await messages(database) == [entry.message.id for entry in entries if entry.message]
    assert len(await questions_in_chain(database)) == 30


# --- programs that are killed


async def killed_while_it_converses(url: str, root: Path, seconds: float) -> list[UUID]:
    """What the program was told is kept, in order."""
    command = (sys.executable, "-m", "tests.database_writers", "beside", url, "1000000", str(root))
    writer = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=PIPE)
    assert writer.stdout is not None
    first = await writer.stdout.readline()
    await asyncio.sleep(seconds)
    writer.kill()
    rest, _ = await writer.communicate()
    return [UUID(line) for line in (first + rest).decode().splitlines()]


async def test_a_full_outbox_outlives_a_kill(database_url: str, database: Database, root: Path) -> None:
    await database.ping()
    acknowledged: list[UUID] = []
    async with locked(database_url):
        acknowledged += await killed_while_it_converses(database_url, root, 0.3)
    for _ in range(KILLS):  # these have something to bring to SQL when they start
        acknowledged += await killed_while_it_converses(database_url, root, random.uniform(0.01, 0.3))
    conversations = conversations_in(database, Outbox(root))
    await drained(conversations)
    await conversations.aclose()
    kept = await messages(database)
    assert len(acknowledged) > 2 * KILLS
    assert len(set(kept)) == len(kept)
    assert [one for one in kept if one in set(acknowledged)] == acknowledged
    assert len(kept) <= len(acknowledged) + KILLS + 1
    chain = await questions_in_chain(database)
    assert len(set(chain)) == len(chain)


async def test_messages_of_one_session_keep_their_order_through_an_outage(
    opened: Open, database: Database, database_url: str
) -> None:
    conversations = opened()
    sessions = [(await conversations.start(None))[0].id for _ in range(5)]

    async def readers(count: int) -> list[list[UUID]]:
        return await asyncio.gather(*(converse(conversations, session, count) for session in sessions))

    async with running(conversations):
        said = await readers(2)
        async with locked(database_url):
            during = await readers(3)
        after = await readers(2)
        await until_empty(conversations)
    for session, *parts in zip(sessions, said, during, after, strict=True):
        history = await TalkingStore(database).history(session, 50, None)
        assert [message.id for message in history] == [one for part in parts for one in part]
    chain = await questions_in_chain(database)
    assert len(chain) == len(set(chain)) == 35


async def test_sql_that_is_back_is_used_again(conversations: Conversations, database_url: str) -> None:
    session, _ = await conversations.start(None)
    async with locked(database_url):
        await converse(conversations, session.id, 1)
    await drained(conversations)
    await converse(conversations, session.id, 1)
    assert len(conversations._outbox) == 0
