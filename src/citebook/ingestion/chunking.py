"""Cuts a page into chunks: whole sentences, within one section, no longer than the embedder reads."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citebook.domain.book import DEFAULT_LANGUAGE, Chunk, PagePlace, SectionText, Sentence
from citebook.ingestion.page import ParsedPage, Section, paragraph_block
from citebook.ingestion.page_layout import PlacedText, SectionLayout, section_blocks
from citebook.ingestion.pieces import LIST_MARKER, Piece, TokenCounter, are_bare_titles, pieces_of
from citebook.ingestion.sentence_roles import Headings
from citebook.ingestion.windows import windows
from citebook.language.headings import plain_heading
from citebook.language.languages import language_of

_BETWEEN_BLOCKS = "\n\n"
_OPENING_MARKS = "*_~`["
_CLOSING = re.compile(r"[*_~`]+|\]\([^)\n]{0,2000}\)")
"""The address of a link has its end within a line, and a bound: it is looked for behind many sentences."""


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


def chunk_page(
    page: ParsedPage, place: PagePlace, source: str, rules: ChunkingRules, count_tokens: TokenCounter
) -> tuple[list[Chunk], list[str]]:
    """The page's chunks in order, and warnings about code blocks that are longer than the embedder reads."""
    headings = frozenset(plain_heading(section.title) for section in page.sections if section.title)
    cutter = _PageCutter(place, headings, source, rules, count_tokens)
    for section in page.sections:
        cutter.add(section)
    cutter.end()
    return list(_linked(cutter.chunks)), cutter.warnings


def _linked(chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    """Each with the ids of those before and behind it."""
    ids = [None, *(chunk.id for chunk in chunks), None]
    for place, chunk in enumerate(chunks):
        yield chunk.model_copy(update={"before": ids[place], "after": ids[place + 2]})


class _PageCutter:
    """Makes the chunks of a page, section by section.

    A section of nothing but a heading or a title makes none: its heading is in the path of what it heads, and the
    section is read with the chunk that follows it.
    """

    def __init__(
        self,
        place: PagePlace,
        headings: frozenset[str],
        source: str,
        rules: ChunkingRules,
        count_tokens: TokenCounter,
    ) -> None:
        self.chunks: list[Chunk] = []
        self.warnings: list[str] = []
        self._place, self._source, self._rules, self._count_tokens = place, source, rules, count_tokens
        self._headings = headings
        self._language = language_of(rules.language)
        self._sentence_number = 0
        self._waiting: list[Section] = []
        """Those that are to be read with the next chunk."""

    def add(self, section: Section) -> None:
        budget, pieces = self._pieces(section)
        if pieces or (section.heading is not None and section.heading.text.strip()):
            self._waiting.append(section)
        if not are_bare_titles(pieces):
            self._cut(section, pieces, budget)

    def end(self) -> None:
        """What waits is read with the last chunk; a page of nothing but titles is found by all of them."""
        if self._waiting and not self.chunks:
            titles = _of_titles(self._waiting)
            budget, pieces = self._pieces(titles)
            self._cut(titles, pieces, budget)
        elif self._waiting:
            texts = (*self.chunks[-1].section_texts, *self._section_texts())
            self.chunks[-1] = self.chunks[-1].model_copy(update={"section_texts": texts})

    def _pieces(self, section: Section) -> tuple[int, list[Piece]]:
        """With the budget that they were cut for."""
        heading = " > ".join((self._place.chapter_title, *section.path))
        budget = self._rules.budget(self._count_tokens([heading])[0])
        return budget, pieces_of(
            Headings(section.path, self._headings), section.blocks, budget, self._count_tokens, self._language
        )

    def _cut(self, section: Section, pieces: Sequence[Piece], budget: int) -> None:
        if any(piece.is_whole_block and piece.tokens > budget for piece in pieces):
            self.warnings.append("a code block is longer than a chunk")
        cutter = _SectionCutter(section, self._place, self._source, SectionLayout(section.blocks))
        for first, last in windows(pieces, budget, self._rules.overlap):
            chunk = cutter.chunk(pieces[first:last], len(self.chunks), self._sentence_number + first)
            self.chunks.append(chunk.model_copy(update={"section_texts": self._section_texts()}))
        self._sentence_number += len(pieces)

    def _section_texts(self) -> tuple[SectionText, ...]:
        """Of all that wait; they wait no more."""
        waiting, self._waiting = self._waiting, []
        return tuple(self._section_text(section) for section in waiting)

    def _section_text(self, section: Section) -> SectionText:
        return SectionText(
            id=section.anchor or self._place.chapter_id,
            title=section.title or self._place.chapter_title,
            level=section.level,
            depth=max(0, len(section.path) - 1),
            blocks=section_blocks(section),
        )


def _of_titles(sections: Sequence[Section]) -> Section:
    """The first of them, with all that they say as its text; a lone one that has text is not told its own heading."""
    if len(sections) == 1 and sections[0].blocks:
        return sections[0]
    told = [
        (content, page_number)
        for section in sections
        for content, page_number in (
            (section.heading, None),
            *((one.content, one.page_number) for one in section.blocks),
        )
        if content is not None
    ]
    blocks = (paragraph_block(content, number, page_number) for number, (content, page_number) in enumerate(told))
    return replace(sections[0], blocks=tuple(blocks))


class _SectionCutter:
    """Makes the chunks of one section."""

    def __init__(self, section: Section, place: PagePlace, source: str, layout: SectionLayout) -> None:
        self._section, self._place, self._source, self._layout = section, place, source, layout

    def chunk(self, pieces: Sequence[Piece], index: int, sentence_number: int) -> Chunk:
        section, place = self._section, self._place
        text, sentences, placed = self._joined(pieces)
        name = section.anchor or place.chapter_id
        start = min(sentence.source_start for sentence in sentences)
        end = max(sentence.source_end for sentence in sentences)
        pages = [piece.block.page_number for piece in pieces if piece.block.page_number is not None]
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
            sentence_end=sentence_number + len(pieces) - 1,
            page_start=min(pages, default=None),
            page_end=max(pages, default=None),
        )

    def _joined(self, pieces: Sequence[Piece]) -> tuple[str, tuple[Sentence, ...], list[PlacedText]]:
        parts: list[str] = []
        sentences: list[Sentence] = []
        placed: list[PlacedText] = []
        length = 0
        for piece in pieces:
            goes_on = bool(placed) and placed[-1].block is piece.block
            if placed:
                between = piece.block.content.text[placed[-1].end : piece.start]
                parts.append(between if goes_on else _BETWEEN_BLOCKS + _opening(piece))
                length += len(parts[-1])
            if goes_on:
                placed[-1] = placed[-1]._replace(end=piece.end)
            else:
                placed.append(PlacedText(piece.block, piece.start, piece.end, length))
            parts.append(piece.text)
            sentences.append(self._sentence(piece, length))
            length += len(piece.text)
        return "".join(parts), tuple(sentences), placed

    def _sentence(self, piece: Piece, start: int) -> Sentence:
        source_range = piece.block.content.source_range(piece.start, piece.end)
        source_start, source_end = _with_marks(self._source, *source_range)
        return Sentence(
            start=start,
            end=start + len(piece.text),
            source_start=source_start,
            source_end=source_end,
            whole_block=piece.is_whole_block,
            role=piece.role,
        )


def _opening(piece: Piece) -> str:
    """The marker of a list's first item, which belongs to no sentence."""
    opening = piece.block.content.text[: piece.start]
    return opening if LIST_MARKER.fullmatch(opening) else ""


def _with_marks(source: str, start: int, end: int) -> tuple[int, int]:
    """Takes in the marks of emphasis, code and links that touch a sentence, so that no pair of them is torn."""
    while start > 0 and source[start - 1] in _OPENING_MARKS:
        start -= 1
    while closing := _CLOSING.match(source, end):
        end = closing.end()
    return start, end
