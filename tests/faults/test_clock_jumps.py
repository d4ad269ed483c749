"""A clock that is set ahead or back, while the service runs or before it starts, ends nothing early."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import func, select

from citebook.adapters.archive_folder import FolderArchive
from citebook.adapters.sql.audit_archive import SqlAuditArchive
from citebook.adapters.sql.chunk_store import SqlChunkStore
from citebook.adapters.sql.clock_log import SqlClockLog
from citebook.adapters.sql.database import Database
from citebook.adapters.sql.feedback_store import SqlFeedbackStore
from citebook.adapters.sql.job_turns import SqlJobTurns
from citebook.adapters.sql.tables import chat_sessions
from citebook.records.housekeeping import Housekeeping, Retention
from tests.conversing import TalkingStore

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
DAY = timedelta(days=1)
JUMP = timedelta(days=45)


@dataclass
class World:
    """A service over the days: the true time, and what its clock says."""

    database: Database
    folder: Path
    passed: timedelta = timedelta(0)
    error: timedelta = timedelta(0)

    def __post_init__(self) -> None:
        self.restart()

    @property
    def clock(self) -> datetime:
        return NOON + self.passed + self.error

    def restart(self) -> None:
        self.store = TalkingStore(self.database, lambda: self.clock)
        self.housekeeping = Housekeeping(
            self.store,
            SqlFeedbackStore(self.database),
            SqlAuditArchive(self.database, FolderArchive(self.folder)),
            SqlChunkStore(self.database),
            SqlJobTurns(self.database),
            SqlClockLog(self.database),
            Retention(timedelta(days=365), timedelta(days=1095)),
            lambda: self.clock,
            lambda: self.passed.total_seconds(),
        )

    async def live(self, days: int) -> None:
        for _ in range(days):
            self.passed += DAY
            await self.housekeeping.tidy_if_due()

    async def start_session(self) -> UUID:
        return (await self.store.start())[0].id

    async def sessions(self) -> int:
        async with self.database.transaction("read") as connection:
            return (await connection.execute(select(func.count()).select_from(chat_sessions))).scalar_one()

    async def purged(self) -> int:
        done = await self.housekeeping.tidy()
        return done.sessions


@pytest.fixture
async def world(database: Database, tmp_path: Path) -> World:
    world = World(database, tmp_path)
    await world.housekeeping.tidy_if_due()
    return world


async def test_a_session_ends_after_30_days_of_a_steady_clock(world: World) -> None:
    await world.start_session()
    await world.live(30)
    assert await world.purged() == 0
    world.passed += DAY
    assert await world.purged() == 1


@pytest.mark.parametrize("restarts", [False, True], ids=["while it runs", "at the start"])
async def test_a_clock_that_is_set_45_days_ahead(world: World, *, restarts: bool) -> None:
    await world.live(1)
    await world.start_session()
    world.passed += timedelta(hours=1)
    world.error = JUMP
    if restarts:
        world.restart()
    assert await world.purged() == 0
    await world.live(29)
    assert await world.sessions() == 1
    await world.live(2)
    assert await world.sessions() == 0


@pytest.mark.parametrize("restarts", [False, True], ids=["while it runs", "at the start"])
async def test_a_session_of_a_clock_that_was_45_days_behind(world: World, *, restarts: bool) -> None:
    await world.live(1)
    world.error = -JUMP
    if restarts:
        world.restart()
    await world.live(1)
    await world.start_session()
    await world.live(1)
    world.error = timedelta(0)
    if restarts:
        world.restart()
    world.passed += timedelta(hours=1)
    assert await world.purged() == 0
    await world.live(28)
    assert await world.sessions() == 1


async def test_a_jump_that_is_taken_back_changes_nothing(world: World) -> None:
    await world.live(1)
    await world.start_session()
    world.error = JUMP
    await world.live(2)
    world.error = timedelta(0)
    await world.live(27)
    assert await world.purged() == 0
    world.passed += 3 * DAY
    assert await world.purged() == 1


async def test_a_clock_that_is_set_back_does_not_stop_the_daily_round(world: World) -> None:
    world.error = -JUMP
    world.passed += DAY
    assert await world.housekeeping.tidy_if_due() is not None


async def test_a_long_rest_keeps_things_for_as_much_longer(world: World) -> None:
    """It cannot be told from a clock that was set."""
    await world.start_session()
    world.passed += JUMP
    world.restart()
    assert await world.purged() == 0
    await world.live(31)
    assert await world.sessions() == 0
