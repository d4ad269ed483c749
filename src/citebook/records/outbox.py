"""What waits on the local disk until SQL takes it, in the order in which it came."""

import asyncio
import logging
from bisect import insort
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from citebook.domain.conversation import ChatSession
from citebook.domain.entries import Entry
from citebook.domain.errors import DatabaseUnavailable
from citebook.records.outbox_folder import OutboxFolder

log = logging.getLogger(__name__)

Result = TypeVar("Result")

_WRITERS = 4
"""A disk flushes what several ask for at once for about the price of one."""


class Outbox:
    """Raises `DatabaseUnavailable` where the disk fails: then there is nowhere left to keep anything."""

    def __init__(self, root: Path, seconds_to_put: float = 2.0) -> None:
        self._root, self._seconds_to_put = root, seconds_to_put
        self._folder: OutboxFolder | None = None
        self._last = 0
        self._waiting: list[int] = []
        """Numbers of the entries on the disk, oldest first."""
        self._being_put = 0
        self._sessions: dict[int, ChatSession] = {}
        self._is_filled = asyncio.Event()
        self._threads = ThreadPoolExecutor(_WRITERS, thread_name_prefix="outbox")
        try:
            self._open()
        except DatabaseUnavailable as error:
            log.error("%s. What SQL does not take in time is not kept until this is mended.", error)

    def _open(self) -> OutboxFolder:
        if self._folder is None:
            with _disk_failures(self._root):
                self._folder = OutboxFolder(self._root)
                self._last = self._folder.last_number
                for number, entry in self._folder.entries():
                    self._add(number, entry)
            if self._waiting:
                log.info("%d entries in %s wait for SQL", len(self._waiting), self._root)
        return self._folder

    def __len__(self) -> int:
        return len(self._waiting) + self._being_put

    def session(self, session_id: UUID) -> ChatSession | None:
        """A session whose start waits here."""
        return next((session for session in self._sessions.values() if session.id == session_id), None)

    async def until_filled(self) -> None:
        await self._is_filled.wait()

    async def put(self, entry: Entry) -> None:
        """Once this returns, the entry will be in SQL one day. A disk that takes too long may still take it."""
        folder = self._open()
        self._last += 1
        self._being_put += 1
        putting = self._in_thread(partial(folder.write, self._last, entry))
        putting.add_done_callback(partial(self._note_put, self._last, entry))
        with _disk_failures(self._root):
            async with asyncio.timeout(self._seconds_to_put):
                await asyncio.shield(putting)

    def _note_put(self, number: int, entry: Entry, putting: asyncio.Future[None]) -> None:
        self._being_put -= 1
        if not putting.cancelled() and putting.exception() is None:
            self._add(number, entry)

    def _add(self, number: int, entry: Entry) -> None:
        insort(self._waiting, number)
        if entry.session is not None:
            self._sessions[number] = entry.session
        self._is_filled.set()

    async def oldest(self, most: int) -> dict[int, Entry]:
        """By their numbers, the entries that have waited longest; none where none waits."""
        while self._waiting:
            numbers = self._waiting[:most]
            with _disk_failures(self._root):
                found = await self._in_thread(partial(self._open().read_all, numbers))
            for damaged in set(numbers) - found.keys():
                self._forget(damaged)
            if found:
                return found
        return {}

    async def remove(self, numbers: Collection[int]) -> None:
        with _disk_failures(self._root):
            await self._in_thread(partial(self._open().remove, numbers))
        for number in numbers:
            self._forget(number)

    async def put_aside(self, number: int, reason: str) -> None:
        """Out of the way of the others, for the operator to look at."""
        with _disk_failures(self._root):
            await self._in_thread(partial(self._open().put_aside, number, reason))
        self._forget(number)

    def _forget(self, number: int) -> None:
        self._waiting.remove(number)
        self._sessions.pop(number, None)
        if not self._waiting:
            self._is_filled.clear()

    async def aclose(self) -> None:
        """What waits is found again by whoever opens it next."""
        await asyncio.to_thread(self._threads.shutdown)
        if self._folder is not None:
            self._folder.close()

    def _in_thread(self, work: Callable[[], Result]) -> "asyncio.Future[Result]":
        return asyncio.get_running_loop().run_in_executor(self._threads, work)


@contextmanager
def _disk_failures(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or "the disk takes too long"
        raise DatabaseUnavailable(f"The outbox in {root} failed: {reason}") from error
