"""A second reading of the best hits, by a model that sees question and passage together.

Why one model's word decides alone and the other's is blended in: docs/decisions/0053-local-reranker.md.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log as logarithm
from typing import NamedTuple, Protocol

from citebook.domain.errors import RerankerFailed
from citebook.domain.evidence import RetrievedChunk
from citebook.domain.units import shown_to_examiner, text_between, units_of
from citebook.language.languages import Language
from citebook.pacing.workers import Workers
from citebook.ports import Reranker

_OF_POINT = 0.01
"""What one logit of the reader adds to the search's score, where the two are blended."""
_NEVER_SURER = 1e-9

log = logging.getLogger(__name__)


class Asked(NamedTuple):
    """A question, how much each of its terms tells in this book, and the book's language."""

    text: str
    term_weights: Mapping[str, float]
    language: Language


class Reread(NamedTuple):
    """What is kept after the second reading, best first, and what is left."""

    best: tuple[RetrievedChunk, ...]
    others: tuple[RetrievedChunk, ...]


class Reading(Protocol):
    """What is read of a chunk, and what the reader's scores are good for."""

    def passage(self, asked: Asked, found: RetrievedChunk) -> str: ...

    def reread(self, ranked: Sequence[RetrievedChunk], scores: Sequence[float], keep: int) -> Reread:
        """`scores` are of the first of them."""
        ...


class WholeChunks:
    """Each chunk is read as a whole; the reader's score alone decides, and is no measure for what is not kept."""

    def passage(self, asked: Asked, found: RetrievedChunk) -> str:  # noqa: ARG002
        return found.chunk.embedded_text

    def reread(self, ranked: Sequence[RetrievedChunk], scores: Sequence[float], keep: int) -> Reread:
        best = _in_order(ranked[: len(scores)], scores)[:keep]
        kept = {found.chunk.id for found in best}
        return Reread(best, tuple(found for found in ranked if found.chunk.id not in kept))


class LikestUnits:
    """Of each chunk the one unit is read that is most like the question; what the reader says of it is blended in.

    What is not read is taken to be no better than the worst of what is. The one that the reader is surest of keeps
    the search's score, and the others lose by how much less sure it is of them: scores stay on the search's scale.
    """

    def passage(self, asked: Asked, found: RetrievedChunk) -> str:
        chunk, units = found.chunk, units_of(found.chunk)
        texts = [text_between(chunk, unit.first, unit.last) for unit in units]
        likeness = found.unit_cosines
        if len(likeness) != len(units):  # words alone were matched
            likeness = tuple(_told(asked, text) for text in texts)
        place = max(range(len(units)), key=likeness.__getitem__)
        return shown_to_examiner(chunk, texts[place])

    def reread(self, ranked: Sequence[RetrievedChunk], scores: Sequence[float], keep: int) -> Reread:
        points = [_logit(score) for score in scores]
        least, most = min(points, default=0.0), max(points, default=0.0)
        points += [least] * (len(ranked) - len(points))
        blended = [
            found.deciding_score + _OF_POINT * (point - most) for found, point in zip(ranked, points, strict=True)
        ]
        order = _in_order(ranked, blended)
        return Reread(order[:keep], order[keep:])


def _in_order(chunks: Sequence[RetrievedChunk], scores: Sequence[float]) -> tuple[RetrievedChunk, ...]:
    """The chunks by these scores; of two that are alike, the one that the search found better is first."""
    order = sorted(range(len(chunks)), key=lambda place: -scores[place])
    return tuple(
        chunks[place].model_copy(update={"relevance_score": max(0.0, scores[place]), "rank": rank})
        for rank, place in enumerate(order, start=1)
    )


def _told(asked: Asked, text: str) -> float:
    """The weight of the question's terms that stand in a text."""
    return sum(asked.term_weights.get(term, 0.0) for term in asked.language.term_set(text))


def _logit(score: float) -> float:
    score = min(1.0 - _NEVER_SURER, max(_NEVER_SURER, score))
    return logarithm(score / (1.0 - score))


@dataclass(frozen=True, slots=True)
class Reranking:
    """Who reads the best hits again, how many of them, and how many are kept."""

    reranker: Reranker
    candidates: int = 10
    keep: int = 5
    reading: Reading = field(default_factory=WholeChunks)
    is_hurried: Callable[[], bool] = lambda: False
    """While it is, nothing is read again: an answer in time is worth more than a slightly better one late."""

    @property
    def in_words(self) -> str:
        return f"{self.reranker.name} ({self.candidates} read, {self.keep} kept)"

    async def reread(
        self, asked: Asked, ranked: Sequence[RetrievedChunk], keep: int, workers: Workers
    ) -> Reread | None:
        """None where the search's order stands: there is no time, or the reranker fails."""
        if self.is_hurried():
            return None
        read = ranked[: max(keep, self.candidates)]
        passages = await workers.run(lambda: [self.reading.passage(asked, found) for found in read])
        different = list(dict.fromkeys(passages))
        try:
            scores = dict(zip(different, await self.reranker.rerank(asked.text, different), strict=True))
        except RerankerFailed as error:
            log.warning("passages were not reranked: %s", error)
            return None
        return self.reading.reread(ranked, [scores[passage] for passage in passages], keep)
