"""Uploads of a service that runs on several machines: any of them accepts and tells, one at a time works.

What all have is in their database, and changes in whole steps: an upload accepted, begun, ended. While one is taken
in, only the copy of the machine at work knows; where that dies, another one begins with what there was before.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from time import monotonic, time_ns
from typing import Protocol
from uuid import UUID, uuid4

from pydantic import ValidationError

from citebook.api.upload_jobs import UploadFolder, UploadJob, job_path
from citebook.domain.errors import DependencyError

log = logging.getLogger(__name__)

_LEASE = timedelta(seconds=30)
_SECONDS_BETWEEN_RENEWALS = 5.0
_SECONDS_BETWEEN_LOOKS = 1.0
_SECONDS_BETWEEN_FORGETTING = 3600.0


class JobLeases(Protocol):
    """Says which of all processes does a job that lasts."""

    async def take(self, job: str, owner: str, lasting: timedelta) -> bool:
        """True where nobody else has it now: it is then the owner's from now on, for so long."""
        ...


class SharedFolder(Protocol):
    """A folder that several machines share, each by a copy of its own."""

    async def read(self, path: str) -> bytes | None:
        """A file as all have it; None where there is none."""
        ...

    async def add(self, files: Mapping[str, bytes]) -> None:
        """Gives files to all, at once or not at all."""
        ...

    async def pull(self) -> None:
        """Makes this machine's copy what all have. A folder that was never shared gives its files to all first."""
        ...

    async def push(self, under: str = "") -> None:
        """Makes what all have, as far as its path begins so, what this machine's copy has, at once or not at all."""
        ...


class SharedUploads:
    def __init__(self, folder: SharedFolder, leases: JobLeases, book: str) -> None:
        """`book` is the name of its collection."""
        self._folder, self._leases = folder, leases
        self._job, self._owner = f"uploads of {book}", str(uuid4())
        self._ours_until = 0.0
        self._waiting = 0
        self._forgot_at = -_SECONDS_BETWEEN_FORGETTING

    async def add(self, job: UploadJob, files: dict[str, bytes]) -> None:
        new = {f".jobs/{job.id}/new/{name}": data for name, data in files.items()}
        await self._folder.add({**new, job_path(job.id): job.model_dump_json().encode()})

    async def find(self, job_id: UUID) -> UploadJob | None:
        found = await self._folder.read(job_path(job_id))
        try:
            return None if found is None else UploadJob.model_validate_json(found)
        except ValidationError as error:
            log.error("the upload %s cannot be read: %s", job_id, error)
            return None

    async def push(self, under: str = "") -> None:
        await self._folder.push(under)

    @property
    def waiting(self) -> int:
        """How many this machine saw when it looked last."""
        return self._waiting

    def next_number(self) -> int:
        """By the clock: machines do not ask each other for the place of an upload."""
        return time_ns() // 1_000_000

    async def run(self, folder: UploadFolder, work_on: Callable[[UUID], Awaitable[None]]) -> None:
        """Works on what any machine accepted, whenever it is this one's turn."""
        renewing = asyncio.create_task(self._keep_taking_the_lease())
        try:
            while True:
                try:
                    await self._work_if_ours(folder, work_on)
                except DependencyError as error:
                    log.warning("uploads wait: %s", error)
                except Exception:  # a door: the next look must come
                    log.exception("uploads could not be worked on")
                await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)

    async def _work_if_ours(self, folder: UploadFolder, work_on: Callable[[UUID], Awaitable[None]]) -> None:
        if monotonic() > self._ours_until:
            return
        await self._folder.pull()
        if monotonic() > self._forgot_at + _SECONDS_BETWEEN_FORGETTING:
            await asyncio.to_thread(folder.forget, datetime.now(UTC))
            await self.push()
            self._forgot_at = monotonic()
        waiting = [job for job in await asyncio.to_thread(folder.jobs) if not job.state.is_final]
        self._waiting = len(waiting)
        if waiting:
            await work_on(waiting[0].id)

    async def _keep_taking_the_lease(self) -> None:
        while True:
            asked_at = monotonic()
            try:
                if await self._leases.take(self._job, self._owner, _LEASE):
                    self._ours_until = asked_at + _LEASE.total_seconds()
            except DependencyError as error:
                log.warning("whose turn it is to take uploads in is not known: %s", error)
            await asyncio.sleep(_SECONDS_BETWEEN_RENEWALS)
