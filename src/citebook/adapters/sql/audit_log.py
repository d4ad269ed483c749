"""The audit log in SQL."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import ColumnElement, or_, select, update

from citebook.adapters.sql import audit_rows
from citebook.adapters.sql.audit_chain import BLANK, Row
from citebook.adapters.sql.audit_walk import ChainState, ChainWalk, Head
from citebook.adapters.sql.database import Database, uninterrupted
from citebook.adapters.sql.tables import audit_logs
from citebook.domain.audit import ERASED, AuditRecord, ChainedRecord, ChainFault, erasure_of
from citebook.domain.errors import DatabaseUnavailable

_PAGE = 500


class SqlAuditLog:
    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database, self._clock = database, clock

    @uninterrupted
    async def append(self, record: AuditRecord) -> None:
        async with self._database.transaction("write") as connection:
            await audit_rows.append(connection, [record])

    @uninterrupted
    async def find_answer(self, answer_id: UUID, client_id: str) -> AuditRecord | None:
        owned = (audit_logs.c.answer_id == answer_id, audit_logs.c.client_id == client_id)
        async with self._database.transaction("read") as connection:
            rows = await audit_rows.read_rows(connection, *owned, limit=1)
        return _readable(rows[0]).record if rows else None

    @uninterrupted
    async def find(self, id_of_anything: UUID) -> tuple[ChainedRecord, ...]:
        """All records with this id: of a question, of an answer or their own."""
        columns = (audit_logs.c.query_id, audit_logs.c.answer_id, audit_logs.c.log_id)
        same = or_(*(column == id_of_anything for column in columns))
        async with self._database.transaction("read") as connection:
            return tuple(map(_readable, await audit_rows.read_rows(connection, same, limit=_PAGE)))

    async def records(self, since: datetime | None = None) -> AsyncIterator[ChainedRecord]:
        """In the order of the chain."""
        conditions: tuple[ColumnElement[bool], ...] = () if since is None else (audit_logs.c.timestamp >= since,)
        async for page in self.pages(*conditions):
            for row in page:
                yield _readable(row)

    async def pages(self, *conditions: ColumnElement[bool]) -> AsyncIterator[list[Row]]:
        """Rows in the order of the chain, some at a time."""
        last = 0
        while page := await self._page(audit_logs.c.sequence > last, *conditions):
            yield page
            last = page[-1]["sequence"]

    @uninterrupted
    async def _page(self, *conditions: ColumnElement[bool]) -> list[Row]:
        async with self._database.transaction("read") as connection:
            return await audit_rows.read_rows(connection, *conditions, limit=_PAGE)

    @uninterrupted
    async def head(self) -> Head:
        """The end of the chain. Who notes it elsewhere can prove later that nothing before it was changed."""
        async with self._database.transaction("read") as connection:
            return await audit_rows.read_head(connection)

    async def verify(self) -> ChainFault | None:
        """The first fault of the chain, or None where it is whole. Archives are not opened for this."""
        walk = ChainWalk()
        while True:
            rows, state = await self._state_after(walk.at.sequence)
            fault = await asyncio.to_thread(walk.follow, rows, state.archived)
            if fault is not None:
                return fault
            if len(rows) < _PAGE:
                return walk.end(state)

    @uninterrupted
    async def _state_after(self, sequence: int) -> tuple[list[Row], ChainState]:
        """The next rows, and what they belong to. A long transaction would hold up whoever adds or drops a month."""
        async with self._database.transaction("snapshot") as connection:
            rows = await audit_rows.read_rows(connection, audit_logs.c.sequence > sequence, limit=_PAGE)
            count = await audit_rows.count_rows(connection) if len(rows) < _PAGE else 0
            head = await audit_rows.read_head(connection)
            return rows, ChainState(head, count, await audit_rows.read_stretches(connection))

    @uninterrupted
    async def erase(self, query_id: UUID) -> bool:
        """Removes the texts of one question for good; the chain stays valid, and tells of the erasure."""
        texts = (
            audit_logs.c.query_id == query_id,
            audit_logs.c.outcome != ERASED,
            audit_logs.c.erased_at.is_(None),
        )
        now = self._clock()
        async with self._database.transaction("write") as connection:
            await audit_rows.lock_head(connection)
            books = (await connection.execute(select(audit_logs.c.book).where(*texts))).scalars().all()
            if not books:
                return False
            await audit_rows.append(connection, [erasure_of(query_id, books[0], now)])
            await connection.execute(update(audit_logs).where(*texts).values(**BLANK, salt=None, erased_at=now))
        return True


def _readable(row: Row) -> ChainedRecord:
    try:
        return audit_rows.chained_record(row)
    except (ValidationError, ValueError) as error:
        place = row["sequence"]
        raise DatabaseUnavailable(f"Audit record {place} cannot be read. Run: citebook audit verify") from error
