"""The desk where clients hand in chapters: nothing that it accepted is lost, and nothing broken stays."""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from starlette.datastructures import UploadFile

from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.api import upload_jobs, uploads
from citebook.api.problems import Problem, ProblemKind, ProblemRaised
from citebook.api.uploads import ChapterUploads, UploadState
from citebook.domain.blocks import Paragraph
from citebook.domain.errors import EmbedderFailed
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.indexing import Ingest
from citebook.ports import Vectors
from citebook.whole_files import write_whole
from tests.fakes import WORKERS, WordEmbedder
from tests.small_book import write_book
from tests.unit.ingestion.test_pdf import pdf

RULES = ChunkingRules(target_tokens=64, max_tokens=128)
BOOK = ["joints/gears", "joints/motors", "walking/balance", "intro"]
HIPS = b"# Hips\n\nA hip joint carries the whole weight of the machine.\n"
NEW_HIPS = b"# New hips\n\nA hip of titanium carries twice the weight.\n"
BROKEN = b"# Hips\n\n<div>\n"
OWNER, STRANGER = "key:one", "key:two"


class MoodyEmbedder(WordEmbedder):
    """Fails, or goes silent, as often as it is told to."""

    failures = 0
    silent = False

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if self.silent:
            await asyncio.Event().wait()
        if self.failures:
            self.failures -= 1
            raise EmbedderFailed("no answer from /srv/models/embedder")
        return await super().embed_passages(texts)


class Library:
    """A desk, and the folders behind it that outlive it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "data" / "uploads"
        self.book = write_book(folder / "book")
        self.index = EmbeddedQdrant(folder / "data" / "index", WORKERS)
        self.embedder = MoodyEmbedder()
        self.ingest = Ingest(self.index, self.embedder, RULES, "/docs", self.folder)
        self.reopen()

    def reopen(self) -> None:
        """As after a restart."""
        self.desk = ChapterUploads(self.folder, self.ingest, pause_seconds=0.01)

    async def run_book(self) -> None:
        result = await self.ingest.run(self.book, progress=lambda _report: None)
        assert result.errors == ()

    async def send(
        self, data: bytes = HIPS, chapter_id: str = "hips", filename: str | None = "a.md", metadata: str | None = None
    ) -> UUID:
        return await self.desk.accept(UploadFile(BytesIO(data), filename=filename), chapter_id, metadata, OWNER)

    async def refused(
        self, data: bytes = HIPS, chapter_id: str = "hips", filename: str | None = "a.md", metadata: str | None = None
    ) -> Problem:
        with pytest.raises(ProblemRaised) as raised:
            await self.send(data, chapter_id, filename, metadata)
        assert not self.folder.exists() or self.files == []
        return raised.value.problem

    async def state(self, job: UUID) -> UploadState:
        state = await self.desk.state(job, OWNER)
        assert state is not None
        return state

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.desk.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def until(self, job: UUID, *statuses: str) -> UploadState:
        async with asyncio.timeout(120):
            while (await self.state(job)).status not in statuses:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        return await self.state(job)

    async def end(self, *jobs: UUID) -> list[UploadState]:
        async with self.at_work():
            return [await self.until(job, "done", "failed") for job in jobs]

    async def send_and_end(self, data: bytes = HIPS, filename: str = "a.md") -> UploadState:
        (state,) = await self.end(await self.send(data, filename=filename))
        return state

    async def chapters(self) -> list[str]:
        edition = await self.index.current()
        return [] if edition is None else [chapter.id for chapter in edition.chapters]

    @property
    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir() if path.name != ".jobs")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    yield Library(tmp_path)
    shutil.rmtree(tmp_path)  # temporary files may be kept in memory, and each edition takes 45 MB of it


# --- what is accepted


async def test_an_upload_is_queued_at_once_and_then_taken_in(library: Library) -> None:
    await library.run_book()
    job = await library.send()
    assert await library.state(job) == UploadState(status="queued")
    assert await library.end(job) == [
        UploadState(status="done", progress=1.0, chunks_created=1, document_id="hips"),
    ]
    assert await library.chapters() == [*BOOK, "hips"]


async def test_a_pdf_is_taken_in_with_its_facts(library: Library) -> None:
    metadata = json.dumps(
        {"title": "Hips", "module": "3", "difficulty": "advanced", "tags": "joints, legs", "by": "me"}
    )
    job = await library.send(pdf([["A hip joint carries weight."]]), filename="../../x.PDF", metadata=metadata)
    await library.end(job)
    assert library.files == ["hips.facts.json", "hips.pdf"]
    assert json.loads((library.folder / "hips.facts.json").read_text()) == {
        "title": "Hips",
        "module": 3,
        "difficulty": "advanced",
        "tags": ["joints", "legs"],
    }
    (chapter,) = (await library.index.edition()).chapters
    assert (chapter.title, chapter.module, chapter.url) == ("Hips", 3, "/docs/hips.pdf")


async def test_a_plain_text_is_a_chapter(library: Library) -> None:
    text = "Hips\n\nA hip joint <b>carries</b> # weight.\n\n---\ntitle: no front matter\n---\n"
    await library.send_and_end(text.encode(), filename="A.TXT")
    assert library.files == ["hips.txt"]
    (chapter,) = (await library.index.edition()).chapters
    page = await library.index.page("hips")
    assert page is not None
    shown = [block.text[0].text for block in page.sections[0].blocks if isinstance(block, Paragraph)]
    assert (chapter.title, chapter.url) == ("Hips", "/docs/hips")
    assert shown == ["A hip joint <b>carries</b> # weight.", "title: no front matter"]


@pytest.mark.parametrize("metadata", [None, "", " ", "{}", '{"tags": []}', '{"author": "me"}', '{"other": {"a": 1}}'])
async def test_an_upload_needs_no_facts(library: Library, metadata: str | None) -> None:
    (state,) = await library.end(await library.send(metadata=metadata))
    assert state.status == "done"


@pytest.mark.parametrize("filename", [None, "", "md", "a.text", "a.txt.exe", "a.md.exe", ".md", "a.md/../b"])
async def test_other_kinds_of_files_are_refused(library: Library, filename: str | None) -> None:
    problem = await library.refused(filename=filename)
    assert (problem.kind, problem.field, problem.rule) == (
        ProblemKind.INVALID,
        "file",
        "must be a .md, .mdx, .txt or .pdf file",
    )


@pytest.mark.parametrize("chapter_id", ["", "ab", "a" * 51, "../etc", "a/b", "abc\n", "ab.c", "häß", "abc*"])
async def test_other_chapter_ids_are_refused(library: Library, chapter_id: str) -> None:
    assert (await library.refused(chapter_id=chapter_id)).field == "chapter_id"


async def test_files_that_nobody_could_read_are_refused(library: Library) -> None:
    assert (await library.refused(b" \n")).rule == "must not be empty"
    assert (await library.refused(b"caf\xe9")).rule == "must be UTF-8 text"


async def test_a_large_file_is_refused_before_it_is_read_to_its_end(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_BYTES", 1_000_000)
    sent = BytesIO(b"a" * 10_000_000)
    with pytest.raises(ProblemRaised) as raised:
        await library.desk.accept(UploadFile(sent, filename="a.md"), "hips", None, OWNER)
    assert (raised.value.problem.field, raised.value.problem.rule) == ("file", "must not be larger than 1 MB")
    assert sent.tell() < 2_000_000


@pytest.mark.parametrize(
    ("metadata", "rule"),
    [
        ("{", "Invalid JSON"),
        ("[]", "object"),
        ("[" * 9_000, "recursion"),
        ('{"difficulty": "easy"}', "difficulty"),
        ('{"module": "first"}', "module"),
        ('{"title": {"$ne": 1}}', "title"),
        ('{"title": "' + "a" * 201 + '"}', "200"),
        ('{"tags": [["a"]]}', "tags"),
        ('{"a": "' + "b" * 10_000 + '"}', "10000"),
    ],
)
async def test_other_metadata_is_refused_by_field_and_rule(library: Library, metadata: str, rule: str) -> None:
    problem = await library.refused(metadata=metadata)
    assert problem.field == "metadata"
    assert rule in (problem.rule or "")


async def test_a_full_disk_is_told_at_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    problem = await library.refused()
    assert (problem.kind, problem.retryable) == (ProblemKind.DATABASE, True)
    assert list((library.folder / ".jobs").iterdir()) == []


async def test_too_many_waiting_uploads_are_put_off(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_MOST_WAITING", 1)
    await library.send()
    assert (await library.refused(chapter_id="knees")).kind is ProblemKind.OVERLOADED


# --- who sees it


async def test_only_the_owner_sees_an_upload(library: Library) -> None:
    job = await library.send()
    assert await library.desk.state(job, STRANGER) is None
    assert await library.desk.state(uuid4(), OWNER) is None
    await library.end(job)
    assert await library.desk.state(job, STRANGER) is None


# --- one after another


async def test_a_second_upload_of_a_chapter_replaces_the_first(library: Library) -> None:
    await library.end(await library.send(), await library.send(NEW_HIPS, filename="b.mdx"))
    assert library.files == ["hips.mdx"]
    assert [chapter.title for chapter in (await library.index.edition()).chapters] == ["New hips"]


async def test_the_facts_of_the_first_go_with_it(library: Library) -> None:
    await library.end(await library.send(metadata='{"module": 7}'), await library.send(NEW_HIPS))
    assert [chapter.module for chapter in (await library.index.edition()).chapters] == [None]


async def test_the_same_upload_twice_is_done_twice_and_stands_in_the_book_once(library: Library) -> None:
    states = await library.end(await library.send(), await library.send())
    assert [state.status for state in states] == ["done", "done"]
    assert (await library.index.edition()).chunk_count == 1


async def test_uploads_and_the_author_s_ingests_do_not_undo_each_other(library: Library) -> None:
    await library.send_and_end()
    await library.run_book()
    await library.end(await library.send(NEW_HIPS, "knees"))
    await library.run_book()
    assert await library.chapters() == [*BOOK, "hips", "knees"]


# --- what is broken


@pytest.mark.parametrize(
    ("data", "filename", "reason"),
    [
        (BROKEN, "a.mdx", "line 3"),
        (b"---\na: [\n---\n", "a.md", "front matter"),
        (b"%PDF-1.4 and no more", "a.pdf", "PDF"),
        (b"---\ntitle: nothing\n---\n", "a.md", "no text"),
        (b"---\ndraft: true\n---\nHips.\n", "a.md", "no text"),
    ],
)
@pytest.mark.parametrize("has_book", [False, True])
async def test_a_broken_file_fails_with_a_reason_and_leaves_nothing_behind(
    library: Library, data: bytes, filename: str, reason: str, has_book: bool
) -> None:
    if has_book:
        await library.run_book()
    state = await library.send_and_end(data, filename)
    assert state.status == "failed"
    assert reason in (state.reason or "")
    assert "/" not in (state.reason or "")
    assert library.files == []
    assert await library.chapters() == (BOOK if has_book else [])
    await library.run_book()


@pytest.mark.parametrize(
    ("data", "filename"),
    [(BROKEN, "a.mdx"), (b"\x00", "a.md"), (b"%PDF-1.4 and no more", "a.pdf"), (b"---\ndraft: true\n---\n", "a.md")],
)
async def test_a_broken_file_does_not_replace_the_good_one_before_it(
    library: Library, data: bytes, filename: str
) -> None:
    await library.run_book()
    await library.end(await library.send(metadata='{"module": 7}'))
    assert (await library.send_and_end(data, filename)).status == "failed"
    assert library.files == ["hips.facts.json", "hips.md"]
    assert (library.folder / "hips.md").read_bytes() == HIPS
    assert await library.chapters() == [*BOOK, "hips"]
    assert (await library.index.edition()).chapters[-1].module == 7


async def test_a_broken_file_does_not_stop_the_next(library: Library) -> None:
    states = await library.end(await library.send(BROKEN, "knees", "a.mdx"), await library.send())
    assert [state.status for state in states] == ["failed", "done"]


async def test_a_fault_on_our_side_is_not_explained_to_the_client(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "_SECONDS_TO_WAIT", -1.0)
    library.embedder.failures = 1
    state = await library.send_and_end()
    assert (state.status, library.files) == ("failed", [])
    assert "srv" not in (state.reason or "")
    assert (await library.send_and_end()).status == "done"


# --- waiting and starting again


async def test_an_ingest_in_progress_is_waited_for(library: Library) -> None:
    await library.run_book()
    job = await library.send()
    async with library.at_work():
        async with library.index.build("other", library.embedder.stamp):
            await library.until(job, "running")
            await asyncio.sleep(0.1)
            assert await library.state(job) == UploadState(status="running", progress=0.0)
        assert (await library.until(job, "done", "failed")).status == "done"


async def test_a_dependency_that_comes_back_is_waited_for(library: Library) -> None:
    library.embedder.failures = 2
    assert (await library.send_and_end()).status == "done"


async def test_accepted_uploads_are_taken_up_after_a_restart_in_their_order(library: Library) -> None:
    jobs = [await library.send(), await library.send(NEW_HIPS), await library.send(chapter_id="knees")]
    library.reopen()
    assert [(await library.state(job)).status for job in jobs] == ["queued"] * 3
    assert [state.status for state in await library.end(*jobs)] == ["done"] * 3
    assert (library.folder / "hips.md").read_bytes() == NEW_HIPS
    assert await library.chapters() == ["hips", "knees"]


async def test_an_upload_that_was_interrupted_is_taken_in_once(library: Library) -> None:
    await library.run_book()
    await library.send_and_end()
    library.embedder.silent = True
    job = await library.send(NEW_HIPS, filename="a.mdx")
    async with library.at_work():
        await library.until(job, "running")
        while library.files != ["hips.mdx"]:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    library.embedder.silent = False
    library.reopen()
    assert [state.status for state in await library.end(job)] == ["done"]
    assert await library.chapters() == [*BOOK, "hips"]
    assert library.files == ["hips.mdx"]


@pytest.mark.parametrize("step", range(12))
async def test_a_crash_at_any_write_of_a_replacement_loses_neither_version(
    library: Library, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """The new chapter is broken, so that both putting it in and taking it out are interrupted."""
    await library.end(await library.send(metadata='{"module": 7}'))
    job = await library.send(BROKEN, filename="a.mdx")
    write, writes = write_whole, 0

    def write_until_killed(path: Path, data: bytes) -> None:
        nonlocal writes
        writes += 1
        if writes > step:
            raise KeyboardInterrupt
        write(path, data)

    with monkeypatch.context() as patched:
        patched.setattr(upload_jobs, "write_whole", write_until_killed)
        folder = library.desk._folder
        found = folder.find(job)
        assert found is not None
        for action in (folder.install, folder.restore):
            try:
                action(found)
            except KeyboardInterrupt:
                break
    library.reopen()
    assert [state.status for state in await library.end(job)] == ["failed"]
    assert library.files == ["hips.facts.json", "hips.md"]
    assert (library.folder / "hips.md").read_bytes() == HIPS


async def test_finished_uploads_are_forgotten_after_a_week(library: Library) -> None:
    done, waiting = await library.send(), await library.send(chapter_id="knees")
    folder = library.desk._folder
    found = folder.find(done)
    assert found is not None
    folder.finish(found.ended(UploadState(status="done")))
    (library.folder / ".jobs" / f".{uuid4()}").mkdir()
    now = datetime.now(UTC)
    folder.forget(now + timedelta(days=6))
    assert (await library.state(done)).status == "done"
    folder.forget(now + timedelta(days=8))
    assert await library.desk.state(done, OWNER) is None
    assert (await library.state(waiting)).status == "queued"
    assert [path.name for path in (library.folder / ".jobs").iterdir()] == [str(waiting)]


async def test_a_damaged_job_is_left_alone(library: Library) -> None:
    damaged, whole = await library.send(), await library.send(chapter_id="knees")
    (library.folder / ".jobs" / str(damaged) / "job.json").write_text("{")
    library.reopen()
    assert await library.desk.state(damaged, OWNER) is None
    assert [state.status for state in await library.end(whole)] == ["done"]


# --- what is not tried for ever


async def killed_in_the_middle(library: Library, job: UUID) -> None:
    """The process dies while it takes an upload in: nothing is put back."""
    library.embedder.silent = True
    folder = upload_jobs.UploadFolder(library.folder)
    before = begun = folder.find(job)
    async with library.at_work(), asyncio.timeout(120):
        while begun == before:
            await asyncio.sleep(0.005)
            begun = folder.find(job)
    assert begun is not None
    folder.save(begun)
    library.embedder.silent = False
    library.reopen()


async def test_an_upload_that_a_killed_process_had_begun_is_tried_once_more(library: Library) -> None:
    await library.run_book()
    job = await library.send()
    await killed_in_the_middle(library, job)
    assert [state.status for state in await library.end(job)] == ["done"]


async def test_an_upload_in_the_middle_of_which_two_processes_died_is_given_up(library: Library) -> None:
    await library.run_book()
    job, other = await library.send(), await library.send(NEW_HIPS, "other")
    await killed_in_the_middle(library, job)
    await killed_in_the_middle(library, job)
    given_up, taken_in = await library.end(job, other)
    assert (given_up.status, taken_in.status) == ("failed", "done")
    assert given_up.reason == "it was tried twice and could not be taken in: please split it into smaller files"
    assert await library.chapters() == [*BOOK, "other"]


async def test_a_service_that_is_stopped_counts_no_attempt(library: Library) -> None:
    await library.run_book()
    library.embedder.silent = True
    job = await library.send()
    for _restart in range(3):
        async with library.at_work():
            await library.until(job, "running")
        assert (await library.state(job)).status == "queued"
        library.reopen()
    library.embedder.silent = False
    assert [state.status for state in await library.end(job)] == ["done"]
