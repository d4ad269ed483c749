"""Reads a plain text: paragraphs between blank lines, and a title where the first of them looks like one."""

import re
from collections.abc import Iterator

from citebook.ingestion.mapped_text import MappedText, fold_spaces
from citebook.ingestion.page import ParsedPage, Section, paragraph_block
from citebook.ingestion.source_text import SourceText

_BREAK = re.compile(r"^[^\S\n]*(?:([=\-_*~#])\1{2,}[^\S\n]*)?$", re.MULTILINE)
"""A blank line, or one that is drawn."""
_LIST_ITEM = re.compile(r"^[^\S\n]*(?:[-*•–]|\(?\d{1,3}[.)])[^\S\n]", re.MULTILINE)
_LONGEST_TITLE = 80


def parse_plain_text(source: str) -> ParsedPage:
    """No character of it is markup: what looks like a tag or a heading of Markdown is text."""
    page = SourceText(source)
    paragraphs = [_mapped(page, start, end) for start, end in _paragraphs(page.text)]
    paragraphs = [content for content in paragraphs if content.text]
    heading = paragraphs.pop(0) if len(paragraphs) > 1 and _is_title(paragraphs[0].text) else None
    blocks = tuple(paragraph_block(content, number) for number, content in enumerate(paragraphs, start=1))
    title = heading.text if heading else None
    section = Section(title or "", "", 1 if title else 0, (title,) if title else (), heading, blocks)
    return ParsedPage(title, {}, (section,) if blocks else ())


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Where they stand: they end at a break, and an item of a list begins one."""
    breaks = [(match.start(), match.end()) for match in _BREAK.finditer(text)]
    breaks += [(match.start(), match.start()) for match in _LIST_ITEM.finditer(text)]
    start = 0
    for end, following in sorted(breaks):
        yield start, end
        start = following
    yield start, len(text)


def _mapped(page: SourceText, start: int, end: int) -> MappedText:
    return MappedText(fold_spaces(page.runs(page.text[start:end], start, end)))


def _is_title(text: str) -> bool:
    return len(text) <= _LONGEST_TITLE and text[-1] not in ".,;:!?" and not _LIST_ITEM.match(text)
