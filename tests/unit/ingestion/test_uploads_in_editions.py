"""Chapters that clients sent in stand in the book's editions beside the author's own pages."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.domain.book import Edition, IndexedFile, IngestResult
from citebook.domain.errors import BookNotFound, EmbedderMismatch, IndexUnusable, IngestInProgress
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.indexing import Ingest, ProgressReport
from tests.fakes import WORKERS, WordEmbedder
from tests.small_book import PAGES, write_book

RULES = ChunkingRules(target_tokens=64, max_tokens=128)
HIPS = "# Hips\n\nA hip joint carries the whole weight of the machine.\n"
KNEES = "# Knees\n\nA knee joint bends in one direction only.\n"


def ignore(_report: ProgressReport) -> None:
    """Nobody watches."""


class Workshop:
    def __init__(self, folder: Path) -> None:
        self.book = write_book(folder / "book")
        self.uploads = folder / "uploads"
        self.uploads.mkdir()
        self.index = EmbeddedQdrant(folder / "index", WORKERS)
        self.embedder = WordEmbedder()

    def ingest(self, rules: ChunkingRules = RULES, embedder: WordEmbedder | None = None) -> Ingest:
        return Ingest(self.index, embedder or self.embedder, rules, "/docs", self.uploads)

    async def run(self) -> IngestResult:
        self.embedder.embedded.clear()
        return await self.ingest().run(self.book, progress=ignore)

    async def run_uploads(self) -> IngestResult:
        self.embedder.embedded.clear()
        return await self.ingest().run_uploads(progress=ignore)

    def upload(self, name: str, text: str, **facts: object) -> None:
        (self.uploads / name).write_text(text, encoding="utf-8")
        if facts:
            (self.uploads / f"{name.rsplit('.', 1)[0]}.facts.json").write_text(json.dumps(facts))

    async def files(self) -> dict[str, IndexedFile]:
        return (await self.index.edition()).files

    async def chapters(self) -> list[str]:
        return [chapter.id for chapter in (await self.index.edition()).chapters]


BOOK = ["joints/gears", "joints/motors", "walking/balance", "intro"]


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    yield Workshop(tmp_path)
    shutil.rmtree(tmp_path)  # temporary files may be kept in memory, and each edition takes 45 MB of it


# --- uploads alone


async def test_an_upload_is_added_and_the_book_is_carried_over_untouched(workshop: Workshop) -> None:
    await workshop.run()
    before = await workshop.files()
    workshop.upload("hips.md", HIPS)
    result = await workshop.run_uploads()
    after = await workshop.files()
    assert {name: file for name, file in after.items() if name != "uploads/hips.md"} == before
    assert [text.split("\n")[0] for text in workshop.embedder.embedded] == ["Hips"]
    assert (result.counts.files_unchanged, result.counts.chunks_embedded, result.errors) == (4, 1, ())


async def test_the_book_itself_need_not_be_there(workshop: Workshop) -> None:
    await workshop.run()
    (workshop.book / "intro.md").unlink()
    workshop.upload("hips.md", HIPS)
    await workshop.run_uploads()
    assert await workshop.chapters() == [*BOOK, "hips"]


async def test_an_upload_makes_the_first_edition(workshop: Workshop) -> None:
    workshop.upload("hips.md", HIPS)
    result = await workshop.run_uploads()
    assert (result.chunks_created, await workshop.chapters()) == (1, ["hips"])


async def test_the_book_joins_an_edition_of_uploads(workshop: Workshop) -> None:
    workshop.upload("hips.md", HIPS)
    await workshop.run_uploads()
    result = await workshop.run()
    assert await workshop.chapters() == [*BOOK, "hips"]
    assert result.counts.files_unchanged == 1


async def test_nothing_new_makes_no_new_edition(workshop: Workshop) -> None:
    await workshop.run()
    workshop.upload("hips.md", HIPS)
    await workshop.run_uploads()
    assert (await workshop.run_uploads()).edition is None
    assert (await workshop.run()).edition is None
    assert workshop.embedder.embedded == []


async def test_an_upload_that_is_gone_leaves_the_book(workshop: Workshop) -> None:
    await workshop.run()
    workshop.upload("hips.md", HIPS)
    workshop.upload("knees.md", KNEES)
    await workshop.run_uploads()
    (workshop.uploads / "hips.md").unlink()
    await workshop.run_uploads()
    assert await workshop.chapters() == [*BOOK, "knees"]


async def test_a_broken_upload_fails_alone(workshop: Workshop) -> None:
    await workshop.run()
    (workshop.uploads / "hips.md").write_bytes(b"\xff")
    workshop.upload("knees.md", KNEES)
    result = await workshop.run_uploads()
    assert await workshop.chapters() == [*BOOK, "knees"]
    assert result.errors == ("uploads/hips.md: line 1 is not UTF-8: save the file as UTF-8",)


async def test_a_broken_upload_alone_publishes_nothing(workshop: Workshop) -> None:
    workshop.upload("hips.mdx", "<div>")
    result = await workshop.run_uploads()
    assert (result.edition, result.chunks_created, await workshop.index.current()) == (None, 0, None)
    assert [error.split(":")[0] for error in result.errors] == ["uploads/hips.mdx"]


async def test_an_upload_that_broke_goes_on_answering_as_it_was(workshop: Workshop) -> None:
    await workshop.run()
    workshop.upload("hips.md", HIPS)
    await workshop.run_uploads()
    (workshop.uploads / "hips.md").write_bytes(b"\xff")
    await workshop.run_uploads()
    assert await workshop.chapters() == [*BOOK, "hips"]


async def test_a_book_cut_by_other_rules_is_carried_over_and_made_anew_by_its_author(workshop: Workshop) -> None:
    await workshop.run()
    old_recipe = (await workshop.index.edition()).recipe
    workshop.upload("hips.md", HIPS)
    other = workshop.ingest(ChunkingRules(target_tokens=32, max_tokens=128))
    result = await other.run_uploads(progress=ignore)
    assert (result.counts.files_unchanged, (await workshop.index.edition()).recipe) == (4, old_recipe)
    assert (await other.run(workshop.book, progress=ignore)).counts.files_unchanged == 0


async def test_another_embedder_is_refused(workshop: Workshop) -> None:
    await workshop.run()
    with pytest.raises(EmbedderMismatch, match="made by words, but uploads would be embedded by others"):
        await workshop.ingest(embedder=WordEmbedder("others")).run_uploads(progress=ignore)


async def test_nothing_is_added_to_a_damaged_index(workshop: Workshop, tmp_path: Path) -> None:
    """The rest of the book could not be carried over, and would be lost."""
    await workshop.run()
    (tmp_path / "index" / (await workshop.index.edition()).name / "vocabulary.tsv").write_bytes(b"")
    workshop.index = EmbeddedQdrant(tmp_path / "index", WORKERS)
    workshop.upload("hips.md", HIPS)
    with pytest.raises(IndexUnusable, match="Run: citebook ingest PATH"):
        await workshop.run_uploads()
    assert await workshop.chapters() == BOOK


async def test_without_a_folder_of_uploads_nothing_is_done(workshop: Workshop) -> None:
    workshop.uploads.rmdir()
    with pytest.raises(BookNotFound):
        await workshop.run_uploads()


# --- uploads beside the book


async def test_an_author_s_ingest_keeps_uploads_and_puts_them_last(workshop: Workshop) -> None:
    workshop.upload("aaa.md", HIPS)
    await workshop.run()
    write_book(workshop.book, gears=PAGES["01-joints/gears.mdx"].replace("belt", "rope"))
    await workshop.run()
    assert await workshop.chapters() == [*BOOK, "aaa"]


async def test_an_author_elsewhere_keeps_uploads_that_only_the_server_has(workshop: Workshop) -> None:
    await workshop.run()
    workshop.upload("hips.md", HIPS)
    await workshop.run_uploads()
    write_book(workshop.book, intro=PAGES["intro.md"].replace("four", "5"))
    await Ingest(workshop.index, workshop.embedder, RULES, "/docs").run(workshop.book, progress=ignore)
    assert await workshop.chapters() == [*BOOK, "hips"]


@pytest.mark.parametrize("chapter", ["01_hips", "_hips", "index", "README", "_category_"])
async def test_an_upload_is_called_by_its_file_name_whatever_it_looks_like(workshop: Workshop, chapter: str) -> None:
    await workshop.run()
    workshop.upload(f"{chapter}.md", HIPS, tags=["joints"])
    await workshop.run_uploads()
    assert await workshop.chapters() == [*BOOK, chapter]


async def test_facts_count_more_than_front_matter(workshop: Workshop) -> None:
    workshop.upload("hips.md", f"---\ntitle: Old\nmodule: 1\n---\n{HIPS}", title="All about hips", tags=["joints"])
    await workshop.run_uploads()
    (chapter,) = (await workshop.index.edition()).chapters
    assert (chapter.title, chapter.module) == ("All about hips", 1)


async def test_new_facts_are_taken_in(workshop: Workshop) -> None:
    workshop.upload("hips.md", HIPS, module=1)
    await workshop.run_uploads()
    workshop.upload("hips.md", HIPS, module=2)
    await workshop.run_uploads()
    assert [chapter.module for chapter in (await workshop.index.edition()).chapters] == [2]
    assert workshop.embedder.embedded == []


@pytest.mark.parametrize("facts", ["[1]", "{", "\x00", "[" * 100_000])
async def test_facts_that_cannot_be_read_are_ignored_with_a_warning(workshop: Workshop, facts: str) -> None:
    workshop.upload("hips.md", HIPS)
    (workshop.uploads / "hips.facts.json").write_text(facts)
    result = await workshop.run_uploads()
    assert result.chunks_created == 1
    assert result.warnings == ("uploads/hips.md: the file of facts beside it cannot be read and is ignored",)


async def test_the_same_chapter_in_the_book_and_as_an_upload_stays_two(workshop: Workshop) -> None:
    await workshop.run()
    workshop.upload("intro.md", PAGES["intro.md"])
    await workshop.run_uploads()
    assert await workshop.chapters() == [*BOOK, "uploads/intro"]
    assert (await workshop.run()).edition is None


async def test_a_page_of_the_book_is_never_taken_for_an_upload(workshop: Workshop) -> None:
    (workshop.book / "uploads").mkdir()
    (workshop.book / "uploads" / "hips.md").write_text(KNEES)
    await workshop.run()
    workshop.upload("hips.md", HIPS)
    workshop.upload("knees.md", KNEES)
    result = await workshop.run_uploads()
    assert result.errors == ("uploads/hips.md: the book has a page of this name: choose another chapter_id",)
    assert (await workshop.files())["uploads/hips.md"].order < 10
    assert await workshop.chapters() == [*BOOK, "uploads/hips", "knees"]


# --- two ingests that meet


async def test_what_was_uploaded_while_an_ingest_looked_at_the_book_is_not_lost(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await workshop.run()
    write_book(workshop.book, intro=PAGES["intro.md"].replace("four", "5"))
    author, current = workshop.ingest(), workshop.index.current

    async def current_before_an_upload() -> Edition | None:
        monkeypatch.setattr(workshop.index, "current", current)
        found = await current()
        workshop.upload("hips.md", HIPS)
        await workshop.run_uploads()
        return found

    monkeypatch.setattr(workshop.index, "current", current_before_an_upload)
    with pytest.raises(IngestInProgress):
        await author.run(workshop.book, progress=ignore)
    assert await workshop.chapters() == [*BOOK, "hips"]
    await author.run(workshop.book, progress=ignore)
    assert await workshop.chapters() == [*BOOK, "hips"]
