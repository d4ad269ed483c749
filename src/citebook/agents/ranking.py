"""Blends what vectors and words say about a chunk into one score between 0 and 1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citebook.domain.evidence import Hit

_FULL_MATCH = 1.5
"""BM25 points per unit of term weight at which a chunk counts as matching the question's words in full."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Why these scales: docs/decisions/0004-hybrid-ranking.md."""

    dense: float = 0.85
    lexical: float = 0.15

    def __post_init__(self) -> None:
        if min(self.dense, self.lexical) < 0 or abs(self.dense + self.lexical - 1) > 1e-6:
            raise ValueError("the weights of dense and lexical search must not be negative and must add up to 1")


@dataclass(frozen=True, slots=True)
class Scores:
    blended: float
    dense: float
    lexical: float


class HybridRanking:
    """Chooses the best of a search's hits and remembers how each was scored."""

    def __init__(self, weights: Weights, keep: int) -> None:
        self._weights, self._keep = weights, keep
        self.scores: dict[str, Scores] = {}

    def choose(self, hits: Sequence[Hit], term_weights: Mapping[str, float]) -> list[Hit]:
        best = max((hit.bm25 or 0.0 for hit in hits), default=0.0)
        full_match = max(best, _FULL_MATCH * sum(term_weights.values())) or 1.0
        self.scores = {hit.key: self._scores(hit, full_match) for hit in hits}
        ranked = sorted(hits, key=lambda hit: (-self.scores[hit.key].blended, hit.key))
        return ranked[: self._keep]

    def _scores(self, hit: Hit, full_match: float) -> Scores:
        lexical = min(1.0, max(0.0, hit.bm25 or 0.0) / full_match)
        if hit.cosine is None:
            return Scores(lexical, 0.0, lexical)
        dense = min(1.0, max(0.0, (1.0 + hit.cosine) / 2.0))
        return Scores(self._weights.dense * dense + self._weights.lexical * lexical, dense, lexical)
