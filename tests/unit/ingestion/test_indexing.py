"""What an ingest does to the index, and what it leaves alone."""

import gc
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.domain.book import IngestResult
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.indexing import Ingest, ProgressReport
from tests.fakes import WORKERS, WordEmbedder
from tests.small_book import PAGES, write_book

RULES = ChunkingRules(target_tokens=64, max_tokens=128)


class Workshop:
    def __init__(self, folder: Path) -> None:
        self.book = write_book(folder / "book")
        self.index = EmbeddedQdrant(folder / "index", WORKERS)
        self.embedder = WordEmbedder()
        self.reports: list[ProgressReport] = []

    async def ingest(self, rules: ChunkingRules = RULES, base_url: str = "/docs", **how: bool) -> IngestResult:
        self.embedder.embedded.clear()
        self.reports.clear()
        run = Ingest(self.index, self.embedder, rules, base_url)
        return await run.run(self.book, progress=self.reports.append, **how)

    async def chapters(self) -> list[str]:
        return [chapter.title for chapter in (await self.index.edition()).chapters]


def vectors_within(owner: object) -> int:
    """How many vectors an object keeps alive, not counting what only the modules of its functions know."""
    others = type | ModuleType | FunctionType
    found, waiting = {id(owner): owner}, [owner]
    while waiting:
        held = gc.get_referents(waiting.pop())
        new = {id(one): one for one in held if id(one) not in found and not isinstance(one, others)}
        found.update(new)
        waiting.extend(new.values())
    return sum(isinstance(one, np.ndarray) and one.dtype == np.float32 for one in found.values())


@pytest.fixture
async def workshop(tmp_path: Path) -> Workshop:
    workshop = Workshop(tmp_path)
    await workshop.ingest()
    return workshop


async def test_the_edition_knows_the_book_in_reading_order(workshop: Workshop) -> None:
    assert await workshop.chapters() == ["Gears", "Motors", "Balance", "About this book"]


async def test_an_unchanged_book_is_not_embedded_and_gets_no_new_edition(workshop: Workshop) -> None:
    edition = (await workshop.index.edition()).name
    result = await workshop.ingest()
    assert (result.counts.chunks_embedded, workshop.embedder.embedded) == (0, [])
    assert (await workshop.index.edition()).name == edition


async def test_a_new_edition_that_is_wanted_carries_an_unchanged_book_over(workshop: Workshop) -> None:
    before = await workshop.index.edition()
    result = await workshop.ingest(new_edition=True)
    after = await workshop.index.edition()
    assert (result.counts.chunks_embedded, workshop.embedder.embedded) == (0, [])
    assert after.name != before.name
    assert (after.files, after.chunk_count) == (before.files, before.chunk_count)


async def test_a_new_order_of_pages_is_kept_without_embedding_anything(workshop: Workshop) -> None:
    write_book(workshop.book, intro=PAGES["intro.md"].replace("---\n\n", "sidebar_position: -1\n---\n\n"))
    await workshop.ingest()
    assert workshop.embedder.embedded == []
    assert (await workshop.chapters())[0] == "About this book"


async def test_a_new_title_changes_what_is_embedded(workshop: Workshop) -> None:
    write_book(workshop.book, motors=PAGES["01-joints/motors.mdx"].replace("title: Motors", "title: Engines"))
    await workshop.ingest()
    assert [text.split("\n")[0] for text in workshop.embedder.embedded] == ["Engines > Stepper motors"]


async def test_a_new_address_of_the_book_reads_all_pages_and_embeds_none(workshop: Workshop) -> None:
    result = await workshop.ingest(base_url="/learn")
    assert (result.counts.files_unchanged, result.counts.chunks_embedded, result.counts.chunks_reused) == (0, 0, 5)


async def test_a_new_length_of_chunks_reads_all_pages_and_embeds_only_new_texts(workshop: Workshop) -> None:
    result = await workshop.ingest(ChunkingRules(target_tokens=32, max_tokens=128))
    assert (result.counts.files_unchanged, result.counts.chunks_embedded) == (0, 0)
    assert result.edition is not None


async def test_the_vectors_of_the_book_are_in_memory_only_while_it_is_ingested(workshop: Workshop) -> None:
    write_book(workshop.book, gears=PAGES["01-joints/gears.mdx"].replace("belt", "rope"))
    await workshop.ingest()
    assert vectors_within(workshop.index) == 0


async def test_the_same_page_twice_stays_two_pages_and_is_embedded_once(workshop: Workshop) -> None:
    (workshop.book / "copy.mdx").write_text(PAGES["01-joints/motors.mdx"])
    result = await workshop.ingest()
    assert (result.chunks_created, workshop.embedder.embedded) == (6, [])


async def test_a_page_that_moved_is_not_embedded_again(workshop: Workshop) -> None:
    (workshop.book / "01-joints" / "motors.mdx").rename(workshop.book / "motors.mdx")
    result = await workshop.ingest()
    assert (result.counts.files_removed, result.counts.chunks_embedded, result.chunks_created) == (1, 0, 5)


async def test_a_page_that_stays_broken_makes_no_new_edition(workshop: Workshop) -> None:
    edition = (await workshop.index.edition()).name
    write_book(workshop.book, motors="# Motors\n\n<Tabs>\n\nA stepper motor steps.\n")
    (workshop.book / "new.mdx").write_text("# New\n\n<Tabs>\n\nNever read.\n")
    for _ in range(2):
        result = await workshop.ingest()
        assert (result.edition, len(result.errors), result.exit_code) == (None, 2, 1)
        assert (result.chunks_created, result.counts.chunks_embedded) == (5, 0)
        assert result.warnings == ("01-joints/motors.mdx: its last readable version goes on answering",)
    assert (await workshop.index.edition()).name == edition


async def test_a_broken_page_holds_up_no_other(workshop: Workshop) -> None:
    ropes = PAGES["01-joints/gears.mdx"].replace("belt", "rope")
    write_book(workshop.book, motors="# Motors\n\n<Tabs>\n\nA stepper motor steps.\n", gears=ropes)
    result = await workshop.ingest()
    assert (result.edition is not None, len(result.errors), result.chunks_created) == (True, 1, 5)


async def test_a_dry_run_foretells_what_the_run_does(workshop: Workshop) -> None:
    write_book(workshop.book, gears=PAGES["01-joints/gears.mdx"].replace("belt", "rope"))
    (workshop.book / "intro.md").write_bytes(b"\xff")
    (workshop.book / "02-walking" / "balance.md").unlink()
    foretold = await workshop.ingest(dry_run=True)
    assert workshop.embedder.embedded == []
    done = await workshop.ingest()
    assert (foretold.counts, foretold.chunks_created) == (done.counts, done.chunks_created)


async def test_progress_runs_up_to_the_number_of_changed_files(workshop: Workshop) -> None:
    write_book(workshop.book, gears=PAGES["01-joints/gears.mdx"].replace("belt", "rope"))
    await workshop.ingest()
    done = [report.files_done for report in workshop.reports]
    assert done == sorted(done)
    assert (workshop.reports[-1].files_done, workshop.reports[-1].files) == (1, 1)


async def test_a_new_title_of_the_site_is_kept_without_embedding_anything(workshop: Workshop) -> None:
    assert (await workshop.index.edition()).title is None
    (workshop.book / "docusaurus.config.js").write_text("export default { title: 'Robots', baseUrl: '/' }")
    result = await workshop.ingest()
    assert (await workshop.index.edition()).title == "Robots"
    assert result.edition is not None
    assert not workshop.embedder.embedded
    assert (await workshop.ingest()).edition is None
