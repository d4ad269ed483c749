"""What ends by itself: once a day, by one of all workers."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from citebook.adapters.archive_folder import FolderArchive
from citebook.adapters.sql.audit_archive import SqlAuditArchive
from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.chunk_store import SqlChunkStore
from citebook.adapters.sql.clock_log import SqlClockLog
from citebook.adapters.sql.conversation_store import SqlConversationStore
from citebook.adapters.sql.database import Database
from citebook.adapters.sql.feedback_store import SqlFeedbackStore
from citebook.adapters.sql.job_turns import SqlJobTurns
from citebook.records.housekeeping import Housekeeping, Retention
from tests.records import full_record

NOW = datetime(2026, 3, 14, 3, tzinfo=UTC)
ONE_AND_THREE_YEARS = Retention(timedelta(days=365), timedelta(days=1095))


def housekeeping(
    database: Database, folder: Path, retention: Retention = ONE_AND_THREE_YEARS, now: datetime = NOW
) -> Housekeeping:
    return Housekeeping(
        SqlConversationStore(database),
        SqlFeedbackStore(database),
        SqlAuditArchive(database, FolderArchive(folder)),
        SqlChunkStore(database),
        SqlJobTurns(database),
        SqlClockLog(database),
        retention,
        lambda: now,
    )


async def keep(database: Database, *months_ago: int) -> None:
    for number, months in enumerate(months_ago):
        await SqlAuditLog(database).append(full_record(number, timestamp=NOW - timedelta(days=30 * months)))


async def kept_in(database: Database) -> list[str]:
    return [chained.record.outcome async for chained in SqlAuditLog(database).records()]


def files_in(folder: Path) -> int:
    return len(list(folder.glob("audit-*")))


async def is_whole(database: Database, folder: Path) -> bool:
    archive = SqlAuditArchive(database, FolderArchive(folder))
    return await SqlAuditLog(database).verify() is None and await archive.verify() is None


async def test_old_months_go_to_the_archive_by_themselves(database: Database, tmp_path: Path) -> None:
    await keep(database, 15, 14, 1)
    done = await housekeeping(database, tmp_path).tidy_if_due()
    assert done is not None
    assert (done.archived_months, done.deleted_archives) == (2, 0)
    assert await kept_in(database) == ["answered"]
    assert files_in(tmp_path) == 4  # each archive has a manifest
    assert await is_whole(database, tmp_path)


async def test_what_is_past_its_retention_is_gone_everywhere(database: Database, tmp_path: Path) -> None:
    await keep(database, 40, 15, 1)
    done = await housekeeping(database, tmp_path).tidy()
    assert (done.archived_months, done.deleted_archives) == (2, 1)
    assert files_in(tmp_path) == 2
    assert await kept_in(database) == ["answered", "expired"]
    assert await is_whole(database, tmp_path)


async def test_a_short_retention_also_empties_the_database(database: Database, tmp_path: Path) -> None:
    await keep(database, 15, 4, 1)
    short = Retention(timedelta(days=365), timedelta(days=60))
    await housekeeping(database, tmp_path, short).tidy()
    assert files_in(tmp_path) == 0
    assert await kept_in(database) == ["answered", "expired", "expired"]
    assert await is_whole(database, tmp_path)


async def test_what_was_deleted_stays_deleted_and_is_told_once(database: Database, tmp_path: Path) -> None:
    await keep(database, 40)
    await housekeeping(database, tmp_path).tidy()
    again = await housekeeping(database, tmp_path).tidy()
    assert again.deleted_archives == 0
    assert await kept_in(database) == ["expired"]


async def test_one_of_several_workers_does_the_round_of_a_day(database: Database, tmp_path: Path) -> None:
    workers = [housekeeping(database, tmp_path) for _ in range(4)]
    done = await asyncio.gather(*(worker.tidy_if_due() for worker in workers))
    assert sum(round_ is not None for round_ in done) == 1
    tomorrow = housekeeping(database, tmp_path, now=NOW + timedelta(days=1))
    assert await tomorrow.tidy_if_due() is not None


async def test_a_round_that_fails_does_not_end_the_job(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pauses: list[float] = []

    async def fails(_self: Housekeeping) -> None:
        raise ValueError("unexpected")

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            raise asyncio.CancelledError

    monkeypatch.setattr(Housekeeping, "tidy_if_due", fails)
    monkeypatch.setattr("citebook.records.housekeeping.asyncio.sleep", pause)
    with pytest.raises(asyncio.CancelledError):
        await housekeeping(database, tmp_path).run()
    assert caplog.text.count("could not be ended") == 2
