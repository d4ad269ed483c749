"""Blocks without bold and italics: many clients show a text as it is, and stars would only be in its way."""

from collections.abc import Iterable
from itertools import groupby

from citebook.domain.blocks import Block, Inline, ListBlock, Paragraph, Quotation, Table

_EMPHASIS = frozenset({"strong", "emphasis"})


def without_emphasis(blocks: Iterable[Block]) -> tuple[Block, ...]:
    return tuple(map(_plain, blocks))


def _plain(block: Block) -> Block:
    match block:
        case Paragraph(text=text):
            return Paragraph(text=_runs(text))
        case ListBlock(items=items):
            return block.model_copy(update={"items": tuple(map(without_emphasis, items))})
        case Table(header=header, rows=rows):
            return Table(header=tuple(map(_runs, header)), rows=tuple(tuple(map(_runs, row)) for row in rows))
        case Quotation(blocks=blocks):
            return Quotation(blocks=without_emphasis(blocks))
    return block


def _runs(runs: Iterable[Inline]) -> tuple[Inline, ...]:
    """Neighbours that are then set alike become one."""
    marked = ((tuple(mark for mark in run.marks if mark not in _EMPHASIS), run.text) for run in runs)
    joined = ((marks, "".join(text for _, text in same)) for marks, same in groupby(marked, key=lambda run: run[0]))
    return tuple(Inline(text=text, marks=marks) for marks, text in joined)
