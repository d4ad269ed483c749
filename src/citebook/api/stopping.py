"""The end of the server: what is under way may go on for a moment, then it is told to come again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from citebook.api.problems import Problem, ProblemKind, ProblemRaised

WORDS = "The server is stopping. Please ask again."
_SECONDS_TO_FINISH = 2.0
_RETRY_AFTER = 5


class Stopping:
    """Begins once, and ends what has not ended by itself soon after."""

    def __init__(self, seconds_to_finish: float = _SECONDS_TO_FINISH) -> None:
        self._begun = asyncio.Event()
        self._seconds_to_finish = seconds_to_finish
        self._under_way: set[asyncio.Timeout] = set()
        self._ends_at: float | None = None

    def is_set(self) -> bool:
        return self._begun.is_set()

    async def wait(self) -> None:
        await self._begun.wait()

    def set(self) -> None:
        """Must be called on the event loop."""
        if self._begun.is_set():
            return
        self._begun.set()
        self._ends_at = asyncio.get_running_loop().time() + self._seconds_to_finish
        for limit in self._under_way:
            limit.reschedule(self._ends_at)

    @asynccontextmanager
    async def limited(self) -> AsyncIterator[None]:
        """Work that is cut short at the end. Raises `ProblemRaised` then."""
        limit = asyncio.timeout_at(self._ends_at)
        try:
            async with limit:
                self._under_way.add(limit)
                try:
                    yield
                finally:
                    self._under_way.discard(limit)
        except TimeoutError:
            if limit.expired():
                raise ProblemRaised(
                    Problem(ProblemKind.OVERLOADED, WORDS, retryable=True, retry_after=_RETRY_AFTER)
                ) from None
            raise
