"""The rows of a table that a question asks for."""

import re

from citebook.domain.book import Chunk
from citebook.domain.layout import CAPTION
from citebook.reading.passages import ReadPassage, ReadSentence, ReadUnit
from citebook.reading.sentence_scoring import Asked

_BETWEEN_CELLS = " | "
_FIGURE = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")


class AskedRows:
    def __init__(self, asked: Asked, *, of_one_thing: bool) -> None:
        self._asked, self._language, self._of_one_thing = asked, asked.language, of_one_thing

    def matched(self, unit: ReadUnit, passage: ReadPassage, chunk: Chunk) -> dict[int, frozenset[str]]:
        """What each row of a table has of the question, but for what its header has."""
        sentences = passage.sentences
        header = sentences[unit.body].header
        common = sentences[header].terms if header is not None else self._terms_of_header_elsewhere(unit, chunk)
        rows = [row for row in range(unit.body, unit.last + 1) if row != header and not _is_caption(chunk, row)]
        named = [row for row in rows if self._has_figures(sentences[row].text)]
        asked = self._asked.terms - common
        return {row: asked & self._own_terms(sentences[row], passage.title) for row in named or rows}

    def _has_figures(self, row: str) -> bool:
        """Whether one thing is asked for, and its figures stand in the row as they are: 12.3.1 is not 12.3."""
        figures = set(_FIGURE.findall(self._asked.text))
        return self._of_one_thing and bool(figures) and figures <= set(_FIGURE.findall(row))

    def _terms_of_header_elsewhere(self, unit: ReadUnit, chunk: Chunk) -> frozenset[str]:
        row = chunk.layout.row_at(chunk.sentences[unit.body].start)
        cells = chunk.layout.header_elsewhere(chunk.layout.nodes[row.parent]) if row is not None else ()
        return self._language.term_set(" ".join(cells))

    def _own_terms(self, row: ReadSentence, title: frozenset[str]) -> frozenset[str]:
        """Those by which a row differs from others: what the title says too is said of all, unless it is its name."""
        return (row.terms - title) | self._language.term_set(row.text.partition(_BETWEEN_CELLS)[0])


def _is_caption(chunk: Chunk, row: int) -> bool:
    """It belongs to all rows, and tells none of them."""
    node = chunk.layout.row_at(chunk.sentences[row].start)
    return node is not None and node.value == CAPTION
