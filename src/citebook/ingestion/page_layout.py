"""Lays out a section, or the part of one that a chunk shows: which stretch of its text is which block."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from citebook.domain.blocks import Block
from citebook.domain.layout import HEADER, HeaderElsewhere, Layout, MarkedRange, Node, NodeKind
from citebook.ingestion.page import Container, Leaf, Section, TextBlock

_BETWEEN_BLOCKS = "\n\n"
_WIDEST_ROW = 200
_BLANK = re.compile(r"\s+")


class PlacedText(NamedTuple):
    """The part [start, end) of a block's text, which stands at `at` in the text that is laid out."""

    block: TextBlock
    start: int
    end: int
    at: int

    def place(self, position: int) -> int:
        """Where a place of the block stands; what is cut off stands at the edge."""
        return self.at + min(max(position, self.start), self.end) - self.start


def section_blocks(section: Section) -> tuple[Block, ...]:
    """All that the section says, without its heading."""
    text = _BETWEEN_BLOCKS.join(block.content.text for block in section.blocks)
    placed: list[PlacedText] = []
    at = 0
    for block in section.blocks:
        placed.append(PlacedText(block, 0, len(block.content.text), at))
        at += len(block.content.text) + len(_BETWEEN_BLOCKS)
    return SectionLayout(section.blocks).of(placed).blocks(text, 0, len(text))


class SectionLayout:
    """What is told of any part of one section."""

    def __init__(self, blocks: Sequence[TextBlock]) -> None:
        self._edges: dict[int, tuple[int, int]] = {}
        """Numbers of the first and the last leaf of each container."""
        for leaf in (leaf for block in blocks for leaf in block.leaves):
            for container in leaf.containers:
                first, _ = self._edges.get(container.number, (leaf.number, 0))
                self._edges[container.number] = first, leaf.number
        self._headers = {number: tuple(cells) for number, cells in _headers_of(blocks).items()}
        """The cells of each table's header, by the number of the table."""

    def of(self, placed: Iterable[PlacedText]) -> Layout:
        nodes = _NodeWriter(self._edges)
        marks: list[MarkedRange] = []
        for text in placed:
            for leaf in _leaves_in(text):
                nodes.add(leaf, text)
            marks.extend(_marks_in(text))
        return Layout(tuple(nodes.nodes), tuple(marks), tuple(self._headers_elsewhere(nodes.nodes)))

    def _headers_elsewhere(self, nodes: Sequence[Node]) -> Iterator[HeaderElsewhere]:
        """Of the tables whose beginning stands in an earlier chunk."""
        for node in nodes:
            if node.kind is NodeKind.TABLE and not node.opens and node.number in self._headers:
                yield HeaderElsewhere(node.number, self._headers[node.number])


def _headers_of(blocks: Sequence[TextBlock]) -> dict[int, list[str]]:
    headers: defaultdict[int, list[str]] = defaultdict(list)
    for block in blocks:
        for leaf in block.leaves:
            if leaf.kind is NodeKind.CELL and leaf.containers[-1].value == HEADER:
                headers[leaf.containers[-2].number].append(block.content.text[leaf.start : leaf.end].strip())
    return headers


def _marks_in(text: PlacedText) -> Iterator[MarkedRange]:
    if text.block.kind not in (NodeKind.CODE, NodeKind.FORMULA):
        for mark in text.block.content.marked_within(text.start, text.end):
            yield MarkedRange(text.place(mark.start), text.place(mark.end), mark.marks)


def _leaves_in(text: PlacedText) -> Sequence[Leaf]:
    """A row has all its cells, also those that are empty or cut off: or the cells after them would move.

    No more than what a table can have, though: a row that fills many chunks would be in each of them as a whole.
    """
    leaves = text.block.leaves
    first = bisect_right(leaves, text.start, key=lambda leaf: leaf.end)
    last = bisect_left(leaves, text.end, key=lambda leaf: leaf.start)
    lowest, highest = max(1, first - _WIDEST_ROW), min(len(leaves), last + _WIDEST_ROW)
    while lowest <= first < len(leaves) and _are_of_one_row(leaves[first - 1], leaves[first]):
        first -= 1
    while 0 < last < highest and _are_of_one_row(leaves[last - 1], leaves[last]):
        last += 1
    return leaves[first:last]


def _are_of_one_row(one: Leaf, other: Leaf) -> bool:
    return one.kind is NodeKind.CELL and one.containers[-1] is other.containers[-1]


def _is_blank(text: str, start: int, end: int) -> bool:
    """Looks no further than to the first character that is not: the rest may be long, and is asked for often."""
    return start >= end or _BLANK.fullmatch(text, start, end) is not None


class _NodeWriter:
    """Writes leaves one after the other, each after the containers that are not open yet."""

    def __init__(self, edges: dict[int, tuple[int, int]]) -> None:
        self.nodes: list[Node] = []
        self._edges = edges
        self._open: list[tuple[Container, int]] = []
        """Each with the place of its node."""

    def add(self, leaf: Leaf, text: PlacedText) -> None:
        start, end = text.place(leaf.start), text.place(leaf.end)
        whole = text.block.content.text
        opens, closes = _is_blank(whole, leaf.start, text.start), _is_blank(whole, text.end, leaf.end)
        self._open_containers(leaf, start, opens=opens)
        for _, index in self._open:
            is_last = self._edges[self.nodes[index].number][1] == leaf.number
            self.nodes[index] = self.nodes[index]._replace(end=end, closes=is_last and closes)
        self.nodes.append(Node(leaf.kind, self._innermost, leaf.number, start, end, 0, opens, closes, leaf.language))

    @property
    def _innermost(self) -> int:
        return self._open[-1][1] if self._open else -1

    def _open_containers(self, leaf: Leaf, start: int, *, opens: bool) -> None:
        pairs = zip(self._open, leaf.containers, strict=False)
        shared = next((at for at, ((one, _), other) in enumerate(pairs) if one is not other), len(leaf.containers))
        del self._open[shared:]
        for container in leaf.containers[len(self._open) :]:
            is_first = self._edges[container.number][0] == leaf.number
            node = Node(
                container.kind, self._innermost, container.number, start, start, container.value, is_first and opens
            )
            self._open.append((container, len(self.nodes)))
            self.nodes.append(node)
