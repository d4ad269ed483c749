"""What a book may have wrong with it: each case has its message, its exit code, and the old index still serves."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from citebook.cli import exit_codes
from tests.command_line import citebook
from tests.faults.conftest import Shelf
from tests.small_book import PAGES, write_book

# --- books that cannot be used at all


def test_an_empty_folder_is_no_book(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    failed = citebook("ingest", tmp_path / "empty", "--data-dir", shelf.data)
    assert failed.exit_code == exit_codes.UNUSABLE_INPUT
    assert "holds no pages: a page is a .md, .mdx or .pdf file" in failed.err
    assert shelf.still_serves


def test_a_path_that_does_not_exist_is_named(shelf: Shelf, tmp_path: Path) -> None:
    failed = citebook("ingest", tmp_path / "nowhere", "--data-dir", shelf.data)
    assert failed.exit_code == exit_codes.UNUSABLE_INPUT
    assert f"{tmp_path / 'nowhere'} does not exist" in failed.err
    assert shelf.still_serves


def test_a_file_that_is_no_page_is_no_book(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "book.docx").write_text("text")
    failed = citebook("ingest", tmp_path / "book.docx", "--data-dir", shelf.data)
    assert failed.exit_code == exit_codes.UNUSABLE_INPUT
    assert "is no page" in failed.err


def test_a_book_of_which_nothing_can_be_read_is_refused_with_each_reason(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "a.mdx").write_text("<Unclosed>\n\ntext\n")
    (tmp_path / "book" / "b.md").write_bytes(b"caf\xe9")
    failed = citebook("ingest", tmp_path / "book", "--data-dir", tmp_path / "data")
    assert failed.exit_code == exit_codes.UNUSABLE_INPUT
    assert "a.mdx: line 1: " in failed.err
    assert "b.md: line 1 is not UTF-8" in failed.err


# --- single files that cannot be read

Damage = Callable[[Path], object]


def write(content: bytes) -> Damage:
    return lambda page: page.write_bytes(content)


def make_huge(page: Path) -> None:
    with page.open("wb") as file:
        file.truncate(50_000_000)


def link_out_of_the_book(page: Path) -> None:
    outside = page.parents[2] / "secret.md"
    outside.write_text("# Secret\n\nThe harmonic drive password is swordfish.\n")
    page.symlink_to(outside)


def break_off(page: Path) -> None:
    page.symlink_to("nowhere.md")


DAMAGES: list[object] = [
    pytest.param(write(b"# Caf\xe9\n\ntext\n"), "line 1 is not UTF-8: save the file as UTF-8", id="not UTF-8"),
    pytest.param(write(b"\xff\xfe#\x00 \x00A\x00"), "line 1 is not UTF-8", id="UTF-16"),
    pytest.param(make_huge, "it is larger than 20 MB: split it into smaller files", id="50 MB"),
    pytest.param(
        write(b"---\ntitle: [unclosed\n---\n\ntext\n"), "line 3: front matter: this is no YAML", id="front matter"
    ),
    pytest.param(
        write(b"---\ndate: 2024-13-45\n---\n\ntext\n"), "line 1: front matter: a value is not of its kind", id="date"
    ),
    pytest.param(
        write(b"---\n- a\n- b\n---\n\ntext\n"), "line 1: the front matter is not a mapping", id="front matter list"
    ),
    pytest.param(write(b"text\n\n<Tabs>\n\nmore text\n"), "line 3: ", id="unclosed JSX"),
    pytest.param(write(b"text {unclosed\n"), "line 1: ", id="unclosed expression"),
    pytest.param(link_out_of_the_book, "the link points out of the book", id="link out of the book"),
    pytest.param(break_off, "the link points out of the book", id="broken link"),
    pytest.param(os.mkfifo, "it is not a regular file", id="pipe"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_a_bad_file_is_named_and_all_others_are_ingested(tmp_path: Path, damage: Damage, message: str) -> None:
    shelf = Shelf(write_book(tmp_path / "book"), tmp_path / "data")
    damage(shelf.book / "01-joints" / "bad.mdx")
    result = shelf.ingest()
    assert result.exit_code == exit_codes.SOME_FILES_FAILED
    assert f"error: 01-joints/bad.mdx: {message}" in result.err
    assert "5 chunks" in result.out
    assert shelf.still_serves


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(write(b"# Caf\xe9\n\ntext\n"), id="not UTF-8"),
        pytest.param(write(b"---\ntitle: [unclosed\n---\n\ntext\n"), id="front matter"),
        pytest.param(write(b"text\n\n<Tabs>\n\nmore text\n"), id="unclosed JSX"),
        pytest.param(make_huge, id="50 MB"),
        pytest.param(link_out_of_the_book, id="link out of the book"),
    ],
)
def test_a_page_that_breaks_goes_on_answering_in_its_last_version(shelf: Shelf, damage: Damage) -> None:
    """Even when the rest of the book moves on to a new edition."""
    gears = shelf.book / "01-joints" / "gears.mdx"
    gears.unlink()
    damage(gears)
    motors = PAGES["01-joints/motors.mdx"].replace("fixed steps", "tiny jumps")
    (shelf.book / "01-joints" / "motors.mdx").write_text(motors)
    result = shelf.ingest()
    assert result.exit_code == exit_codes.SOME_FILES_FAILED
    assert "01-joints/gears.mdx: its last readable version goes on answering" in result.err
    assert shelf.found("tiny jumps")[0] == "01-joints/motors.mdx"
    assert shelf.still_serves


def test_a_page_that_was_mended_answers_in_its_new_version(shelf: Shelf) -> None:
    gears = shelf.book / "01-joints" / "gears.mdx"
    gears.write_text("---\ntitle: [broken\n---\n")
    shelf.ingest()
    gears.write_text("# Gears\n\nThe cycloidal reducer is sturdy.\n")
    assert shelf.ingest().exit_code == 0
    assert shelf.found("cycloidal reducer")[0] == "01-joints/gears.mdx"


def test_nothing_outside_the_book_is_ever_indexed(shelf: Shelf) -> None:
    link_out_of_the_book(shelf.book / "01-joints" / "bad.mdx")
    (shelf.book / "linked").symlink_to(shelf.data.parent, target_is_directory=True)
    shelf.ingest()
    assert set(shelf.found("password swordfish")) <= PAGES.keys()


def test_a_file_that_may_not_be_read_is_named(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the refusal is the system's in words only."""
    really_open = os.open

    def refuse(path: str | Path, *rest: int) -> int:
        if str(path).endswith("motors.mdx"):
            raise PermissionError(13, "Permission denied")
        return really_open(path, *rest)

    monkeypatch.setattr(os, "open", refuse)
    result = shelf.ingest()
    assert result.exit_code == exit_codes.SOME_FILES_FAILED
    assert "01-joints/motors.mdx: it cannot be read (Permission denied): check its permissions" in result.err
    assert shelf.found("stepper motor steps")[0] == "01-joints/motors.mdx"


def test_a_folder_that_may_not_be_read_takes_no_page_away(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    really_scan = os.scandir

    def refuse(path: str | Path) -> object:
        if str(path).endswith("01-joints"):
            raise PermissionError(13, "Permission denied")
        return really_scan(path)

    monkeypatch.setattr("citebook.ingestion.book_files.os.scandir", refuse)
    (shelf.book / "intro.md").write_text("# Hello\n\nAn entirely new introduction.\n")
    result = shelf.ingest()
    assert result.exit_code == exit_codes.SOME_FILES_FAILED
    assert "01-joints: the folder cannot be read (Permission denied)" in result.err
    assert shelf.still_serves


# --- pages that went missing


def write_pages(book: Path, count: int) -> None:
    for number in range(count):
        (book / f"extra-{number}.md").write_text(f"# Extra {number}\n\nPage number {number} is extra.\n")


def test_most_of_the_book_is_not_deleted_without_being_asked(shelf: Shelf) -> None:
    write_pages(shelf.book, 6)
    shelf.ingest()
    before = shelf.editions
    for page in shelf.book.glob("extra-*.md"):
        page.unlink()
    failed = shelf.ingest()
    assert failed.exit_code == exit_codes.TOO_MANY_PAGES_GONE
    assert "6 of the book's 10 files are gone" in failed.err
    assert "--allow-deletions" in failed.err
    assert shelf.editions == before
    assert "extra-3.md" in shelf.found("page number 3 is extra")


def test_most_of_the_book_is_deleted_when_asked(shelf: Shelf) -> None:
    write_pages(shelf.book, 6)
    shelf.ingest()
    for page in shelf.book.glob("extra-*.md"):
        page.unlink()
    result = shelf.ingest("--allow-deletions")
    assert result.exit_code == 0
    assert "6 removed" in result.out
    assert not any(file.startswith("extra") for file in shelf.found("page number 3 is extra"))


def test_a_wrong_folder_of_pages_does_not_replace_the_book(shelf: Shelf, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "cooking.md").write_text("# Cooking\n\nBoil the egg.\n")
    failed = citebook("ingest", other, "--data-dir", shelf.data)
    assert failed.exit_code == exit_codes.TOO_MANY_PAGES_GONE
    assert shelf.still_serves


# --- pages that would hold up everything else


def test_a_page_that_takes_too_long_is_skipped_and_the_others_are_read(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGE_SECONDS", "3")
    (shelf.book / "endless.md").write_text("![a" * 200_000)
    (shelf.book / "new.md").write_text("# Belts\n\nA toothed belt needs no oil at all.\n")
    ended = shelf.ingest()
    assert ended.exit_code == exit_codes.SOME_FILES_FAILED
    assert "error: endless.md: it takes more than 3 s to read: split it into smaller files" in ended.err
    assert shelf.found("toothed belt oil")[0] == "new.md"
    assert shelf.still_serves


def test_a_page_that_needs_too_much_memory_is_skipped_and_the_others_are_read(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGE_MEGABYTES", "64")
    (shelf.book / "huge.md").write_text("| a | b |\n|---|---|\n" + "| c | d |\n" * 60_000)
    (shelf.book / "new.md").write_text("# Belts\n\nA toothed belt needs no oil at all.\n")
    ended = shelf.ingest()
    assert "error: huge.md: it takes more than 64 MB of memory to read: split it into smaller files" in ended.err
    assert shelf.found("toothed belt oil")[0] == "new.md"
