"""The text that a Markdown parser reads, tied to the offsets of the file it came from."""

import re
from bisect import bisect_left, bisect_right

from citebook.ingestion.mapped_text import TextRun
from citebook.language.text import INVISIBLE


class MalformedPage(ValueError):
    """A page that its author must mend before it can be read."""

    def __init__(self, line: int | None, reason: str) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.line = line
        self.reason = reason


class SourceText:
    """The body of a page with `\\n` as its only line end, and the way back to the file's own offsets."""

    def __init__(self, source: str, body_start: int = 0) -> None:
        body = source[body_start:].replace("\0", "\u200b")
        self._source = source
        self._base = body_start
        self._folded_ends: list[int] = []
        self._has_returns = "\r" in body
        if "\r\n" in body:
            self._folded_ends = _folded_line_ends(body)
            body = body.replace("\r\n", "\n")
        self.text = body.replace("\r", "\n")
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", self.text))]

    def offset(self, position: int) -> int:
        """The place in the file of a position in the text."""
        return self._base + position + bisect_left(self._folded_ends, position)

    def line_range(self, line: int) -> tuple[int, int]:
        """Where a line (counted from 0) starts and ends, its line end left out."""
        start = self._line_starts[line]
        is_last = line + 1 >= len(self._line_starts)
        return start, len(self.text) if is_last else self._line_starts[line + 1] - 1

    def file_line(self, position: int) -> int:
        """The number, counted from 1, of the file's line at a position in the text."""
        front = self._source.count("\n", 0, self._base) if self._base else 0
        return front + bisect_right(self._line_starts, position)

    def runs(self, text: str, start: int, end: int) -> list[TextRun]:
        """Visible text for the range [start, end), without characters that no reader sees."""
        if len(text) != end - start:
            visible = INVISIBLE.sub("", text)
            return [TextRun(visible, self.offset(start), self.offset(end))] if visible else []
        runs: list[TextRun] = []
        for piece_start, piece_end in _visible_pieces(text):
            self._append_exact(runs, text[piece_start:piece_end], start + piece_start)
        return runs

    def _append_exact(self, runs: list[TextRun], text: str, start: int) -> None:
        if not self._has_returns or "\n" not in text:
            runs.append(TextRun(text, self.offset(start), self.offset(start) + len(text)))
            return
        for line in _lines_and_ends(text):
            end = start + len(line)
            at, stop = self.offset(start), self.offset(end)
            is_lone_return = line == "\n" and self._source.startswith("\r", at) and stop == at + 1
            runs.append(TextRun(line, at, at if is_lone_return else stop))
            start = end


def _folded_line_ends(body: str) -> list[int]:
    """Positions, in the text with `\\n` alone, of the line ends that were `\\r\\n`."""
    return [match.start() - index for index, match in enumerate(re.finditer("\r\n", body))]


def _visible_pieces(text: str) -> list[tuple[int, int]]:
    pieces = []
    start = 0
    for match in INVISIBLE.finditer(text):
        if match.start() > start:
            pieces.append((start, match.start()))
        start = match.end()
    if start < len(text):
        pieces.append((start, len(text)))
    return pieces


def _lines_and_ends(text: str) -> list[str]:
    """The text cut around each of its line ends."""
    return [piece for piece in re.split("(\n)", text) if piece]
