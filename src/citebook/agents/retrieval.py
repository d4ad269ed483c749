"""QdrantRetrievalAgent: finds the passages of the book that bear on a question."""

import logging
from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

from citebook.domain.errors import EmbedderFailed, IndexUnusable, VectorStoreUnavailable
from citebook.domain.evidence import QueryResult, RetrievedChunk, SearchHits
from citebook.domain.filter_choices import FilterChoices
from citebook.domain.question import Filters
from citebook.domain.set_up import NO_RERANKER, SearchSetUp
from citebook.domain.vectors import are_searchable
from citebook.domain.wording import Wording
from citebook.language.languages import Language, language_of
from citebook.language.replies import Replies
from citebook.pacing.workers import Workers
from citebook.ports import ChunkIndex, Embedder, Vector
from citebook.reading.answer_cues import asked_of_sides
from citebook.searching.ranking import HybridRanking, Weights
from citebook.searching.reranking import Asked, Reranking, Reread
from citebook.writing.several_questions import questions_in

log = logging.getLogger(__name__)

_DEPTH = 50
_MOST_EDITIONS = 3
"""In which a question is searched for, where each is swapped for the next meanwhile."""
_READ = 8
"""Chunks that an answer is sought in, however few are asked for."""
_WITH_NEIGHBOURS = 3
"""The best of them, whose neighbours are read too."""
_STRICT_ENOUGH = 0.7
_WORTH_A_HINT = 0.4
_CLEARLY_BETTER = 0.2
_ELSEWHERE = 10
"""Passages of the whole book, of which those beyond the chosen part are named."""

Judge = Callable[[QueryResult], float]
"""How far evidence can be relied on, between 0 and 1."""


def best_score(evidence: QueryResult) -> float:
    return evidence.best_score


class QdrantRetrievalAgent:
    def __init__(
        self,
        embedder: Embedder,
        index: ChunkIndex,
        weights: Weights,
        workers: Workers,
        judge: Judge = best_score,
        reranking: Reranking | None = None,
    ) -> None:
        self._embedder, self._index, self._weights, self._workers = embedder, index, weights, workers
        self._judge, self._reranking = judge, reranking

    async def wording(self) -> Wording:
        """Words and language of the book; none, and English, where it cannot be asked, as the search will tell."""
        try:
            return await self._index.wording()
        except (IndexUnusable, VectorStoreUnavailable):
            return Wording(edition="")

    async def retrieve(
        self,
        text: str,
        filters: Filters,
        keep: int,
        language: Language | None = None,
        *,
        by_words_only: bool = False,
        with_parts: bool = True,
    ) -> QueryResult:
        """The `keep` best passages. Raises `EmbedderFailed` unless asked to search by words only.

        Without parts, it can be given them later.
        """
        started = perf_counter()
        language = language or language_of((await self.wording()).language)
        vector = None if by_words_only else await self._vector(text)
        for _ in range(_MOST_EDITIONS):
            evidence = await self._found(text, language, vector, filters, keep)
            if with_parts:
                evidence = await self.with_parts(evidence, text, filters, keep)
            if evidence.is_of_one_edition:
                break
        return evidence.model_copy(update={"retrieval_time_ms": _milliseconds_since(started)})

    async def with_parts(self, evidence: QueryResult, text: str, filters: Filters, keep: int) -> QueryResult:
        """What is found for each question that is asked in one breath may be quoted too, or for each side of one.

        The book may have been swapped for its next edition since.
        """
        language = language_of(evidence.language)
        several, sides = await self._workers.run(_asked_at_once, text, language)
        if not (sides or len(several) > 1) or not evidence.retrieved_chunks:
            return evidence
        filters = Filters() if evidence.searched_everywhere else await self._resolved(filters)
        if sides and filters.is_empty:
            filters = await self._page_of_sides(evidence, sides, language)
        parts = []
        for part in sides or several:
            vector = None if evidence.lexical_only else await self._vector(part)
            parts.append(await self._search(part, language, vector, filters, keep))
        known = {found.chunk.id: found for found in evidence.quotable}
        more = {found.chunk.id: found for part in parts for found in part.quotable if found.chunk.id not in known}
        found_for = "sides" if sides else "parts"
        return evidence.model_copy(update={found_for: tuple(parts), "nearby": (*evidence.nearby, *more.values())})

    async def _found(
        self, text: str, language: Language, vector: Vector | None, filters: Filters, keep: int
    ) -> QueryResult:
        filters = await self._resolved(filters)
        evidence = await self._search(text, language, vector, filters.by_number, keep)
        if filters.is_scope:
            return await self._with_rest(evidence, text, language, vector, filters)
        if not filters.is_empty:
            return await self._widened(text, language, vector, filters, keep, evidence)
        return evidence

    async def _page_of_sides(self, evidence: QueryResult, sides: Sequence[str], language: Language) -> Filters:
        """The best page that was found, if each of the things that are compared has a section there."""
        files = (await self._index.edition()).files
        places = (found.chunk.place for found in evidence.retrieved_chunks)
        for chapter_id, source_file in dict.fromkeys((place.chapter_id, place.source_file) for place in places):
            chapter = files[source_file].chapter if source_file in files else None
            titles = [language.term_set(title) for title in chapter.sections] if chapter else []
            if all(any(title and title <= language.term_set(side) for title in titles) for side in sides):
                return Filters(chapter_id=chapter_id, source_files=(source_file,))
        return Filters()

    async def _with_rest(
        self, evidence: QueryResult, text: str, language: Language, vector: Vector | None, filters: Filters
    ) -> QueryResult:
        """What a part of the book has that must not be left, with what the rest has, to be named beside it."""
        reliance = await self._workers.run(self._judge, evidence)
        everywhere = await self._search(text, language, vector, Filters(), _ELSEWHERE)
        more = await self._workers.run(self._judge, everywhere) - reliance
        is_elsewhere = reliance < _STRICT_ENOUGH and more > _CLEARLY_BETTER
        outside = [found for found in everywhere.retrieved_chunks if not filters.holds(found.chunk.place)]
        ranked = tuple(found.model_copy(update={"rank": rank}) for rank, found in enumerate(outside, start=1))
        rest = everywhere.model_copy(update={"retrieved_chunks": ranked, "total_results": len(ranked)})
        return evidence.model_copy(update={"elsewhere": rest, "is_elsewhere": is_elsewhere})

    async def _resolved(self, filters: Filters) -> Filters:
        """With the number of the module that is named by its title, and the files of the page that is named."""
        if filters.chapter_id is not None:
            files = (await self._index.edition()).files_of(filters.chapter_id)
            filters = filters.model_copy(update={"source_files": files})
        return filters if filters.part is None else (await self._choices()).numbered(filters)

    async def _choices(self) -> FilterChoices:
        return FilterChoices.of((await self._index.edition()).chapters)

    async def _vector(self, text: str) -> Vector:
        vector = await self._embedder.embed_question(text)
        if not are_searchable(vector[np.newaxis], 1, self._embedder.stamp.dimension):
            raise EmbedderFailed(f"{self._embedder.stamp.name} gave a vector that cannot be searched with")
        return vector

    async def _search(
        self, text: str, language: Language, vector: Vector | None, filters: Filters, keep: int
    ) -> QueryResult:
        started = perf_counter()
        wanted = keep if self._reranking is None else max(keep, self._reranking.candidates)
        asked = await self._workers.run(language.terms, text)
        found = _sound(await self._index.search(asked, vector, filters, max(_DEPTH, wanted)))
        ranking = HybridRanking(text, self._weights, wanted, found, language)
        keys = await self._workers.run(ranking.worth_reading)
        read = await self._index.chunks(found.edition, keys, vector)
        ranked = await self._workers.run(ranking.ranked, read)
        (chunks, others), reranker = await self._reranked(Asked(text, found.term_weights, language), ranked, keep)
        nearby = [other for other in others if other.rank <= _READ]
        keys = _beside(chunks[:_WITH_NEIGHBOURS], known=(*chunks, *nearby))
        beside = ranking.beside(await self._index.chunks(found.edition, keys, vector), len(chunks) + len(nearby) + 1)
        return QueryResult(
            query_text=" ".join(text.lower().split()),
            retrieved_chunks=chunks,
            total_results=len(chunks),
            nearby=(*nearby, *beside),
            retrieval_time_ms=_milliseconds_since(started),
            lexical_only=vector is None,
            edition=found.edition,
            term_weights=dict(found.term_weights),
            missing_terms=found.missing_terms,
            language=language.code,
            likeness_of_strangers=found.likeness_of_strangers,
            searched_with=SearchSetUp(
                dense_weight=self._weights.dense, top_k=keep, reranker=reranker, recipe=found.recipe
            ),
        )

    async def _reranked(self, asked: Asked, ranked: tuple[RetrievedChunk, ...], keep: int) -> tuple[Reread, str]:
        """The best and the others, and who told them apart; where the reranker fails, the blended score does."""
        if self._reranking is not None:
            keep = min(keep, self._reranking.keep)
            if ranked and (reread := await self._reranking.reread(asked, ranked, keep, self._workers)):
                return reread, self._reranking.in_words
        return Reread(ranked[:keep], ranked[keep:]), NO_RERANKER

    async def _widened(
        self, text: str, language: Language, vector: Vector | None, filters: Filters, keep: int, strict: QueryResult
    ) -> QueryResult:
        """What the filter finds if that is good enough, else what the whole book has if that is clearly better."""
        replies = language.conversation.replies
        is_unknown = filters.part is not None or not strict.retrieved_chunks
        lacking = (await self._choices()).lacking(filters) if is_unknown else ()
        reliance = await self._workers.run(self._judge, strict)
        if reliance >= _STRICT_ENOUGH and not lacking:
            return strict
        everywhere = await self._search(text, language, vector, Filters(), keep)
        if lacking:
            return _widened_with(everywhere, _told(lacking, replies))
        more = await self._workers.run(self._judge, everywhere) - reliance
        if reliance >= _WORTH_A_HINT and more > 0:
            chapters = _chapters_beside(strict, everywhere)
            return _with_message(strict, replies.elsewhere.format(titles=chapters)) if chapters else strict
        if reliance < _WORTH_A_HINT and more > _CLEARLY_BETTER:
            return _widened_with(everywhere, replies.searched_everywhere)
        return strict


def _asked_at_once(text: str, language: Language) -> tuple[Sequence[str], Sequence[str]]:
    """The questions in a text; and where the first of them compares, what is asked of each side."""
    several = questions_in(text, language)
    return several, asked_of_sides(several[0], language)


def _chapters_beside(strict: QueryResult, everywhere: QueryResult) -> str:
    """Titles of the best that the filter leaves out."""
    inside = {found.chunk.id for found in strict.retrieved_chunks}
    best = (found.chunk for found in everywhere.retrieved_chunks[:3] if found.chunk.id not in inside)
    return ", ".join(dict.fromkeys(chunk.place.chapter_title for chunk in best))


def _sound(found: SearchHits) -> SearchHits:
    sound = found.sound()
    if dropped := len(found.hits) - len(sound.hits):
        log.warning("the index gave %d hits whose scores make no sense: they are left out", dropped)
    return sound


def _beside(best: Sequence[RetrievedChunk], known: Sequence[RetrievedChunk]) -> list[str]:
    """The keys of the chunks before and behind the best, without those that are known."""
    read = {str(found.chunk.point_id) for found in known}
    keys = dict.fromkeys(key for found in best for key in found.chunk.neighbours)
    return [key for key in keys if key not in read]


def _told(lacking: Sequence[tuple[str, str]], replies: Replies) -> str:
    """What the book has not, and what it has instead."""
    offered = "; ".join(has for _, has in lacking if has)
    told = replies.no_such_part.format(wanted="; ".join(wanted for wanted, _ in lacking))
    return f"{told} {replies.parts_of_book.format(offered=offered)}" if offered else told


def _with_message(evidence: QueryResult, message: str) -> QueryResult:
    return evidence.model_copy(update={"filter_message": message})


def _widened_with(evidence: QueryResult, message: str) -> QueryResult:
    return evidence.model_copy(update={"filter_message": message, "searched_everywhere": True})


def _milliseconds_since(started: float) -> float:
    return max(1e-3, (perf_counter() - started) * 1e3)
