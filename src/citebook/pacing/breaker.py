"""Leaves a dependency alone that keeps failing, and asks it now and then whether it is back."""

import logging
from collections.abc import Callable
from time import monotonic

log = logging.getLogger(__name__)


class Breaker:
    """Open after so many failures in a row. While it is open, one call in each pause is let through: the probe."""

    def __init__(
        self,
        name: str,
        *,
        failures: int = 5,
        pause_seconds: float = 1.0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._name, self._most, self._pause, self._clock = name, failures, pause_seconds, clock
        self._failures = 0
        self._next_probe = 0.0

    @property
    def is_open(self) -> bool:
        return self._failures >= self._most

    def admits(self) -> bool:
        """Whether a call may be made now. Who is admitted says afterwards what came of it."""
        if not self.is_open:
            return True
        if self._clock() < self._next_probe:
            return False
        self._wait()
        return True

    def failed(self) -> None:
        self._failures += 1
        self._wait()
        if self._failures == self._most:
            log.warning("%s fails: it is left alone, but for a probe every %g s", self._name, self._pause)

    def succeeded(self) -> None:
        if self.is_open:
            log.info("%s is back", self._name)
        self._failures = 0

    def _wait(self) -> None:
        self._next_probe = self._clock() + self._pause
