"""Locks that others hold and servers that hang: every use of the database ends in its own time."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import text

from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.database import Database
from citebook.domain.callers import Caller
from citebook.domain.errors import DatabaseUnavailable
from tests.conversing import TalkingStore
from tests.foreign_locks import locked, locked_file, locked_table, stopped
from tests.records import full_record
from tests.servers import started_postgres

BUDGET = 1.5
SOON = 25.0
"""A budget and what a busy machine adds to it; less than the budgets of all who wait together."""
PATIENCE = 60.0
NOBODY = Caller(kind="anonymous", address="::1")


async def seconds_of_failing(*work: Any) -> list[float]:
    """How long each of these takes to fail, all begun at once."""

    async def fail(one: Any) -> float:
        start = time.monotonic()
        with pytest.raises(DatabaseUnavailable):
            await one
        return time.monotonic() - start

    return await asyncio.gather(*map(fail, work))


@pytest.fixture
async def store(database: Database) -> TalkingStore:
    """With little time, on a database that is ready."""
    await database.ping()
    return TalkingStore(database.within(BUDGET))


async def test_nobody_waits_for_the_waiting_of_others(store: TalkingStore, database_url: str) -> None:
    async with locked(database_url):
        waits = await seconds_of_failing(*(store.add_answer(None, full_record(n)) for n in range(30)))
    assert max(waits) < SOON
    assert min(waits) > BUDGET / 2


async def test_who_has_time_gets_through_once_the_lock_is_gone(
    database: Database, store: TalkingStore, database_url: str
) -> None:
    patient = TalkingStore(database.patient)
    async with locked(database_url):
        writing = [asyncio.create_task(patient.add_answer(None, full_record(n))) for n in range(4)]
        await seconds_of_failing(store.add_answer(None, full_record()))
    await asyncio.gather(*writing)
    assert (await SqlAuditLog(database).head()).sequence == 4
    assert await SqlAuditLog(database).verify() is None


async def test_what_came_too_late_is_not_written(database: Database, store: TalkingStore, database_url: str) -> None:
    async with locked(database_url):
        await seconds_of_failing(*(store.add_answer(None, full_record(n)) for n in range(4)))
    await asyncio.sleep(0.2)
    assert (await SqlAuditLog(database).head()).sequence == 0


async def test_reading_goes_on_while_many_wait_to_write(
    database: Database, store: TalkingStore, database_url: str
) -> None:
    session, token = await store.start()
    holder = Caller(kind="session", address="::1", session_token=token)
    patient = TalkingStore(database.patient)
    async with locked(database_url):
        writing = [asyncio.create_task(patient.add_answer(None, full_record(n))) for n in range(40)]
        await asyncio.sleep(0.1)
        assert await store.find(session.id, holder) == session
    await asyncio.gather(*writing)


async def test_a_program_that_starts_while_another_writes_can_read(database: Database, database_url: str) -> None:
    session, token = await TalkingStore(database).start()
    holder = Caller(kind="session", address="::1", session_token=token)
    async with locked(database_url), Database.connect(database_url) as other:
        assert await TalkingStore(other).find(session.id, holder) == session


async def test_a_lock_is_no_reason_to_leave_the_database_alone(store: TalkingStore, database_url: str) -> None:
    async with locked(database_url):
        await seconds_of_failing(*(store.add_answer(None, full_record(n)) for n in range(10)))
        assert await store.find(uuid4(), NOBODY) is None
    await store.add_answer(None, full_record())


async def test_a_table_that_cannot_even_be_read(postgres_url: str) -> None:
    async with Database.connect(postgres_url) as database:
        store = TalkingStore(database.within(BUDGET))
        session, _ = await store.start()
        async with locked_table(postgres_url, "chat_messages", "ACCESS EXCLUSIVE"):
            waits = await seconds_of_failing(store.history(session.id, 5, None), store.last_exchanges(session.id, 5))
        assert max(waits) < SOON
        assert await store.history(session.id, 5, None) == ()


async def test_connections_outlive_the_wait_for_a_lock(postgres_url: str) -> None:
    """The server itself ends the wait, so that nothing has to be cut and made anew."""
    async with Database.connect(postgres_url) as database:
        store = TalkingStore(database.within(4.0))
        await store.start()
        before = await backends(postgres_url)
        async with locked_table(postgres_url, "audit_head"):
            await seconds_of_failing(store.add_answer(None, full_record()))
        assert before <= await backends(postgres_url)


async def backends(url: str) -> set[int]:
    """The connections that others have to this database, those included that are just being closed."""
    query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    async with await psycopg.AsyncConnection.connect(url) as connection:
        return {row[0] for row in await (await connection.execute(query)).fetchall()}


async def test_a_statement_that_takes_too_long(postgres_url: str) -> None:
    async with Database.connect(postgres_url) as database:
        await database.ping()

        async def sleep() -> None:
            async with database.within(BUDGET).transaction("read") as connection:
                await connection.execute(text("SELECT pg_sleep(60)"))

        assert max(await seconds_of_failing(sleep())) < SOON


async def test_sqlite_waits_for_a_lock_without_a_turn(tmp_path: Path) -> None:
    """Who gives up does so although others of the same process have more time and wait for the same lock."""
    url = f"sqlite:///{tmp_path / 'citebook.sqlite3'}"
    async with Database.connect(url) as database:
        await database.ping()
        async with locked_file(url):
            patient = [asyncio.create_task(TalkingStore(database.patient).start()) for _ in range(3)]
            await asyncio.sleep(0.05)
            assert max(await seconds_of_failing(TalkingStore(database.within(BUDGET)).start())) < SOON
        await asyncio.gather(*patient)


# --- a server that hangs


@pytest.fixture
def server() -> Iterator[Any]:
    with TemporaryDirectory(prefix="citebook-postgres-") as folder, started_postgres(Path(folder)) as server:
        yield server


@pytest.fixture
async def ready(server: Any) -> AsyncIterator[Database]:
    async with Database.connect(server.get_uri()) as database:
        await asyncio.gather(*(database.ping() for _ in range(5)))
        yield database


@pytest.mark.network  # a connection is cut by its socket
async def test_a_server_that_hangs_is_left_and_used_again(
    server: Any, ready: Database, caplog: pytest.LogCaptureFixture
) -> None:
    store = TalkingStore(ready.within(BUDGET))
    session, token = await store.start()
    holder = Caller(kind="session", address="::1", session_token=token)
    async with stopped(server):
        for _ in range(2):
            waits = await seconds_of_failing(*(store.find(session.id, holder) for _ in range(20)))
            assert max(waits) < SOON
        assert max(await seconds_of_failing(store.add_question(session.id, "Are you there?"))) < SOON
    assert "a connection to it is dropped" in caplog.text
    await ready.within(PATIENCE).ping()
    patient = TalkingStore(ready.within(PATIENCE))
    found = await asyncio.gather(*(patient.find(session.id, holder) for _ in range(20)))
    assert found == [session] * 20


@pytest.mark.network
async def test_a_database_that_keeps_failing_is_left_alone(
    server: Any, ready: Database, caplog: pytest.LogCaptureFixture
) -> None:
    store = TalkingStore(ready.within(BUDGET))
    session, token = await store.start()
    holder = Caller(kind="session", address="::1", session_token=token)
    async with stopped(server):
        await seconds_of_failing(*(store.find(session.id, holder) for _ in range(5)))
        assert "the database fails" in caplog.text
        assert sum([(await seconds_of_failing(store.find(session.id, holder)))[0] for _ in range(50)]) < SOON
    await ready.within(PATIENCE).ping()
    assert await TalkingStore(ready.within(PATIENCE)).find(session.id, holder) == session


async def test_a_new_file_that_another_program_is_opening_is_waited_for(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.sqlite3"
    async with Database.connect(url) as database:
        async with locked_file(url):
            opening = asyncio.create_task(database.ping())
            await asyncio.sleep(1)
            assert not opening.done()
        await opening
