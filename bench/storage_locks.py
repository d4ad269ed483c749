"""Readers of `citebook serve` while another program locks its database: `python -m bench.storage_locks`."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from uuid import UUID, uuid4

import httpx
from rich.console import Console
from rich.table import Table
from tests.foreign_locks import locked_file, locked_table
from tests.servers import started_postgres

from bench.http import HOST, free_port, running
from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.conversation_store import SqlConversationStore
from citebook.adapters.sql.database import Database
from citebook.root.citebook import Citebook
from citebook.settings import read_settings

BOOK = Path(__file__).resolve().parents[1] / "examples" / "physical-ai" / "docs"
_PLENTY = "1000000"
_SECONDS_BETWEEN_QUESTIONS = 0.3
_GOAL_SECONDS = 1.0
_QUESTIONS = ("What is a harmonic drive?", "What is a zero moment point?", "What does a URDF file describe?")


@dataclass(slots=True)
class Reader:
    """Asks on and on in one session, and notes when each answer came and how long it took."""

    client: httpx.AsyncClient
    asked: list[str] = field(default_factory=list)
    answers: list[tuple[float, float]] = field(default_factory=list)
    session: str | None = None
    token: str = ""

    async def ask(self) -> None:
        question = f"{_QUESTIONS[len(self.asked) % len(_QUESTIONS)]} ({uuid4()})"
        body = {"query": question} | ({"sessionId": self.session} if self.session else {})
        start = perf_counter()
        reply = await self.client.post("/api/v1/query", json=body, headers={"X-Session-Token": self.token})
        self.answers.append((start, perf_counter() - start))
        reply.raise_for_status()
        self.session = reply.json()["sessionId"]
        self.token = reply.headers.get("X-Session-Token", self.token)
        self.asked.append(question)


@dataclass(frozen=True, slots=True)
class Outcome:
    name: str
    answers: int
    latest_without_lock: float
    latest_with_lock: float
    lost: int
    doubled: int
    out_of_order: int
    chain: str

    @property
    def is_good(self) -> bool:
        late = self.latest_with_lock - self.latest_without_lock
        return late < _GOAL_SECONDS and not (self.lost or self.doubled or self.out_of_order) and self.chain == "whole"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10.0, help="that the lock is held")
    options = parser.parse_args()
    temporary = tempfile.TemporaryDirectory(prefix="citebook-locks-")
    with temporary as folder, started_postgres(Path(folder) / "postgres") as server:
        outcomes = asyncio.run(_measure_all(Path(folder), server.get_uri(), options.readers, options.seconds))
    _print(outcomes, options.readers, options.seconds)
    if not all(outcome.is_good for outcome in outcomes):
        sys.exit(1)


async def _measure_all(folder: Path, postgres_url: str, readers: int, seconds: float) -> list[Outcome]:
    data_dir = folder / "data"
    async with Citebook(read_settings(citebook_data_dir=data_dir)) as citebook:
        await citebook.ingest.run(BOOK, progress=lambda _report: None)
    sqlite_url = f"sqlite:///{data_dir / 'citebook.sqlite3'}"
    whole = "ACCESS EXCLUSIVE"
    cases = {
        "SQLite: the file": (sqlite_url, locked_file(sqlite_url)),
        "PostgreSQL: audit_head": (postgres_url, locked_table(postgres_url, "audit_head")),
        "PostgreSQL: chat_messages": (postgres_url, locked_table(postgres_url, "chat_messages", whole)),
        "PostgreSQL: chat_sessions": (postgres_url, locked_table(postgres_url, "chat_sessions", whole)),
    }
    return [await _measure(name, data_dir, *case, readers, seconds) for name, case in cases.items()]


async def _measure(
    name: str, data_dir: Path, url: str, lock: AbstractAsyncContextManager[None], readers: int, seconds: float
) -> Outcome:
    port = free_port()
    environment = {
        "CITEBOOK_DATA_DIR": str(data_dir),
        "DATABASE_URL": url,
        "RATE_LIMIT_ANONYMOUS": _PLENTY,
        "API_PORT": str(port),
    }
    before = await _records(url)
    with running(["-m", "citebook", "serve"], "/health", port, environment):
        async with httpx.AsyncClient(base_url=f"http://{HOST}:{port}", timeout=60) as client:
            everyone = [Reader(client) for _ in range(readers)]
            newcomers = [Reader(client) for _ in range(readers)]
            async with _reading(everyone):
                await asyncio.sleep(seconds / 2)
                async with lock:
                    since = perf_counter()
                    async with _reading(newcomers):
                        await asyncio.sleep(seconds)
            until = perf_counter()
            await _until_drained(data_dir)
    return await _outcome(name, url, [*everyone, *newcomers], (since, until), await _records(url) - before)


@asynccontextmanager
async def _reading(readers: list[Reader]) -> AsyncIterator[None]:
    """Ends when each reader has the answer to its last question."""
    is_over = asyncio.Event()

    async def read_on(reader: Reader) -> None:
        while not is_over.is_set():
            await reader.ask()
            await asyncio.sleep(_SECONDS_BETWEEN_QUESTIONS)

    tasks = [asyncio.create_task(read_on(reader)) for reader in readers]
    yield
    is_over.set()
    await asyncio.gather(*tasks)


async def _until_drained(data_dir: Path) -> None:
    async with asyncio.timeout(60):
        while list(data_dir.glob("outbox/*/*.entry")):  # noqa: ASYNC110, ASYNC240
            await asyncio.sleep(0.1)


async def _records(url: str) -> int:
    async with Database.connect(url) as database:
        return (await SqlAuditLog(database).head()).sequence


async def _outcome(name: str, url: str, readers: list[Reader], lock: tuple[float, float], records: int) -> Outcome:
    answers = [answer for reader in readers for answer in reader.answers]
    lost = doubled = out_of_order = 0
    async with Database.connect(url) as database:
        for reader in readers:
            messages = await SqlConversationStore(database).history(UUID(reader.session), 100_000, None)
            kept = [message.content for message in messages if message.role == "user"]
            lost += 2 * len(set(reader.asked) - set(kept)) + 2 * len(kept) - len(messages)
            doubled += len(kept) - len(set(kept))
            roles = [message.role for message in messages]
            out_of_order += kept != reader.asked or roles != ["user", "assistant"] * len(kept)
        fault = await SqlAuditLog(database).verify()
    lost += max(0, len(answers) - records)
    doubled += max(0, records - len(answers))
    with_lock = [taken for asked, taken in answers if asked + taken > lock[0] and asked < lock[1]]
    without = [taken for asked, taken in answers if asked + taken <= lock[0]]
    chain = "whole" if fault is None else fault.reason
    return Outcome(name, len(answers), max(without), max(with_lock), lost, doubled, out_of_order, chain)


def _print(outcomes: list[Outcome], readers: int, seconds: float) -> None:
    table = Table(title=f"{readers} readers, then {2 * readers}, on a database that is locked for {seconds:g} s")
    for heading in ("lock on", "answers", "latest before", "latest meanwhile", "lost", "doubled", "order", "chain"):
        table.add_column(heading)
    for one in outcomes:
        order = f"{one.out_of_order} sessions wrong" if one.out_of_order else "kept"
        times = (f"{one.latest_without_lock:.2f} s", f"{one.latest_with_lock:.2f} s")
        table.add_row(one.name, str(one.answers), *times, str(one.lost), str(one.doubled), order, one.chain)
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    main()
