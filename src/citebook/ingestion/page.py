"""A page as a reader sees it, each visible character tied to its place in the source file."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True)
class Run:
    """Visible text and the source range [start, end) that it stands for.

    Where `len(text) == end - start` the text is that range to the letter, but for folded white space;
    otherwise the range is markup for it, such as `&amp;` for `&`.
    """

    text: str
    start: int
    end: int


class MappedText:
    """Visible text that knows where each of its characters stands in the source."""

    __slots__ = ("_offsets", "runs", "text")

    def __init__(self, runs: Iterable[Run]) -> None:
        self.runs = tuple(run for run in runs if run.text)
        self.text = "".join(run.text for run in self.runs)
        self._offsets: list[int] = []
        position = 0
        for run in self.runs:
            self._offsets.append(position)
            position += len(run.text)

    def source_range(self, start: int, end: int) -> tuple[int, int]:
        """The smallest source range that shows the visible text [start, end)."""
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"[{start}, {end}) is not a part of a text of {len(self.text)} characters")
        return self._source_start(start), self._source_end(end)

    def _source_start(self, position: int) -> int:
        index = bisect_right(self._offsets, position) - 1
        run = self.runs[index]
        inside = position - self._offsets[index]
        return run.start + inside if len(run.text) == run.end - run.start else run.start

    def _source_end(self, position: int) -> int:
        index = bisect_right(self._offsets, position - 1) - 1
        run = self.runs[index]
        inside = position - self._offsets[index]
        return run.start + inside if len(run.text) == run.end - run.start else run.end


class MarkKind(StrEnum):
    STRONG = "strong"
    EMPHASIS = "emphasis"
    CODE = "code"
    MATH = "math"


@dataclass(frozen=True, slots=True)
class Mark:
    """The source range [start, end) whose visible text is set apart."""

    start: int
    end: int
    kind: MarkKind


class BlockKind(StrEnum):
    PROSE = "prose"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    MATH = "math"


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, list, table, code block or formula."""

    kind: BlockKind
    content: MappedText
    page_number: int | None = None
    is_quoted: bool = False
    """Whether it stands in a quotation or an admonition."""
    language: str = ""
    """Of a code block, where the page says it."""


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, up to the next heading of any level."""

    title: str
    anchor: str
    level: int
    path: tuple[str, ...]
    """Titles from the page's top heading down to this section's own."""
    heading: MappedText | None
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class ParsedPage:
    title: str | None
    front_matter: dict[str, Any] = field(default_factory=dict)
    sections: tuple[Section, ...] = ()
    warnings: tuple[str, ...] = ()
    imports: dict[str, str] = field(default_factory=dict)
    """Partial pages that this page shows: component name to import path."""
    marks: tuple[Mark, ...] = ()
