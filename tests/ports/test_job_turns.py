"""What every sharing-out of jobs must do, on SQLite and on a real PostgreSQL."""

import asyncio
from datetime import timedelta

import pytest

from citebook.adapters.sql.database import Database
from citebook.adapters.sql.job_turns import SqlJobTurns
from citebook.ports import JobTurns
from tests.records import NOON

DAY = timedelta(days=1)


@pytest.fixture
def turns(database: Database) -> JobTurns:
    return SqlJobTurns(database)


async def test_of_many_workers_one_does_the_job(turns: JobTurns) -> None:
    taken = await asyncio.gather(*(turns.take("tidy", NOON, DAY) for _ in range(8)))
    assert sorted(taken) == [False] * 7 + [True]


async def test_the_job_is_due_again_after_its_time(turns: JobTurns) -> None:
    moments = [NOON, NOON + DAY - timedelta(seconds=1), NOON + DAY, NOON + DAY + timedelta(hours=1)]
    assert [await turns.take("tidy", moment, DAY) for moment in moments] == [True, False, True, False]


async def test_each_job_has_turns_of_its_own(turns: JobTurns) -> None:
    assert await turns.take("tidy", NOON, DAY)
    assert await turns.take("count", NOON, DAY)
