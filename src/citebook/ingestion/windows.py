"""Which pieces of a section stand in one chunk."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from citebook.ingestion.pieces import Piece

_LEAST_FILLED = 0.5
"""Share of a chunk that must be filled for it to end early, and that the last one should have."""


def windows(pieces: Sequence[Piece], budget: int, overlap: float) -> Iterator[tuple[int, int]]:
    """Ranges of pieces that fill the budget.

    Each begins with as many of the last pieces of the one before as come nearest to `overlap` of it. Where the last
    one would come out less than half full, the last two share what there is.
    """
    return iter(_Cutter(pieces, budget, overlap))


class _Cutter:
    def __init__(self, pieces: Sequence[Piece], budget: int, overlap: float) -> None:
        self._pieces, self._budget, self._overlap = pieces, budget, overlap
        self._count = len(pieces)
        self._least = budget * _LEAST_FILLED
        self._sums = [0, *accumulate(piece.tokens for piece in pieces)]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        first = seen = 0
        while seen < self._count:
            last = self._filled(first)
            if last < self._count:
                last = self._between_blocks(first, last, seen)
                if self._size(self._start_after(first, last), self._count) < self._least:
                    last = self._shared(first, seen)
            yield first, last
            if last < self._count:
                first = self._start_after(first, last)
            seen = last

    def _size(self, first: int, last: int) -> int:
        return self._sums[last] - self._sums[first]

    def _filled(self, first: int) -> int:
        """The end of a window that takes in all that fits; what fits into none is one by itself."""
        last = first + 1
        while last < self._count and self._size(first, last + 1) <= self._budget:
            last += 1
        return last

    def _start_after(self, first: int, last: int) -> int:
        """Where the next window begins: one that must have room for the piece behind this one."""
        aim = self._overlap * self._size(first, last)
        start = last
        while start - 1 > first and self._size(start - 1, last + 1) <= self._budget:
            if abs(self._size(start - 1, last) - aim) >= abs(self._size(start, last) - aim):
                break
            start -= 1
        return start

    def _between_blocks(self, first: int, last: int, seen: int) -> int:
        """The last place that tears no block apart, nor one from the line that announces it, if much comes before it.

        A block that would not fit into a chunk of its own may be cut anywhere.
        """
        cut = last
        while cut > first and self._pieces[cut - 1].block is self._pieces[last].block:
            cut -= 1
        if cut > first and self._pieces[cut - 1].announces:
            cut -= 1
        return cut if cut > seen and self._size(first, cut) >= self._least else last

    def _shared(self, first: int, seen: int) -> int:
        """Where the last two windows part: both half full, if any place allows it, between blocks, evenly."""
        even = self._size(first, self._count) / (2 - self._overlap)

        def merit(cut: int) -> tuple[bool, bool, float]:
            one, other = self._size(first, cut), self._size(self._start_after(first, cut), self._count)
            if min(one, other) < self._least:
                return False, False, min(one, other)
            return True, self._is_between_blocks(cut), -abs(one - even)

        return max(self._places(first, seen), key=merit)

    def _places(self, first: int, seen: int) -> Iterator[int]:
        """Where a window may end so that one more takes in the rest."""
        for cut in range(seen + 1, self._filled(first) + 1):
            if self._size(self._start_after(first, cut), self._count) <= self._budget:
                yield cut

    def _is_between_blocks(self, cut: int) -> bool:
        before, after = self._pieces[cut - 1], self._pieces[cut]
        return before.block is not after.block and not before.announces
