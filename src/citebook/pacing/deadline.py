"""How long an answer may take, on a clock that never jumps."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
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
    """The time left for one request. Made when the request begins."""

    def __init__(self, budget: Budget) -> None:
        self._loop = asyncio.get_running_loop()
        self._budget = budget
        self._ends_at = self._loop.time() + budget.total
        self._stream_ends_at = self._loop.time() + budget.stream_total

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._ends_at - self._loop.time())

    async def for_retrieval(self, work: Awaitable[T]) -> T:
        return await self._within(self._budget.retrieval, work, "retrieval")

    async def for_generation(self, items: AsyncIterator[T], *, streamed: bool = False) -> AsyncGenerator[T, None]:
        """Passes items on; each must come before the time for generation is over.

        On a stream that time runs to the first item only; after it, no gap and no stream may be too long.
        """
        ends_at = min(self._ends_at, self._loop.time() + self._budget.generation)
        while True:
            try:
                async with asyncio.timeout_at(ends_at):
                    item = await anext(items)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise DeadlineExceeded("generation took longer than its share of the deadline") from None
            yield item
            if streamed:
                ends_at = min(self._stream_ends_at, self._loop.time() + self._budget.stream_gap)

    async def _within(self, seconds: float, work: Awaitable[T], part: str) -> T:
        try:
            async with asyncio.timeout(min(seconds, self.seconds_left)):
                return await work
        except TimeoutError:
            raise DeadlineExceeded(f"{part} took longer than its share of the deadline") from None
