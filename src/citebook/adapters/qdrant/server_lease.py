"""Who may build an edition now: a lease on the server itself, which everyone who ingests reaches.

It is a point of ALIAS--editions with its owner and its end. One conditional write both looks and takes, so that of
two machines who ask at once one is too late. It is renewed while the work goes on; where its owner dies it runs out.
Where an owner was frozen for longer than that, it finds on waking that the lease is another's, and publishes nothing.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import time
from uuid import NAMESPACE_URL, uuid4, uuid5

from filelock import FileLock, Timeout
from qdrant_client import AsyncQdrantClient, models

from citebook.adapters.qdrant.server_requests import server_errors
from citebook.domain.errors import IngestInProgress, VectorStoreUnavailable, VectorStoreUnreachable
from citebook.whole_files import write_whole

log = logging.getLogger(__name__)

LEASE_SECONDS = 60.0
"""Clocks of machines that ingest one book may differ by half of it."""
_RENEWALS = 4
"""In the time for which a lease holds."""
_PAUSE_SECONDS = 1.0
"""Before the second try. Where the node that orders the writes is gone, a cluster notices it by the first."""
_POINT = str(uuid5(NAMESPACE_URL, "lease"))


class BookLease:
    """Of one machine, on one book."""

    def __init__(
        self,
        client: AsyncQdrantClient,
        collection: str,
        lock_file: Path,
        seconds: float = LEASE_SECONDS,
        clock: Callable[[], float] = time,
    ) -> None:
        self._client, self._collection, self._lock_file = client, collection, lock_file
        self._seconds, self._clock = seconds, clock
        self._owner = ""

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Raises `IngestInProgress` where another process has it, on this machine or elsewhere."""
        self._lock_file.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._lock_file, blocking=False)
        try:
            lock.acquire()
        except Timeout:
            raise _in_progress("on this machine") from None
        try:
            self._owner = self._name_of_this_machine()
            await self.renew()
            renewing = asyncio.create_task(self._keep_renewing())
            try:
                yield
            finally:
                renewing.cancel()
                await asyncio.gather(renewing, return_exceptions=True)
                await self._release()
        finally:
            lock.release()

    def _name_of_this_machine(self) -> str:
        """Stays the same, so that what a killed ingest of this machine left is taken over at once: with the file
        locked, nobody else here can have it."""
        file = self._lock_file.with_name("machine")
        if not file.exists():
            write_whole(file, uuid4().hex)
        return f"{socket.gethostname()} {file.read_text()}"

    async def renew(self) -> None:
        """Takes the lease, or keeps it. Raises `IngestInProgress` where another machine has it."""
        now = self._clock()
        free = models.Filter(
            should=[
                models.FieldCondition(key="owner", match=models.MatchValue(value=self._owner)),
                models.FieldCondition(key="ends_at", range=models.Range(lt=now)),
            ]
        )
        wanted = models.PointStruct(
            id=_POINT, vector={}, payload={"owner": self._owner, "ends_at": now + self._seconds}
        )
        try:
            await self._write(wanted, free)
        except VectorStoreUnreachable:
            raise
        except VectorStoreUnavailable:
            await asyncio.sleep(_PAUSE_SECONDS)
            await self._write(wanted, free)
        with server_errors():
            most_copies = models.ReadConsistencyType.QUORUM  # MAJORITY asks all of them, also one that is gone
            found = await self._client.retrieve(self._collection, [_POINT], consistency=most_copies)
        holder = str((found[0].payload or {}).get("owner")) if found else "nobody"
        if holder != self._owner:
            raise _in_progress(f"on {holder.partition(' ')[0]}")

    async def _write(self, wanted: models.PointStruct, free: models.Filter) -> None:
        with server_errors():
            await self._client.upsert(
                self._collection, [wanted], wait=True, ordering=models.WriteOrdering.MEDIUM, update_filter=free
            )

    async def _keep_renewing(self) -> None:
        while True:
            await asyncio.sleep(self._seconds / _RENEWALS)
            try:
                await self.renew()
            except IngestInProgress as error:
                log.error("the lease on this book is lost, and nothing will be published: %s", error)
                return
            except VectorStoreUnavailable as error:
                log.warning("the lease on this book could not be renewed: %s", error)

    async def _release(self) -> None:
        own = models.Filter(must=[models.FieldCondition(key="owner", match=models.MatchValue(value=self._owner))])
        try:
            with server_errors():
                await self._client.delete(self._collection, models.FilterSelector(filter=own), wait=True)
        except VectorStoreUnavailable as error:
            log.warning("the lease on this book could not be given back, and runs out by itself: %s", error)


def _in_progress(where: str) -> IngestInProgress:
    return IngestInProgress(
        f"An ingest of this book is already in progress {where}. Wait for it to end, then run this again. "
        f"If it died, that is possible after {LEASE_SECONDS:.0f} s."
    )
