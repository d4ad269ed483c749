"""Ends what was kept for long enough: sessions, feedback, and the audit log on its way into and out of archives."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic

from citebook.domain.clock_jumps import ClockJump, believed_time
from citebook.domain.conversation import SESSION_LIFETIME
from citebook.domain.errors import DependencyError
from citebook.domain.feedback import FEEDBACK_LIFETIME
from citebook.ports import AuditArchive, ChunkStore, ClockLog, ConversationStore, FeedbackStore, JobTurns

log = logging.getLogger(__name__)

_JOB = "housekeeping"
_EVERY = timedelta(days=1)
_SECONDS_BETWEEN_LOOKS = 3600.0


@dataclass(frozen=True, slots=True)
class Retention:
    """How long the audit log is kept."""

    in_database: timedelta
    at_all: timedelta

    def archive_before(self, now: datetime) -> datetime:
        """What is to be deleted leaves the database no later than that."""
        return now - min(self.in_database, self.at_all)

    def delete_before(self, now: datetime) -> datetime:
        return now - self.at_all


@dataclass(frozen=True, slots=True)
class Tidied:
    """What a round of housekeeping ended."""

    sessions: int
    opinions: int
    archived_months: int
    deleted_archives: int
    deleted_chunks: int
    """That had left their book."""


class Housekeeping:
    def __init__(
        self,
        conversations: ConversationStore,
        feedback: FeedbackStore,
        archive: AuditArchive,
        chunks: ChunkStore,
        turns: JobTurns,
        clock_log: ClockLog,
        retention: Retention,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        steady_clock: Callable[[], float] = monotonic,
    ) -> None:
        """`steady_clock` counts seconds and cannot be set."""
        self._conversations, self._feedback, self._archive, self._chunks = conversations, feedback, archive, chunks
        self._turns, self._clock_log, self._retention = turns, clock_log, retention
        self._clock, self._steady_clock = clock, steady_clock
        self._looked_at: float | None = None

    async def run(self) -> None:
        """Looks each hour whether the day's round is due; of several workers one does it."""
        while True:
            try:
                await self.tidy_if_due()
            except DependencyError as error:
                log.warning("what was kept for long enough could not be ended: %s", error)
            except Exception:  # a door: the next round must come
                log.exception("what was kept for long enough could not be ended")
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)

    async def tidy_if_due(self) -> Tidied | None:
        """None where a worker did it within the last day."""
        await self._look_at_clock()
        if not await self._turns.take(_JOB, self._clock(), _EVERY):
            return None
        done = await self.tidy()
        log.info(
            "%d idle sessions and %d old opinions were purged; %d months of the audit log were archived, "
            "%d archives and %d old chunks of books deleted",
            done.sessions,
            done.opinions,
            done.archived_months,
            done.deleted_archives,
            done.deleted_chunks,
        )
        return done

    async def tidy(self) -> Tidied:
        """Only whole months leave the log, so most days none does."""
        now, jumps, kept = self._clock(), await self._look_at_clock(), self._retention
        sessions = await self._conversations.purge(believed_time(now, jumps, SESSION_LIFETIME))
        opinions = await self._feedback.purge(believed_time(now, jumps, FEEDBACK_LIFETIME))
        in_database = min(kept.in_database, kept.at_all)
        archived = await self._archive.archive(kept.archive_before(believed_time(now, jumps, in_database)))
        delete_before = kept.delete_before(believed_time(now, jumps, kept.at_all))
        deleted, chunks = await self._archive.expire(delete_before), await self._chunks.purge(delete_before)
        return Tidied(sessions, opinions, len(archived), len(deleted), chunks)

    async def _look_at_clock(self) -> tuple[ClockJump, ...]:
        """All jumps of the clock so far; a new one is told."""
        now, steady = self._clock(), self._steady_clock()
        known = None if self._looked_at is None else timedelta(seconds=steady - self._looked_at)
        jumps = await self._clock_log.look(now, known)
        self._looked_at = steady
        for jump in jumps:
            if jump.seen_at == now:
                log.warning(
                    "the clock went ahead by %s, or the service was off for that long: what is kept is kept for as "
                    "much longer",
                    jump.by,
                )
        return jumps
