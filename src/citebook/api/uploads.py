"""Takes chapters from clients: checked and kept at once, put into the book one after another."""

import asyncio
import logging
import re
from datetime import UTC, datetime
from itertools import count
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import Annotated, Any, Protocol
from uuid import UUID, uuid4

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from citebook.api.problems import Problem, ProblemKind, ProblemRaised, invalid
from citebook.api.shared_uploads import SharedUploads
from citebook.api.upload_jobs import UploadFolder, UploadJob, UploadState, job_path
from citebook.domain.book import Difficulty, IngestResult
from citebook.domain.errors import CitebookError, DependencyError
from citebook.domain.value import Value
from citebook.ingestion.book_files import MAX_BYTES, UPLOAD_SUFFIXES
from citebook.ingestion.book_source import FACTS_SUFFIX, UPLOADS
from citebook.ingestion.indexing import Ingest, ProgressReport
from citebook.language.text import INVISIBLE

__all__ = ["ChapterUploads", "UploadState"]

log = logging.getLogger(__name__)

_CHAPTER_ID = re.compile(r"[a-zA-Z0-9_]{3,50}")
_PIECE = 256 * 1024
_LONGEST_METADATA = 10_000
_MOST_WAITING = 100
_SECONDS_TO_WAIT = 3600.0
_LONGEST_PAUSE = 30.0
_NO_TEXT = "there is no text in it that a reader would see"
_OUR_FAULT = "it could not be taken in because of a fault on our side: please send it again later"
_GIVEN_UP = "it was tried twice and could not be taken in: please split it into smaller files"
_MOST_ATTEMPTS = 2

_ShortText = Annotated[
    str,
    AfterValidator(lambda text: INVISIBLE.sub("", text).strip()),
    StringConstraints(max_length=200),
]


def _listed(tags: Any) -> Any:
    return [tag for tag in map(str.strip, tags.split(",")) if tag] if isinstance(tags, str) else tags


class _Facts(Value):
    """What a client may say of a chapter. Whatever else it says is ignored."""

    model_config = ConfigDict(extra="ignore")

    title: _ShortText | None = None
    module: Annotated[int, Field(ge=0, lt=1_000_000)] | None = None
    difficulty: Difficulty | None = None
    tags: Annotated[tuple[_ShortText, ...], BeforeValidator(_listed), Field(max_length=20)] | None = None

    def as_json(self) -> str:
        return self.model_dump_json(exclude_none=True)


class SentFile(Protocol):
    """A file as the web framework hands it over."""

    @property
    def filename(self) -> str | None: ...

    async def read(self, size: int = -1) -> bytes: ...


class ChapterUploads:
    """Accepts chapters, and tells their senders how far they are."""

    def __init__(
        self, folder: Path, ingest: Ingest, pause_seconds: float = 3.0, sharing: SharedUploads | None = None
    ) -> None:
        """The folder must be the one that the ingest takes uploads from, and the one that is shared."""
        self._folder, self._ingest, self._pause = UploadFolder(folder), ingest, pause_seconds
        self._sharing = sharing
        jobs = self._folder.jobs()
        self._numbers = count(max((job.number for job in jobs), default=0) + 1)
        self._waiting: asyncio.Queue[UUID] = asyncio.Queue()
        for job in jobs:
            if not job.state.is_final:
                self._waiting.put_nowait(job.id)
        self._progress: tuple[UUID, float] | None = None

    async def accept(self, file: SentFile, chapter_id: str, metadata: str | None, client_id: str) -> UUID:
        """Raises `ProblemRaised`; once it returns, the chapter is kept whatever happens to this process."""
        if not _CHAPTER_ID.fullmatch(chapter_id):
            raise invalid("chapter_id", "must be 3 to 50 letters, digits or underscores")
        suffix = _suffix(file.filename)
        facts = _facts(metadata).as_json()
        if (self._sharing.waiting if self._sharing else self._waiting.qsize()) >= _MOST_WAITING:
            raise _busy(ProblemKind.OVERLOADED, "Too many chapters are waiting. Please send this one again later.")
        data = await _content(file, suffix)
        number = self._sharing.next_number() if self._sharing else next(self._numbers)
        job = UploadJob(id=uuid4(), number=number, client_id=client_id, chapter_id=chapter_id, suffix=suffix)
        files = {job.file_name: data} | ({chapter_id + FACTS_SUFFIX: facts.encode()} if facts != "{}" else {})
        await self._keep(job, files)
        return job.id

    async def _keep(self, job: UploadJob, files: dict[str, bytes]) -> None:
        try:
            if self._sharing is None:
                await asyncio.to_thread(self._folder.add, job, files)
                self._waiting.put_nowait(job.id)
            else:
                await self._sharing.add(job, files)
        except (OSError, DependencyError) as error:
            log.error("an upload cannot be kept: %s", error)
            raise _busy(
                ProblemKind.DATABASE, "The chapter cannot be kept right now. Please send it again later."
            ) from error

    async def state(self, ingest_id: UUID, client_id: str) -> UploadState | None:
        """None where there is no such upload, and where it is another client's."""
        job = await self._sharing.find(ingest_id) if self._sharing else self._folder.find(ingest_id)
        if job is None or job.client_id != client_id:
            return None
        if job.state.status == "running" and self._progress and self._progress[0] == ingest_id:
            return job.state.model_copy(update={"progress": self._progress[1]})
        return job.state

    async def run(self) -> None:
        """Works on what was accepted, for as long as the service runs."""
        if self._sharing is not None:
            await self._sharing.run(self._folder, self._work_on)
        while True:
            await asyncio.to_thread(self._folder.forget, datetime.now(UTC))
            job_id = await self._waiting.get()
            try:
                await self._work_on(job_id)
            except Exception:  # a door: the next upload has its chance; this one is tried again after a restart
                log.exception("the upload %s could not be ended", job_id)

    async def _work_on(self, job_id: UUID) -> None:
        job = await asyncio.to_thread(self._folder.find, job_id)
        if job is None or job.state.is_final:
            return
        if job.attempts >= _MOST_ATTEMPTS:
            log.error(
                "the upload %s is given up: the service ended %d times while it was taken in", job_id, job.attempts
            )
            await self._end(job, UploadState(status="failed", reason=_GIVEN_UP))
            return
        job = job.begun()
        await self._save(job)
        try:
            state = await self._take_in(job)
        except asyncio.CancelledError:
            await self._save(job.put_back())
            raise
        except Exception:  # a door: the client gets our words, the log the rest
            log.exception("the upload %s failed", job_id)
            state = UploadState(status="failed", reason=_OUR_FAULT)
        await self._end(job, state)

    async def _end(self, job: UploadJob, state: UploadState) -> None:
        if state.status == "failed":
            await self._take_out(job)
        await asyncio.to_thread(self._folder.finish, job.ended(state))
        if self._sharing is not None:
            await self._sharing.push()

    async def _save(self, job: UploadJob) -> None:
        """What is half done stays with this machine: another one that goes on begins with what there was before."""
        self._folder.save(job)
        if self._sharing is not None:
            await self._sharing.push(job_path(job.id))

    async def _take_in(self, job: UploadJob) -> UploadState:
        await asyncio.to_thread(self._folder.install, job)
        result = await self._ingest_when_free(job)
        reason = _reason(result, f"{UPLOADS}/{job.file_name}: ")
        chapter = await self._ingest.uploaded(job.file_name)
        if reason or chapter is None or not chapter.chunks:
            return UploadState(status="failed", reason=reason or _NO_TEXT)
        return UploadState(
            status="done",
            progress=1.0,
            chunks_created=chapter.chunks,
            document_id=chapter.chapter.id if chapter.chapter else job.chapter_id,
        )

    async def _take_out(self, job: UploadJob) -> None:
        """Brings back what was there before, on disk and in the book, so that later ingests find nothing broken."""
        await asyncio.to_thread(self._folder.restore, job)
        try:
            await self._ingest.run_uploads(progress=lambda _report: None)
        except Exception:  # a door: the upload has failed already, and its client is to hear why
            log.exception("the upload %s is still in the index; the next ingest takes it out", job.id)

    async def _ingest_when_free(self, job: UploadJob) -> IngestResult:
        """Waits, but not for ever, while another ingest is in progress or a dependency is away."""
        give_up_at, pause = monotonic() + _SECONDS_TO_WAIT, self._pause
        while True:
            try:
                return await self._ingest.run_uploads(progress=lambda report: self._report(job, report))
            except CitebookError as error:
                if not error.retryable or monotonic() > give_up_at:
                    raise
                log.info("the upload %s waits: %s", job.id, error)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _report(self, job: UploadJob, report: ProgressReport) -> None:
        self._progress = (job.id, report.files_done / max(1, report.files))


def _suffix(filename: str | None) -> str:
    """The one thing that is taken from a client's file name."""
    suffix = PurePosixPath(filename or "").suffix.lower()
    if suffix not in UPLOAD_SUFFIXES:
        raise invalid("file", "must be a .md, .mdx, .txt or .pdf file")
    return suffix


def _facts(metadata: str | None) -> _Facts:
    if metadata is None or not metadata.strip():
        return _Facts()
    if len(metadata) > _LONGEST_METADATA:
        raise invalid("metadata", f"must not be longer than {_LONGEST_METADATA} characters")
    try:
        return _Facts.model_validate_json(metadata)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        names = [str(part) for part in first["loc"][:1]]
        raise invalid("metadata", ": ".join(["must be a JSON object", *names, first["msg"]])) from None


async def _content(file: SentFile, suffix: str) -> bytes:
    data = bytearray()
    while piece := await file.read(_PIECE):
        data += piece
        if len(data) > MAX_BYTES:
            raise invalid("file", f"must not be larger than {MAX_BYTES // 1_000_000} MB")
    if not data.strip():
        raise invalid("file", "must not be empty")
    if suffix != ".pdf":
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            raise invalid("file", "must be UTF-8 text") from None
    return bytes(data)


def _busy(kind: ProblemKind, message: str) -> ProblemRaised:
    return ProblemRaised(Problem(kind, message, retryable=True, retry_after=60))


def _reason(result: IngestResult, prefix: str) -> str | None:
    """What is wrong with one file, without its path."""
    return next((error.removeprefix(prefix) for error in result.errors if error.startswith(prefix)), None)
