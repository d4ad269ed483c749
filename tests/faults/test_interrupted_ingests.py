"""Runs that meet another run, are killed, or find no space: the old edition answers on."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from citebook.cli import exit_codes
from tests.command_line import citebook
from tests.fakes import WordEmbedder
from tests.faults.conftest import Shelf
from tests.small_book import PAGES, write_book

NEW_GEARS = PAGES["01-joints/gears.mdx"].replace("Belts", "Ropes").replace("toothed belt", "steel rope")
NEW_MOTORS = PAGES["01-joints/motors.mdx"].replace("stepper", "servo")


@pytest.fixture
def changed(shelf: Shelf) -> Shelf:
    """A shelf whose book has changed since it was ingested."""
    write_book(shelf.book, gears=NEW_GEARS, motors=NEW_MOTORS)
    return shelf


# --- two runs at once


def test_a_second_run_is_told_that_one_is_in_progress(changed: Shelf) -> None:
    with changed.stuck_ingest():
        refused = changed.ingest()
        assert refused.exit_code == exit_codes.INGEST_IN_PROGRESS
        assert "already in progress" in refused.err
        assert changed.still_serves


def test_a_second_run_leaves_the_first_one_s_work_alone(changed: Shelf) -> None:
    with changed.stuck_ingest():
        during = changed.editions
        changed.ingest()
        assert changed.editions == during


# --- a killed run


def test_a_killed_run_leaves_the_old_edition_as_it_was(changed: Shelf) -> None:
    with changed.stuck_ingest() as running:
        running.kill()
        running.wait()
    assert any(name.endswith(".building") for name in changed.editions)
    assert changed.still_serves
    assert changed.found("stepper motor steps")[0] == "01-joints/motors.mdx"


def test_the_run_after_a_killed_one_works_and_clears_up(changed: Shelf) -> None:
    with changed.stuck_ingest() as running:
        running.kill()
        running.wait()
    result = changed.ingest()
    assert result.exit_code == 0, result.err
    assert changed.found("steel rope")[0] == "01-joints/gears.mdx"
    assert not any(name.endswith(".building") for name in changed.editions)


def test_what_a_killed_run_left_is_cleared_away_even_by_a_run_that_fails(
    changed: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    with changed.stuck_ingest() as running:
        running.kill()
        running.wait()
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(100 * 2**20, 99 * 2**20, 2**20))
    assert changed.ingest().exit_code == exit_codes.NO_SPACE_LEFT
    assert not any(name.endswith(".building") for name in changed.editions)


def test_a_first_run_that_is_killed_leaves_no_half_index(tmp_path: Path) -> None:
    shelf = Shelf(write_book(tmp_path / "book"), tmp_path / "data")
    with shelf.stuck_ingest() as running:
        running.kill()
        running.wait()
    failed = citebook("ask", "harmonic drive", "--data-dir", shelf.data)
    assert failed.exit_code == exit_codes.INDEX_UNUSABLE
    assert shelf.ingest().exit_code == 0
    assert shelf.still_serves


def test_a_run_killed_between_its_last_two_steps_is_as_if_it_had_not_been(changed: Shelf) -> None:
    """The new edition has its final name, but nobody was told of it."""
    (current,) = changed.data.glob("index/*/CURRENT")
    old = current.read_text()
    assert changed.ingest().exit_code == 0
    current.write_text(old)
    assert changed.found("stepper motor steps")[0] == "01-joints/motors.mdx"
    assert changed.ingest().exit_code == 0
    assert changed.found("steel rope")[0] == "01-joints/gears.mdx"
    assert len(changed.editions) == 2, "the one that answers and the one before it"


# --- a full disk


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def test_a_run_without_space_is_refused_before_it_begins(changed: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    before = changed.editions
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(100 * 2**20, 99 * 2**20, 2**20))
    failed = changed.ingest()
    assert failed.exit_code == exit_codes.NO_SPACE_LEFT
    assert "has 1 MB left" in failed.err
    assert "--data-dir" in failed.err
    assert changed.editions == before
    assert changed.still_serves


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    image, folder = tmp_path / "image", tmp_path / "disk"
    folder.mkdir()
    with image.open("wb") as file:
        file.truncate(160 * 2**20)
    commands = (["mkfs.ext4", "-q", str(image)], ["mount", "-o", "loop", str(image), str(folder)])
    for command in commands:
        if shutil.which(command[0]) is None or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("this machine lets nobody mount a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> None:
    """To the last block: what the file system sets aside while it writes is free again once a file is closed."""
    (disk / "filler").mkdir()
    for number in count():
        subprocess.run(["sync", "-f", str(disk)], check=True)  # what was deleted is free only now
        path = disk / "filler" / str(number)
        with suppress(OSError), path.open("wb", buffering=0) as filler:
            for size in (2**20, 2**10):
                with suppress(OSError):
                    while True:
                        filler.write(b"x" * size)
            os.fsync(filler.fileno())
        if not path.exists() or path.stat().st_size == 0:
            return


def test_on_a_disk_that_is_really_full_the_old_edition_answers_on(small_disk: Path, tmp_path: Path) -> None:
    shelf = Shelf(write_book(tmp_path / "book"), small_disk / "data")
    assert shelf.ingest().exit_code == 0
    write_book(shelf.book, gears=NEW_GEARS)
    fill(small_disk)
    failed = shelf.ingest()
    assert failed.exit_code == exit_codes.NO_SPACE_LEFT
    assert shelf.still_serves
    shutil.rmtree(small_disk / "filler")
    assert shelf.ingest().exit_code == 0
    assert shelf.found("steel rope")[0] == "01-joints/gears.mdx"


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where a folder should be")
    failed = citebook("ingest", write_book(tmp_path / "book"), "--data-dir", tmp_path / "data")
    assert failed.exit_code == exit_codes.UNUSABLE_INPUT
    assert "cannot be written to" in failed.err


# --- another model


@pytest.fixture
def another_model(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: WordEmbedder("another-model", 32))
    return shelf


def test_an_index_of_another_model_is_refused_with_both_names_and_the_command(another_model: Shelf) -> None:
    failed = citebook("ask", "harmonic drive", "--data-dir", another_model.data)
    assert failed.exit_code == exit_codes.INDEX_UNUSABLE
    for part in ("made by words (64 dimensions)", "another-model (32 dimensions)", "Run: citebook ingest PATH"):
        assert part in failed.err


def test_an_ingest_with_another_model_embeds_the_whole_book_anew(another_model: Shelf) -> None:
    result = another_model.ingest()
    assert "5 embedded, 0 kept" in result.out
    assert another_model.still_serves


def test_until_that_ingest_ends_the_first_model_still_answers(
    another_model: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    citebook("ask", "harmonic drive", "--data-dir", another_model.data)
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: WordEmbedder())
    assert another_model.still_serves


# --- a damaged index


SHARD = "shard/segments/*"


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("edition.json", b"{"),
        ("vocabulary.tsv", b"x"),
        ("pages.json", b""),
        pytest.param(f"{SHARD}/vector_storage-units/deleted/status.dat", b"", id="an engine that panics"),
    ],
)
def test_a_damaged_index_says_what_to_do(shelf: Shelf, file: str, content: bytes) -> None:
    (damaged,) = shelf.data.glob(f"index/*/*/{file}")
    damaged.write_bytes(content)
    failed = citebook("ask", "harmonic drive", "--data-dir", shelf.data)
    assert failed.exit_code == exit_codes.DEPENDENCY_FAILED
    assert "cannot be opened" in failed.err
    assert "citebook ingest PATH" in failed.err


@pytest.mark.parametrize(
    ("file", "content"),
    [
        pytest.param("vocabulary.tsv", b"x", id="no vocabulary"),
        pytest.param("vocabulary.tsv", b"gear\t0\t1\n", id="another vocabulary"),
        pytest.param("pages.json", b"{}", id="no pages"),
        pytest.param(f"{SHARD}/segment.json", b"", id="an engine that cannot start"),
        pytest.param(f"{SHARD}/vector_storage-units/deleted/status.dat", b"", id="an engine that panics"),
        pytest.param(f"{SHARD}/mutable_id_tracker.mappings", b"", id="no chunks"),
        pytest.param(f"{SHARD}/vector_storage-units/vectors/status.dat", bytes(8), id="no vectors"),
        pytest.param(f"{SHARD}/vector_storage-bm25/store/page_0.dat", bytes(2**25), id="no words"),
        pytest.param(f"{SHARD}/payload_storage/page_0.dat", bytes(2**25), id="no texts"),
    ],
)
def test_an_ingest_notices_a_damaged_index_and_makes_it_anew(shelf: Shelf, file: str, content: bytes) -> None:
    (damaged,) = shelf.data.glob(f"index/*/*/{file}")
    damaged.write_bytes(content)
    mended = shelf.ingest()
    assert mended.exit_code == 0, mended.err
    assert "the index is damaged" in mended.err
    assert "5 embedded, 0 kept" in mended.out
    assert shelf.still_serves
    assert "Nothing has changed" in shelf.ingest().out


def test_a_text_that_decayed_is_noticed_too(shelf: Shelf) -> None:
    (texts,) = shelf.data.glob(f"index/*/*/{SHARD}/payload_storage/page_0.dat")
    decayed = texts.read_bytes().replace(b"almost no backlash", b"almost no bakclash")
    texts.write_bytes(decayed)
    assert "the index is damaged" in shelf.ingest().err
    assert shelf.still_serves


def test_an_edition_that_vanished_says_what_to_do(shelf: Shelf) -> None:
    (current,) = shelf.data.glob("index/*/CURRENT")
    current.write_text("20000101T000000-gone")
    for command in (["ask", "harmonic drive"], ["ingest", str(shelf.book)]):
        failed = citebook(*command, "--data-dir", shelf.data)
        assert failed.exit_code == exit_codes.DEPENDENCY_FAILED
        assert "delete that folder" in failed.err
