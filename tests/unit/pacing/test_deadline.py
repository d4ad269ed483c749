"""Time limits of the parts of an answer."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from citebook.domain.errors import DeadlineExceeded
from citebook.pacing.deadline import Budget, Deadline


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


async def test_what_is_in_time_passes() -> None:
    assert await Deadline(Budget()).for_retrieval(soon()) == "found"


async def test_a_search_over_its_share_is_stopped() -> None:
    with pytest.raises(DeadlineExceeded, match="retrieval"):
        await Deadline(Budget(total=60, retrieval=0.01)).for_retrieval(never())


async def test_a_search_gets_no_more_than_what_is_left_of_the_whole() -> None:
    with pytest.raises(DeadlineExceeded, match="retrieval"):
        await Deadline(Budget(total=0.01, retrieval=60)).for_retrieval(never())


async def test_items_pass_until_the_stream_goes_silent_for_too_long() -> None:
    items = Deadline(Budget(total=60, generation=0.05)).for_generation(Stream("a", "b").items())
    assert [await anext(items), await anext(items)] == ["a", "b"]
    with pytest.raises(DeadlineExceeded, match="generation"):
        await anext(items)


async def test_a_stream_that_is_too_late_is_closed() -> None:
    stream = Stream()
    with pytest.raises(DeadlineExceeded):
        await anext(Deadline(Budget(total=60, generation=0.01)).for_generation(stream.items()))
    assert stream.was_closed


async def test_a_stream_that_ends_in_time_just_ends() -> None:
    stream = Stream("a", goes_silent=False)
    assert [item async for item in Deadline(Budget()).for_generation(stream.items())] == ["a"]


async def test_time_that_the_reader_takes_between_items_is_not_held_across_the_yield() -> None:
    """A timeout around a `yield` would cancel whoever reads."""
    items = Deadline(Budget(total=60, generation=0.02)).for_generation(Stream("a").items())
    assert await anext(items) == "a"
    await asyncio.sleep(0.03)
    with pytest.raises(DeadlineExceeded):
        await anext(items)


async def test_time_left_never_falls_below_zero() -> None:
    deadline = Deadline(Budget(total=0.001))
    await asyncio.sleep(0.005)
    assert deadline.seconds_left == 0.0


async def test_on_a_stream_later_items_may_take_longer_than_the_first() -> None:
    budget = Budget(total=0.02, generation=0.02, stream_gap=5, stream_total=60)
    items = Deadline(budget).for_generation(Stream("a", "b", goes_silent=False).items(), streamed=True)
    assert await anext(items) == "a"
    await asyncio.sleep(0.03)
    assert await anext(items) == "b"


@pytest.mark.parametrize(
    "budget", [Budget(stream_gap=0.02), Budget(stream_gap=5, stream_total=0.02)], ids=["gap", "total"]
)
async def test_a_stream_ends_at_too_long_a_gap_and_at_its_total(budget: Budget) -> None:
    items = Deadline(budget).for_generation(Stream("a").items(), streamed=True)
    assert await anext(items) == "a"
    with pytest.raises(DeadlineExceeded):
        await anext(items)
