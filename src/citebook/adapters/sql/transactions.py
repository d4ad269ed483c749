"""What transactions on SQLite and PostgreSQL have in common."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal, Protocol

from sqlalchemy.ext.asyncio import AsyncConnection

from citebook.domain.errors import DatabaseUnavailable

Mode = Literal["read", "snapshot", "write"]


class DatabaseEngine(Protocol):
    """SQLite or PostgreSQL."""

    @property
    def is_postgresql(self) -> bool: ...

    def begin(self, mode: Mode, ends_at: float) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction, committed at the end and undone by an error. It ends in time, whatever others do."""
        ...

    async def close(self) -> None: ...


@asynccontextmanager
async def committed(connection: AsyncConnection, mode: Mode, ends_at: float) -> AsyncIterator[None]:
    """Whoever waited for a write until its time was over was told that it failed: so a late one is undone."""
    try:
        yield
        if mode == "write" and asyncio.get_running_loop().time() > ends_at:
            raise DatabaseUnavailable("The database took too long; nothing was written")
        await connection.commit()
    except BaseException:
        await connection.rollback()
        raise


@asynccontextmanager
async def reached(turn: asyncio.Lock | asyncio.Semaphore, ends_at: float) -> AsyncIterator[None]:
    """A turn, for which nobody waits beyond its time."""
    try:
        async with asyncio.timeout_at(ends_at):
            await turn.acquire()
    except TimeoutError:
        raise DatabaseUnavailable("Others were writing to the database all the time") from None
    try:
        yield
    finally:
        turn.release()
