"""The words of an answer: proven claims with their sources, or a refusal, and what of the book comes near."""

from collections.abc import Callable, Collection, Iterable

from citebook.domain.answer import MAX_ANSWER_CHARACTERS, NearPlace, ProvenClaim, Suggestion
from citebook.domain.blocks import Block, ListBlock, Paragraph
from citebook.domain.evidence import QueryResult, RetrievedChunk
from citebook.domain.units import UnitKind, text_between, units_of
from citebook.language.languages import Language
from citebook.language.text import cut_at_word
from citebook.writing.emphasis import without_emphasis
from citebook.writing.inline_markdown import markdown_of_text
from citebook.writing.markdown import markdown_of

_SUGGESTIONS = 3
_LONGEST_TITLE = 200
_LONGEST_SNIPPET = 160
_IN_WORDS = frozenset({UnitKind.PARAGRAPH, UnitKind.REPLY, UnitKind.LIST, UnitKind.STEPS, UnitKind.RUN})
_NEAR_ENOUGH = 0.1
"""How far above questions about other things: of 24 such questions none reaches it, of 378 others 374 do."""

MarkSource = Callable[[ProvenClaim], str]
"""How a claim names its source."""


def numbered(claim: ProvenClaim) -> str:
    return f"[{claim.citation}]"


class AnswerText:
    """The text of an answer as it grows, as Markdown: what is added is never changed again."""

    def __init__(self, mark: MarkSource = numbered, *, introduction: str | None = None) -> None:
        """An introduction is told with the first claim."""
        self.text = ""
        self._mark = mark
        self._opening = f"{markdown_of_text(introduction)}\n\n" if introduction else ""
        self._ends_in_prose = False
        self._is_full = False

    def add(self, claim: ProvenClaim) -> str:
        """What the claim adds; nothing where the answer is as long as may be."""
        is_prose = _is_prose(claim)
        between = self._opening if not self.text else " " if is_prose and self._ends_in_prose else "\n\n"
        piece = between + _marked(claim, self._mark(claim))
        if self._is_full or len(self.text) + len(piece) > MAX_ANSWER_CHARACTERS:
            self._is_full = True
            return ""
        self.text += piece
        self._ends_in_prose = is_prose
        return piece


def _is_prose(claim: ProvenClaim) -> bool:
    return len(claim.blocks) == 1 and isinstance(claim.blocks[0], Paragraph)


def _marked(claim: ProvenClaim, mark: str) -> str:
    """Behind the last line of prose or of a list; code, tables and formulas would take it for their own."""
    written = markdown_of(without_emphasis(claim.blocks))
    if not mark:
        return written
    return f"{written} {mark}" if _ends_in_words(claim.blocks[-1]) else f"{written}\n\n{mark}"


def _ends_in_words(block: Block) -> bool:
    """Whether its last line is text of its own: a fence with a marker behind it would not end."""
    return _ends_in_words(block.items[-1][-1]) if isinstance(block, ListBlock) else isinstance(block, Paragraph)


def markdown_of_claims(
    claims: Iterable[ProvenClaim], mark: MarkSource = numbered, introduction: str | None = None
) -> str:
    text = AnswerText(mark, introduction=introduction)
    for claim in claims:
        text.add(claim)
    return text.text


def plain_text_of(claims: Iterable[ProvenClaim], introduction: str | None = None) -> str:
    """Without any markup or marker; nothing where there are no claims."""
    text, ends_in_prose = "", False
    opening = f"{introduction}\n\n" if introduction else ""
    for claim in claims:
        is_prose = _is_prose(claim)
        between = opening if not text else " " if is_prose and ends_in_prose else "\n\n"
        words = _first_marker(claim) + claim.text
        said = f"{claim.heading}\n{words}" if claim.heading else words
        text, ends_in_prose = text + between + said, is_prose
    return text


def _first_marker(claim: ProvenClaim) -> str:
    """Of a claim that opens with a list: what is quoted begins behind it, and holds those of the other items."""
    first = next(iter(claim.quoted), None)
    if not isinstance(first, ListBlock) or len(first.items) == 1:
        return ""
    return f"{first.start or 0}. " if first.ordered else "- "


def suggest(evidence: QueryResult, shown: Collection[str] = ()) -> tuple[Suggestion, ...]:
    """The nearest parts of the book, at most one of each chapter; none that are near to just any question.

    Without those whose addresses are `shown` already.
    """
    suggestions: dict[str, Suggestion] = {}
    for found in evidence.retrieved_chunks:
        is_near = evidence.lexical_only or evidence.above_strangers(found) >= _NEAR_ENOUGH
        if is_near and found.chunk.url not in shown:
            suggestions.setdefault(found.chunk.place.chapter_id, _suggestion(found))
    return tuple(suggestions.values())[:_SUGGESTIONS]


def _suggestion(found: RetrievedChunk) -> Suggestion:
    chunk = found.chunk
    title = chunk.section_title
    if title != chunk.place.chapter_title:
        title = f"{chunk.place.chapter_title}: {title}"
    passage = _nearest_passage(found)
    return Suggestion(
        title=cut_at_word(title, _LONGEST_TITLE),
        url=chunk.url,
        snippet=_snippet(passage),
        place=_place(found, passage),
    )


def _place(found: RetrievedChunk, passage: str) -> NearPlace:
    chunk = found.chunk
    return NearPlace(
        chunk_id=chunk.id,
        chapter_id=chunk.place.chapter_id,
        chapter_title=chunk.place.chapter_title,
        section=chunk.section,
        section_title=chunk.section_title,
        filename=chunk.place.filename,
        url=chunk.url,
        page=chunk.page_start,
        excerpt=passage or chunk.text,
        relevance_score=found.score,
    )


def _nearest_passage(found: RetrievedChunk) -> str:
    """The paragraph or list that is most like the question, to the letter; the section's title is none."""
    units = units_of(found.chunk)
    likeness = found.unit_cosines if len(found.unit_cosines) == len(units) else [0.0] * len(units)
    texts = [text_between(found.chunk, unit.first, unit.last) for unit in units]
    told = [
        (alike, text)
        for alike, text, unit in zip(likeness, texts, units, strict=True)
        if unit.kind in _IN_WORDS and text != found.chunk.section_title
    ]
    return max(told, key=lambda one: one[0])[1] if told else ""


def _snippet(passage: str) -> str:
    """How it begins; without the dash of a list item that is cut off."""
    text = " ".join(passage.split())
    if len(text) <= _LONGEST_SNIPPET:
        return text
    return f"{cut_at_word(text, _LONGEST_SNIPPET).rstrip(' -*•')} …"


def refuse(language: Language, book_title: str | None = None) -> str:
    """As Markdown; by name where the book's title is given. What comes near is told once, beside it."""
    replies = language.conversation.replies
    title = markdown_of_text(book_title) if book_title else None
    return replies.not_covered_in.format(title=title) if title else replies.not_covered
