"""Two machines that take chapters for one book: each tells of all, one at a time works, and none loses any."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest

from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.adapters.sql.database import Database
from citebook.adapters.sql.job_leases import SqlJobLeases
from citebook.adapters.sql.shared_folder import SqlSharedFolder
from citebook.api import shared_uploads
from citebook.api.shared_uploads import SharedUploads
from citebook.api.upload_jobs import job_path
from citebook.api.uploads import ChapterUploads
from citebook.ingestion.indexing import Ingest
from tests.fakes import WORKERS
from tests.unit.api.test_uploads import BOOK, HIPS, NEW_HIPS, RULES, Library

FOLDER = "uploads/book"


class Machine(Library):
    """One of several with a common index and database, and with folders of its own."""

    def __init__(self, folder: Path, index: EmbeddedQdrant, database: Database) -> None:
        self._database = database
        super().__init__(folder)
        self.index = index
        self.ingest = Ingest(*(index, self.embedder, RULES, "/docs", self.folder), fetch_uploads=self._fetch_uploads)
        self.reopen()

    def reopen(self) -> None:
        common = SqlSharedFolder(self._database, FOLDER, self.folder)
        sharing = SharedUploads(common, SqlJobLeases(self._database), "book")
        self.desk = ChapterUploads(self.folder, self.ingest, pause_seconds=0.01, sharing=sharing)

    async def _fetch_uploads(self) -> Path:
        copy = self.folder.parent / "uploads-of-all"
        await SqlSharedFolder(self._database, FOLDER, copy).pull()
        return copy

    async def status(self, job: UUID) -> str:
        return (await self.state(job)).status


@pytest.fixture
def machines(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Machine, Machine]]:
    monkeypatch.setattr(shared_uploads, "_SECONDS_BETWEEN_LOOKS", 0.02)
    monkeypatch.setattr(shared_uploads, "_SECONDS_BETWEEN_RENEWALS", 0.1)
    index = EmbeddedQdrant(tmp_path / "index", WORKERS)
    yield Machine(tmp_path / "one", index, database), Machine(tmp_path / "two", index, database)
    shutil.rmtree(tmp_path)


@asynccontextmanager
async def both_at_work(machines: tuple[Machine, Machine]) -> AsyncIterator[None]:
    async with machines[0].at_work(), machines[1].at_work():
        yield


async def test_any_machine_tells_of_an_upload_and_only_to_its_owner(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    job = await one.send()
    assert await two.status(job) == "queued"
    assert await two.desk.state(job, "key:two") is None


async def test_what_both_accept_is_taken_in_once_each(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    await one.run_book()
    jobs = [await one.send(), await two.send(chapter_id="knees"), await one.send(chapter_id="elbows")]
    async with both_at_work(machines):
        states = [await two.until(job, "done", "failed") for job in jobs]
    assert [state.status for state in states] == ["done"] * 3
    assert sorted(await one.chapters()) == sorted([*BOOK, "hips", "knees", "elbows"])


async def test_what_is_accepted_while_another_machine_works_is_not_lost(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    one.embedder.failures = 6
    first = await one.send()
    async with one.at_work():
        await two.until(first, "running")
        second = await two.send(chapter_id="knees")
        assert (await two.until(first, "done", "failed")).status == "done"
        assert (await two.until(second, "done", "failed")).status == "done"


async def test_the_later_version_of_a_chapter_wins_whoever_accepted_it(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    await one.send()
    await asyncio.sleep(0.01)
    last = await two.send(NEW_HIPS)
    async with both_at_work(machines):
        await one.until(last, "done", "failed")
    assert [chapter.title for chapter in (await one.index.edition()).chapters] == ["New hips"]


async def test_another_machine_takes_over_from_one_that_died(
    machines: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = machines
    monkeypatch.setattr(shared_uploads, "_LEASE", shared_uploads._LEASE / 60)
    await one.run_book()
    good = await one.send()
    async with one.at_work():
        await one.until(good, "done")
        one.embedder.silent = True
        job = await one.send(NEW_HIPS)
        await two.until(job, "running")
        while (one.folder / "hips.md").read_bytes() != NEW_HIPS:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        begun = await one.desk._sharing.find(job)  # type: ignore[union-attr]
    assert begun is not None
    dead = SqlSharedFolder(one._database, FOLDER, one.folder)
    await dead.add({job_path(job): begun.model_dump_json().encode()})  # who dies does not put it back
    await two._fetch_uploads()
    assert (two.folder.parent / "uploads-of-all" / "hips.md").read_bytes() == HIPS
    async with two.at_work():
        assert (await two.until(job, "done", "failed")).status == "done"
    assert [chapter.title for chapter in (await one.index.edition()).chapters][-1] == "New hips"


async def test_an_author_s_ingest_on_any_machine_keeps_the_uploads_of_all(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    await one.run_book()
    job = await one.send()
    async with one.at_work():
        await one.until(job, "done")
    await two.run_book()
    assert await two.chapters() == [*BOOK, "hips"]


async def test_where_uploads_cannot_be_had_an_ingest_leaves_them_in_the_book(
    machines: tuple[Machine, Machine],
) -> None:
    one, two = machines
    await one.run_book()
    job = await one.send()
    async with one.at_work():
        await one.until(job, "done")
    two.ingest._fetch_uploads = nothing
    await two.run_book()
    assert await two.chapters() == [*BOOK, "hips"]


async def nothing() -> None:
    """What a database that is away gives."""


async def test_chapters_of_before_are_shared_from_the_first_look_on(machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    one.folder.mkdir(parents=True)
    (one.folder / "hips.md").write_bytes(HIPS)
    job = await one.send(chapter_id="knees")
    async with one.at_work():
        await one.until(job, "done")
    await two.run_book()
    assert sorted(await two.chapters()) == sorted([*BOOK, "hips", "knees"])
