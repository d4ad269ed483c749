"""The rows of the audit log, as they are written and as they are read."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, ColumnElement, Select, String, cast, func, insert, select, type_coerce, update
from sqlalchemy.engine import RowMapping
from sqlalchemy.ext.asyncio import AsyncConnection

from citebook.adapters.sql.audit_chain import Row, plain, sealed
from citebook.adapters.sql.audit_walk import Head, Stretch
from citebook.adapters.sql.canonical_json import exact
from citebook.adapters.sql.tables import audit_archives, audit_head, audit_logs
from citebook.domain.audit import AuditRecord, ChainedRecord

_JSON_COLUMNS = tuple(column.name for column in audit_logs.columns if isinstance(column.type, JSON))


async def append(connection: AsyncConnection, records: Iterable[AuditRecord]) -> None:
    """Adds records at the end of the chain; until the transaction ends, others wait with theirs.

    A record that is in the chain stays where it is.
    """
    wanted = {record.log_id: record for record in records}
    if not wanted:
        return
    end = await lock_head(connection)
    for known in await _known(connection, wanted.values()):
        del wanted[known]
    rows: list[dict[str, Any]] = []
    for record in wanted.values():
        rows.append(sealed(record, end.sequence + 1, end.record_hash))
        end = Head(rows[-1]["sequence"], rows[-1]["record_hash"])
    if not rows:
        return
    if connection.dialect.name == "postgresql":
        for moment in {record.timestamp.replace(day=1): record.timestamp for record in wanted.values()}.values():
            await connection.execute(select(func.ensure_audit_partitions(moment)))
    await connection.execute(insert(audit_logs), rows)
    await connection.execute(update(audit_head).values(sequence=end.sequence, record_hash=end.record_hash))


async def _known(connection: AsyncConnection, records: Collection[AuditRecord]) -> Sequence[UUID]:
    """Those that are in the chain. By their moments as well: PostgreSQL then looks in their months only."""
    ids, moments = [record.log_id for record in records], [record.timestamp for record in records]
    same = audit_logs.c.log_id.in_(ids), audit_logs.c.timestamp.between(min(moments), max(moments))
    return (await connection.execute(select(audit_logs.c.log_id).where(*same))).scalars().all()


async def lock_head(connection: AsyncConnection) -> Head:
    """On SQLite the writing transaction itself is the lock."""
    return Head(*(await connection.execute(_head().with_for_update())).one())


async def read_head(connection: AsyncConnection) -> Head:
    return Head(*(await connection.execute(_head())).one())


def _head() -> Select[Any]:
    return select(audit_head.c.sequence, audit_head.c.record_hash)


async def read_rows(connection: AsyncConnection, *conditions: ColumnElement[bool], limit: int) -> list[Row]:
    """Rows in the order of the chain, byte by byte as they are stored."""
    query = select(*_RAW).where(*conditions).order_by(audit_logs.c.sequence).limit(limit)
    is_postgresql = connection.dialect.name == "postgresql"
    return [_row(row, is_postgresql=is_postgresql) for row in (await connection.execute(query)).mappings()]


def _raw(name: str) -> ColumnElement[Any]:
    column = audit_logs.c[name]
    return (cast(column, String) if name in _JSON_COLUMNS else type_coerce(column, String)).label(name)


_RAW = tuple(_raw(column.name) for column in audit_logs.columns)


def _row(found: RowMapping, *, is_postgresql: bool) -> Row:
    """PostgreSQL stores the value of a JSON text, not its spelling; SQLite stores the text itself."""
    values = dict(found)
    if is_postgresql:
        values |= {name: exact(values[name]) for name in _JSON_COLUMNS}
    return plain(values)


async def read_stretches(connection: AsyncConnection) -> dict[int, Stretch]:
    """What lies in archives, by the first sequence."""
    found = await connection.execute(select(*(audit_archives.c[name] for name in Stretch._fields)))
    return {row.first_sequence: Stretch(*row) for row in found}


async def count_rows(connection: AsyncConnection) -> int:
    return (await connection.execute(select(func.count()).select_from(audit_logs))).scalar_one()


def chained_record(row: Row) -> ChainedRecord:
    fields = {name: row[name] for name in AuditRecord.model_fields}
    fields |= {name: json.loads(row[name]) for name in ("chunks_returned", "citations")}
    return ChainedRecord(
        sequence=row["sequence"],
        previous_hash=row["previous_hash"],
        record_hash=row["record_hash"],
        record=AuditRecord.model_validate(fields),
        erased=row["erased_at"] is not None,
    )
