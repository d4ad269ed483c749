"""Reads what a language model writes, line by line as it comes; what is no line of an answer is skipped."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from citebook.language.text import INVISIBLE

_LONGEST_LINE = 4_000
_LONGEST_OUTPUT = 40_000


@dataclass(frozen=True, slots=True)
class WrittenClaim:
    text: str
    quote: str
    excerpt: int | None
    """The number that the model gave, if it gave one."""


@dataclass(frozen=True, slots=True)
class NotCovered:
    """The model says that the excerpts have no answer."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How sure the model says it is."""

    value: float


AnswerLine = WrittenClaim | NotCovered | Estimate


class AnswerLines:
    """Takes pieces cut anywhere. The time it takes grows with the length of the text alone."""

    def __init__(self) -> None:
        self._heard: list[str] = []
        self._line: list[str] = []
        self._line_length = 0
        self._room = _LONGEST_OUTPUT

    @property
    def is_full(self) -> bool:
        """Whether the model has written more than an answer can be; the rest is not read."""
        return self._room <= 0

    @property
    def text(self) -> str:
        """All that was read, as it can be stored."""
        joined = "".join(self._heard).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return joined.replace("\x00", "\ufffd")

    def feed(self, piece: str) -> Iterator[AnswerLine]:
        """The lines that this piece completes."""
        piece = piece[: self._room]
        self._room -= len(piece)
        self._heard.append(piece)
        *ended, rest = piece.split("\n")
        for part in ended:
            self._add(part)
            yield from self.end()
        self._add(rest)

    def end(self) -> Iterator[AnswerLine]:
        """What the last line says, if it was not too long."""
        line, length = "".join(self._line), self._line_length
        self._line, self._line_length = [], 0
        if length <= _LONGEST_LINE and (read := _read(line)) is not None:
            yield read

    def _add(self, part: str) -> None:
        self._line_length += len(part)
        if self._line_length <= _LONGEST_LINE:
            self._line.append(part)


def _read(line: str) -> AnswerLine | None:
    """Only what stands between the first and the last brace counts: models like to number or to wrap."""
    start, end = line.find("{"), line.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        said = json.loads(line[start : end + 1], strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    text, quote = said.get("claim"), said.get("quote")
    if isinstance(text, str) and isinstance(quote, str):
        return WrittenClaim(_visible(text), _visible(quote), _number(said.get("excerpt")))
    if said.get("not_covered") is True:
        return NotCovered()
    return _estimate(said.get("confidence"))


def _visible(text: str) -> str:
    """On one line, without characters that nobody sees and halves of characters that nothing can store."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return " ".join(INVISIBLE.sub("", whole).split())


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _estimate(value: object) -> Estimate | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return Estimate(float(value))
