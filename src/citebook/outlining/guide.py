"""Answers questions about the book itself."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from citebook.domain.answer import Claim
from citebook.domain.book import Chunk, Role
from citebook.domain.evidence import QueryResult, RetrievedChunk
from citebook.domain.outline import Outline, Place
from citebook.domain.question import Filters
from citebook.domain.units import units_of
from citebook.language.languages import Language
from citebook.outlining.asking import AboutBook, BookQuestion, Where
from citebook.outlining.composing import Composed, Composer
from citebook.outlining.finding import find_sections
from citebook.outlining.structure import BookStructure
from citebook.pacing.workers import Workers
from citebook.ports import ChunkIndex

Search = Callable[[str], Awaitable[QueryResult]]
"""Finds passages on a topic."""

_NAMED = 0.9
"""How sure an answer is that the outline itself gives: what was asked for is there by name or number."""
_MOST_OF_WHERE = 5
_ENOUGH_TO_SAY = 300
"""Characters that what comes first is to have."""


@dataclass(frozen=True, slots=True)
class Guided:
    """An answer before it is proven."""

    introduction: str
    claims: list[Claim]
    evidence: QueryResult
    certainty: float


class BookGuide:
    def __init__(self, index: ChunkIndex, workers: Workers) -> None:
        self._index, self._workers = index, workers

    async def answer(
        self, asked: BookQuestion, language: Language, most: int, search: Search, scope: Filters
    ) -> Guided | None:
        """At most so many claims; None where neither the outline nor the search tells.

        `scope` is all that `search` looks at: what is then asked of the book is meant of its part.
        """
        if isinstance(asked, Where):
            return await self._where(asked, language, most, await search(asked.topic))
        outline = await self._index.outline()
        composed = await self._workers.run(_compose, outline, asked, language, scope)
        return None if composed is None else await self._quoted(outline.edition, composed, language, most)

    async def _where(self, asked: Where, language: Language, most: int, evidence: QueryResult) -> Guided | None:
        most = min(most, _MOST_OF_WHERE)
        found = await self._workers.run(find_sections, asked.topic, evidence, language, most)
        if found is None:
            return None
        return Guided(language.guiding.words.where, found.claims, evidence, _NAMED * found.covered)

    async def _quoted(self, edition: str, composed: Composed, language: Language, most: int) -> Guided | None:
        places = composed.places[:most]
        keys = list(dict.fromkeys(Chunk.key_of(place.chunk_id) for place in places))
        chunks = [found.chunk for found in (await self._index.chunks(edition, keys)).values()]
        by_id = {chunk.id: chunk for chunk in chunks}
        found = [(by_id[place.chunk_id], place) for place in places if place.chunk_id in by_id]
        grown = [(chunk, _grown(chunk, place) if not at else place) for at, (chunk, place) in enumerate(found)]
        claims = _claims([(chunk, whole) for chunk, place in grown if (whole := _with_announced(chunk, place))])
        if not claims:
            return None
        return Guided(composed.introduction, claims, _evidence(edition, chunks, language), _NAMED)


def _compose(outline: Outline, asked: BookQuestion, language: Language, scope: Filters) -> Composed | None:
    composer = Composer(BookStructure(outline, language), language)
    if scope.is_empty:
        return composer.compose(asked)
    asks_of_all = isinstance(asked, AboutBook)
    return composer.of_page(scope.chapter_id) if asks_of_all and scope.chapter_id is not None else None


def _grown(chunk: Chunk, place: Place) -> Place:
    """With what goes on from it, where it is too short to say much."""
    last, sentences = place.last, chunk.sentences
    while last + 1 < len(sentences) and sentences[last].end - sentences[place.first].start < _ENOUGH_TO_SAY:
        following = sentences[last + 1]
        if following.role is not Role.TEXT or following.whole_block:
            break
        last += 1
    return Place(place.chunk_id, place.first, last)


def _with_announced(chunk: Chunk, place: Place) -> Place | None:
    """With the list that its last line announces; None where nothing but that line is there."""
    if not chunk.quote(chunk.sentences[place.last]).endswith(":"):
        return place
    unit = next(unit for unit in units_of(chunk) if unit.first <= place.last <= unit.last)
    if unit.last > place.last:
        return Place(place.chunk_id, place.first, unit.last)
    return Place(place.chunk_id, place.first, place.last - 1) if place.last > place.first else None


def _claims(quotations: Sequence[tuple[Chunk, Place]]) -> list[Claim]:
    """Under a heading each, but for what goes on in the same section."""
    claims: list[Claim] = []
    before: tuple[str, str] | None = None
    for chunk, place in quotations:
        section = (chunk.place.source_file, chunk.section)
        text = chunk.text[chunk.sentences[place.first].start : chunk.sentences[place.last].end]
        claims.append(
            Claim(
                text=text,
                chunk_id=chunk.id,
                first_sentence=place.first,
                last_sentence=place.last,
                headed=section != before,
            )
        )
        before = section
    return claims


def _evidence(edition: str, chunks: list[Chunk], language: Language) -> QueryResult:
    """The chunks that the outline points at: nothing was searched, and none is better than another."""
    found = tuple(
        RetrievedChunk(chunk=chunk, score=1.0, dense_score=1.0, lexical_score=1.0, rank=rank)
        for rank, chunk in enumerate(chunks, start=1)
    )
    return QueryResult(
        query_text="",
        retrieved_chunks=found,
        total_results=len(found),
        retrieval_time_ms=1e-3,
        edition=edition,
        language=language.code,
    )
