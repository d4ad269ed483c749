"""Clocks that are set: what seems old may be young."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from citebook.domain.value import UtcTime, Value

_LONGEST_REST = timedelta(days=1)
"""So long a program may have been off without anyone wondering whether its clock is right."""
_TOLERANCE = timedelta(hours=1)


class ClockJump(Value):
    """The clock went further than the time that is known to have passed."""

    seen_at: UtcTime
    by: timedelta


def jump_between(last: datetime | None, now: datetime, known: timedelta | None) -> timedelta:
    """How far the clock jumped ahead since the last look; zero where it did not, or was set back.

    `known` is the time that has passed by a clock that cannot be set; None where the program has just begun. A long
    rest cannot be told from a jump, and is taken for one: then things are kept for longer, and none is ended early.
    """
    if last is None:
        return timedelta(0)
    if known is None:
        return now - last if now - last > _LONGEST_REST + _TOLERANCE else timedelta(0)
    return now - last - known if now - last - known > _TOLERANCE else timedelta(0)


def believed_time(now: datetime, jumps: Iterable[ClockJump], lifetime: timedelta) -> datetime:
    """The earliest time that it may be, for what is to be kept for so long.

    What was written before a jump may be younger than it seems by as much. Once the jump itself is older than the
    lifetime, so is all that came before it.
    """
    return now - sum((jump.by for jump in jumps if jump.seen_at > now - lifetime), timedelta(0))
