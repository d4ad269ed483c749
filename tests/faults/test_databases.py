"""Databases that die, and programs that die while they write."""

import asyncio
import random
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from sqlalchemy import text

from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.database import Database
from citebook.domain.callers import Caller
from citebook.domain.errors import DatabaseUnavailable
from tests.conversing import TalkingStore
from tests.servers import started_postgres

ROOT = Path(__file__).parents[2]
KILLS = 3
PATIENCE = 60.0
"""Seconds after which a call counts as hung."""


async def killed_while_it_writes(url: str, seconds: float) -> list[str]:
    """Kills a program that talks to the database; gives what it was told is kept."""
    command = (sys.executable, "-m", "tests.database_writers", "converse", url, "1000000")
    writer = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=PIPE)
    assert writer.stdout is not None
    first = [await writer.stdout.readline() for _ in range(2)]
    await asyncio.sleep(seconds)
    writer.kill()
    rest, _ = await writer.communicate()
    return b"".join([*first, rest]).decode().splitlines()


async def column(database: Database, statement: str) -> list[Any]:
    async with database.transaction("read") as connection:
        return list((await connection.execute(text(statement))).scalars())


async def test_what_was_acknowledged_is_there_once_after_a_kill(database_url: str) -> None:
    acknowledged: list[str] = []
    for _ in range(KILLS):
        acknowledged += await killed_while_it_writes(database_url, random.uniform(0.01, 0.3))
    async with Database.connect(database_url) as database:
        kept = [str(one) for one in await column(database, "SELECT id FROM chat_messages")]
        assert len(acknowledged) > KILLS
        assert set(acknowledged) <= set(kept)
        assert len(set(kept)) == len(kept) <= len(acknowledged) + KILLS
        answers = await column(database, "SELECT id FROM chat_messages WHERE role = 'assistant'")
        whole = await column(database, "SELECT message_id FROM source_citations GROUP BY 1 HAVING count(*) = 2")
        assert set(answers) == set(whole)
        log = SqlAuditLog(database)
        assert (await log.head()).sequence == len(answers)
        assert await log.verify() is None


@pytest.fixture
def server() -> Any:
    with TemporaryDirectory(prefix="citebook-postgres-") as folder, started_postgres(Path(folder)) as server:
        yield server


async def test_a_server_that_goes_and_comes_back(server: Any) -> None:
    server.stop()
    async with Database.connect(server.get_uri()) as database:
        store = TalkingStore(database)
        with pytest.raises(DatabaseUnavailable):
            await store.start(None)
        server.ensure_postgres_running()
        session, token = await store.start(None)
        caller = Caller(kind="session", address="::1", session_token=token)
        for _ in range(2):
            await asyncio.gather(*(store.add_question(session.id, "Are you there?") for _ in range(5)))
            server.stop()
            async with asyncio.timeout(PATIENCE):
                with pytest.raises(DatabaseUnavailable):
                    await store.find(session.id, caller)
            server.ensure_postgres_running()
            assert await store.find(session.id, caller) is not None
        assert len(await store.history(session.id, 50, None)) == 10


async def test_a_server_that_was_restarted_is_used_by_all_at_once(server: Any) -> None:
    """Each connection of the pool is dead then, and each needs another in its place."""
    async with Database.connect(server.get_uri()) as database:
        store = TalkingStore(database.patient)
        session, token = await store.start(None)
        caller = Caller(kind="session", address="::1", session_token=token)
        for _ in range(2):
            found = await asyncio.gather(*(store.find(session.id, caller) for _ in range(30)))
            assert found == [session] * 30
            server.stop()
            server.ensure_postgres_running()
        assert await store.find(session.id, caller) == session


async def test_a_server_that_is_killed_in_the_middle(server: Any) -> None:
    async with Database.connect(server.get_uri()) as database:
        store = TalkingStore(database)
        session, _token = await store.start(None)
        kept = 0

        async def ask() -> None:
            nonlocal kept
            await store.add_question(session.id, "Are you there?")
            kept += 1

        asking = [asyncio.create_task(ask()) for _ in range(50)]
        await asyncio.sleep(0.02)
        server.get_postmaster_info().process.kill()
        outcomes = await asyncio.gather(*asking, return_exceptions=True)
        assert {type(outcome) for outcome in outcomes} <= {type(None), DatabaseUnavailable}
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    await asyncio.to_thread(server.ensure_postgres_running)
                    history = await store.history(session.id, 50, None)
                    break
                except (DatabaseUnavailable, OSError, AssertionError):
                    await asyncio.sleep(0.1)
        assert len(history) >= kept
