"""Visible text that knows where each of its characters stands in the source file, and how it is set."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from citebook.domain.blocks import Mark
from citebook.domain.layout import MarkedRange

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class TextRun:
    """Visible text and the source range [start, end) that it stands for.

    Where `len(text) == end - start` the text is that range to the letter, but for folded white space;
    otherwise the range is markup for it, such as `&amp;` for `&`.
    """

    text: str
    start: int
    end: int
    marks: tuple[Mark, ...] = ()
    is_caption: bool = False
    """Whether it belongs to a figure."""

    @property
    def is_exact(self) -> bool:
        return len(self.text) == self.end - self.start

    def part(self, start: int, end: int) -> "TextRun":
        text = self.text[start:end]
        if not self.is_exact:
            return replace(self, text=text)
        return replace(self, text=text, start=self.start + start, end=self.start + end)

    def goes_on_in(self, other: "TextRun") -> bool:
        """Whether the other is set in the same way; two formulas that touch are two."""
        if self.marks != other.marks or self.is_caption != other.is_caption:
            return False
        return "formula" not in self.marks or not (self.text.endswith("$") and other.text.startswith("$"))


class MappedText:
    """Visible text that knows where each of its characters stands in the source."""

    __slots__ = ("_captions", "_marked", "_offsets", "runs", "text")

    def __init__(self, runs: Iterable[TextRun]) -> None:
        self.runs = tuple(run for run in runs if run.text)
        self.text = "".join(run.text for run in self.runs)
        self._offsets: list[int] = []
        position = 0
        for run in self.runs:
            self._offsets.append(position)
            position += len(run.text)
        placed = zip(self._offsets, self.runs, strict=True)
        self._captions = [(at, at + len(run.text)) for at, run in placed if run.is_caption]
        self._marked: tuple[MarkedRange, ...] | None = None

    def source_range(self, start: int, end: int) -> tuple[int, int]:
        """The smallest source range that shows the visible text [start, end)."""
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"[{start}, {end}) is not a part of a text of {len(self.text)} characters")
        return self._source_start(start), self._source_end(end)

    def marked_ranges(self) -> tuple[MarkedRange, ...]:
        """Where text is set in some way, in order."""
        if self._marked is None:
            self._marked = tuple(self._find_marked_ranges())
        return self._marked

    def marked_within(self, start: int, end: int) -> Iterator[MarkedRange]:
        """Those that the text [start, end) has a part in."""
        marked = self.marked_ranges()
        for index in range(bisect_right(marked, start, key=lambda one: one.end), len(marked)):
            if marked[index].start >= end:
                return
            yield marked[index]

    def _find_marked_ranges(self) -> Iterator[MarkedRange]:
        before: TextRun | None = None
        start = 0
        for offset, run in zip(self._offsets, self.runs, strict=True):
            if before is not None and not before.goes_on_in(run):
                yield from _marked(start, offset, before)
                start = offset
            before = run
        if before is not None:
            yield from _marked(start, len(self.text), before)

    def is_caption(self, start: int, end: int) -> bool:
        """Whether most of the text [start, end) belongs to a figure."""
        inside = 0
        for index in range(bisect_right(self._captions, start, key=lambda one: one[1]), len(self._captions)):
            first, last = self._captions[index]
            if first >= end:
                break
            inside += min(end, last) - max(start, first)
        return 2 * inside > end - start

    def _source_start(self, position: int) -> int:
        index = bisect_right(self._offsets, position) - 1
        run = self.runs[index]
        return run.start + position - self._offsets[index] if run.is_exact else run.start

    def _source_end(self, position: int) -> int:
        index = bisect_right(self._offsets, position - 1) - 1
        run = self.runs[index]
        return run.start + position - self._offsets[index] if run.is_exact else run.end


def _marked(start: int, end: int, run: TextRun) -> Iterator[MarkedRange]:
    if run.marks:
        yield MarkedRange(start, end, run.marks)


def fold_spaces(runs: Iterable[TextRun]) -> list[TextRun]:
    """The runs with each stretch of white space as one space, and none at either end."""
    joiner = _RunJoiner()
    for run in runs:
        for piece in _folded(run):
            if joiner.last_character in ("", " ") and piece.text.startswith(" "):
                piece = piece.part(1, len(piece.text))
            if piece.text:
                joiner.add(piece)
    folded = joiner.joined()
    if folded and folded[-1].text.endswith(" "):
        last = folded.pop()
        if len(last.text) > 1:
            folded.append(last.part(0, len(last.text) - 1))
    return folded


def join_runs(runs: Iterable[TextRun]) -> list[TextRun]:
    """The runs, neighbours that follow each other in the source made one."""
    joiner = _RunJoiner()
    for run in runs:
        joiner.add(run)
    return joiner.joined()


class _RunJoiner:
    """Makes one run of those that follow each other, in time that grows with their length alone."""

    def __init__(self) -> None:
        self.last_character = ""
        self._runs: list[TextRun] = []
        self._row: list[TextRun] = []
        """Runs that follow each other."""

    def add(self, run: TextRun) -> None:
        self.last_character = run.text[-1:]
        if self._row and not (run.is_exact and self._row[-1].end == run.start and self._row[-1].goes_on_in(run)):
            self._end_row()
        if run.is_exact:
            self._row.append(run)
        else:
            self._runs.append(run)

    def joined(self) -> list[TextRun]:
        self._end_row()
        return self._runs

    def _end_row(self) -> None:
        if self._row:
            text, end = "".join(run.text for run in self._row), self._row[-1].end
            self._runs.append(replace(self._row[0], text=text, end=end))
        self._row = []


def _folded(run: TextRun) -> Iterable[TextRun]:
    start = 0
    for match in _SPACE.finditer(run.text):
        if match.group() == " ":
            continue
        if not run.is_exact:
            yield replace(run, text=_SPACE.sub(" ", run.text))
            return
        piece = run.part(start, match.start() + 1)
        yield replace(piece, text=piece.text[:-1] + " ")
        start = match.end()
    yield run.part(start, len(run.text)) if start else run
