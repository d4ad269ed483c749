"""One database, SQLite or PostgreSQL: transactions that end in time, and a schema that is made before first use."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from copy import copy
from datetime import UTC, datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

from sqlalchemy import URL, bindparam, make_url, text
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncConnection

from citebook.adapters.sql.failures import sql_failures
from citebook.adapters.sql.migrating import is_up_to_date, migrate
from citebook.adapters.sql.postgresql_server import PostgresqlServer
from citebook.adapters.sql.sqlite_file import SqliteFile
from citebook.adapters.sql.tables import Moment
from citebook.adapters.sql.transactions import DatabaseEngine, Mode
from citebook.domain.errors import DatabaseUnavailable, InvalidSettings
from citebook.pacing.breaker import Breaker

log = logging.getLogger(__name__)

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")

_ORDINARY_SECONDS = 5.0
_LONG_SECONDS = 600.0
_SECONDS_TO_END = 0.25
"""Added for whoever waits: what is ended in time has to say so."""
_SECONDS_TO_PROBE = 1.5
_LOCKS_OF_AN_ANSWER = (
    text("LOCK TABLE chat_sessions, chat_messages, source_citations, audit_logs IN ROW EXCLUSIVE MODE"),
    text("SELECT sequence FROM audit_head FOR UPDATE"),
)
"""What an answer needs to be kept; SQLite has one lock for all."""
_NOTE = text(
    "INSERT INTO job_turns (job, taken_at) VALUES ('health', :now) "
    "ON CONFLICT (job) DO UPDATE SET taken_at = excluded.taken_at"
).bindparams(bindparam("now", type_=Moment))
_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}


class Database:
    """Made without touching the server, which may be down: each use tries again, and first updates the schema.

    After five failures in a row it fails at once, until a probe succeeds.
    """

    def __init__(self, engine: DatabaseEngine) -> None:
        self._engine = engine
        self._seconds = _ORDINARY_SECONDS
        self._is_ready = asyncio.Event()
        self._preparing = asyncio.Lock()
        self._unfinished: set[asyncio.Task[Any]] = set()
        self._breaker = Breaker("the database")

    @classmethod
    def connect(cls, url: str) -> Self:
        """Takes `postgresql://…`, `postgres://…` and `sqlite:///path`."""
        target = _parsed(url)
        return cls(SqliteFile(target) if target.drivername.startswith("sqlite") else PostgresqlServer(target))

    def within(self, seconds: float) -> Self:
        """The same database, for those who have more time or less."""
        same = copy(self)
        same._seconds = seconds
        return same

    @property
    def patient(self) -> Self:
        """The same, for walks along the whole audit log, archives and purges."""
        return self.within(_LONG_SECONDS)

    @property
    def is_postgresql(self) -> bool:
        return self._engine.is_postgresql

    @asynccontextmanager
    async def transaction(self, mode: Mode) -> AsyncIterator[AsyncConnection]:
        """Committed at the end, undone by an error. A snapshot sees one state of all tables, whatever others do."""
        if not self._breaker.admits():
            raise DatabaseUnavailable("The database failed again and again, and is left alone for a moment")
        async with self._attempt(mode) as connection:
            yield connection

    @asynccontextmanager
    async def _attempt(self, mode: Mode) -> AsyncIterator[AsyncConnection]:
        with sql_failures(self._breaker):
            await self._prepare()
            ends_at = asyncio.get_running_loop().time() + self._seconds
            async with self._engine.begin(mode, ends_at) as connection:
                yield connection
        self._breaker.succeeded()

    async def _prepare(self) -> None:
        """Whoever has less time than a migration takes gives up and leaves it running: see `finish`."""
        if self._is_ready.is_set():
            return
        async with self._preparing:
            if not self._is_ready.is_set():
                await self._update_schema()
                self._is_ready.set()

    async def _update_schema(self) -> None:
        """A schema that is up to date is only looked at: another program may be writing."""
        now = asyncio.get_running_loop().time()
        async with self._engine.begin("read", now + _ORDINARY_SECONDS) as connection:
            if await is_up_to_date(connection):
                return
        async with self._engine.begin("write", now + _LONG_SECONDS) as connection:
            await migrate(connection)

    async def finish(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Does the work to its end, even where whoever waits for it is cancelled or has no more time.

        A driver that is cancelled midway may keep its lock on the database: aiosqlite's thread goes on regardless.
        """
        task = asyncio.create_task(work)
        self._unfinished.add(task)
        task.add_done_callback(self._forget)
        await asyncio.wait({task}, timeout=self._seconds + _SECONDS_TO_END)
        if not task.done():
            self._breaker.failed()
            raise DatabaseUnavailable(f"The database did not answer within {self._seconds:g} s")
        return task.result()

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._unfinished.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.debug("a use of the database failed: %s", error)

    async def ping(self) -> None:
        """Raises `DatabaseUnavailable` where the database does not answer. Asks also one that is left alone."""
        await self.finish(self._ping())

    async def _ping(self) -> None:
        async with self._attempt("read") as connection:
            await connection.execute(text("SELECT 1"))

    async def check_writing(self) -> None:
        """Raises `DatabaseUnavailable` where nothing can be written, or others hold what answers write to."""
        quick = self.within(min(self._seconds, _SECONDS_TO_PROBE))
        await quick.finish(quick._write())

    async def _write(self) -> None:
        async with self._attempt("write") as connection:
            for statement in _LOCKS_OF_AN_ANSWER if self.is_postgresql else ():
                await connection.execute(statement)
            await connection.execute(_NOTE, {"now": datetime.now(UTC)})

    async def aclose(self) -> None:
        if self._unfinished:
            await asyncio.wait(self._unfinished, timeout=_ORDINARY_SECONDS)
        await self._engine.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class UsesDatabase(Protocol):
    _database: Database


User = TypeVar("User", bound=UsesDatabase)
Method = Callable[Concatenate[User, Parameters], Coroutine[Any, Any, Result]]


def uninterrupted(method: Method[User, Parameters, Result]) -> Method[User, Parameters, Result]:
    """For methods that use the database: what they have begun they end. See `Database.finish`."""

    @wraps(method)
    async def run(user: User, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        return await user._database.finish(method(user, *args, **kwargs))

    return run


def _parsed(url: str) -> URL:
    try:
        target = make_url(url)
    except (ArgumentError, ValueError):
        raise InvalidSettings("DATABASE_URL is not a URL. Write postgresql://… or sqlite:///path") from None
    driver = _DRIVERS.get(target.drivername.partition("+")[0])
    if driver is None:
        raise InvalidSettings("DATABASE_URL must begin with postgresql:// or sqlite:///")
    if driver.startswith("sqlite") and target.database in (None, "", ":memory:"):
        raise InvalidSettings("DATABASE_URL must name a file: sqlite:///path")
    return target.set(drivername=driver)
