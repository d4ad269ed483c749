"""What a running Citebook keeps, the stores that it is kept in, and that all of them are closed."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Self

from citebook.ports import ChunkStore, ConversationStore, FeedbackStore, GradeStore, KeyStore
from citebook.records.conversations import Conversations
from citebook.records.housekeeping import Housekeeping
from citebook.records.personal_data import PersonalData
from citebook.root import wiring
from citebook.settings import Settings

if TYPE_CHECKING:
    from citebook.adapters.rate_limits import MemoryRateLimiter, RedisRateLimiter
    from citebook.adapters.sql.audit_archive import SqlAuditArchive
    from citebook.adapters.sql.audit_log import SqlAuditLog
    from citebook.adapters.sql.database import Database

log = logging.getLogger(__name__)


class Keeping:
    """Opens each store when it is first wanted, and closes what was opened."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes all that was opened, the newest first, whatever fails on the way."""
        await self._opened.aclose()

    def _closed_at_the_end(self, close: Callable[[], Awaitable[None]], what: str) -> None:
        async def close_it() -> None:
            try:
                await close()
            except Exception:  # a door: the others must be closed too
                log.exception("%s could not be closed", what)

        self._opened.push_async_callback(close_it)

    @cached_property
    def database(self) -> "Database":
        database = wiring.database_of(self._settings)
        self._closed_at_the_end(database.aclose, "the database")
        return database

    @cached_property
    def conversations(self) -> Conversations:
        conversations = wiring.conversations_of(self._settings, self.database)
        self._closed_at_the_end(conversations.aclose, "the outbox")
        return conversations

    @cached_property
    def personal_data(self) -> PersonalData:
        return PersonalData(self._settings.personal_data)

    @cached_property
    def patient_store(self) -> ConversationStore:
        """For jobs that no reader waits for."""
        return wiring.store_of(self.database.patient)

    @cached_property
    def feedback(self) -> FeedbackStore:
        return wiring.feedback_of(self.database)

    @cached_property
    def grades(self) -> GradeStore:
        return wiring.grades_of(self.database)

    @cached_property
    def chunks(self) -> ChunkStore:
        return wiring.chunks_of(self.database.patient)

    @cached_property
    def quick_audit(self) -> "SqlAuditLog":
        """For callers who look an answer up."""
        return wiring.audit_of(self.database)

    @cached_property
    def audit(self) -> "SqlAuditLog":
        return wiring.audit_of(self.database.patient)

    @cached_property
    def audit_archive(self) -> "SqlAuditArchive":
        return wiring.audit_archive_of(self._settings, self.database.patient)

    @cached_property
    def housekeeping(self) -> Housekeeping:
        return wiring.housekeeping_of(
            self._settings, self.database.patient, self.patient_store, self.feedback, self.audit_archive, self.chunks
        )

    @cached_property
    def keys(self) -> KeyStore:
        return wiring.keys_of(self.database)

    @cached_property
    def quick_keys(self) -> KeyStore:
        """For callers who wait for an answer."""
        return wiring.keys_of(self.database.within(self._settings.recording_seconds))

    @cached_property
    def limiter(self) -> "MemoryRateLimiter | RedisRateLimiter":
        limiter = wiring.limiter_of(self._settings)
        self._closed_at_the_end(limiter.aclose, "the limiter")
        return limiter
