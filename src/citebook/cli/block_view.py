"""Blocks on a terminal: tables as tables, code in colours, formulas as they are."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.syntax import Syntax
from rich.table import Table as Grid
from rich.text import Text

from citebook.domain.blocks import (
    AnswerPart,
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

_STYLES: dict[Mark, str] = {"strong": "bold", "emphasis": "italic", "code": "cyan", "formula": "magenta"}
_MARKER = "bold cyan"


def parts_view(parts: Iterable[AnswerPart]) -> RenderableType:
    """All parts of an answer, each followed by the marker of its source."""
    return _stacked([view for part in parts for view in _part(part)])


def _part(part: AnswerPart) -> list[RenderableType]:
    views = [_block(block) for block in part.blocks]
    if part.citation is not None:
        marker = Text(f"[{part.citation}]", _MARKER)
        if isinstance(views[-1], Text):
            views[-1] = Text.assemble(views[-1], " ", marker)
        else:
            views.append(marker)
    return views


def _stacked(views: Sequence[RenderableType]) -> RenderableType:
    """One below the other, a blank line between two of them."""
    return Group(*(view if not index else Padding(view, (1, 0, 0, 0)) for index, view in enumerate(views)))


def _block(block: Block) -> RenderableType:
    match block:
        case Paragraph(text=text):
            return _text(text)
        case Code(language=language, text=text):
            return Padding(Syntax(text, language or "text", background_color="default", word_wrap=True), (0, 0, 0, 2))
        case Formula(text=text):
            return Padding(Text(text, _STYLES["formula"]), (0, 0, 0, 2))
        case Quotation(blocks=blocks):
            return _Quoted(_stacked([_block(inner) for inner in blocks]))
        case ListBlock():
            return _list(block)
        case Table():
            return _table(block)


def _text(runs: Sequence[Inline]) -> Text:
    return Text.assemble(*((run.text, " ".join(_STYLES[mark] for mark in run.marks)) for run in runs))


def _list(block: ListBlock) -> Grid:
    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column()
    for number, item in enumerate(block.items, start=block.start or 0):
        marker = f"{number}." if block.ordered else "•"
        grid.add_row(marker, Group(*(_block(inner) for inner in item)))
    return grid


def _table(block: Table) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, show_header=bool(block.header), show_edge=False, pad_edge=False)
    for number in range(max(len(row) for row in (block.header, *block.rows))):
        grid.add_column(_text(block.header[number]) if number < len(block.header) else "")
    for row in block.rows:
        grid.add_row(*map(_text, row))
    return grid


class _Quoted:
    """With a bar on its left."""

    def __init__(self, view: RenderableType) -> None:
        self._view = view

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        narrow = options.update(width=max(1, options.max_width - 2))
        for line in console.render_lines(self._view, narrow):
            yield Segment("│ ")
            yield from line
            yield Segment.line()
