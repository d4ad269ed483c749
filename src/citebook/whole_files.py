"""Files that are there whole or not at all, even after a power cut."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def write_whole(path: Path, content: str | bytes) -> None:
    """Once this returns, nothing undoes it."""
    data = content.encode() if isinstance(content, str) else content
    with whole_file(path) as stream:
        stream.write(data)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Written beside, flushed to the disk, and only then given its name; an error leaves what was there before.

    The name beside is this process's own: others may be writing the same file.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        with unfinished.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Makes a folder, and those above it that are missing. Once this returns, nothing undoes it."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for one in missing:
        flush_folder(one.parent)


def flush_tree(folder: Path) -> None:
    """Puts a folder on the disk with all that is in it, however that was written."""
    for path in folder.rglob("*"):
        if path.is_dir():
            flush_folder(path)
        else:
            _flush(path, os.O_RDWR)  # Windows flushes only what may be written
    flush_folder(folder)


def flush_folder(folder: Path) -> None:
    """New names in a folder last only once the folder itself is on the disk. Windows has no such step."""
    if os.name == "posix":
        _flush(folder, os.O_RDONLY)


def _flush(path: Path, mode: int) -> None:
    descriptor = os.open(path, mode)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
