"""The units that a chunk is read, embedded and quoted in: paragraphs and blocks with what belongs to them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from citebook.domain.book import Chunk, Role
from citebook.domain.layout import BlockRange, Node, NodeKind

_LONGEST_TITLE = 80
_LONGEST_NAME = 70
_ENDED = (*'.!?:;,…"”', *"。！？：；，｡", *"؟؛۔।॥")
_AFTER_A_NAME = (":", "–", "—", "-")
_NUMBERED = 1
_HEADINGS_SHOWN = 2
_MOST_SHOWN = 900


def is_title(line: str) -> bool:
    """Short, and without an end mark."""
    return len(line) <= _LONGEST_TITLE and not line.endswith(_ENDED)


def announces(paragraph: str, *, is_one_sentence: bool) -> bool:
    """It ends in a colon, or is a title."""
    return paragraph.endswith(":") or (is_one_sentence and is_title(paragraph))


class UnitKind(StrEnum):
    PARAGRAPH = "paragraph"
    LIST = "list"
    STEPS = "steps"
    """A list with numbers."""
    RUN = "run"
    """Paragraphs that each open with a name in bold: a list that is not set as one."""
    TABLE = "table"
    CODE = "code"
    FORMULA = "formula"
    REPLY = "reply"
    """A question of the page with what follows it."""


class Unit(NamedTuple):
    """A stretch of a chunk's sentences that makes sense by itself; the line that announces a block stands in it."""

    kind: UnitKind
    first: int
    last: int
    body: int
    """Its first sentence after the line that announces it; its first one where nothing is announced."""


def units_of(chunk: Chunk) -> tuple[Unit, ...]:
    """Each sentence of the chunk stands in exactly one of them."""
    blocks = _blocks(chunk)
    units: list[Unit] = []
    at = 0
    while at < len(blocks):
        kind, after, announcing = _group(blocks, at)
        body = blocks[at + 1].first if announcing else blocks[at].first
        units.append(Unit(kind, blocks[at].first, blocks[after - 1].last, body))
        at = after
    return tuple(units)


def unit_texts(chunk: Chunk) -> list[str]:
    """What the embedder reads of each unit: the heading path tells it what the words are about."""
    heading = " > ".join(chunk.heading_path)
    return [f"{heading}\n{text_between(chunk, unit.first, unit.last)}" for unit in units_of(chunk)]


def shown_to_examiner(chunk: Chunk, text: str) -> str:
    """What a model that reads question and passage together is shown of a unit: its beginning, under its headings."""
    return f"{' > '.join(chunk.heading_path[-_HEADINGS_SHOWN:])}\n{text}"[:_MOST_SHOWN]


def text_between(chunk: Chunk, first: int, last: int) -> str:
    return chunk.text[chunk.sentences[first].start : chunk.sentences[last].end]


@dataclass(frozen=True, slots=True)
class _Block:
    kind: UnitKind
    first: int
    last: int
    text: str
    opens_with_name: bool
    is_figure: bool = False
    """Whether it has nothing but the words of figures."""

    @property
    def is_paragraph(self) -> bool:
        return self.kind is UnitKind.PARAGRAPH

    @property
    def announces(self) -> bool:
        is_line = self.is_paragraph and not self.is_figure
        return is_line and announces(self.text, is_one_sentence=self.first == self.last)

    @property
    def asks(self) -> bool:
        return self.is_paragraph and self.first == self.last and self.text.endswith("?")

    @property
    def explains_a_formula(self) -> bool:
        """“where v is the speed …”, or one more formula."""
        return self.kind is UnitKind.FORMULA or (self.is_paragraph and self.text[:1].islower())


def _group(blocks: Sequence[_Block], at: int) -> tuple[UnitKind, int, bool]:
    """The kind of the unit that begins here, the block after its last one, and whether its first one announces."""
    block, after = blocks[at], at + 1
    if after == len(blocks) or not block.is_paragraph:
        return block.kind, after, False
    following = blocks[after]
    if block.opens_with_name and following.opens_with_name:
        return UnitKind.RUN, _end_of_run(blocks, at, _is_named), False
    if block.announces and following.opens_with_name:
        return UnitKind.RUN, _end_of_run(blocks, after, _is_named), True
    if following.kind is UnitKind.FORMULA and not block.text.endswith((".", "!", "?")):
        return UnitKind.FORMULA, _end_of_run(blocks, after, _explains), True
    if block.announces and not following.is_paragraph:
        return following.kind, after + 1, True
    if block.announces and not following.announces:
        kind, after, _ = _group(blocks, after)
        return kind, after, True
    if block.asks:
        return UnitKind.REPLY, after + 1, True
    return UnitKind.PARAGRAPH, after, False


def _is_named(block: _Block) -> bool:
    return block.opens_with_name


def _explains(block: _Block) -> bool:
    return block.explains_a_formula


def _end_of_run(blocks: Sequence[_Block], at: int, belongs: Callable[[_Block], bool]) -> int:
    while at < len(blocks) and belongs(blocks[at]):
        at += 1
    return at


def _blocks(chunk: Chunk) -> list[_Block]:
    blocks: list[_Block] = []
    first, count = 0, len(chunk.sentences)
    ranges = _whole_lists(chunk.layout.block_ranges())
    for place, (node, end) in enumerate(ranges):
        is_last = place == len(ranges) - 1
        after = first
        while after < count and (is_last or chunk.sentences[after].start < end):
            after += 1
        if after > first:
            kind = _kind(node)
            text = text_between(chunk, first, after - 1).strip()
            named = kind is UnitKind.PARAGRAPH and _opens_with_name(chunk, first)
            is_figure = all(sentence.role is Role.CAPTION for sentence in chunk.sentences[first:after])
            blocks.append(_Block(kind, first, after - 1, text, named, is_figure))
        first = after
    return blocks or [_Block(UnitKind.PARAGRAPH, 0, count - 1, chunk.text, opens_with_name=False)]


def _whole_lists(ranges: Sequence[BlockRange]) -> list[tuple[Node, int]]:
    """Each block and where it ends; a list takes in the code and the tables that stand in its items."""
    whole: list[tuple[Node, int]] = []
    for block in ranges:
        node = block.outer_list or block.node
        if whole and whole[-1][0] is node:
            whole.pop()
        whole.append((node, block.end))
    return whole


def _kind(node: Node) -> UnitKind:
    match node.kind:
        case NodeKind.LIST:
            return UnitKind.STEPS if node.value == _NUMBERED else UnitKind.LIST
        case NodeKind.TABLE:
            return UnitKind.TABLE
        case NodeKind.CODE:
            return UnitKind.CODE
        case NodeKind.FORMULA:
            return UnitKind.FORMULA
    return UnitKind.PARAGRAPH


def _opens_with_name(chunk: Chunk, sentence: int) -> bool:
    """“**Name**: text”, “**Name.** Text” or “**Name** – text”."""
    start = chunk.sentences[sentence].start
    mark = next((mark for mark in chunk.layout.marks if mark.start == start and "strong" in mark.marks), None)
    if mark is None or mark.end - mark.start > _LONGEST_NAME:
        return False
    name, rest = chunk.text[mark.start : mark.end].strip(), chunk.text[mark.end : mark.end + 2].strip()
    return name.endswith((":", ".")) or rest.startswith(_AFTER_A_NAME)
