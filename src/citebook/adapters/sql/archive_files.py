"""The files of an archived month: records as compressed JSON Lines, and a manifest that ties them to the chain."""

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import Field

from citebook.adapters.sql.audit_chain import Row, plain
from citebook.adapters.sql.audit_walk import ChainWalk, Head, Stretch
from citebook.adapters.sql.canonical_json import canonical, exact
from citebook.domain.audit import ChainFault
from citebook.domain.book import Sha256
from citebook.domain.value import UtcTime, Value

_NESTED = ("chunks_returned", "citations", "text_digests")
"""Columns that are JSON themselves."""


class Manifest(Value):
    archive: str = Field(min_length=1)
    month: str = Field(pattern=r"^\d{4,}-\d\d$")
    records: int = Field(ge=1)
    sha256: Sha256
    """Of the compressed file."""
    stretches: tuple[Stretch, ...]
    """Where in the chain the records stand. Each says which hash it follows and which hash is its last."""
    archived_at: UtcTime

    @property
    def name(self) -> str:
        return manifest_name(self.archive)


def archive_name(month: datetime, first_sequence: int) -> str:
    """A month is archived again where late records came, hence the sequence."""
    return f"audit-{month:%Y-%m}-{first_sequence:012}.jsonl.gz"


def month_of(archive: str) -> datetime:
    """The first day of the month that an archive's name says."""
    year, month = archive.split("-")[1:3]
    return datetime(int(year), int(month), 1, tzinfo=UTC)


def manifest_name(archive: str) -> str:
    return archive.removesuffix(".jsonl.gz") + ".manifest.json"


def line_of(row: Row) -> bytes:
    nested: dict[str, Any] = {name: exact(row[name]) for name in _NESTED}
    return canonical({**row, **nested}).encode() + b"\n"


def add_rows(file: Path, rows: list[Row]) -> None:
    with gzip.open(file, "ab") as written:
        written.writelines(map(line_of, rows))


def rows_in(file: Path) -> Iterator[Row]:
    """Raises `ValueError` where the file is damaged."""
    try:
        with gzip.open(file, "rb") as lines:
            for line in lines:
                yield plain(exact(line.decode()))
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError("the file cannot be unpacked") from error


def sha256_of(file: Path) -> str:
    with file.open("rb") as read:
        return hashlib.file_digest(read, "sha256").hexdigest()


def fault_in_archive(file: Path, manifest: Manifest) -> ChainFault | None:
    """Whether the file is the one that was written, and each of its records stands where the manifest says."""
    first = manifest.stretches[0].first_sequence
    if sha256_of(file) != manifest.sha256:
        return ChainFault(sequence=first, reason=f"the archive {manifest.archive} was changed")
    rows = rows_in(file)
    try:
        for stretch in manifest.stretches:
            fault = _fault_in_stretch(rows, stretch)
            if fault is not None:
                return fault
    except (ValueError, KeyError):
        return ChainFault(sequence=first, reason=f"the archive {manifest.archive} cannot be read")
    return None


def _fault_in_stretch(rows: Iterator[Row], stretch: Stretch) -> ChainFault | None:
    walk = ChainWalk(Head(stretch.first_sequence - 1, stretch.previous_hash))
    while walk.at.sequence < stretch.last_sequence:
        row = next(rows, None)
        if row is None:
            return ChainFault(sequence=walk.at.sequence + 1, reason="the record is missing in its archive")
        fault = walk.follow([row], {})
        if fault is not None:
            return fault
    if walk.at.record_hash != stretch.last_hash:
        return ChainFault(sequence=walk.at.sequence, reason="the archive does not end as the chain says")
    return None
