"""Moves months of the audit log out of the database into compressed archives, without breaking the chain."""

import asyncio
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import ColumnElement, and_, delete, func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from citebook.adapters.sql import archive_files, audit_rows
from citebook.adapters.sql.archive_files import Manifest
from citebook.adapters.sql.audit_chain import BLANK, Row, plain
from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.audit_walk import Stretch, lengthen
from citebook.adapters.sql.database import Database, uninterrupted
from citebook.adapters.sql.tables import audit_archives, audit_logs
from citebook.domain.audit import ERASED, ChainFault, erasure_of, expiry_of
from citebook.domain.errors import DatabaseUnavailable
from citebook.ports import ArchiveStore

_PAGE = 500


@dataclass(slots=True)
class _Month:
    """A month in the making."""

    first_day: datetime
    records: int = 0
    erased: int = 0
    stretches: list[Stretch] = field(default_factory=list)

    @property
    def next_month(self) -> datetime:
        return _month_of(self.first_day + timedelta(days=31))

    @property
    def condition(self) -> ColumnElement[bool]:
        moment = audit_logs.c.timestamp
        return and_(moment >= self.first_day, moment < self.next_month)

    def add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self.records += 1
            self.erased += row["erased_at"] is not None
            lengthen(self.stretches, [row])


class SqlAuditArchive:
    def __init__(
        self, database: Database, store: ArchiveStore, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._database, self._store, self._clock = database, store, clock
        self._log = SqlAuditLog(database, clock)

    async def archive(self, before: datetime) -> tuple[Manifest, ...]:
        """Archives each month that ended before this moment. A broken chain is left as it is."""
        if not await self._has_months_before(before):
            return ()
        fault = await self._log.verify()
        if fault is not None:
            raise DatabaseUnavailable(
                f"Nothing was archived: the chain is broken at record {fault.sequence}, {fault.reason}."
            )
        made: list[Manifest] = []
        while (oldest := await self._oldest()) is not None and oldest < _month_of(before):
            made.append(await self._archive_month(_Month(_month_of(oldest))))
        return tuple(made)

    async def _has_months_before(self, moment: datetime) -> bool:
        """Most days there is none: then the chain need not be walked along."""
        oldest = await self._oldest()
        return oldest is not None and oldest < _month_of(moment)

    async def expire(self, before: datetime) -> tuple[str, ...]:
        """Deletes the archives of months that ended before this moment; the chain passes over them, and says so."""
        expired = [name for name in await self._archives() if archive_files.month_of(name) < _month_of(before)]
        for name in expired:
            await self._store.delete(name)
            await self._store.delete(archive_files.manifest_name(name))
            await self._note_expiry(name)
        return tuple(expired)

    @uninterrupted
    async def _note_expiry(self, name: str) -> None:
        """After its files are gone: a run that is cut short before this is simply repeated."""
        now = self._clock()
        ended = update(audit_archives).where(audit_archives.c.archive == name).values(expired_at=now)
        async with self._database.transaction("write") as connection:
            await connection.execute(ended)
            await audit_rows.append(connection, [expiry_of(name, now)])

    @uninterrupted
    async def _oldest(self) -> datetime | None:
        async with self._database.transaction("read") as connection:
            oldest: datetime | None = (await connection.execute(select(func.min(audit_logs.c.timestamp)))).scalar()
        return oldest

    async def _archive_month(self, month: _Month) -> Manifest:
        """The files are safe before a row goes; a run that is cut short writes the same files again."""
        with tempfile.TemporaryDirectory(prefix="citebook-archive-") as folder:
            file = Path(folder) / "archive"
            await self._copy_rows(month, file)
            name = archive_files.archive_name(month.first_day, month.stretches[0].first_sequence)
            manifest = Manifest(
                archive=name,
                month=f"{month.first_day:%Y-%m}",
                records=month.records,
                sha256=await asyncio.to_thread(archive_files.sha256_of, file),
                stretches=tuple(month.stretches),
                archived_at=self._clock(),
            )
            await self._put(manifest, file)
        await self._remove_rows(month, manifest)
        return manifest

    async def _copy_rows(self, month: _Month, file: Path) -> None:
        async for rows in self._log.pages(month.condition):
            month.add(rows)
            await asyncio.to_thread(archive_files.add_rows, file, rows)

    async def _put(self, manifest: Manifest, file: Path) -> None:
        await self._store.put(manifest.archive, file)
        description = file.with_suffix(".manifest")
        await asyncio.to_thread(description.write_text, manifest.model_dump_json(indent=2), encoding="utf-8")
        await self._store.put(manifest.name, description)

    @uninterrupted
    async def _remove_rows(self, month: _Month, manifest: Manifest) -> None:
        async with self._database.transaction("write") as connection:
            await audit_rows.lock_head(connection)
            counts = select(func.count(), func.count(audit_logs.c.erased_at)).where(month.condition)
            if tuple((await connection.execute(counts)).one()) != (month.records, month.erased):
                raise DatabaseUnavailable(f"{manifest.month} changed while it was archived. Run the command again.")
            await _drop(connection, month)
            noted = {"archive": manifest.archive, "archived_at": manifest.archived_at}
            await connection.execute(
                insert(audit_archives), [{**stretch._asdict(), **noted} for stretch in manifest.stretches]
            )

    async def verify(self) -> ChainFault | None:
        """The first fault in an archive that the database knows of."""
        for name, stretches in (await self._archives()).items():
            with tempfile.TemporaryDirectory(prefix="citebook-archive-") as folder:
                file = Path(folder) / "archive"
                manifest = await self._fetch(name, file)
                if manifest is None or set(manifest.stretches) != stretches:
                    first = min(stretch.first_sequence for stretch in stretches)
                    return ChainFault(sequence=first, reason=f"the archive {name} is missing or not the right one")
                fault = await asyncio.to_thread(archive_files.fault_in_archive, file, manifest)
                if fault is not None:
                    return fault
        return None

    async def erase(self, query_id: UUID) -> bool:
        """Removes the texts of a question from the archives. The chain tells of it by one more record."""
        book: str | None = None
        for name in await self._archives():
            with tempfile.TemporaryDirectory(prefix="citebook-archive-") as folder:
                file, cleaned = Path(folder) / "archive", Path(folder) / "cleaned"
                manifest = await self._fetch(name, file)
                found = await asyncio.to_thread(_copy_without, query_id, file, cleaned, self._clock())
                if manifest is not None and found is not None:
                    book = found
                    sha256 = await asyncio.to_thread(archive_files.sha256_of, cleaned)
                    await self._put(manifest.model_copy(update={"sha256": sha256}), cleaned)
        if book is None:
            return False
        await self._log.append(erasure_of(query_id, book, self._clock()))
        return True

    @uninterrupted
    async def _archives(self) -> dict[str, set[Stretch]]:
        """Those that are still there."""
        query = select(audit_archives.c.archive, *(audit_archives.c[name] for name in Stretch._fields))
        query = query.where(audit_archives.c.expired_at.is_(None))
        found: dict[str, set[Stretch]] = {}
        async with self._database.transaction("read") as connection:
            for name, *stretch in await connection.execute(query.order_by(audit_archives.c.first_sequence)):
                found.setdefault(name, set()).add(Stretch(*stretch))
        return found

    async def _fetch(self, name: str, target: Path) -> Manifest | None:
        """Puts the archive at the target. None where it or its manifest cannot be had."""
        description = target.with_suffix(".manifest")
        if not await self._store.get(archive_files.manifest_name(name), description):
            return None
        with suppress(ValidationError):
            manifest = Manifest.model_validate_json(await asyncio.to_thread(description.read_bytes))
            return manifest if await self._store.get(name, target) else None
        return None


async def _drop(connection: AsyncConnection, month: _Month) -> None:
    if connection.dialect.name != "postgresql":
        await connection.execute(delete(audit_logs).where(month.condition))
        return
    # Whoever reads the log just now must end first; those who answer questions must not wait long for that.
    await connection.execute(text("SET LOCAL lock_timeout = '2s'"))
    await connection.execute(text(f"DROP TABLE audit_logs_{month.first_day:%Y_%m}"))


def _copy_without(query_id: UUID, source: Path, target: Path, now: datetime) -> str | None:
    """Copies an archive without the texts of a question; says of which book it was, if it was there."""
    if not source.exists():
        return None
    book = None
    blank = plain({**BLANK, "salt": None, "erased_at": now})
    batch: list[Row] = []
    for row in archive_files.rows_in(source):
        if row["query_id"] == str(query_id) and row["outcome"] != ERASED:
            book = row["book"]
            row |= blank
        batch.append(row)
        if len(batch) == _PAGE:
            archive_files.add_rows(target, batch)
            batch = []
    archive_files.add_rows(target, batch)
    return book


def _month_of(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
