"""Ends what was kept for long enough: sessions, feedback, and the audit log on its way into and out of archives."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from citebook.domain.errors import DependencyError
from citebook.ports import AuditArchive, ChunkStore, ConversationStore, FeedbackStore, JobTurns

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
        retention: Retention,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._conversations, self._feedback, self._archive, self._chunks = conversations, feedback, archive, chunks
        self._turns, self._retention, self._clock = turns, retention, clock

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
        now = self._clock()
        sessions, opinions = await self._conversations.purge(now), await self._feedback.purge(now)
        archived = await self._archive.archive(self._retention.archive_before(now))
        deleted = await self._archive.expire(self._retention.delete_before(now))
        chunks = await self._chunks.purge(self._retention.delete_before(now))
        return Tidied(sessions, opinions, len(archived), len(deleted), chunks)
