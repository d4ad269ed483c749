"""The texts in a tree of blocks, in order, and short ways to write such a tree."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from hypothesis import strategies as st

from citebook.domain.blocks import Block, Code, Formula, Inline, ListBlock, Paragraph, Quotation, Table


def texts_of(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph(text=text):
                yield from (run.text for run in text)
            case ListBlock(items=items):
                for item in items:
                    yield from texts_of(item)
            case Table(header=header, rows=rows):
                yield from (run.text for row in (header, *rows) for cell in row for run in cell)
            case Code(text=text) | Formula(text=text):
                yield text
            case Quotation(blocks=inner):
                yield from texts_of(inner)


def said(*runs: str | tuple[str, str]) -> Paragraph:
    """A paragraph of plain runs, and of runs with one mark."""
    return Paragraph(text=inline(*runs))


def inline(*runs: str | tuple[str, str]) -> tuple[Inline, ...]:
    pairs = [(run, ()) if isinstance(run, str) else (run[0], tuple(run[1].split())) for run in runs]
    return tuple(Inline.model_validate({"text": text, "marks": marks}) for text, marks in pairs)


def listed(*items: str | Sequence[Block], start: int | None = None) -> ListBlock:
    wrapped = tuple((said(item),) if isinstance(item, str) else tuple(item) for item in items)
    return ListBlock(ordered=start is not None, start=start, items=wrapped)


def table(header: Sequence[str], *rows: Sequence[str]) -> Table:
    def cells(row: Sequence[str]) -> tuple[tuple[Inline, ...], ...]:
        return tuple(inline(cell) if cell else () for cell in row)

    return Table(header=cells(header), rows=tuple(map(cells, rows)))


def trees(texts: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[Block, ...]]:
    """Any blocks whose texts are of this kind."""
    marks = st.sets(st.sampled_from(["strong", "emphasis"]), max_size=2) | st.sampled_from([{"code"}, {"formula"}])
    run = st.builds(Inline, text=texts, marks=marks.map(sorted).map(tuple))
    runs = st.lists(run, min_size=1, max_size=4).map(tuple)
    cell = st.just(()) | runs
    row = st.lists(cell, min_size=1, max_size=3).map(tuple)
    leaves = st.one_of(
        st.builds(Paragraph, text=runs),
        st.builds(Code, language=st.sampled_from(["", "python", "c++"]), text=texts),
        st.builds(Formula, text=texts),
        st.builds(Table, header=st.just(()) | row, rows=st.lists(row, min_size=1, max_size=3).map(tuple)),
    )
    return st.lists(st.recursive(leaves, _containers, max_leaves=6), min_size=1, max_size=4).map(tuple)


def _containers(inner: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
    blocks = st.lists(inner, min_size=1, max_size=3).map(tuple)
    items = st.lists(blocks, min_size=1, max_size=3).map(tuple)
    bullets = st.builds(partial(ListBlock, ordered=False, start=None), items=items)
    numbers = st.builds(partial(ListBlock, ordered=True), start=st.integers(0, 99), items=items)
    return st.one_of(bullets, numbers, st.builds(Quotation, blocks=blocks))
