"""The outbox on the disk: one file an entry, in the order in which they came.

    ROOT/1/000000000017.entry   an entry: the SHA-256 of what follows, and the entry as JSON
    ROOT/1/aside/               entries that are damaged, or that SQL refused
    ROOT/1/lock                 held by the process whose folder this is

Each process has a folder of its own. When it opens it, it takes over what dead ones left in theirs.
"""

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import ValidationError

from citebook.domain.entries import Entry
from citebook.domain.storable import storable_value
from citebook.whole_files import flush_folder, write_whole

log = logging.getLogger(__name__)

_NAME = "[0-9]" * 12 + ".entry"


def entries_in(root: Path) -> int:
    """How many entries wait, of all processes."""
    return len(list(root.glob(f"*/{_NAME}")))


class OutboxFolder:
    """Raises `OSError` where the disk fails."""

    def __init__(self, root: Path) -> None:
        self._own, self._lock = _taken_folder(root)
        self._take_over(root)

    @property
    def last_number(self) -> int:
        """Of all that was ever put here, as far as it is still seen."""
        return max(map(_number_of, self._own.rglob(_NAME)), default=0)

    def entries(self) -> Iterator[tuple[int, Entry]]:
        """All that is here, oldest first. What is damaged is put aside."""
        yield from self.read_all(_numbers_in(self._own)).items()

    def write(self, number: int, entry: Entry) -> None:
        """Whole or not at all; once this returns, not even a power cut undoes it."""
        content = json.dumps(storable_value(entry.model_dump(mode="json"))).encode()
        write_whole(self._path(number), hashlib.sha256(content).hexdigest().encode() + b"\n" + content)

    def read_all(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """Without those that are damaged."""
        read = {number: self._read(number) for number in numbers}
        return {number: entry for number, entry in read.items() if entry is not None}

    def _read(self, number: int) -> Entry | None:
        """None where it is damaged, and so put aside, or where somebody removed it."""
        try:
            digest, _, content = self._path(number).read_bytes().partition(b"\n")
        except FileNotFoundError:
            log.error("what an answer left to be kept was removed by somebody else: %s", self._path(number))
            return None
        if digest.decode(errors="replace") == hashlib.sha256(content).hexdigest():
            try:
                return Entry.model_validate_json(content)
            except ValidationError as error:
                log.debug("an entry of another version: %s", error.errors(include_input=False))
        self.put_aside(number, "it is damaged or of another version")
        return None

    def remove(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._path(number).unlink(missing_ok=True)
        flush_folder(self._own)

    def put_aside(self, number: int, reason: str) -> None:
        aside = self._own / "aside"
        aside.mkdir(mode=0o700, exist_ok=True)
        path = self._path(number)
        log.error("what an answer left to be kept is put aside as %s: %s", aside / path.name, reason)
        path.replace(aside / path.name)
        flush_folder(self._own)

    def close(self) -> None:
        self._lock.release()

    def _path(self, number: int) -> Path:
        return self._own / f"{number:012d}.entry"

    def _take_over(self, root: Path) -> None:
        """Moves what lies in folders that nobody holds behind what is here."""
        for unfinished in self._own.glob(".*.unfinished"):
            unfinished.unlink()
        last = self.last_number
        for other in sorted(folder for folder in root.iterdir() if folder.is_dir()):
            if other == self._own or (lock := _held(other)) is None:
                continue
            for number in _numbers_in(other):
                last += 1
                (other / f"{number:012d}.entry").rename(self._path(last))
            lock.release()
        flush_folder(self._own)


def _numbers_in(folder: Path) -> list[int]:
    return sorted(map(_number_of, folder.glob(_NAME)))


def _number_of(path: Path) -> int:
    return int(path.stem)


def _taken_folder(root: Path) -> tuple[Path, FileLock]:
    """The first folder that nobody holds."""
    for name in count(1):
        folder = root / str(name)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (lock := _held(folder)) is not None:
            return folder, lock
    raise AssertionError("there is always one more number")


def _held(folder: Path) -> FileLock | None:
    """The lock of a folder, or None where a living process has it."""
    lock = FileLock(folder / "lock", blocking=False, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock
