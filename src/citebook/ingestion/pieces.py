"""Cuts the blocks of a section into pieces: sentences, list items, rows, whole code blocks and formulas."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from citebook.domain.blocks import Mark
from citebook.domain.book import Role
from citebook.domain.layout import NodeKind
from citebook.domain.units import announces, is_title
from citebook.ingestion.page import TextBlock
from citebook.ingestion.sentence_roles import Headings, with_roles
from citebook.ingestion.spans import Span
from citebook.language.languages import Language

TokenCounter = Callable[[Sequence[str]], list[int]]

LIST_MARKER = re.compile(r"(?:[-*+•]|\d{1,9}[.)])\s+")
_WHOLE_BLOCKS = frozenset({NodeKind.CODE, NodeKind.FORMULA})
_UNBROKEN: frozenset[Mark] = frozenset({"code", "formula"})
_OF_GLOSSARIES = frozenset({Role.TERM, Role.DEFINITION})
_SEPARATOR_TOKENS = 2
_FEW_TOKENS = 8 + _SEPARATOR_TOKENS
_MOST_TOKENS_OF_TITLES = 24
_LABEL = re.compile(r"\w+: ")
_WORD_OF_A_TITLE = 4
"""Letters from which on a word in a title begins with a capital, as “of” and “the” do not."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What is never cut: a sentence, a list item, a code block, a row of a table."""

    block: TextBlock
    start: int
    end: int
    tokens: int
    """With those of what stands between it and the next one."""
    is_whole_block: bool
    """Of code or of a formula."""
    role: Role

    @property
    def text(self) -> str:
        return self.block.content.text[self.start : self.end]

    @property
    def announces(self) -> bool:
        """Whether it belongs to what follows it, as a title does."""
        return announces(self.text, is_one_sentence=self._is_whole_paragraph)

    @property
    def is_bare_title(self) -> bool:
        """Whether it only names something; “Author: Ann”, a command or a sentence without its stop do more."""
        if not self._is_whole_paragraph or not is_title(self.text) or self.role in _OF_GLOSSARIES:
            return False
        if _LABEL.match(self.text) or (" " in self.text and self._has_code):
            return False
        return self.tokens <= _FEW_TOKENS or _is_capitalised(self.text)

    @property
    def _has_code(self) -> bool:
        return any(not _UNBROKEN.isdisjoint(one.marks) for one in self.block.content.marked_ranges())

    @property
    def _is_whole_paragraph(self) -> bool:
        return self.block.kind is NodeKind.PARAGRAPH and self.text == self.block.content.text.strip()


def _is_capitalised(line: str) -> bool:
    words = [word.lstrip("(“\"'") for word in line.split()]
    return all(not word[0].islower() for word in words if len(word) >= _WORD_OF_A_TITLE) and not line.islower()


def are_bare_titles(pieces: Sequence[Piece]) -> bool:
    """Whether a section of these has no text but the names of something; so has one of none."""
    tokens = sum(piece.tokens for piece in pieces)
    return tokens <= _MOST_TOKENS_OF_TITLES and all(piece.is_bare_title for piece in pieces)


def pieces_of(
    headings: Headings, blocks: Sequence[TextBlock], budget: int, count_tokens: TokenCounter, language: Language
) -> list[Piece]:
    """None but code blocks and formulas is longer than the budget."""
    spans = [
        Span(block, start, end)
        for block in blocks
        for start, end in _unbreakable_spans(block, budget, count_tokens, language)
    ]
    sentences = with_roles(spans, headings, language)
    counts = count_tokens([span.text for span, _ in sentences])
    return [
        Piece(*span, tokens + _SEPARATOR_TOKENS, _is_whole(*span), role)
        for (span, role), tokens in zip(sentences, counts, strict=True)
    ]


def _is_whole(block: TextBlock, start: int, end: int) -> bool:
    return block.kind in _WHOLE_BLOCKS and block.content.text[start:end] == block.content.text.strip()


def _unbreakable_spans(
    block: TextBlock, budget: int, count_tokens: TokenCounter, language: Language
) -> Iterator[tuple[int, int]]:
    text = block.content.text
    match block.kind:
        case NodeKind.CODE | NodeKind.FORMULA:
            yield from _stripped(text, 0, len(text))
        case NodeKind.TABLE:
            yield from _short_enough(block, _lines(text), budget, count_tokens, language)
        case NodeKind.LIST:
            items = [_without_marker(text, start, end) for start, end in _lines(text)]
            yield from _short_enough(block, items, budget, count_tokens, language)
        case _:
            yield from _short_enough(block, _sentences(block, 0, len(text), language), budget, count_tokens, language)


def _lines(text: str) -> list[tuple[int, int]]:
    edges = [-1, *(index for index, character in enumerate(text) if character == "\n"), len(text)]
    return [span for before, after in pairwise(edges) for span in _stripped(text, before + 1, after)]


def _without_marker(text: str, start: int, end: int) -> tuple[int, int]:
    marker = LIST_MARKER.match(text, start, end)
    return (marker.end(), end) if marker and marker.end() < end else (start, end)


def _stripped(text: str, start: int, end: int) -> list[tuple[int, int]]:
    part = text[start:end]
    if not part.strip():
        return []
    return [(start + len(part) - len(part.lstrip()), start + len(part.rstrip()))]


def _sentences(block: TextBlock, start: int, end: int, language: Language) -> list[tuple[int, int]]:
    """No sentence ends within code or a formula."""
    unbroken = [
        (max(mark.start - start, 0), min(mark.end, end) - start)
        for mark in block.content.marked_within(start, end)
        if not _UNBROKEN.isdisjoint(mark.marks)
    ]
    spans = language.sentence_spans(block.content.text[start:end], unbroken)
    return [(start + first, start + last) for first, last in spans]


def _short_enough(
    block: TextBlock, spans: list[tuple[int, int]], budget: int, count_tokens: TokenCounter, language: Language
) -> Iterator[tuple[int, int]]:
    """Cuts what is longer than a whole chunk: first into sentences, then between words."""
    text = block.content.text
    # No tokenizer makes more tokens of a text than it has bytes, so that most texts need not be counted here.
    long = [text[start:end] for start, end in spans if len(text[start:end].encode()) >= budget]
    counts = iter(count_tokens(long) if long else ())
    for start, end in spans:
        tokens = next(counts) if len(text[start:end].encode()) >= budget else 0
        if tokens < budget:
            yield start, end
            continue
        sentences = _sentences(block, start, end, language)
        if len(sentences) > 1:
            yield from _short_enough(block, sentences, budget, count_tokens, language)
        else:
            yield from _between_words(text, start, end, pieces=tokens // (budget // 2) + 1)


def _between_words(text: str, start: int, end: int, pieces: int) -> Iterator[tuple[int, int]]:
    size = max(1, (end - start) // pieces)
    while start < end:
        cut = min(start + size, end)
        if cut < end:
            space = text.rfind(" ", start, cut)
            cut = space if space > start else cut
        yield from _stripped(text, start, cut)
        start = cut + 1 if cut < end and text[cut] == " " else cut
