"""The text of a book in the database, as its ingest leaves it."""

from pathlib import Path

import pytest

from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.domain.errors import DatabaseUnavailable
from citebook.domain.kept_chunks import KeptChunk
from citebook.ingestion.indexing import Ingest
from citebook.records.chunk_keeping import ChunkKeeper
from tests.contracts.service import RULES
from tests.fakes import WORKERS, KeptInMemory, WordEmbedder
from tests.small_book import write_book


class Shelf:
    def __init__(self, folder: Path) -> None:
        self.book, self.store = write_book(folder / "book"), KeptInMemory()
        self.index = EmbeddedQdrant(folder / "index", WORKERS)
        self.keeper = ChunkKeeper(self.index, self.store, "robots")
        self.ingest = Ingest(
            self.index, WordEmbedder(), RULES, "/docs", folder / "uploads", afterwards=self.keeper.keep
        )

    async def run(self) -> tuple[str, ...]:
        return (await self.ingest.run(self.book, progress=lambda _report: None)).warnings

    async def in_index(self) -> dict[str, KeptChunk]:
        chunks = [chunk async for some in self.index.all_chunks() for chunk in some]
        return {chunk.id: KeptChunk.of(chunk) for chunk in chunks}


@pytest.fixture
async def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    await shelf.run()
    return shelf


async def test_all_chunks_are_kept_with_their_places(shelf: Shelf) -> None:
    assert shelf.store.chunks == await shelf.in_index()
    assert shelf.store.editions == {"robots": (await shelf.index.edition()).name}
    gears = next(chunk for chunk in shelf.store.chunks.values() if "thin steel cup" in chunk.text)
    assert (gears.parent_document_id, gears.metadata["tags"]) == ("joints/gears", ["gears", "joints"])
    assert gears.is_intact()


async def test_an_unchanged_book_writes_nothing(shelf: Shelf) -> None:
    before = shelf.store.writes
    await shelf.run()
    assert shelf.store.writes == before


async def test_a_changed_page_is_kept_beside_what_it_was(shelf: Shelf) -> None:
    before = set(shelf.store.chunks)
    page = shelf.book / "01-joints" / "gears.mdx"
    page.write_text(page.read_text(encoding="utf-8").replace("thin steel cup", "thick steel cup"), encoding="utf-8")
    await shelf.run()
    in_index = await shelf.in_index()
    assert len(before - in_index.keys()) == 1
    assert shelf.store.chunks.keys() == before | in_index.keys()
    assert {key: shelf.store.chunks[key] for key in in_index} == in_index, "what moved is told where it is now"


async def test_a_database_that_is_down_costs_a_warning_and_is_caught_up_with(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(*_: object) -> None:
        raise DatabaseUnavailable("no connection")

    page = shelf.book / "intro.md"
    page.write_text(page.read_text(encoding="utf-8") + "\nOne more line about walking.\n", encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(shelf.store, "add", down)
        assert any("no connection" in warning for warning in await shelf.run())
    await shelf.run()
    assert shelf.store.editions == {"robots": (await shelf.index.edition()).name}
