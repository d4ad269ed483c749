"""Many words in little memory, and which of them look like a given one."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_LETTERS = 31
"""The low bits of a byte tell letters apart, in either case; that others share them only makes the sieve coarser."""
_LONGEST = 60
"""Letters; a longer word is no word."""


class Entry(NamedTuple):
    word: str
    frequency: int
    """How often it stands there; 1 where that was not counted."""


class Lexicon:
    """Kept as one text, a word or a word and its count a line, in the order of bytes: 20 bytes a word."""

    def __init__(self, lines: bytes) -> None:
        self.lines = lines
        characters = np.frombuffer(lines, np.uint8)
        ends = np.flatnonzero(characters == ord("\n"))
        self._starts = np.concatenate(([0], ends + 1)).astype(np.int32)
        if len(ends):
            self._sieve = _Sieve(characters, self._starts, ends)

    @classmethod
    def of_counts(cls, counts: Iterable[tuple[str, int]]) -> "Lexicon":
        rows = sorted((word.encode(), count) for word, count in counts)
        return cls(b"".join(b"%s\t%d\n" % row for row in rows))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __contains__(self, word: str) -> bool:
        wanted, place = word.encode(), self._place(word)
        return place < len(self) and self._bytes_at(place) == wanted

    def beginning_with(self, letters: str) -> Iterator[Entry]:
        rest = map(self._at, range(self._place(letters), len(self)))
        return takewhile(lambda entry: entry.word.startswith(letters), rest)

    def like(self, word: str, edits: int) -> list[Entry]:
        """The words that are at most so many edits away; swapped neighbours are one."""
        return [self._at(place) for place in self._sieve.like(word.encode(), edits)] if len(self) else []

    def _place(self, word: str) -> int:
        return bisect_left(range(len(self)), word.encode(), key=self._bytes_at)

    def _line(self, place: int) -> bytes:
        return self.lines[self._starts[place] : self._starts[place + 1] - 1]

    def _bytes_at(self, place: int) -> bytes:
        return self._line(place).partition(b"\t")[0]

    def _at(self, place: int) -> Entry:
        word, _, count = self._line(place).partition(b"\t")
        return Entry(word.decode(), int(count or 1))


class _Sieve:
    """Finds words that are few edits away among a hundred thousand in a millisecond.

    First by their length and by the letters that they have, then by their distance, of all that are left at once.
    """

    def __init__(
        self, characters: npt.NDArray[np.uint8], starts: npt.NDArray[np.int32], ends: npt.NDArray[np.int64]
    ) -> None:
        tabs = np.flatnonzero(characters == ord("\t"))
        word_ends = tabs if len(tabs) == len(ends) else ends
        self._characters, self._starts = characters, starts
        self._lengths = np.minimum(word_ends - starts[:-1], _LONGEST + 1).astype(np.int8)
        self._letters = np.zeros(len(ends), np.uint32)
        for offset in range(int(self._lengths.max())):
            places = np.flatnonzero(self._lengths > offset)
            self._letters[places] |= _bits(characters[starts[places] + offset])

    def like(self, word: bytes, edits: int) -> list[int]:
        if len(word) > _LONGEST:
            return []
        own = np.bitwise_or.reduce(_bits(np.frombuffer(word, np.uint8)))
        of_like_length = (self._lengths >= len(word) - edits) & (self._lengths <= min(len(word) + edits, _LONGEST))
        places = np.flatnonzero(of_like_length & (np.bitwise_count(self._letters ^ own) <= 2 * edits))
        found: list[int] = places[self._distances(word, places) <= edits].tolist()
        return found

    def _distances(self, word: bytes, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """Edits, swapped neighbours being one, by Hyyrö's bit-parallel algorithm (2003): a bit for each letter."""
        of_letter = np.zeros(256, np.uint64)
        for bit, letter in enumerate(word):
            of_letter[letter] |= np.uint64(1 << bit)
        one, last = np.uint64(1), np.uint64(1 << (len(word) - 1))
        starts, lengths = self._starts[places], self._lengths[places]
        distances = np.full(len(places), len(word), np.int8)
        up, down, same, before = ~np.zeros(len(places), np.uint64), *np.zeros((3, len(places)), np.uint64)
        for offset in range(int(lengths.max(initial=0))):
            is_inside = offset < lengths
            matches = of_letter[self._characters[np.minimum(starts + offset, len(self._characters) - 1)]]
            swapped = ((~same & matches) << one) & before
            same = (((matches & up) + up) ^ up) | matches | down | swapped
            right, left = down | ~(same | up), same & up
            distances += is_inside & ((right & last) != 0)
            distances -= is_inside & ((left & last) != 0)
            right = (right << one) | one
            up, down, before = (left << one) | ~(same | right), right & same, matches
        return distances


def _bits(characters: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    return np.uint32(1) << (characters & _LETTERS).astype(np.uint32)
