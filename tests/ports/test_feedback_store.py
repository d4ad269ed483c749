"""What every store of feedback must do, on SQLite and on a real PostgreSQL."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from citebook.adapters.sql.database import Database
from citebook.adapters.sql.feedback_store import SqlFeedbackStore
from citebook.domain.feedback import FEEDBACK_LIFETIME, Feedback, Rating, Reason
from citebook.ports import FeedbackStore

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
ANSWER = UUID("4be0643f-1d98-473b-97cd-ca98a65347dd")


@pytest.fixture
def store(database: Database) -> FeedbackStore:
    return SqlFeedbackStore(database)


def feedback(
    rating: Rating = "up",
    note: str | None = None,
    minutes: int = 0,
    client: str = "anon:1",
    answer: UUID = ANSWER,
    reason: Reason | None = None,
) -> Feedback:
    moment = NOON + timedelta(minutes=minutes)
    return Feedback(answer_id=answer, rating=rating, note=note, reason=reason, client_id=client, created_at=moment)


async def test_feedback_comes_back_as_it_was_given(store: FeedbackStore) -> None:
    given = feedback("down", "It says how to clean the cup — 🤖, not what it is.", reason="off_topic")
    await store.add(given)
    assert await store.newest(10) == (given,)


async def test_the_last_word_of_a_caller_counts(store: FeedbackStore) -> None:
    last = feedback("down", minutes=1, reason="incomplete")
    for opinion in (feedback("up", "good"), last):
        await store.add(opinion)
    assert await store.newest(10) == (last,)


async def test_callers_and_answers_are_kept_apart(store: FeedbackStore) -> None:
    for opinion in (feedback(), feedback(client="anon:2"), feedback("down", answer=uuid4())):
        await store.add(opinion)
    assert await store.counts() == {"up": 2, "down": 1}


async def test_the_newest_come_first_and_no_more_than_wanted(store: FeedbackStore) -> None:
    for minutes in (2, 0, 1):
        await store.add(feedback(client=f"anon:{minutes}", minutes=minutes))
    assert [opinion.client_id for opinion in await store.newest(2)] == ["anon:2", "anon:1"]


async def test_nothing_is_counted_where_there_is_nothing(store: FeedbackStore) -> None:
    assert await store.counts() == {"up": 0, "down": 0}
    assert await store.newest(5) == ()


async def test_what_no_database_takes_is_replaced(store: FeedbackStore) -> None:
    await store.add(feedback(note="a\x00b"))
    assert (await store.newest(1))[0].note == "a\ufffdb"


async def test_old_feedback_is_purged_and_no_other(store: FeedbackStore) -> None:
    await store.add(feedback(client="old"))
    await store.add(feedback(client="young", minutes=1))
    assert await store.purge(NOON + FEEDBACK_LIFETIME) == 0
    assert await store.purge(NOON + FEEDBACK_LIFETIME + timedelta(seconds=1)) == 1
    assert [opinion.client_id for opinion in await store.newest(5)] == ["young"]


async def test_one_caller_in_a_hurry_leaves_one_opinion(store: FeedbackStore) -> None:
    await asyncio.gather(*(store.add(feedback("up", minutes=minutes)) for minutes in range(10)))
    assert await store.counts() == {"up": 1, "down": 0}
