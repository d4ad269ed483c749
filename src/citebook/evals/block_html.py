"""Blocks as HTML: everything that comes from a book is escaped, and formulas stay TeX."""

from collections.abc import Iterable, Sequence
from html import escape

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

_TAGS: dict[Mark, str] = {"strong": "strong", "emphasis": "em", "code": "code", "formula": "var"}


def parts_html(parts: Iterable[AnswerPart]) -> str:
    """All parts of an answer, each followed by the marker of its source."""
    return "".join(map(_part, parts))


def _part(part: AnswerPart) -> str:
    blocks = _blocks(part.blocks)
    if part.citation is None:
        return blocks
    marker = f'<span class="marker">[{part.citation}]</span>'
    if blocks.endswith("</p>"):
        return f"{blocks.removesuffix('</p>')} {marker}</p>"
    return f"{blocks}<p>{marker}</p>"


def _blocks(blocks: Iterable[Block]) -> str:
    return "".join(map(_block, blocks))


def _block(block: Block) -> str:
    match block:
        case Paragraph(text=text):
            return f"<p>{_text(text)}</p>"
        case Code(text=text):
            return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'
        case Formula(text=text):
            return f'<pre tabindex="0"><var>{escape(text)}</var></pre>'
        case Quotation(blocks=blocks):
            return f"<blockquote>{_blocks(blocks)}</blockquote>"
        case ListBlock():
            return _list(block)
        case Table():
            return _table(block)


def _text(runs: Sequence[Inline]) -> str:
    return "".join(map(_run, runs))


def _run(run: Inline) -> str:
    text = escape(run.text)
    for mark in run.marks:
        text = f"<{_TAGS[mark]}>{text}</{_TAGS[mark]}>"
    return text


def _list(block: ListBlock) -> str:
    items = "".join(f"<li>{_blocks(item)}</li>" for item in block.items)
    if not block.ordered:
        return f"<ul>{items}</ul>"
    return f'<ol start="{1 if block.start is None else block.start}">{items}</ol>'


def _table(block: Table) -> str:
    head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in block.header)
    rows = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in block.rows)
    header = f"<thead><tr>{head}</tr></thead>" if head else ""
    return (
        '<div class="scroll" role="region" aria-label="Table" tabindex="0">'
        f'<table class="words">{header}<tbody>{rows}</tbody></table></div>'
    )
