"""QdrantRetrievalAgent: finds the passages of the book that bear on a question."""

from time import perf_counter

import numpy as np

from citebook.agents.ranking import HybridRanking, Weights
from citebook.domain.errors import EmbedderFailed
from citebook.domain.evidence import Findings, QueryResult, RetrievedChunk
from citebook.domain.language import terms
from citebook.domain.question import Filters
from citebook.ports import ChunkIndex, Embedder, Vector

_DEPTH = 50
_STRICT_ENOUGH = 0.7
_WORTH_A_HINT = 0.4
_CLEARLY_BETTER = 0.2


class QdrantRetrievalAgent:
    def __init__(self, embedder: Embedder, index: ChunkIndex, weights: Weights) -> None:
        self._embedder, self._index, self._weights = embedder, index, weights

    async def retrieve(self, text: str, filters: Filters, keep: int, *, by_words_only: bool = False) -> QueryResult:
        """The `keep` best passages. Raises `EmbedderFailed` unless asked to search by words only."""
        started = perf_counter()
        vector = None if by_words_only else await self._vector(text)
        found = await self._search(text, vector, filters, keep)
        message = None
        if not filters.is_empty:
            found, message = await self._widened(text, vector, keep, found)
        return QueryResult(
            query_text=" ".join(text.lower().split()),
            retrieved_chunks=found.chunks,
            total_results=len(found.chunks),
            retrieval_time_ms=max(1e-3, (perf_counter() - started) * 1e3),
            lexical_only=by_words_only,
            filter_message=message,
            edition=found.findings.edition,
            term_weights=found.findings.term_weights,
            missing_terms=found.findings.missing_terms,
        )

    async def _vector(self, text: str) -> Vector:
        vector = await self._embedder.embed_question(text)
        if vector.shape != (self._embedder.stamp.dimension,) or not np.isfinite(vector).all() or not vector.any():
            raise EmbedderFailed(f"{self._embedder.stamp.name} gave a vector that cannot be searched with")
        return vector

    async def _search(self, text: str, vector: Vector | None, filters: Filters, keep: int) -> "_Found":
        ranking = HybridRanking(text, self._weights, keep)
        findings = await self._index.search(terms(text), vector, filters, max(_DEPTH, keep), ranking.choose)
        return _Found(findings, ranking)

    async def _widened(
        self, text: str, vector: Vector | None, keep: int, strict: "_Found"
    ) -> tuple["_Found", str | None]:
        """What the filter finds if that is good enough, else what the whole book has if that is clearly better."""
        if strict.best >= _STRICT_ENOUGH:
            return strict, None
        everywhere = await self._search(text, vector, Filters(), keep)
        elsewhere = sorted({found.chunk.place.chapter_title for found in everywhere.chunks[:3]})
        if strict.best >= _WORTH_A_HINT:
            if everywhere.best > strict.best:
                return strict, f"Other parts of the book may say more: {', '.join(elsewhere)}."
            return strict, None
        if everywhere.best > strict.best + _CLEARLY_BETTER:
            return (
                everywhere,
                "The part of the book that you chose has little on this, so all of it was searched.",
            )
        return strict, None


class _Found:
    """Findings of one search with their blended scores."""

    def __init__(self, findings: Findings, ranking: HybridRanking) -> None:
        self.findings = findings
        kept = ranking.reread(findings.candidates, findings.term_weights)
        self.chunks = tuple(
            RetrievedChunk(
                chunk=candidate.chunk,
                score=ranking.scores[candidate.hit.key].blended,
                relevance_score=ranking.scores[candidate.hit.key].total,
                dense_score=ranking.scores[candidate.hit.key].dense,
                lexical_score=ranking.scores[candidate.hit.key].lexical,
                rank=rank,
            )
            for rank, candidate in enumerate(kept, start=1)
        )

    @property
    def best(self) -> float:
        return self.chunks[0].score if self.chunks else 0.0
