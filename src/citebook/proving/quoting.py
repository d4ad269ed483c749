"""Quoted words as the page shows them: those of some sentences of a chunk, as blocks."""

from citebook.domain.blocks import Block, plain_paragraph
from citebook.domain.book import Chunk
from citebook.domain.layout import NodeKind

_LONGEST_QUOTE = 6_000
"""Characters of one quotation that are shown; the link leads to the rest."""
_MOST_LINES = 40
"""Of code, likewise."""
_GOES_ON = "…"


def quoted(chunk: Chunk, first: int, last: int) -> tuple[str, tuple[Block, ...]]:
    """The words from one sentence to another and their blocks; of what is longer than is shown, the beginning."""
    start, end = chunk.sentences[first].start, chunk.sentences[last].end
    shown = _shown_end(chunk.text, start, _end_of_code(chunk, start, end))
    blocks = chunk.layout.blocks(chunk.text, start, shown)
    return chunk.text[start:shown], blocks if shown == end else (*blocks, plain_paragraph(_GOES_ON))


def _end_of_code(chunk: Chunk, start: int, end: int) -> int:
    """The end, or that of the last line that is shown of a long listing."""
    for node in chunk.layout.nodes:
        if node.kind is NodeKind.CODE and start <= node.start < end:
            lines = chunk.text[node.start : min(node.end, end)].splitlines(keepends=True)
            if len(lines) > _MOST_LINES:
                return node.start + len("".join(lines[:_MOST_LINES]).rstrip())
    return end


def _shown_end(text: str, start: int, end: int) -> int:
    """At the end of a line, else of a word."""
    if end - start <= _LONGEST_QUOTE:
        return end
    limit = start + _LONGEST_QUOTE
    cut = max(text.rfind("\n", start + 1, limit), -1)
    cut = cut if cut > start else text.rfind(" ", start + 1, limit)
    return start + len(text[start : cut if cut > start else limit].rstrip())
