"""What a search found in the book for a question."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple, Self

from pydantic import Field, model_validator

from citebook.domain.book import DEFAULT_LANGUAGE, Chunk
from citebook.domain.set_up import SearchSetUp
from citebook.domain.value import Value

_USUAL_BACKGROUND = 0.6
"""Cosine of questions about other things, where the book was not asked any."""
_HIGHEST_BACKGROUND = 0.95
_LARGEST_COSINE = 1.001
"""Engines round."""


class Hit(NamedTuple):
    """A chunk that a search found, by its key in the index, with the raw score of each method."""

    key: str
    page: str
    """The file it stands in."""
    cosine: float | None
    """Of the unit of the chunk that is most like the question."""
    bm25: float | None

    @property
    def is_sound(self) -> bool:
        """Whether its scores can be what they say they are."""
        is_cosine = self.cosine is None or abs(self.cosine) <= _LARGEST_COSINE
        return is_cosine and (self.bm25 is None or 0.0 <= self.bm25 < inf)


class FoundChunk(NamedTuple):
    """A chunk as the index has it."""

    chunk: Chunk
    unit_cosines: tuple[float, ...] = ()
    """Of each of its units with the vector that was searched with; none where there was no vector."""


@dataclass(frozen=True, slots=True)
class SearchHits:
    """What one search of one edition brought to light."""

    edition: str
    hits: tuple[Hit, ...]
    term_weights: Mapping[str, float]
    """How telling each term of the question is in this book: its inverse document frequency."""
    missing_terms: frozenset[str] = frozenset()
    """Terms of the question that stand nowhere in the book."""
    recipe: str = ""
    """That of the edition."""
    likeness_of_strangers: float | None = None
    """That of the edition."""

    def sound(self) -> Self:
        """Without the hits whose scores make no sense."""
        return replace(self, hits=tuple(hit for hit in self.hits if hit.is_sound))


class RetrievedChunk(Value):
    """A chunk chosen as evidence: its blended score and the two it was made of, all in [0, 1]."""

    chunk: Chunk
    score: float = Field(ge=0.0, le=1.0)
    dense_score: float = Field(ge=0.0, le=1.0)
    lexical_score: float = Field(ge=0.0, le=1.0)
    relevance_score: float | None = Field(default=None, ge=0.0, le=1.0)
    """The reranker's score, where one ran."""
    rank: int = Field(ge=1)
    unit_cosines: tuple[float, ...] = ()
    """Likeness of each unit of the chunk to the question; none where words alone were matched."""

    @property
    def deciding_score(self) -> float:
        """The score that chunks are ranked by."""
        return self.score if self.relevance_score is None else self.relevance_score


class QueryResult(Value):
    """The evidence for one question, best first."""

    query_text: str
    retrieved_chunks: tuple[RetrievedChunk, ...]
    total_results: int = Field(ge=0)
    retrieval_time_ms: float = Field(gt=0)
    lexical_only: bool = False
    """True where the embedder failed and words alone were matched."""
    nearby: tuple[RetrievedChunk, ...] = ()
    """What may be quoted though it was not retrieved: the next best, and what stands before and behind the best."""
    parts: tuple["QueryResult", ...] = ()
    """The evidence for each of several questions that were asked in one breath; their chunks are `nearby` too."""
    sides: tuple["QueryResult", ...] = ()
    """The evidence for each of the two things that a question compares; their chunks are `nearby` too."""
    filter_message: str | None = None
    searched_everywhere: bool = False
    """Whether filters were given up for it."""
    elsewhere: "QueryResult | None" = None
    """Of a search in a part of the book that must not be left: what the rest of it has."""
    is_elsewhere: bool = False
    """Whether that is so much better that the part does not answer."""
    edition: str | None = None
    term_weights: dict[str, float] = Field(default_factory=dict)
    missing_terms: frozenset[str] = frozenset()
    likeness_of_strangers: float | None = None
    """The cosine that questions about other things reach in the book."""
    searched_with: SearchSetUp | None = None
    """None for a passage that the reader selected."""
    language: str = DEFAULT_LANGUAGE
    """That of the book."""

    @model_validator(mode="after")
    def _is_counted_and_ordered(self) -> Self:
        if self.total_results != len(self.retrieved_chunks):
            raise ValueError("total_results must be the number of retrieved chunks")
        ranks = [found.rank for found in self.retrieved_chunks]
        if ranks != list(range(1, len(ranks) + 1)):
            raise ValueError("retrieved chunks must be ranked 1, 2, 3 …")
        scores = [found.deciding_score for found in self.retrieved_chunks]
        if scores != sorted(scores, reverse=True):
            raise ValueError("retrieved chunks must stand in the order of their scores, best first")
        return self

    @property
    def quotable(self) -> tuple[RetrievedChunk, ...]:
        """All that an answer may quote, best first."""
        return (*self.retrieved_chunks, *self.nearby)

    @property
    def is_of_one_edition(self) -> bool:
        """Whether all that was found for it, and for its parts or sides, stands in one edition of the book."""
        return all(part.edition == self.edition for part in (*self.parts, *self.sides))

    @property
    def best_score(self) -> float:
        return self.retrieved_chunks[0].score if self.retrieved_chunks else 0.0

    @property
    def average_score(self) -> float | None:
        """Of all that was retrieved; None where that is nothing."""
        scores = [found.score for found in self.retrieved_chunks]
        return sum(scores) / len(scores) if scores else None

    def above_strangers(self, found: RetrievedChunk) -> float:
        """How much more like the question a chunk is than the book is like questions about other things; 0 to 1."""
        known = self.likeness_of_strangers
        background = _USUAL_BACKGROUND if known is None else min(known, _HIGHEST_BACKGROUND)
        cosine = 2 * found.dense_score - 1
        return min(1.0, max(0.0, (cosine - background) / (1 - background)))
