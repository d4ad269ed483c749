"""Cuts a page into chunks: whole sentences, within one section, no longer than the embedder reads."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from citebook.domain.blocks import Mark
from citebook.domain.book import DEFAULT_LANGUAGE, Chunk, PagePlace, Role, SectionText, Sentence
from citebook.domain.layout import NodeKind
from citebook.ingestion.page import ParsedPage, Section, TextBlock, paragraph_block
from citebook.ingestion.page_layout import PlacedText, SectionLayout, section_blocks
from citebook.ingestion.sentence_roles import with_roles
from citebook.ingestion.spans import Span
from citebook.language.languages import Language, language_of

TokenCounter = Callable[[Sequence[str]], list[int]]

_WHOLE_BLOCKS = frozenset({NodeKind.CODE, NodeKind.FORMULA})
_UNBROKEN: frozenset[Mark] = frozenset({"code", "formula"})
_BETWEEN_BLOCKS = "\n\n"
_SEPARATOR_TOKENS = 2
_LEAST_FILLED = 0.5
"""Share of a chunk that must be filled for it to end early, between two blocks."""
_OPENING_MARKS = "*_~`["
_CLOSING_MARKS = "*_~`"
_LIST_MARKER = re.compile(r"(?:[-*+•]|\d{1,9}[.)])\s+")


@dataclass(frozen=True, slots=True)
class ChunkingRules:
    """How long chunks are, in the embedder's tokens."""

    target_tokens: int = 512
    overlap: float = 0.2
    max_tokens: int = 512
    """What the embedder reads, heading path and its own marks included."""
    language: str = DEFAULT_LANGUAGE
    """That of the book, which says where its sentences end."""

    def __post_init__(self) -> None:
        if not 16 <= self.target_tokens <= 800:
            raise ValueError("a chunk must have between 16 and 800 tokens")
        if not 0 <= self.overlap <= 0.5:
            raise ValueError("the overlap of chunks must be between 0 and 0.5 of their length")

    def budget(self, heading_tokens: int) -> int:
        """Tokens left for the text itself; a monstrous heading path may take at most half of them."""
        own_marks = 4
        readable = self.max_tokens - min(heading_tokens, self.max_tokens // 2) - own_marks
        return max(16, min(self.target_tokens, readable))


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is never cut: a sentence, a list item, a code block, a table."""

    block: TextBlock
    start: int
    end: int
    tokens: int
    is_whole_block: bool
    role: Role

    @property
    def text(self) -> str:
        return self.block.content.text[self.start : self.end]


def chunk_page(
    page: ParsedPage, place: PagePlace, source: str, rules: ChunkingRules, count_tokens: TokenCounter
) -> tuple[list[Chunk], list[str]]:
    """The page's chunks in order, and warnings about code blocks that are longer than the embedder reads."""
    chunks: list[Chunk] = []
    warnings: list[str] = []
    sentence_number = 0
    language = language_of(rules.language)
    for section in page.sections:
        heading = " > ".join((place.chapter_title, *section.path))
        budget = rules.budget(count_tokens([heading])[0])
        blocks = _blocks(section)
        units = _units(section.path, blocks, budget, count_tokens, language)
        if any(unit.is_whole_block and unit.tokens > budget for unit in units):
            warnings.append("a code block is longer than a chunk")
        cutter = _SectionCutter(section, place, source, SectionLayout(blocks))
        section_text = SectionText(level=section.level, blocks=section_blocks(section))
        for first, last in _windows(units, budget, rules.overlap):
            chunk = cutter.chunk(units[first:last], len(chunks), sentence_number + first)
            chunks.append(chunk if first else chunk.model_copy(update={"section_text": section_text}))
        sentence_number += len(units)
    return list(_linked(chunks)), warnings


def _linked(chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    """Each with the ids of those before and behind it."""
    ids = [None, *(chunk.id for chunk in chunks), None]
    for place, chunk in enumerate(chunks):
        yield chunk.model_copy(update={"before": ids[place], "after": ids[place + 2]})


def _blocks(section: Section) -> tuple[TextBlock, ...]:
    """A section without text is found by its heading."""
    if not section.blocks and section.heading is not None:
        return (paragraph_block(section.heading, number=0),)
    return section.blocks


def _units(
    titles: Sequence[str], blocks: Sequence[TextBlock], budget: int, count_tokens: TokenCounter, language: Language
) -> list[_Unit]:
    spans = [
        Span(block, start, end)
        for block in blocks
        for start, end in _unbreakable_spans(block, budget, count_tokens, language)
    ]
    sentences = with_roles(spans, titles, language)
    counts = count_tokens([span.text for span, _ in sentences])
    return [
        _Unit(*span, tokens + _SEPARATOR_TOKENS, _is_whole(*span), role)
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
    marker = _LIST_MARKER.match(text, start, end)
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
        for mark in block.content.marked_ranges()
        if mark.start < end and mark.end > start and not _UNBROKEN.isdisjoint(mark.marks)
    ]
    spans = language.sentence_spans(block.content.text[start:end], unbroken)
    return [(start + first, start + last) for first, last in spans]


def _short_enough(
    block: TextBlock, spans: list[tuple[int, int]], budget: int, count_tokens: TokenCounter, language: Language
) -> Iterator[tuple[int, int]]:
    """Cuts what is longer than a whole chunk: first into sentences, then between words."""
    text = block.content.text
    counts = count_tokens([text[start:end] for start, end in spans])
    for (start, end), tokens in zip(spans, counts, strict=True):
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


def _windows(units: Sequence[_Unit], budget: int, overlap: float) -> Iterator[tuple[int, int]]:
    """Ranges of units that fill the budget; each begins with the last `overlap` of the one before."""
    tokens = [unit.tokens for unit in units]
    first = 0
    while first < len(tokens):
        last, size = first, 0
        while last < len(tokens) and (last == first or size + tokens[last] <= budget):
            size += tokens[last]
            last += 1
        if last == len(tokens) and first > 0:
            first = _reach_back(tokens, first, size, budget)
        elif last < len(tokens):
            last = _between_blocks(units, first, last, budget)
        yield first, last
        if last == len(tokens):
            return
        first = _overlap_start(tokens, first, last, int(budget * overlap))


def _between_blocks(units: Sequence[_Unit], first: int, last: int, budget: int) -> int:
    """The last place that tears no block apart, nor a block from the line that announces it, if much comes before it.

    A block that would not fit into a chunk of its own may be cut anywhere.
    """
    cut, left = last, sum(unit.tokens for unit in units[first:last])
    while cut > first and units[cut - 1].block is units[last].block:
        cut -= 1
        left -= units[cut].tokens
    if cut > first and units[cut - 1].text.endswith(":"):
        cut -= 1
        left -= units[cut].tokens
    return cut if left >= budget * _LEAST_FILLED else last


def _overlap_start(tokens: Sequence[int], first: int, last: int, allowance: int) -> int:
    start = last
    while start - 1 > first and tokens[start - 1] <= allowance:
        start -= 1
        allowance -= tokens[start]
    return start


def _reach_back(tokens: Sequence[int], first: int, size: int, budget: int) -> int:
    """A last chunk that came out small takes sentences from before it until it has half the length."""
    while first > 0 and size < budget // 2 and size + tokens[first - 1] <= budget:
        first -= 1
        size += tokens[first]
    return first


class _SectionCutter:
    """Makes the chunks of one section."""

    def __init__(self, section: Section, place: PagePlace, source: str, layout: SectionLayout) -> None:
        self._section, self._place, self._source, self._layout = section, place, source, layout

    def chunk(self, units: Sequence[_Unit], index: int, sentence_number: int) -> Chunk:
        section, place = self._section, self._place
        text, sentences, placed = self._joined(units)
        name = section.anchor or place.chapter_id
        start = min(sentence.source_start for sentence in sentences)
        end = max(sentence.source_end for sentence in sentences)
        pages = [unit.block.page_number for unit in units if unit.block.page_number is not None]
        return Chunk(
            id=Chunk.hash_of(place.chapter_id, name, index, text),
            text=text,
            place=place,
            section=name,
            section_title=section.title or place.chapter_title,
            section_path=section.path,
            anchor=section.anchor,
            chunk_index=index,
            start=start,
            end=end,
            source_text=self._source[start:end],
            sentences=sentences,
            layout=self._layout.of(placed),
            sentence_start=sentence_number,
            sentence_end=sentence_number + len(units) - 1,
            page_start=min(pages, default=None),
            page_end=max(pages, default=None),
        )

    def _joined(self, units: Sequence[_Unit]) -> tuple[str, tuple[Sentence, ...], list[PlacedText]]:
        parts: list[str] = []
        sentences: list[Sentence] = []
        placed: list[PlacedText] = []
        length = 0
        for unit in units:
            goes_on = bool(placed) and placed[-1].block is unit.block
            if placed:
                between = unit.block.content.text[placed[-1].end : unit.start]
                parts.append(between if goes_on else _BETWEEN_BLOCKS + _opening(unit))
                length += len(parts[-1])
            if goes_on:
                placed[-1] = placed[-1]._replace(end=unit.end)
            else:
                placed.append(PlacedText(unit.block, unit.start, unit.end, length))
            parts.append(unit.text)
            sentences.append(self._sentence(unit, length))
            length += len(unit.text)
        return "".join(parts), tuple(sentences), placed

    def _sentence(self, unit: _Unit, start: int) -> Sentence:
        source_range = unit.block.content.source_range(unit.start, unit.end)
        source_start, source_end = _with_marks(self._source, *source_range)
        return Sentence(
            start=start,
            end=start + len(unit.text),
            source_start=source_start,
            source_end=source_end,
            whole_block=unit.is_whole_block,
            role=unit.role,
        )


def _opening(unit: _Unit) -> str:
    """The marker of a list's first item, which belongs to no sentence."""
    opening = unit.block.content.text[: unit.start]
    return opening if _LIST_MARKER.fullmatch(opening) else ""


def _with_marks(source: str, start: int, end: int) -> tuple[int, int]:
    """Takes in the marks of emphasis, code and links that touch a sentence, so that no pair of them is torn."""
    while start > 0 and source[start - 1] in _OPENING_MARKS:
        start -= 1
    while end < len(source) and (source[end] in _CLOSING_MARKS or source.startswith("](", end)):
        closing = source.find(")", end) if source[end] == "]" else end
        if closing < 0 or "\n" in source[end:closing]:
            break
        end = closing + 1
    return start, end
