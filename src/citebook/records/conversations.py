"""Conversations beside the answer: what SQL does not take in its short time goes to the outbox, and later to SQL."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import TypeVar
from uuid import UUID

from citebook.domain.callers import Caller
from citebook.domain.conversation import ChatMessage, ChatSession, Exchange, ListedSession, new_session
from citebook.domain.entries import Entry
from citebook.domain.errors import DatabaseUnavailable, RecordRefused
from citebook.pacing.breaker import Breaker
from citebook.ports import ConversationStore
from citebook.records.grouped_writing import LARGEST_GROUP, GroupedWriter
from citebook.records.outbox import Outbox

log = logging.getLogger(__name__)

Result = TypeVar("Result")

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0


class Conversations:
    def __init__(
        self,
        store: ConversationStore,
        patient_store: ConversationStore,
        outbox: Outbox,
        seconds_to_keep: float,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Of the two stores of one database, the first is as quick as a reader wants it, and the other patient."""
        self._store, self._patient_store, self._outbox, self._clock = store, patient_store, outbox, clock
        self._writer = GroupedWriter(store, seconds_to_keep)
        # A reader waits for SQL once, not once for each thing that is to be read or kept.
        self._breaker = Breaker("keeping in SQL", failures=1)

    async def start(self, user_id: UUID | None) -> tuple[ChatSession, str]:
        """A new session and its token, which is told only here."""
        session, token = new_session(self._clock(), user_id=user_id)
        await self.keep(Entry(session=session))
        return session, token

    async def keep(self, entry: Entry) -> bool:
        """In SQL, or else in the outbox, behind what waits there. False where its session is gone or another's.

        Raises `DatabaseUnavailable` where in neither.
        """
        if not len(self._outbox) and self._breaker.admits():
            try:
                return await self.keep_in_sql(entry)
            except DatabaseUnavailable as error:
                log.warning("the outbox takes what SQL does not: %s", error)
        await self._outbox.put(entry)
        return True

    async def keep_in_sql(self, entry: Entry) -> bool:
        """For what counts as kept only there; it does not stand in line with what waits in the outbox."""
        return await self._noted(self._writer.keep(entry))

    async def resume(self, session_id: UUID, user_id: UUID) -> bool:
        """Goes on with the user's session of this id, or starts it; False where it is someone else's."""
        return await self._noted(self._store.resume(session_id, user_id))

    async def find(self, session_id: UUID, caller: Caller) -> ChatSession | None:
        waiting = self._outbox.session(session_id)
        if waiting is None:
            return await self._noted(self._store.find(session_id, caller))
        return waiting if waiting.belongs_to(caller.owner) else None

    async def last_exchanges(self, session_id: UUID, limit: int) -> tuple[Exchange, ...]:
        """The newest exchanges that SQL knows of; none where it does not say in time."""
        try:
            return await self._noted(self._store.last_exchanges(session_id, limit))
        except DatabaseUnavailable as error:
            log.warning("a question is answered without what was said before: %s", error)
            return ()

    async def history(self, session_id: UUID, limit: int, before: datetime | None) -> tuple[ChatMessage, ...]:
        return await self._patient_store.history(session_id, limit, before)

    async def sessions(self, user_id: UUID, limit: int, before: datetime | None) -> tuple[ListedSession, ...]:
        """Without those that still wait in the outbox."""
        return await self._patient_store.sessions(user_id, limit, before)

    async def delete(self, session_id: UUID, caller: Caller) -> bool:
        """Raises `DatabaseUnavailable` where the session waits in the outbox: nothing is deleted there."""
        if self._outbox.session(session_id) is not None and await self.find(session_id, caller) is not None:
            raise DatabaseUnavailable("The session is not in SQL yet")
        return await self._patient_store.delete(session_id, caller)

    async def _noted(self, work: Awaitable[Result]) -> Result:
        """What comes of a use of the quick store is noted, for the next who wants to keep something."""
        try:
            result = await work
        except RecordRefused:
            raise
        except DatabaseUnavailable:
            self._breaker.failed()
            raise
        self._breaker.succeeded()
        return result

    async def run(self) -> None:
        """Brings what waits in the outbox to SQL, in order and for as long as the program runs."""
        pause = _FIRST_PAUSE
        while True:
            await self._outbox.until_filled()
            try:
                await self._move_oldest()
                pause = _FIRST_PAUSE
                continue
            except DatabaseUnavailable as error:
                log.warning("%d entries wait in the outbox: %s", len(self._outbox), error)
            except Exception:  # a door: whatever it was, the entry is still there
                log.exception("%d entries wait in the outbox", len(self._outbox))
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _move_oldest(self) -> None:
        await self._move(await self._outbox.oldest(LARGEST_GROUP))
        if not len(self._outbox):
            self._breaker.succeeded()
            log.info("all that waited in the outbox is in SQL")

    async def _move(self, entries: Mapping[int, Entry]) -> None:
        try:
            await self._patient_store.keep(*entries.values())
        except RecordRefused as refusal:
            if len(entries) > 1:  # one of them; the others go on
                for number, entry in entries.items():
                    await self._move({number: entry})
                return
            for number in entries:
                await self._outbox.put_aside(number, str(refusal))
        else:
            await self._outbox.remove(entries)

    async def aclose(self) -> None:
        await self._writer.aclose()
        await self._outbox.aclose()
