"""PostgreSQL: no call takes longer than its time, whether the server waits for a lock, is slow or hangs."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from sqlalchemy import URL, TextClause, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from citebook.adapters.sql.canonical_json import canonical
from citebook.adapters.sql.transactions import Mode, committed, reached
from citebook.extras import brought_by

log = logging.getLogger(__name__)

_SECONDS_TO_CONNECT = 5
_CONNECTIONS = 15
_WRITERS = 8
"""Those who wait for a lock leave connections to those who read."""
_SNAPSHOT = text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
_LIMITS = text(
    "SELECT set_config('lock_timeout', :lock, true), set_config('statement_timeout', :statement, true), "
    "set_config('idle_in_transaction_session_timeout', :idle, true)"
)


class PostgresqlServer:
    is_postgresql = True

    @brought_by("postgres")  # the driver is imported with the engine
    def __init__(self, url: URL) -> None:
        arguments = {} if "connect_timeout" in url.query else {"connect_timeout": _SECONDS_TO_CONNECT}
        self._engine = create_async_engine(
            url,
            connect_args=arguments,
            pool_size=_CONNECTIONS,
            max_overflow=0,
            hide_parameters=True,
            json_serializer=canonical,
        )
        self._writers = asyncio.Semaphore(_WRITERS)

    @asynccontextmanager
    async def begin(self, mode: Mode, ends_at: float) -> AsyncIterator[AsyncConnection]:
        async with AsyncExitStack() as held:
            if mode == "write":
                await held.enter_async_context(reached(self._writers, ends_at))
            try:
                connection = await self._connect(mode, ends_at, held)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
                # It died while nobody used it, and with it all others of the pool. The next one is new.
                connection = await self._connect(mode, ends_at, held)
            async with committed(connection, mode, ends_at):
                yield connection

    async def _connect(self, mode: Mode, ends_at: float, held: AsyncExitStack) -> AsyncConnection:
        """A connection in a transaction with limits, which `held` gives back in the end."""
        async with AsyncExitStack() as attempt:
            async with asyncio.timeout_at(ends_at):
                connection = await attempt.enter_async_context(self._engine.connect())
            await attempt.enter_async_context(_cut_off(connection, ends_at))
            if mode == "snapshot":
                await connection.execute(_SNAPSHOT)
            await connection.execute(_limits(ends_at))
            await held.enter_async_context(attempt.pop_all())
        return connection

    async def close(self) -> None:
        await self._engine.dispose()


def _limits(ends_at: float) -> TextClause:
    """A little less time than the caller has, so that the server itself ends what waits, and can be used on."""
    milliseconds = 1000 * (ends_at - asyncio.get_running_loop().time())
    shares = {"lock": 0.8, "statement": 0.9, "idle": 1.0}
    return _LIMITS.bindparams(**{name: str(max(1, int(share * milliseconds))) for name, share in shares.items()})


@asynccontextmanager
async def _cut_off(connection: AsyncConnection, ends_at: float) -> AsyncIterator[None]:
    """Cuts the connection where the server has not ended it in time: a server that was stopped ends nothing.

    To cancel the driver would not do: it asks the server to cancel, and waits for it.
    """
    driver = (await connection.get_raw_connection()).driver_connection
    cut = asyncio.get_running_loop().call_at(ends_at, _cut, driver)
    try:
        yield
    finally:
        cut.cancel()


def _cut(driver: Any) -> None:
    if driver.closed:
        return
    log.warning("the database did not answer in time: a connection to it is dropped")
    with socket.socket(fileno=socket.dup(driver.fileno())) as own:
        own.shutdown(socket.SHUT_RDWR)
