"""How long an answer may take, on a clock that never jumps."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from typing import TypeVar

from citebook.domain.errors import DeadlineExceeded

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds for the whole request, and for its two slow parts."""

    total: float = 5.0
    retrieval: float = 2.0
    generation: float = 2.5
    stream_gap: float = 5.0
    stream_total: float = 60.0


class Deadline:
    """The time left for one request, counted from its arrival."""

    def __init__(self, budget: Budget, arrived_at: float | None = None) -> None:
        """`arrived_at` is a time of the running loop; now where it is not given."""
        self._loop = asyncio.get_running_loop()
        arrived_at = self._loop.time() if arrived_at is None else arrived_at
        self._budget = budget
        self._ends_at = arrived_at + budget.total
        self._stream_ends_at = arrived_at + budget.stream_total

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._ends_at - self._loop.time())

    async def within(self, work: Awaitable[T], part: str) -> T:
        """The result of the work, if it comes before the whole deadline."""
        return await self._by(self._ends_at, work, part)

    async def for_retrieval(self, work: Awaitable[T]) -> T:
        return await self._by(min(self._ends_at, self._loop.time() + self._budget.retrieval), work, "retrieval")

    def for_generation(self) -> "Pace":
        return Pace(self, min(self._ends_at, self._loop.time() + self._budget.generation))

    def gap_ends_at(self) -> float:
        return min(self._stream_ends_at, self._loop.time() + self._budget.stream_gap)

    async def _by(self, ends_at: float, work: Awaitable[T], part: str) -> T:
        try:
            async with asyncio.timeout_at(ends_at):
                return await work
        except TimeoutError:
            raise DeadlineExceeded(f"{part} took longer than its share of the deadline") from None


class Pace:
    """Takes items as they come; each must come before the time for generation is over.

    Where a reader has words to read already, that time is past; then no gap and no stream may be too long.
    """

    def __init__(self, deadline: Deadline, ends_at: float) -> None:
        self._deadline, self._ends_at = deadline, ends_at

    async def next(self, items: AsyncIterator[T], *, reader_saw_text: bool = False) -> T | None:
        """None at the end."""
        try:
            async with asyncio.timeout_at(self._deadline.gap_ends_at() if reader_saw_text else self._ends_at):
                return await anext(items, None)
        except TimeoutError:
            raise DeadlineExceeded("generation took longer than its share of the deadline") from None
