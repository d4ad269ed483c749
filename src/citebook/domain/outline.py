"""A book's outline: its parts, pages and sections in reading order, and where each says what it is about."""

from dataclasses import dataclass

from citebook.domain.book import Part


@dataclass(frozen=True, slots=True)
class Place:
    """Sentences of the book, to be quoted from their chunk."""

    chunk_id: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class OutlineSection:
    title: str
    depth: int
    """0 for what stands under the page's own title."""
    opening: Place | None = None
    """The first that it tells; None where it tells nothing, as exercises do."""
    announcement: Place | None = None
    """What it says that it will tell."""
    objectives: Place | None = None
    is_summary: bool = False


@dataclass(frozen=True, slots=True)
class OutlinePage:
    id: str
    source_file: str
    title: str
    parts: tuple[Part, ...] = ()
    """Those that it stands in, the outermost first."""
    number: int | None = None
    """Its place in the sidebar, or the number in front of its name."""
    description: str | None = None
    sections: tuple[OutlineSection, ...] = ()

    @property
    def opening(self) -> Place | None:
        """The first that it tells, above all its headings if possible."""
        return next((section.opening for section in self._from_the_top() if section.opening), None)

    @property
    def announcement(self) -> Place | None:
        """What it says at its very beginning that it will tell."""
        return next((section.announcement for section in self.sections[:1] if section.announcement), None)

    @property
    def objectives(self) -> Place | None:
        return next((section.objectives for section in self.sections if section.objectives), None)

    @property
    def summary(self) -> Place | None:
        return next((section.opening for section in self.sections if section.is_summary and section.opening), None)

    def _from_the_top(self) -> list[OutlineSection]:
        return sorted(self.sections, key=lambda section: section.depth > 0)


@dataclass(frozen=True, slots=True)
class Outline:
    edition: str
    pages: tuple[OutlinePage, ...] = ()
    """In reading order."""
