"""Where each character of a block's content stands in the page.

A Markdown parser hands on the content of a block without the prefixes of its containers (`> `, the indent
of a list item). So a content is a row of pieces, each of which is a stretch of the page to the letter or a
replacement for one.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it.common.utils import MD_TRIM_CHARS

from citebook.ingestion.mapped_text import TextRun
from citebook.ingestion.source_text import SourceText


class Piece(NamedTuple):
    """Content [start, end) stands for the page's [source_start, source_end)."""

    start: int
    end: int
    source_start: int
    source_end: int

    @property
    def is_exact(self) -> bool:
        return self.end - self.start == self.source_end - self.source_start


class ContentMap:
    def __init__(self, page: SourceText, content: str, pieces: list[Piece]) -> None:
        self.page = page
        self.content = content
        self._pieces = pieces
        self._starts = [piece.start for piece in pieces]

    def position(self, at: int) -> int:
        """The place in the page of one place in the content."""
        piece = self._piece_at(at)
        inside = at - piece.start
        return min(piece.source_start + inside, piece.source_end) if piece.is_exact else piece.source_start

    def end_position(self, at: int) -> int:
        """The place in the page where the content before `at` ends."""
        if not at:
            return self.position(0)
        piece = self._piece_at(at - 1)
        return self.position(at - 1) + 1 if piece.is_exact else piece.source_end

    def _piece_at(self, at: int) -> Piece:
        return self._pieces[max(0, bisect_right(self._starts, at) - 1)] if self._pieces else Piece(0, 0, 0, 0)

    def runs(self, text: str, start: int, end: int) -> list[TextRun]:
        """Visible text that stands for the content's [start, end)."""
        if text != self.content[start:end].replace("\n", " ") and text != self.content[start:end]:
            return self._replacement(text, self.position(start), self.end_position(end))
        runs: list[TextRun] = []
        for piece in self._overlapping(start, end):
            shown = text[piece.start - start : piece.end - start]
            runs += self.page.runs(shown, piece.source_start, piece.source_end)
        return runs

    def _replacement(self, text: str, start: int, end: int) -> list[TextRun]:
        """Text that is not in the page to the letter; an equal length must not make it look as if it were."""
        if len(text) == end - start and self.page.text[start:end] != text:
            end = start
        return self.page.runs(text, start, max(start, end))

    def _overlapping(self, start: int, end: int) -> Iterator[Piece]:
        index = max(0, bisect_right(self._starts, start) - 1)
        while index < len(self._pieces) and self._pieces[index].start < end:
            piece = self._pieces[index]
            index += 1
            low, high = max(start, piece.start), min(end, piece.end)
            if low >= high:
                continue
            if piece.is_exact:
                shift = piece.source_start - piece.start
                yield Piece(low, high, low + shift, high + shift)
            else:
                yield Piece(low, high, piece.source_start, piece.source_start)


def map_of_lines(page: SourceText, content: str, first_line: int, last_line: int) -> ContentMap:
    """The map of a content whose lines are the ends of the page's lines [first_line, last_line)."""
    pieces: list[Piece] = []
    at = 0
    lines = content.split("\n")
    while lines[0].strip(MD_TRIM_CHARS) and first_line < last_line and _is_blank(page, first_line):
        first_line += 1  # white space that the parser has trimmed away
    for line in lines:
        if first_line >= last_line:
            break
        line_start, line_end = page.line_range(first_line)
        first_line += 1
        pieces += _line_pieces(page.text, line, at, line_start, line_end)
        at += len(line) + 1
        pieces.append(Piece(at - 1, at, line_end, min(line_end + 1, len(page.text))))
    return ContentMap(page, content, pieces)


def _is_blank(page: SourceText, line: int) -> bool:
    start, end = page.line_range(line)
    return not page.text[start:end].strip(MD_TRIM_CHARS)


def map_of_range(page: SourceText, start: int, end: int) -> ContentMap:
    """The map of a content that is one stretch of the page."""
    return ContentMap(page, page.text[start:end], [Piece(0, end - start, start, end)])


def _line_pieces(text: str, line: str, at: int, line_start: int, line_end: int) -> list[Piece]:
    """One line of content, found at the end of its source line; trailing white space may be cut off."""
    source_line = text[line_start:line_end]
    kept = line
    if not source_line.endswith(line):
        kept, source_line = line.rstrip(MD_TRIM_CHARS), source_line.rstrip(MD_TRIM_CHARS)
    end = line_start + len(source_line)
    body = kept.lstrip(" \t")
    start = end - len(body)
    if text[start:end] != body or start < line_start:
        return [Piece(at, at + len(line), line_start, line_start)]
    indent = len(kept) - len(body)
    while indent and start > line_start and text[start - 1] == kept[indent - 1]:
        start -= 1
        indent -= 1
    pieces = [Piece(at + indent, at + len(kept), start, end)]
    if indent:  # spaces that a tab was expanded to
        pieces.insert(0, Piece(at, at + indent, start, start))
    return pieces
