"""Editions of a book as folders."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from citebook.adapters.qdrant.editions import EditionFolders
from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.domain.errors import VectorStoreUnavailable
from citebook.domain.outline import Outline
from tests.fakes import WORKERS, WordEmbedder, make_chunk
from tests.ports.test_book_index import publish, search

CHUNK = make_chunk("Inverse kinematics finds joint angles.", "kinematics.mdx")


async def publish_all(root: Path, names: Sequence[str]) -> None:
    index = EmbeddedQdrant(root, WORKERS)
    for name in names:
        await publish(index, name, [CHUNK])


def folders(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir() if path.is_dir())


async def test_the_edition_before_is_kept_for_readers_who_are_at_work_in_it(tmp_path: Path) -> None:
    await publish_all(tmp_path, ["1", "2", "3"])
    assert folders(tmp_path) == ["2", "3"]


async def test_a_reader_s_edition_may_be_removed_while_it_reads(tmp_path: Path) -> None:
    index = EmbeddedQdrant(tmp_path, WORKERS)
    await publish(index, "1", [CHUNK])
    reader = EditionFolders(tmp_path).open_current()
    await publish_all(tmp_path, ["2", "3"])
    assert folders(tmp_path) == ["2", "3"]
    assert reader.shard.retrieve([str(CHUNK.point_id)], with_payload=True, with_vector=False)[0].payload is not None


async def test_an_edition_that_is_replaced_while_it_is_opened_is_looked_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish_all(tmp_path, ["1"])
    answers = iter(["removed just now", "1"])
    monkeypatch.setattr(EditionFolders, "current_name", lambda _self: next(answers))
    assert EditionFolders(tmp_path).open_current().edition.name == "1"


async def test_an_edition_that_stays_away_is_an_error_in_the_end(tmp_path: Path) -> None:
    (tmp_path / "CURRENT").write_text("nowhere")
    with pytest.raises(VectorStoreUnavailable, match="cannot be opened"):
        EditionFolders(tmp_path).open_current()


async def test_opening_an_edition_needs_no_room_on_its_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine saves its configuration each time it opens a shard; here the folder takes no file, as when full."""
    await publish_all(tmp_path / "index", ["1"])
    import qdrant_edge

    really_load = qdrant_edge.EdgeShard.load

    class FullDisk:
        @staticmethod
        def load(path: str) -> object:
            if path.startswith(str(tmp_path)):
                raise Exception("Failed to save structure on disk with error: No space left on device")
            return really_load(path)

    monkeypatch.setattr("citebook.adapters.qdrant.editions.engine.EdgeShard", FullDisk)
    index = EmbeddedQdrant(tmp_path / "index", WORKERS)
    found = await search(index, "inverse kinematics")
    assert found.chunks[0].text == CHUNK.text


async def test_a_reader_moves_over_to_a_newer_edition(tmp_path: Path) -> None:
    reader = EmbeddedQdrant(tmp_path, WORKERS)
    await publish_all(tmp_path, ["1"])
    assert (await reader.edition()).name == "1"
    await publish_all(tmp_path, ["2"])
    assert (await reader.edition()).name == "2"
    assert WordEmbedder().stamp == (await reader.edition()).embedder


async def test_no_chunk_is_lost_when_the_store_of_read_chunks_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citebook.adapters.qdrant.editions._CHUNKS_KEPT", 2)
    others = [make_chunk(f"Text number {number}.", f"{number}.mdx") for number in range(3)]
    await publish(EmbeddedQdrant(tmp_path, WORKERS), "1", [CHUNK, *others])
    opened = EditionFolders(tmp_path).open_current()
    keys = [str(chunk.point_id) for chunk in (CHUNK, *others)]
    assert list(opened.chunks(keys[:2])) == keys[:2]
    assert set(opened.chunks(keys)) == set(keys)
    assert len(opened.read_chunks) <= 4


# --- a power cut


class Disk:
    """What would still be there after a power cut: names and contents that were flushed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.flushed: set[int] = set()
        self.steps: list[str] = []
        self.unflushed_when_named: list[str] = []
        self._flush, self._rename, self._replace = os.fsync, Path.rename, Path.replace
        monkeypatch.setattr(os, "fsync", self.flush)
        monkeypatch.setattr(Path, "rename", lambda path, target: self.name(self._rename, path, target))
        monkeypatch.setattr(Path, "replace", lambda path, target: self.name(self._replace, path, target))

    def flush(self, descriptor: int) -> None:
        self._flush(descriptor)
        self.flushed.add(os.fstat(descriptor).st_ino)
        self.steps.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)

    def name(self, rename: Callable[[Path, Path], Path], path: Path, target: Path) -> Path:
        within = [path, *path.rglob("*")] if path.is_dir() else [path]
        self.unflushed_when_named += [one.name for one in within if one.stat().st_ino not in self.flushed]
        self.steps.append(f"name {target.name}")
        return rename(path, target)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs a Linux")
async def test_a_published_edition_outlives_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch)
    await publish_all(tmp_path / "data" / "index" / "book", ["1"])
    assert disk.unflushed_when_named == []
    assert disk.steps[:3] == ["index", "data", tmp_path.name], "the folders that were made"
    assert [step for step in disk.steps[-5:] if "CURRENT" not in step or "name" in step] == [
        "name 1",
        "book",
        "name CURRENT",
        "book",
    ]


async def test_an_edition_of_before_outlines_has_one_without_pages(tmp_path: Path) -> None:
    index = EmbeddedQdrant(tmp_path, WORKERS)
    await publish(index, "first", [make_chunk("One.")])
    (tmp_path / "first" / "outline.json").unlink()
    assert await index.outline() == Outline("first")


async def test_a_damaged_outline_is_reported(tmp_path: Path) -> None:
    index = EmbeddedQdrant(tmp_path, WORKERS)
    await publish(index, "first", [make_chunk("One.")])
    (tmp_path / "first" / "outline.json").write_text("{")
    with pytest.raises(VectorStoreUnavailable, match="citebook ingest"):
        await index.outline()
