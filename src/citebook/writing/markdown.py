"""Writes blocks as Markdown: fences, pipe tables, lists, and no text of the book that means more than it says."""

import re
from collections.abc import Iterator, Sequence

from citebook.domain.blocks import Block, Code, Formula, Inline, ListBlock, Paragraph, Quotation, Table
from citebook.writing.inline_markdown import (
    fits_between_dollars,
    inert_tex,
    longest_backticks,
    markdown_of_line,
    markdown_of_runs,
)

_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_BLANK_LINES = re.compile(r"\n\s*\n")


def markdown_of(blocks: Sequence[Block]) -> str:
    return _joined(blocks, "\n\n")


def _joined(blocks: Sequence[Block], before_list: str) -> str:
    """Blocks one after the other; between a paragraph and a list stands `before_list`, if that can begin one."""
    text = ""
    for before, block in zip((None, *blocks), blocks, strict=False):
        follows_list = isinstance(before, ListBlock) and isinstance(block, ListBlock)
        written = _list(block, other=follows_list) if isinstance(block, ListBlock) else _block(block)
        if not written:
            continue
        is_tight = isinstance(before, Paragraph) and isinstance(block, ListBlock) and block.start in (None, 1)
        text += (before_list if is_tight else "\n\n") + written if text else written
    return text


def _block(block: Block) -> str:
    match block:
        case Paragraph(text=text):
            return markdown_of_line(text)
        case Code(language=language, text=text):
            return _fenced(text, language)
        case Formula(text=text):
            return _display_formula(text)
        case Table():
            return _table(block)
        case Quotation(blocks=blocks):
            return "\n".join(f"> {line}".rstrip() for line in markdown_of(blocks).split("\n"))
        case ListBlock():
            return _list(block, other=False)


def _fenced(text: str, language: str) -> str:
    fence = "`" * max(3, longest_backticks(text) + 1)
    name = language if _LANGUAGE.fullmatch(language) else ""
    return f"{fence}{name}\n{text}\n{fence}"


def _display_formula(tex: str) -> str:
    """As code where dollars could not hold it."""
    if not fits_between_dollars(tex):
        return _fenced(tex, "tex")
    lines = _BLANK_LINES.sub("\n", inert_tex(tex).strip())
    return f"$$\n{lines}\n$$"


def _table(table: Table) -> str:
    """Markdown knows no table without a header: one that has none gets an empty one."""
    rows = [[_cell(cell) for cell in row] for row in (table.header, *table.rows)]
    width = max(1, *map(len, rows))
    lines = [[*row, *[""] * (width - len(row))] for row in rows]
    lines.insert(1, ["---"] * width)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(runs: Sequence[Inline]) -> str:
    return markdown_of_runs(runs).replace("|", r"\|")


def _list(block: ListBlock, *, other: bool) -> str:
    """With `other` markers it is another list than the one that ends right above it."""
    items = [
        _hanging(marker, _joined(item, before_list="\n"))
        for marker, item in zip(_markers(block, other=other), block.items, strict=False)
    ]
    is_loose = any(len(item) > 1 and not isinstance(item[1], ListBlock) for item in block.items)
    return ("\n\n" if is_loose else "\n").join(items)


def _markers(block: ListBlock, *, other: bool) -> Iterator[str]:
    for number in range(len(block.items)):
        if block.ordered:
            yield f"{(block.start or 0) + number}{')' if other else '.'} "
        else:
            yield "* " if other else "- "


def _hanging(marker: str, text: str) -> str:
    """The marker, and the text with all its lines right of it."""
    indent = "\n" + " " * len(marker)
    return marker + re.sub(r"\n(?!\n|$)", indent, text)
