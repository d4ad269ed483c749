"""Admission by expected waiting time: what cannot be answered inside its deadline is told so at once."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from math import ceil
from time import perf_counter

from citebook.domain.errors import Overloaded
from citebook.pacing.deadline import Deadline

_FIRST_GUESS = 0.05
"""Seconds that a turn takes, before one was measured."""
_NEWEST = 0.1
"""Weight of the newest turn in the running mean."""
_TRUSTED_SHARE = 0.6
"""Of the time that is left, as much may be spent in the queue: the estimate is no promise, the deadline is one."""


class Turns:
    """Answers take turns at the workers. Who waits for one is served in the order of arrival."""

    def __init__(self, at_once: int) -> None:
        self._free = self._at_once = at_once
        self._queue: deque[tuple[asyncio.Future[None], Deadline]] = deque()
        self._mean_seconds = _FIRST_GUESS

    @property
    def expected_wait(self) -> float:
        """Seconds until a turn that is asked for now would begin."""
        if self._free:
            return 0.0
        return (len(self._queue) + 1) * self._mean_seconds / self._at_once

    @property
    def are_waited_for(self) -> bool:
        """Whether so many wait that work which can be left out should be."""
        return len(self._queue) > self._at_once

    def check(self, deadline: Deadline) -> None:
        """Raises `Overloaded` where a turn would come too late."""
        wait = self.expected_wait
        if wait > _TRUSTED_SHARE * deadline.seconds_left:
            raise Overloaded(retry_after=max(1, ceil(wait)))

    @asynccontextmanager
    async def take(self, deadline: Deadline) -> AsyncIterator["Turn"]:
        """A turn. Raises `Overloaded` at once, or `DeadlineExceeded` where it comes too late all the same."""
        self.check(deadline)
        turn = Turn(self, deadline)
        await turn.begin()
        try:
            yield turn
        finally:
            turn.end()

    def took(self, seconds: float) -> None:
        """Notes how long a turn was, for the next estimate; while few wait, turns may take longer than in a queue."""
        if self.are_waited_for or seconds < self._mean_seconds:
            self._mean_seconds += _NEWEST * (seconds - self._mean_seconds)

    async def wait(self, deadline: Deadline) -> None:
        """Raises `Overloaded` where a turn comes, and is too late to be of use."""
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((turn, deadline))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:  # it came at the same moment
                self.give_back()
            with suppress(ValueError):  # whoever gave a turn back at this moment has passed over it already
                self._queue.remove((turn, deadline))
            raise

    def give_back(self) -> None:
        """To the next who can still be answered in time: what is begun too late helps nobody and delays all."""
        while self._queue:
            turn, deadline = self._queue.popleft()
            if turn.done():
                continue
            if deadline.seconds_left > self._mean_seconds:
                turn.set_result(None)
                return
            turn.set_exception(Overloaded(retry_after=max(1, ceil(self.expected_wait))))
        self._free += 1


class Turn:
    """The right to work. Whoever waits for a model gives it back meanwhile."""

    def __init__(self, turns: Turns, deadline: Deadline) -> None:
        self._turns, self._deadline = turns, deadline
        self._worked = 0.0
        self._since: float | None = None

    async def begin(self) -> None:
        await self._deadline.within(self._turns.wait(self._deadline), "the queue")
        self._since = perf_counter()

    @asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """Others work until this is over; then the turn is waited for once more."""
        self._pause()
        yield
        await self.begin()

    def end(self) -> None:
        self._pause()
        self._turns.took(self._worked)

    def _pause(self) -> None:
        if self._since is not None:
            self._worked += perf_counter() - self._since
            self._since = None
            self._turns.give_back()
