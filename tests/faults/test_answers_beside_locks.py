"""Readers ask on while another program holds a lock on the database: no answer waits for it, and all is kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.database import Database
from citebook.domain.audit import AuditRecord
from citebook.records import outbox_folder
from citebook.settings import Settings
from tests.command_line import citebook
from tests.conversing import TalkingStore
from tests.faults.conftest import Shelf
from tests.faults.test_outages_under_load import PATIENCE, settings_of, started, until
from tests.foreign_locks import locked, locked_table
from tests.unit.records.test_outbox import full_disk

READERS = 4
SEVERAL = 3
BUDGET = 0.5
QUESTION = "What is a harmonic drive?"


@pytest.fixture
def settings(shelf: Shelf, database_url: str) -> Settings:
    return settings_of(shelf.data, database_url=database_url, recording_seconds=BUDGET)


@dataclass(slots=True)
class Reader:
    """Goes on and on with one session."""

    client: httpx.AsyncClient
    asked: list[str] = field(default_factory=list)
    session: str | None = None
    token: str = ""

    async def ask(self) -> None:
        question = f"{QUESTION} Asked for the {len(self.asked)}. time."
        body = {"query": question} | ({"sessionId": self.session} if self.session else {})
        reply = await self.client.post("/api/v1/query", json=body, headers={"X-Session-Token": self.token})
        assert reply.status_code == 200, reply.text
        self.session = reply.json()["sessionId"]
        self.token = reply.headers.get("X-Session-Token", self.token)
        self.asked.append(question)


@asynccontextmanager
async def reading(readers: list[Reader]) -> AsyncIterator[None]:
    """Ends when each has the answer to its last question."""
    is_over = asyncio.Event()

    async def read_on(reader: Reader) -> None:
        while not is_over.is_set():
            await reader.ask()
            await asyncio.sleep(0.1)

    tasks = [asyncio.create_task(read_on(reader)) for reader in readers]
    try:
        yield
    finally:
        is_over.set()
        await asyncio.gather(*tasks)


def waiting_in(data: Path) -> list[Path]:
    return list(data.glob("outbox/*/*.entry"))


async def records_in(url: str) -> list[AuditRecord]:
    async with Database.connect(url) as database:
        log = SqlAuditLog(database)
        assert await log.verify() is None
        return [chained.record async for chained in log.records()]


async def check_history(url: str, reader: Reader) -> None:
    """Each exchange of the reader is there once, and in order."""
    assert reader.session is not None
    async with Database.connect(url) as database:
        history = await TalkingStore(database).history(UUID(reader.session), 1000, None)
    assert [message.content for message in history if message.role == "user"] == reader.asked
    assert [message.role for message in history] == ["user", "assistant"] * len(reader.asked)


async def test_no_answer_waits_for_a_lock(settings: Settings, shelf: Shelf, database_url: str) -> None:
    async with started(settings) as service:
        early, late = ([Reader(service.client) for _ in range(READERS)] for _ in range(2))
        async with reading(early):
            await asyncio.sleep(0.5)
            async with locked(database_url):
                async with reading(late):  # the lock is held until each has had several answers
                    await until(lambda: asyncio.sleep(0, min(len(one.asked) for one in late) >= SEVERAL))
                assert waiting_in(shelf.data)
        readers = [*early, *late]
        await until(lambda: asyncio.sleep(0, not waiting_in(shelf.data)))
    for reader in readers:
        await check_history(database_url, reader)
    records = await records_in(database_url)
    assert len(records) == len({record.query_id for record in records}) == sum(len(one.asked) for one in readers)


async def test_the_command_line_finds_the_chain_whole(shelf: Shelf) -> None:
    url = f"sqlite:///{shelf.data / 'citebook.sqlite3'}"
    async with started(settings_of(shelf.data, recording_seconds=BUDGET)) as service:
        reader = Reader(service.client)
        async with locked(url):
            for _ in range(3):
                await reader.ask()
        await until(lambda: asyncio.sleep(0, not waiting_in(shelf.data)))
    verified = await asyncio.to_thread(citebook, "audit", "verify", "--data-dir", shelf.data)
    assert (verified.exit_code, verified.err) == (0, "")
    assert "3 records" in verified.out


async def test_what_the_outbox_holds_at_the_end_is_written_at_the_next_start(
    settings: Settings, shelf: Shelf, database_url: str
) -> None:
    async with AsyncExitStack() as held, started(settings) as service:
        await held.enter_async_context(locked(database_url))
        reader = Reader(service.client)
        for _ in range(3):
            await reader.ask()
    assert waiting_in(shelf.data)
    async with started(settings):
        await until(lambda: asyncio.sleep(0, not waiting_in(shelf.data)))
    await check_history(database_url, reader)


# --- where the audit is a promise


async def test_a_promised_record_that_is_late_costs_the_answer(
    settings: Settings, shelf: Shelf, database_url: str
) -> None:
    async with started(settings) as service:
        assert (await service.ask("academic")).status_code == 200
        async with locked(database_url):
            reply = await service.ask("academic")  # it comes though the lock is held
        assert reply.status_code == 503
        assert reply.json()["error"]["code"] == "SERVER_ERROR"
        await until(lambda: asyncio.sleep(0, not waiting_in(shelf.data)))
        assert (await service.ask("academic")).status_code == 200
    given, withheld, again = await records_in(database_url)
    assert (given.success, withheld.success, again.success) == (True, False, True)
    assert (withheld.outcome, withheld.error_message) == ("failed", "DATABASE_ERROR")
    assert withheld.user_query_text == QUESTION
    assert (withheld.answer_id, withheld.answer_text, withheld.citations) == (None, None, ())


async def test_an_earlier_answer_is_not_waited_for_without_end(shelf: Shelf, postgres_url: str) -> None:
    async with started(settings_of(shelf.data, database_url=postgres_url)) as service:
        path = f"/chat/{(await service.ask('academic')).json()['answer_id']}"
        key = {"Authorization": f"Bearer {service.key}"}
        async with locked_table(postgres_url, "audit_logs", "ACCESS EXCLUSIVE"), asyncio.timeout(PATIENCE):
            assert (await service.client.get(path, headers=key)).status_code == 503
        assert (await service.client.get(path, headers=key)).status_code == 200


async def test_with_a_full_disk_answers_go_on_and_promises_do_not(
    settings: Settings,
    shelf: Shelf,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(outbox_folder, "write_whole", full_disk)
    async with started(settings) as service, locked(database_url):
        assert (await service.ask("academic")).status_code == 503
        reply = await service.ask("core")
        assert reply.status_code == 200
        assert reply.json()["outcome"] == "answered"
    assert "the exchange was not kept: The outbox in" in caplog.text
    assert "No space left on device" in caplog.text
    assert waiting_in(shelf.data) == []


async def test_health_says_that_nothing_can_be_kept_while_others_hold_the_tables(
    settings: Settings, database_url: str
) -> None:
    """What can be read, and not written to, keeps no conversation."""
    async with started(settings) as service:
        assert (await service.client.get("/api/v1/health")).json()["status"] == "healthy"
        await asyncio.sleep(1.1)
        async with locked(database_url):
            health = await service.client.get("/api/v1/health")
        assert health.status_code == 200
        assert (health.json()["status"], health.json()["dependencies"]["sessions"]) == ("degraded", "down")
        await asyncio.sleep(1.1)
        assert (await service.client.get("/api/v1/health")).json()["status"] == "healthy"
