"""Finds the sentences of the book that a quote was copied from."""

import re
from bisect import bisect_right
from dataclasses import dataclass

from citebook.domain.book import Chunk
from citebook.language.text import INVISIBLE

_SHORTEST = 12
"""Characters below which a quote could stand anywhere, unless it is a whole sentence."""
_MOST_SENTENCES = 5
_WORD = re.compile(r"\S+")
_ALIKE = str.maketrans({**dict.fromkeys("‘’‚‛`´", "'"), **dict.fromkeys("“”„‟", '"'), **dict.fromkeys("‐‑‒–—―", "-")})
_AROUND = " \t\n\"'.…"


@dataclass(frozen=True, slots=True)
class Quoted:
    first_sentence: int
    last_sentence: int


class QuotableChunk:
    """A chunk whose words can be looked up, whatever the case, white space, dashes and quotation marks are."""

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self._starts: list[int] = []
        self._folded_starts: list[int] = []
        words: list[str] = []
        position = 0
        for match in _WORD.finditer(chunk.text):
            if word := _folded(match.group()):
                words.append(word)
                self._starts.append(match.start())
                self._folded_starts.append(position)
                position += len(word) + 1
        self._text = " ".join(words)

    def find(self, quote: str) -> Quoted | None:
        """The sentences that hold the quote whole; None where it stands nowhere, or is too long or too short."""
        wanted = _folded(quote).strip(_AROUND)
        at = self._text.find(wanted) if wanted else -1
        if at < 0:
            return None
        sentences = self.chunk.sentences
        start, end = self._place(at), self._place(at + len(wanted) - 1)
        first = bisect_right(sentences, start, key=lambda sentence: sentence.end)
        last = bisect_right(sentences, end, key=lambda sentence: sentence.start) - 1
        if not first <= last < first + _MOST_SENTENCES:
            return None
        is_telling = len(wanted) >= _SHORTEST or wanted == self._sentences(first, last)
        return Quoted(first, last) if is_telling else None

    def _place(self, position: int) -> int:
        """Where in the chunk's own text a character of the folded text stands."""
        word = bisect_right(self._folded_starts, position) - 1
        return self._starts[word] + position - self._folded_starts[word]

    def _sentences(self, first: int, last: int) -> str:
        sentences = self.chunk.sentences
        return _folded(self.chunk.text[sentences[first].start : sentences[last].end]).strip(_AROUND)


def _folded(text: str) -> str:
    return " ".join(INVISIBLE.sub("", text).translate(_ALIKE).lower().split())
