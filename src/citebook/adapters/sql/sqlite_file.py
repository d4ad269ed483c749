"""SQLite: one file, one writer at a time, and nobody waits for longer than its own time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, event
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from citebook.adapters.sql.canonical_json import canonical
from citebook.adapters.sql.failures import is_busy, sql_failures
from citebook.adapters.sql.transactions import Mode, committed, reached

_SECONDS_TO_READ = 0.5
"""Readers wait only while the file is recovered or its journal is folded in."""
_SECONDS_BETWEEN_TRIES = 0.01
_PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON")


class SqliteFile:
    is_postgresql = False

    def __init__(self, url: URL) -> None:
        _make_file(Path(url.database or ""))
        self._reading = _engine(url, "BEGIN", _SECONDS_TO_READ)
        # A writer takes its lock at once: a reader that turned writer midway would be refused.
        self._writing = _engine(url, "BEGIN IMMEDIATE", 0)
        # Writers of this process are served in turn. Who has its turn does not wait for other processes.
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def begin(self, mode: Mode, ends_at: float) -> AsyncIterator[AsyncConnection]:
        connecting = self._locked(ends_at) if mode == "write" else _connected(self._reading, ends_at)
        async with connecting as connection, committed(connection, mode, ends_at):
            yield connection

    @asynccontextmanager
    async def _locked(self, ends_at: float) -> AsyncIterator[AsyncConnection]:
        """A connection that holds the file's one lock for writers, which is tried for until the time is over."""
        while True:
            async with reached(self._turn, ends_at), _connected(self._writing, ends_at) as connection:
                if await _succeeds(connection.begin(), ends_at):
                    yield connection
                    return
            await asyncio.sleep(_SECONDS_BETWEEN_TRIES)

    async def close(self) -> None:
        await self._reading.dispose()
        await self._writing.dispose()


@asynccontextmanager
async def _connected(engine: AsyncEngine, ends_at: float) -> AsyncIterator[AsyncConnection]:
    """Whoever opens a new file first turns its journal, and SQLite lets nobody wait for that: others are refused."""
    while True:
        connection = engine.connect()
        if await _succeeds(connection.start(), ends_at):
            break
        await asyncio.sleep(_SECONDS_BETWEEN_TRIES)
    try:
        yield connection
    finally:
        await asyncio.shield(asyncio.create_task(connection.close()))


async def _succeeds(attempt: Awaitable[object], ends_at: float) -> bool:
    """Not where another connection holds the file and there is time to try again."""
    try:
        await attempt
    except OperationalError as error:
        if not is_busy(error) or asyncio.get_running_loop().time() >= ends_at:
            raise
        return False
    return True


def _make_file(path: Path) -> None:
    """For its owner alone."""
    with sql_failures():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)


def _engine(url: URL, begin: str, seconds_to_wait: float) -> AsyncEngine:
    engine = create_async_engine(
        url, connect_args={"timeout": seconds_to_wait}, hide_parameters=True, json_serializer=canonical
    )
    event.listen(engine.sync_engine, "connect", _prepare_connection)
    event.listen(engine.sync_engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


def _prepare_connection(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver's own BEGIN comes too late to read and write in one transaction
    # A text that somebody damaged is still read, so that an audit can say which one it is.
    connection.driver_connection.text_factory = lambda stored: stored.decode(errors="surrogateescape")
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
