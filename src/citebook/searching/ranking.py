"""Blends what vectors and words say about a chunk into one score between 0 and 1.

Why these scales and bonuses: docs/decisions/0004-hybrid-ranking.md.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, Self

from pydantic import Field, FiniteFloat, model_validator

from citebook.domain.book import Chunk
from citebook.domain.evidence import FoundChunk, Hit, RetrievedChunk, SearchHits
from citebook.domain.value import Value
from citebook.domain.weights import Fitted
from citebook.language.languages import Language


def _as_shipped(name: str) -> Any:
    return Field(default_factory=lambda: getattr(shipped_weights().weights, name))


class Weights(Value):
    """How much each signal counts; what is not said is as shipped.

    The first two make the blend; the bonuses come on top of it.
    """

    dense: FiniteFloat = _as_shipped("dense")
    lexical: FiniteFloat = _as_shipped("lexical")
    full_match: FiniteFloat = _as_shipped("full_match")
    """BM25 points per unit of term weight at which a chunk counts as matching the question's words in full."""
    lexical_power: FiniteFloat = _as_shipped("lexical_power")
    """Above 1, a match of half of the words counts for less than half: in everyday words such matches mislead."""
    same_page: FiniteFloat = _as_shipped("same_page")
    """Bonus for other good chunks on the same page."""
    best_sentence: FiniteFloat = _as_shipped("best_sentence")
    """Bonus for a single sentence that has many of the question's terms."""
    word_pairs: FiniteFloat = _as_shipped("word_pairs")
    """Bonus for pairs of words that stand together as they do in the question."""
    neighbours: int = _as_shipped("neighbours")
    """Chunks of the same page that are looked at."""
    page_depth: int = _as_shipped("page_depth")
    """Hits that are looked at for the same page."""
    reading_depth: int = _as_shipped("reading_depth")
    """Hits that are read again for their sentences and pairs."""

    @model_validator(mode="after")
    def _makes_a_blend(self) -> Self:
        if min(self.dense, self.lexical) < 0 or abs(self.dense + self.lexical - 1) > 1e-6:
            raise ValueError("the weights of dense and lexical search must not be negative and must add up to 1")
        return self

    @classmethod
    def of_share(cls, dense: float | None) -> Self:
        """With this share of vector search in the blend; None for the one that ships."""
        return cls() if dense is None else cls(dense=dense, lexical=1 - dense)

    def without_bonuses(self) -> Self:
        return self.model_copy(update={"same_page": 0.0, "best_sentence": 0.0, "word_pairs": 0.0})


@cache
def shipped_weights() -> Fitted[Weights]:
    return Fitted[Weights].of("citebook.searching")


class _Blend(NamedTuple):
    """What vectors and words say of a chunk, and both together."""

    blended: float
    dense: float
    lexical: float


class HybridRanking:
    """Ranks the hits of one search, and then, with their text at hand, the best of them once more."""

    def __init__(self, question: str, weights: Weights, keep: int, found: SearchHits, language: Language) -> None:
        self._question, self._weights, self._keep, self._language = question, weights, keep, language
        self._hits, self._term_weights = found.hits, found.term_weights
        self._blends: dict[str, _Blend] = {}
        self._totals: dict[str, float] = {}
        """The blend and the bonuses: what decides the order."""

    def worth_reading(self) -> list[str]:
        """The keys of the chunks whose text is worth reading, best first."""
        best = max((hit.bm25 or 0.0 for hit in self._hits), default=0.0)
        full_match = max(best, self._weights.full_match * sum(self._term_weights.values())) or 1.0
        self._blends = {hit.key: self._blended(hit, full_match) for hit in self._hits}
        self._totals = {key: blend.blended for key, blend in self._blends.items()}
        ranked = self._sorted()
        if self._weights.same_page:
            self._reward_pages(ranked[: self._weights.page_depth])
            ranked = self._sorted()
        return [hit.key for hit in ranked[: max(self._keep, self._weights.reading_depth)]]

    def ranked(self, chunks: Mapping[str, FoundChunk]) -> tuple[RetrievedChunk, ...]:
        """Those worth reading, the first of them put in order by what they say; tasks and the like come last."""
        keys = list(chunks)
        if self._weights.best_sentence or self._weights.word_pairs:
            pairs = _telling_pairs(self._question, self._language)
            for key in keys[: self._weights.reading_depth]:
                chunk = chunks[key].chunk
                bonus = self._weights.best_sentence * _best_coverage(chunk, self._term_weights, self._language)
                self._add(key, bonus + self._weights.word_pairs * _share_of_pairs(chunk, pairs))
        order = self._silent_last(sorted(keys, key=lambda key: -self._totals[key]), chunks)
        return tuple(self._retrieved(key, chunks[key], rank) for rank, key in enumerate(order, start=1))

    def _silent_last(self, order: Sequence[str], chunks: Mapping[str, FoundChunk]) -> list[str]:
        """What tells nothing behind what does, with no better score than the last of those."""
        telling = [key for key in order if chunks[key].chunk.tells]
        silent = [key for key in order if not chunks[key].chunk.tells]
        ceiling = self._totals[telling[-1]] if telling else 1.0
        self._totals.update({key: min(self._totals[key], ceiling) for key in silent})
        return [*telling, *silent]

    def beside(self, chunks: Mapping[str, FoundChunk], rank: int) -> tuple[RetrievedChunk, ...]:
        """Chunks that were not searched for, as if they had this rank and all that follow."""
        for key, found in chunks.items():
            if key not in self._blends:
                hit = Hit(key, found.chunk.place.source_file, max(found.unit_cosines, default=None), 0.0)
                self._blends[key] = self._blended(hit, full_match=1.0)
                self._totals[key] = self._blends[key].blended
        return tuple(self._retrieved(key, found, rank + place) for place, (key, found) in enumerate(chunks.items()))

    def _retrieved(self, key: str, found: FoundChunk, rank: int) -> RetrievedChunk:
        blended, dense, lexical = self._blends[key]
        return RetrievedChunk(
            chunk=found.chunk,
            score=blended,
            relevance_score=self._totals[key],
            dense_score=dense,
            lexical_score=lexical,
            rank=rank,
            unit_cosines=found.unit_cosines,
        )

    def _blended(self, hit: Hit, full_match: float) -> _Blend:
        lexical = min(1.0, max(0.0, hit.bm25 or 0.0) / full_match) ** self._weights.lexical_power
        if hit.cosine is None:
            return _Blend(lexical, 0.0, lexical)
        dense = min(1.0, max(0.0, (1.0 + hit.cosine) / 2.0))
        return _Blend(self._weights.dense * dense + self._weights.lexical * lexical, dense, lexical)

    def _sorted(self) -> list[Hit]:
        return sorted(self._hits, key=lambda hit: (-self._totals[hit.key], hit.key))

    def _reward_pages(self, ranked: Sequence[Hit]) -> None:
        """For each hit, the best others of its page, by how far they are above the last that is looked at."""
        if not ranked:
            return
        floor, most = self._totals[ranked[-1].key], self._weights.neighbours
        by_page: dict[str, list[str]] = {}
        for hit in ranked:
            by_page.setdefault(hit.page, []).append(hit.key)
        for keys in by_page.values():
            above = [self._totals[key] - floor for key in keys]
            best, one_more = sum(above[:most]), sum(above[: most + 1])
            for index, key in enumerate(keys):
                others = one_more - above[index] if index < most else best
                self._add(key, self._weights.same_page * others)

    def _add(self, key: str, bonus: float) -> None:
        self._totals[key] = min(1.0, self._totals[key] + bonus)


def _telling_pairs(question: str, language: Language) -> list[str]:
    """Neighbouring words of the question of which at least one carries meaning."""
    stop_words = language.stop_words
    pairs = pairwise(language.words(question))
    return [f"{first} {second}" for first, second in pairs if first not in stop_words or second not in stop_words]


def _share_of_pairs(chunk: Chunk, pairs: Sequence[str]) -> float:
    text = chunk.text.lower()
    return sum(pair in text for pair in pairs) / len(pairs) if pairs else 0.0


def _best_coverage(chunk: Chunk, term_weights: Mapping[str, float], language: Language) -> float:
    total = sum(term_weights.values())
    if not total:
        return 0.0
    asked = frozenset(term_weights)
    found = {asked & present for present in map(language.term_set, chunk.quotes)}
    return max(sum(map(term_weights.__getitem__, terms)) for terms in found) / total
