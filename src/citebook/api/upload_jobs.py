"""Uploads on disk, so that what a client saw accepted outlives the process.

    FOLDER/<chapter>.md           a chapter of the book, and
    FOLDER/<chapter>.facts.json   what its client says of it
    FOLDER/.jobs/<id>/job.json    an upload, and how far it is
    FOLDER/.jobs/<id>/new/        the files that it brings
    FOLDER/.jobs/<id>/previous/   the files that they replace, for as long as the upload may still fail

Each step can be repeated after a crash at any point of it.
"""

import logging
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, Self
from uuid import UUID

from pydantic import Field, ValidationError

from citebook.domain.value import UtcTime, Value
from citebook.whole_files import flush_folder, write_whole

log = logging.getLogger(__name__)

_KEPT_FOR = timedelta(days=7)


class UploadState(Value):
    """How far an upload is."""

    status: Literal["queued", "running", "done", "failed"]
    progress: float | None = Field(default=None, ge=0, le=1)
    chunks_created: int | None = None
    document_id: str | None = None
    reason: str | None = None
    """Why it failed, in words that are meant for the client."""

    @property
    def is_final(self) -> bool:
        return self.status in ("done", "failed")


class UploadJob(Value):
    id: UUID
    number: int
    """Its place among all uploads, whatever the clock says."""
    client_id: str
    chapter_id: str
    suffix: str
    state: UploadState = UploadState(status="queued")
    attempts: int = 0
    """How often it was begun; one that was begun by a process that died in the middle is not ended."""
    finished_at: UtcTime | None = None

    @property
    def file_name(self) -> str:
        return self.chapter_id + self.suffix

    def begun(self) -> Self:
        running = UploadState(status="running", progress=0.0)
        return self.model_copy(update={"state": running, "attempts": self.attempts + 1})

    def put_back(self) -> Self:
        """As if it had not been begun: the service stops, and the upload has no part in it."""
        return self.model_copy(update={"state": UploadState(status="queued"), "attempts": self.attempts - 1})

    def ended(self, state: UploadState) -> Self:
        return self.model_copy(update={"state": state, "finished_at": datetime.now(UTC)})


def job_path(job_id: UUID) -> str:
    """Of the file that tells of an upload, within the folder."""
    return f".jobs/{job_id}/job.json"


class UploadFolder:
    def __init__(self, folder: Path) -> None:
        self._folder, self._jobs = folder, folder / ".jobs"

    def jobs(self) -> list[UploadJob]:
        """All uploads that are not forgotten yet, oldest first."""
        found = (self._read(path) for path in self._jobs.glob("[!.]*/job.json"))
        return sorted((job for job in found if job is not None), key=lambda job: (job.number, job.id))

    def find(self, job_id: UUID) -> UploadJob | None:
        return self._read(self._folder / job_path(job_id))

    def _read(self, path: Path) -> UploadJob | None:
        try:
            return UploadJob.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            log.error("the upload in %s cannot be read: %s", path, error)
            return None

    def add(self, job: UploadJob, files: Mapping[str, bytes]) -> None:
        """Keeps an upload whole or not at all; once this returns, not even a power cut undoes it."""
        unfinished = self._jobs / f".{job.id}"
        try:
            (unfinished / "new").mkdir(parents=True)
            for name, data in files.items():
                write_whole(unfinished / "new" / name, data)
            write_whole(unfinished / "job.json", job.model_dump_json().encode())
            unfinished.rename(self._jobs / str(job.id))
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        for folder in (self._jobs, self._folder, self._folder.parent):
            flush_folder(folder)

    def save(self, job: UploadJob) -> None:
        write_whole(self._folder / job_path(job.id), job.model_dump_json().encode())

    def install(self, job: UploadJob) -> None:
        """Puts the new chapter in the place of the one before it, which is put aside."""
        own = self._jobs / str(job.id)
        if not (own / "previous").exists():
            aside = own / ".previous"
            shutil.rmtree(aside, ignore_errors=True)
            aside.mkdir()
            for file in self._chapter_files(job.chapter_id):
                write_whole(aside / file.name, file.read_bytes())
            aside.rename(own / "previous")
            flush_folder(own)
        self._place(job.chapter_id, own / "new")

    def restore(self, job: UploadJob) -> None:
        """Undoes `install`."""
        previous = self._jobs / str(job.id) / "previous"
        if previous.exists():
            self._place(job.chapter_id, previous)

    def finish(self, job: UploadJob) -> None:
        self.save(job)
        for name in ("new", "previous"):
            shutil.rmtree(self._jobs / str(job.id) / name, ignore_errors=True)

    def forget(self, now: datetime) -> None:
        """Removes uploads that ended long ago, and what a killed process left half accepted."""
        ended_long_ago = [
            self._jobs / str(job.id)
            for job in self.jobs()
            if job.finished_at is not None and job.finished_at < now - _KEPT_FOR
        ]
        half_accepted = [folder for folder in self._jobs.glob(".*") if _age(folder, now) > _KEPT_FOR]
        for folder in (*ended_long_ago, *half_accepted):
            shutil.rmtree(folder, ignore_errors=True)

    def _place(self, chapter_id: str, source: Path) -> None:
        """Makes the chapter's files those of another folder, its facts first."""
        wanted = sorted(source.iterdir())
        for file in wanted:
            write_whole(self._folder / file.name, file.read_bytes())
        names = {file.name for file in wanted}
        for file in self._chapter_files(chapter_id):
            if file.name not in names:
                file.unlink()
        flush_folder(self._folder)

    def _chapter_files(self, chapter_id: str) -> list[Path]:
        return list(self._folder.glob(f"{chapter_id}.*"))  # an id has no dot and no wildcard in it


def _age(folder: Path, now: datetime) -> timedelta:
    try:
        return now - datetime.fromtimestamp(folder.stat().st_mtime, UTC)
    except FileNotFoundError:  # it has just been accepted
        return timedelta(0)
