"""A book as it lies on disk: its pages, not yet parsed, with all that is known of them before."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from citebook.domain.book import Part
from citebook.domain.errors import PageUnreadable
from citebook.ingestion.page_draft import decoded_text

_FACTS_VERSION = 5
"""Raise it when more of a page's facts is kept, or some pages are read differently: all are read again then, and
only text that changed is embedded."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page of a book, not yet parsed."""

    path: Path
    source_file: str
    sha256: str
    chapter_id: str
    url: str
    title: str | None
    """The front matter's title. A page without one is called by its first heading, or by `name`."""
    name: str
    category: str | None
    module: int | None
    difficulty: str | None
    tags: tuple[str, ...]
    order: int = 0
    partial_of: str | None = None
    """For a partial: the source file of the first page that shows it."""
    warnings: tuple[str, ...] = ()
    include_root: Path | None = None
    """For a page of an mdBook: the folder whose files it may include."""
    included_sha256: str | None = None
    """Of the files that it includes."""
    referred_titles: tuple[tuple[str, str], ...] = ()
    """Those of labelled headings anywhere in the book, by their labels."""
    parts: tuple[Part, ...] = ()
    """Those that it stands in, the outermost first."""
    number: int | None = None
    """Its place in the sidebar, or the number in front of its name."""
    description: str | None = None

    @property
    def filename(self) -> str:
        return self.path.name

    @property
    def is_mdx(self) -> bool:
        return self.path.suffix.lower() == ".mdx"

    @property
    def is_pdf(self) -> bool:
        return self.path.suffix.lower() == ".pdf"

    @property
    def is_plain_text(self) -> bool:
        return self.path.suffix.lower() == ".txt"

    @property
    def fingerprint(self) -> str:
        """Changes whenever anything changes that a chunk of this page, or its entry in the outline, carries."""
        facts = (
            self.source_file,
            self.sha256,
            self.chapter_id,
            self.url,
            self.title,
            self.name,
            self.category,
        )
        parts = [(part.name, part.folder, part.number) for part in self.parts]
        more = (self.module, self.difficulty, self.tags, self.included_sha256, parts, self.number, self.description)
        return hashlib.sha256(json.dumps([*facts, *more, self.referred_titles, _FACTS_VERSION]).encode()).hexdigest()

    def read_bytes(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise PageUnreadable(self.source_file, f"it cannot be read ({error.strerror})") from error

    def read_text(self) -> str:
        """The text that offsets are counted in: UTF-8, line ends as they are."""
        return decoded_text(self.source_file, self.read_bytes())


@dataclass(frozen=True, slots=True)
class BookSource:
    """A book as it lies on disk."""

    root: Path
    pages: tuple[SourcePage, ...]
    unreadable: tuple[PageUnreadable, ...]
    warnings: tuple[str, ...] = ()
    """About the book as a whole."""
    title: str | None = None
    """What the settings of the book's site call it."""
