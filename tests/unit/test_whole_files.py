"""A file that is written is there whole, or the one before it is."""

import os
from pathlib import Path

import pytest

from citebook.whole_files import flush_tree, make_folder, whole_file, write_whole


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.mark.parametrize("content", ["é", "é".encode()])
def test_text_and_bytes_are_kept(tmp_path: Path, content: str | bytes) -> None:
    write_whole(tmp_path / "file", content)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "é"
    assert names_in(tmp_path) == ["file"]


def test_a_text_that_cannot_be_written_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "new \ud800")
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["out.json"]


def test_an_error_midway_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")

    def write_half() -> None:
        with whole_file(path) as stream:
            stream.write(b"ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["out.json"]


def test_the_name_comes_after_the_content_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    flush, replace = os.fsync, Path.replace

    def noted_flush(descriptor: int) -> None:
        steps.append("flush")
        flush(descriptor)

    def noted_replace(path: Path, target: Path) -> Path:
        steps.append("name")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", noted_flush)
    monkeypatch.setattr(Path, "replace", noted_replace)
    write_whole(tmp_path / "file", "text")
    assert steps == ["flush", "name", "flush"]


def test_a_tree_is_flushed_file_by_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_folder(tmp_path / "tree" / "branch")
    for file in ("tree/leaf", "tree/branch/leaf"):
        (tmp_path / file).write_text("green")
    flushed: set[int] = set()
    monkeypatch.setattr(os, "fsync", lambda descriptor: flushed.add(os.fstat(descriptor).st_ino))
    flush_tree(tmp_path / "tree")
    assert flushed == {path.stat().st_ino for path in (tmp_path / "tree", *(tmp_path / "tree").rglob("*"))}
