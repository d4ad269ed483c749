"""What has to be done to each page of a book so that its index is up to date."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from citebook.domain.book import Edition, EmbedderStamp, IndexedFile
from citebook.domain.errors import PageUnreadable, TooManyPagesGone
from citebook.ingestion.source_page import BookSource, SourcePage

_MOST_OF_THE_BOOK = 0.5
_FEW_FILES = 4


@dataclass(frozen=True, slots=True)
class EditionPlan:
    current: Edition | None
    usable: Edition | None
    """The current edition, if its chunks can be taken over as they are."""
    has_vectors: bool
    """Whether vectors of the current edition can be taken over."""
    recipe: str
    changed: tuple[SourcePage, ...]
    unchanged: dict[str, int]
    """Files whose chunks are taken over as they are, each with its place in the book."""
    broken: tuple[str, ...]
    """Files of the current edition that are still there but cannot be read any more."""
    gone: frozenset[str]
    title: str | None = None
    """That of the book."""

    @classmethod
    def make(
        cls,
        current: Edition | None,
        source: BookSource,
        kept: Mapping[str, IndexedFile],
        recipe: str,
        embedder: EmbedderStamp,
        *,
        is_whole: bool,
    ) -> Self:
        """For an edition that holds the pages of a source, and these files of the current one as they are.

        `is_whole` says whether the current edition can be taken from at all.
        """
        has_vectors = current is not None and is_whole and current.is_searchable and current.embedder == embedder
        usable = current if current and has_vectors and current.recipe == recipe else None
        known = usable.files if usable else {}
        unchanged = {name: file.order for name, file in kept.items() if name in known}
        unchanged |= {p.source_file: p.order for p in source.pages if _is_same(p, known.get(p.source_file))}
        pages = {page.source_file for page in source.pages}
        absent = (current.files if current else {}).keys() - pages - unchanged.keys()
        broken = {file for file in absent if _is_unreadable(file, source.unreadable)}
        return cls(
            current=current,
            usable=usable,
            has_vectors=has_vectors,
            recipe=recipe,
            changed=tuple(page for page in source.pages if page.source_file not in unchanged),
            unchanged=unchanged,
            broken=tuple(sorted(broken & known.keys())),
            gone=frozenset(absent - broken),
            title=source.title,
        )

    @property
    def changes_the_rest(self) -> bool:
        """Whether a new edition differs from the current one even where no changed page can be read."""
        return self.usable is None or self.usable.title != self.title or bool(self.gone) or self._is_reordered

    @property
    def _is_reordered(self) -> bool:
        known = self.usable.files if self.usable else {}
        return any(known[file].order != order for file, order in self.unchanged.items())

    def refuse_mass_deletion(self) -> None:
        """Raises `TooManyPagesGone` where most of the book would leave the index."""
        before = len(self.current.files) if self.current else 0
        if len(self.gone) >= _FEW_FILES and len(self.gone) > _MOST_OF_THE_BOOK * before:
            raise TooManyPagesGone(
                f"{len(self.gone)} of the book's {before} files are gone. If that is meant, run this again "
                "with --allow-deletions. Nothing was changed."
            )


def _is_same(page: SourcePage, known: IndexedFile | None) -> bool:
    return known is not None and known.sha256 == page.fingerprint


def _is_unreadable(file: str, unreadable: Sequence[PageUnreadable]) -> bool:
    """Whether the file itself, or a folder that it stands in, cannot be read."""
    return any(error.path in (".", file) or file.startswith(f"{error.path}/") for error in unreadable)
