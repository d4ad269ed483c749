"""The terms of an edition: the number of each in sparse vectors, and in how many chunks it stands.

Sparse vectors are keyed by 32-bit numbers. Terms get theirs one by one while an edition is made, so that no two terms
of a book share one, as two of their hashes may.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from math import log
from typing import NamedTuple

import numpy as np


class Term(NamedTuple):
    text: str
    number: int
    chunks: int
    """In how many chunks it stands."""


class Vocabulary:
    """Kept as it is in its file, one line a term: a term takes some 25 bytes, in a dictionary it would take 200."""

    def __init__(self, lines: bytes, chunk_count: int) -> None:
        """Raises `ValueError` where the lines are not what `VocabularyInTheMaking` wrote."""
        self.lines, self._chunk_count = lines, chunk_count
        characters = np.frombuffer(lines, np.uint8)
        self._ends = np.flatnonzero(characters == ord("\n"))
        is_cut_off = bool(lines) and not lines.endswith(b"\n")
        if is_cut_off or np.count_nonzero(characters == ord("\t")) != 2 * len(self._ends):
            raise ValueError("the vocabulary is damaged")

    def __iter__(self) -> Iterator[Term]:
        """In the order of their letters."""
        return map(_term, self.lines.splitlines())

    def by_number(self) -> list[str]:
        return [term.text for term in sorted(self, key=lambda term: term.number)]

    def find(self, text: str) -> Term | None:
        wanted = text.encode()
        place = bisect_left(range(len(self._ends)), wanted, key=self._text_at)
        if place == len(self._ends) or self._text_at(place) != wanted:
            return None
        return _term(self.lines[self._start(place) : self._ends[place]])

    def _text_at(self, place: int) -> bytes:
        start = self._start(place)
        return self.lines[start : self.lines.index(b"\t", start)]

    def _start(self, place: int) -> int:
        return int(self._ends[place - 1]) + 1 if place else 0

    def look_up(self, texts: Iterable[str]) -> "LookedUp":
        found = {text: self.find(text) for text in dict.fromkeys(texts)}
        return LookedUp(
            weights={text: self._weight(term.chunks if term else 0) for text, term in found.items()},
            numbers={term.number: self._weight(term.chunks) for term in found.values() if term},
            missing=frozenset(text for text, term in found.items() if term is None),
        )

    def _weight(self, chunks: int) -> float:
        """How rare a term is that stands in so many chunks."""
        return log(1 + (self._chunk_count - chunks + 0.5) / (chunks + 0.5))


class LookedUp(NamedTuple):
    """What an edition knows of the terms of a question."""

    weights: dict[str, float]
    """How rare each is."""
    numbers: dict[int, float]
    """Of those that stand somewhere in the edition: how rare each is, by its number."""
    missing: frozenset[str]
    """The others."""


class VocabularyInTheMaking:
    """Gives out numbers, and counts."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._chunks = array("L")

    def of_chunk(self, weights: Mapping[str, float]) -> dict[int, float]:
        """The weights of a chunk's terms by their numbers; the chunk is counted."""
        numbered = {self._numbers.setdefault(term, len(self._numbers)): weight for term, weight in weights.items()}
        self._chunks.extend([0] * (len(self._numbers) - len(self._chunks)))
        for number in numbered:
            self._chunks[number] += 1
        return numbered

    def lines(self) -> bytes:
        rows = sorted(self._numbers.items())
        return "".join(f"{text}\t{number}\t{self._chunks[number]}\n" for text, number in rows).encode()


def _term(line: bytes) -> Term:
    text, number, chunks = line.decode().split("\t")
    return Term(text, int(number), int(chunks))
