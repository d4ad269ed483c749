"""Entries of a glossary: the term, and what is said of it."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from citebook.domain.book import Role
from citebook.domain.layout import NodeKind
from citebook.ingestion.spans import Span

_BETWEEN = re.compile(r"\s*(?:\s:|:\s|\s[-–—]\s|\s=\s)\s*")
_LONGEST_TERM = 80
_STOPS = (".", "!", "?", ":", ";")
_END_OF_LIST = re.compile(r"\s*\^$")
"""What kramdown has behind a definition, so that the next one does not go on with its list."""
_ENTRIES = frozenset({NodeKind.PARAGRAPH, NodeKind.LIST})


def glossary_entries(spans: Sequence[Span]) -> Iterator[tuple[Span, Role]]:
    """The sentences of a glossary with their roles; where a sentence opens with its term, that is told apart."""
    has_term = False
    for _, group in groupby(spans, key=lambda span: id(span.block)):
        block = list(group)
        if _is_term(block):
            yield block[0], Role.TERM
            has_term = True
            continue
        for span in block:
            entry = _term_and_text(span) if span.block.kind is NodeKind.LIST or span is block[0] else [span]
            if len(entry) > 1:
                yield entry[0], Role.TERM
                has_term = True
            yield entry[-1], Role.DEFINITION if has_term or span.block.kind is NodeKind.TABLE else Role.TEXT
        has_term = False


def _is_term(block: Sequence[Span]) -> bool:
    """Whether a paragraph is a term alone, with its definition in the next."""
    text = block[0].text
    return (
        len(block) == 1
        and block[0].block.kind is NodeKind.PARAGRAPH
        and len(text) <= _LONGEST_TERM
        and not text.endswith(_STOPS)
        and not _BETWEEN.search(text)
    )


def _term_and_text(span: Span) -> list[Span]:
    """Two spans, or one where they cannot be told apart."""
    if span.block.kind not in _ENTRIES:
        return [span]
    length = len(_END_OF_LIST.sub("", span.text))
    between = _BETWEEN.search(span.text, 0, length)
    whole = span._replace(end=span.start + length)
    if between is None or not 0 < between.start() <= _LONGEST_TERM or between.end() >= length:
        return [whole]
    return [whole._replace(end=span.start + between.start()), whole._replace(start=span.start + between.end())]
