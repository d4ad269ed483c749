"""One database, SQLite or PostgreSQL: connections, transactions, and a schema that is made before first use."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, nullcontext
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, Self, TypeVar

from sqlalchemy import URL, Connection, event, make_url, text
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from citebook.adapters.sql.canonical_json import canonical
from citebook.adapters.sql.failures import sql_failures
from citebook.adapters.sql.migrating import migrate
from citebook.domain.errors import InvalidSettings

log = logging.getLogger(__name__)

Mode = Literal["read", "snapshot", "write"]
Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")

_SECONDS_TO_WAIT = 5
_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
_PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON")


class Database:
    """Made without touching the server, which may be down: each use tries again, and first updates the schema."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._is_ready = False
        self._preparing = asyncio.Lock()
        self._unfinished: set[asyncio.Task[Any]] = set()
        # SQLite has one writer at a time; those who wait in line here are served in turn.
        self._turn = nullcontext() if self.is_postgresql else asyncio.Lock()

    @classmethod
    def connect(cls, url: str) -> Self:
        """Takes `postgresql://…`, `postgres://…` and `sqlite:///path`."""
        target = _parsed(url)
        return cls(_sqlite_engine(target) if target.drivername.startswith("sqlite") else _server_engine(target))

    @property
    def is_postgresql(self) -> bool:
        return self._engine.dialect.name == "postgresql"

    @asynccontextmanager
    async def transaction(self, mode: Mode) -> AsyncIterator[AsyncConnection]:
        """Committed at the end, undone by an error. A snapshot sees one state of all tables, whatever others do."""
        with sql_failures():
            await self._prepare()
            async with self._begin(mode) as connection:
                yield connection

    @asynccontextmanager
    async def _begin(self, mode: Mode) -> AsyncIterator[AsyncConnection]:
        async with self._turn if mode == "write" else nullcontext(), self._engine.connect() as connection:
            await connection.execution_options(citebook_writes=mode == "write")
            async with connection.begin():
                if mode == "snapshot" and self.is_postgresql:
                    await connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
                yield connection

    async def _prepare(self) -> None:
        if self._is_ready:
            return
        async with self._preparing:
            if not self._is_ready:
                async with self._begin("write") as connection:
                    await migrate(connection)
                self._is_ready = True

    async def finish(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Does the work to its end, even where whoever waits for it is cancelled.

        A driver that is cancelled midway may keep its lock on the database: aiosqlite's thread goes on regardless.
        """
        task = asyncio.create_task(work)
        self._unfinished.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._unfinished.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.debug("a use of the database failed: %s", error)

    async def ping(self) -> None:
        """Raises `DatabaseUnavailable` where the database does not answer."""
        await self.finish(self._ping())

    async def _ping(self) -> None:
        async with self.transaction("read") as connection:
            await connection.execute(text("SELECT 1"))

    async def aclose(self) -> None:
        if self._unfinished:
            await asyncio.wait(self._unfinished, timeout=_SECONDS_TO_WAIT)
        await self._engine.dispose()

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


def _server_engine(url: URL) -> AsyncEngine:
    arguments = {} if "connect_timeout" in url.query else {"connect_timeout": _SECONDS_TO_WAIT}
    return create_async_engine(
        url,
        connect_args=arguments,
        pool_pre_ping=True,
        pool_timeout=_SECONDS_TO_WAIT,
        hide_parameters=True,
        json_serializer=canonical,
    )


def _sqlite_engine(url: URL) -> AsyncEngine:
    path = Path(url.database or "")
    with sql_failures():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    engine = create_async_engine(
        url,
        connect_args={"timeout": _SECONDS_TO_WAIT},
        pool_timeout=_SECONDS_TO_WAIT,
        hide_parameters=True,
        json_serializer=canonical,
    )
    event.listen(engine.sync_engine, "connect", _set_pragmas)
    event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def _set_pragmas(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver's own BEGIN comes too late to read and write in one transaction
    # A text that somebody damaged is still read, so that an audit can say which one it is.
    connection.driver_connection.text_factory = lambda stored: stored.decode(errors="surrogateescape")
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes its lock at once: a reader that turns writer midway would be refused."""
    writes = connection.get_execution_options().get("citebook_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
