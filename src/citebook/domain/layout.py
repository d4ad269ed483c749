"""Which stretches of a text are which blocks, so that any part of the text can be shown as the tree that it is."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from citebook.domain.blocks import (
    Block,
    Code,
    Formula,
    Inline,
    ListBlock,
    Mark,
    Paragraph,
    Quotation,
    Table,
)

_BLANK_LINES = re.compile(r"\n\s*\n")


class NodeKind(StrEnum):
    PARAGRAPH = "paragraph"
    CODE = "code"
    FORMULA = "formula"
    CELL = "cell"
    LIST = "list"
    ITEM = "item"
    TABLE = "table"
    ROW = "row"
    QUOTATION = "quotation"


LEAVES = frozenset({NodeKind.PARAGRAPH, NodeKind.CODE, NodeKind.FORMULA, NodeKind.CELL})
"""Kinds that hold text themselves."""

BODY, HEADER, CAPTION = range(3)
"""What the row of a table is; a caption is a row above the header."""


class Node(NamedTuple):
    """A block, or a part of one, at [start, end) of the text. List markers and separators of cells are outside."""

    kind: NodeKind
    parent: int
    """Place in the layout of the node that it stands in; -1 where it stands in none."""
    number: int
    """Its number in the page: the same in every chunk that has a part of it."""
    start: int
    end: int
    value: int = 0
    """Of a list: 1 where its items are numbered. Of an item: its number. Of a row: body, header or caption."""
    opens: bool = True
    """Whether its beginning stands in this text, and not in an earlier chunk."""
    closes: bool = True
    """Whether its end does."""
    language: str = ""
    """Of code."""


class MarkedRange(NamedTuple):
    """Text that is set in some way; that of a formula takes in its dollars."""

    start: int
    end: int
    marks: tuple[Mark, ...]


class HeaderElsewhere(NamedTuple):
    """The header of a table that begins in an earlier chunk, so that its rows are not shown without their names."""

    table: int
    """The number of the table's node."""
    cells: tuple[str, ...]


class BlockRange(NamedTuple):
    """A block that can be looked at, and quoted, by itself: a paragraph, a list, a table, code or a formula.

    A list that is interrupted by code or a table is several ranges with the same node.
    """

    node: Node
    start: int
    end: int
    outer_list: Node | None
    """The outermost list that it stands in, or that it is."""


@dataclass(frozen=True, slots=True)
class Layout:
    nodes: tuple[Node, ...]
    """Each after the one that it stands in; leaves in the order of the text."""
    marks: tuple[MarkedRange, ...] = ()
    """In the order of the text; none overlaps another."""
    headers: tuple[HeaderElsewhere, ...] = ()

    def fits(self, text: str) -> bool:
        """Whether it can be the layout of this text."""
        return self._nodes_fit(len(text)) and self._marks_fit(len(text))

    def blocks(self, text: str, start: int, end: int) -> tuple[Block, ...]:
        """What the text says from `start` to `end`. Rows of a table come with its header."""
        return _TreeReader(text, self, start, end).blocks(-1)

    def block_ranges(self) -> tuple[BlockRange, ...]:
        """All blocks in the order of the text."""
        ranges: list[BlockRange] = []
        for leaf in self.nodes:
            if leaf.kind not in LEAVES:
                continue
            node = self._block_of(leaf)
            if ranges and ranges[-1].node is node:
                ranges[-1] = ranges[-1]._replace(end=leaf.end)
            else:
                ranges.append(BlockRange(node, leaf.start, leaf.end, self._outer_list(leaf)))
        return tuple(ranges)

    def row_at(self, position: int) -> Node | None:
        """The row of a table that stands at a place in the text."""
        rows = (node for node in self.nodes if node.kind is NodeKind.ROW)
        return next((row for row in rows if row.start <= position < row.end), None)

    def header_elsewhere(self, table: Node) -> tuple[str, ...]:
        """The cells of a table's header, where that stands in an earlier chunk."""
        return next((header.cells for header in self.headers if header.table == table.number), ())

    def _block_of(self, leaf: Node) -> Node:
        """The table around a cell, the outermost list around a paragraph, or else the leaf itself."""
        wanted = NodeKind.TABLE if leaf.kind is NodeKind.CELL else NodeKind.LIST
        found, node = leaf, leaf
        while node.parent >= 0 and leaf.kind in (NodeKind.CELL, NodeKind.PARAGRAPH):
            node = self.nodes[node.parent]
            if node.kind is wanted:
                found = node
        return found

    def _outer_list(self, leaf: Node) -> Node | None:
        found, node = None, leaf
        while node.parent >= 0:
            node = self.nodes[node.parent]
            found = node if node.kind is NodeKind.LIST else found
        return found

    def _nodes_fit(self, length: int) -> bool:
        end_of_leaves = 0
        for index, node in enumerate(self.nodes):
            if not (-1 <= node.parent < index and 0 <= node.start <= node.end <= length):
                return False
            if node.parent >= 0 and self.nodes[node.parent].kind in LEAVES:
                return False
            if node.kind in LEAVES:
                if node.start < end_of_leaves:
                    return False
                end_of_leaves = node.end
        return True

    def _marks_fit(self, length: int) -> bool:
        edges = [edge for mark in self.marks for edge in (mark.start, mark.end)]
        return edges == sorted(edges) and all(0 <= edge <= length for edge in edges)


def plain_layout(text: str) -> Layout:
    """Of a text of which nothing is known: each stretch between blank lines is a paragraph."""
    edges = [0, *(edge for gap in _BLANK_LINES.finditer(text) for edge in gap.span()), len(text)]
    spans = [span for span in zip(edges[::2], edges[1::2], strict=True) if text[slice(*span)].strip()]
    return Layout(tuple(Node(NodeKind.PARAGRAPH, -1, number, *span) for number, span in enumerate(spans, start=1)))


class _TreeReader:
    """Reads the blocks of one stretch of a text."""

    def __init__(self, text: str, layout: Layout, start: int, end: int) -> None:
        self._text, self._layout, self._start, self._end = text, layout, start, end
        self._children: defaultdict[int, list[int]] = defaultdict(list)
        for index, node in enumerate(layout.nodes):
            self._children[node.parent].append(index)

    def blocks(self, parent: int) -> tuple[Block, ...]:
        return tuple(block for index in self._children[parent] for block in self._of(index))

    def _of(self, index: int) -> Iterator[Block]:
        node = self._layout.nodes[index]
        start, end = max(node.start, self._start), min(node.end, self._end)
        if start >= end:
            return
        shown = self._text[start:end].strip("\n")
        match node.kind:
            case NodeKind.CODE if shown.strip():
                yield Code(language=node.language, text=shown)
            case NodeKind.FORMULA if shown.strip():
                yield Formula(text=shown)
            case NodeKind.PARAGRAPH if inline := self._clipped(node):
                yield Paragraph(text=inline)
            case NodeKind.QUOTATION if inner := self.blocks(index):
                yield Quotation(blocks=inner)
            case NodeKind.LIST:
                yield from self._list(index)
            case NodeKind.TABLE:
                yield from self._table(index)

    def _list(self, index: int) -> Iterator[ListBlock]:
        items = [(self._layout.nodes[item].value, self.blocks(item)) for item in self._children[index]]
        shown = [(number, blocks) for number, blocks in items if blocks]
        if shown:
            is_ordered = self._layout.nodes[index].value == 1
            first = shown[0][0] if is_ordered else None
            yield ListBlock(ordered=is_ordered, start=first, items=tuple(blocks for _, blocks in shown))

    def _table(self, index: int) -> Iterator[Block]:
        """What stands above the header is told before the table; a header behind other rows is one of them."""
        rows = [(row, self._layout.nodes[row].value) for row in self._children[index]]
        opening = next(((row, kind) for row, kind in rows if kind != CAPTION), None)
        header = opening[0] if opening is not None and opening[1] == HEADER else None
        for row, kind in rows:
            if kind == CAPTION and (inline := self._clipped(self._layout.nodes[row])):
                yield Paragraph(text=inline)
        body = [row for row, kind in rows if kind != CAPTION and row != header and self._is_inside(row)]
        if body or (header is not None and self._is_inside(header)):
            yield Table(header=self._header(index, header), rows=tuple(self._cells(row) for row in body))

    def _header(self, table: int, row: int | None) -> tuple[tuple[Inline, ...], ...]:
        if row is not None:
            return self._cells(row, whole=True)
        node = self._layout.nodes[table]
        elsewhere = () if node.opens else self._layout.header_elsewhere(node)
        return tuple((Inline(text=cell),) if cell else () for cell in elsewhere)

    def _is_inside(self, row: int) -> bool:
        node = self._layout.nodes[row]
        return node.start < self._end and self._start < node.end

    def _cells(self, row: int, *, whole: bool = False) -> tuple[tuple[Inline, ...], ...]:
        cells = [self._layout.nodes[cell] for cell in self._children[row]]
        return tuple(self._inline(cell.start, cell.end) if whole else self._clipped(cell) for cell in cells)

    def _clipped(self, node: Node) -> tuple[Inline, ...]:
        return self._inline(max(node.start, self._start), min(node.end, self._end))

    def _inline(self, start: int, end: int) -> tuple[Inline, ...]:
        while start < end and self._text[start].isspace():
            start += 1
        while start < end and self._text[end - 1].isspace():
            end -= 1
        return tuple(self._runs(start, end)) if start < end else ()

    def _runs(self, start: int, end: int) -> Iterator[Inline]:
        marks = self._layout.marks
        at = start
        for index in range(bisect_right(marks, start, key=lambda mark: mark.end), len(marks)):
            mark = marks[index]
            if mark.start >= end:
                break
            if at < mark.start:
                yield Inline(text=self._text[at : mark.start])
            yield self._marked(mark, start, end)
            at = min(mark.end, end)
        if at < end:
            yield Inline(text=self._text[at:end])

    def _marked(self, mark: MarkedRange, start: int, end: int) -> Inline:
        """A formula of which a part is cut off is no formula any more."""
        text = self._text[max(start, mark.start) : min(end, mark.end)]
        if "formula" not in mark.marks:
            return Inline(text=text, marks=mark.marks)
        dollars = 2 if text.startswith("$$") else 1
        inner = text[dollars:-dollars]
        if start <= mark.start and mark.end <= end and inner:
            return Inline(text=inner, marks=mark.marks)
        return Inline(text=text, marks=tuple(kind for kind in mark.marks if kind != "formula"))
