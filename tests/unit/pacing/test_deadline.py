"""Time limits of the parts of an answer."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from citebook.domain.errors import DeadlineExceeded
from citebook.pacing.deadline import Budget, Deadline
from citebook.settings import Settings


async def never() -> None:
    """Waits far longer than any test allows, and says so instead of hanging where nobody stops it."""
    await asyncio.sleep(2)
    pytest.fail("nobody stopped this in time")


async def soon() -> str:
    return "found"


class Stream:
    """Gives its items and then goes silent."""

    def __init__(self, *items: str, goes_silent: bool = True) -> None:
        self._items, self._goes_silent = items, goes_silent
        self.was_closed = False

    async def items(self) -> AsyncGenerator[str, None]:
        try:
            for item in self._items:
                yield item
            if self._goes_silent:
                await never()
        finally:
            self.was_closed = True


def test_the_shares_are_those_of_the_seed() -> None:
    budget, recording = Budget(), Settings.model_fields["recording_seconds"].default
    assert (budget.total, budget.retrieval, budget.generation, recording) == (5.0, 2.0, 2.5, 0.5)
    assert budget.retrieval + budget.generation + recording == budget.total


async def test_what_is_in_time_passes() -> None:
    assert await Deadline(Budget()).for_retrieval(soon()) == "found"


async def test_a_search_over_its_share_is_stopped() -> None:
    with pytest.raises(DeadlineExceeded, match="retrieval"):
        await Deadline(Budget(total=60, retrieval=0.01)).for_retrieval(never())


async def test_a_search_gets_no_more_than_what_is_left_of_the_whole() -> None:
    with pytest.raises(DeadlineExceeded, match="retrieval"):
        await Deadline(Budget(total=0.01, retrieval=60)).for_retrieval(never())


async def test_items_pass_until_the_stream_goes_silent_for_too_long() -> None:
    items = Stream("a", "b").items()
    pace = Deadline(Budget(total=60, generation=0.5)).for_generation()
    assert [await pace.next(items), await pace.next(items)] == ["a", "b"]
    with pytest.raises(DeadlineExceeded, match="generation"):
        await pace.next(items)


async def test_a_stream_that_is_too_late_is_closed() -> None:
    stream = Stream()
    with pytest.raises(DeadlineExceeded):
        await Deadline(Budget(total=60, generation=0.01)).for_generation().next(stream.items())
    assert stream.was_closed


async def test_a_stream_that_ends_in_time_just_ends() -> None:
    items = Stream("a", goes_silent=False).items()
    pace = Deadline(Budget()).for_generation()
    assert [await pace.next(items), await pace.next(items)] == ["a", None]


async def test_time_that_the_reader_takes_between_items_does_not_cancel_the_reader() -> None:
    items = Stream("a").items()
    pace = Deadline(Budget(total=60, generation=0.5)).for_generation()
    assert await pace.next(items) == "a"
    await asyncio.sleep(0.51)
    with pytest.raises(DeadlineExceeded):
        await pace.next(items)


async def test_time_left_never_falls_below_zero() -> None:
    deadline = Deadline(Budget(total=0.001))
    await asyncio.sleep(0.005)
    assert deadline.seconds_left == 0.0


async def test_once_the_reader_has_words_later_items_may_take_longer_than_the_first() -> None:
    budget = Budget(total=0.5, generation=0.5, stream_gap=60, stream_total=60)
    items = Stream("a", "b", goes_silent=False).items()
    pace = Deadline(budget).for_generation()
    assert await pace.next(items) == "a"
    await asyncio.sleep(0.51)
    assert await pace.next(items, reader_saw_text=True) == "b"


@pytest.mark.parametrize(
    "budget",
    [Budget(60, 60, 60, stream_gap=0.02), Budget(60, 60, 60, stream_gap=60, stream_total=0.02)],
    ids=["gap", "total"],
)
async def test_a_stream_ends_at_too_long_a_gap_and_at_its_total(budget: Budget) -> None:
    items = Stream("a").items()
    pace = Deadline(budget).for_generation()
    assert await pace.next(items) == "a"
    with pytest.raises(DeadlineExceeded):
        await pace.next(items, reader_saw_text=True)


async def test_time_counts_from_the_arrival() -> None:
    arrived_at = asyncio.get_running_loop().time() - 3
    assert 0 < Deadline(Budget(total=5), arrived_at).seconds_left <= 2
