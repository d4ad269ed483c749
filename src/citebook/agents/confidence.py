"""How probable it is that an answer is right: a measured figure where one was measured, and marked where not."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import exp, log
from typing import Self

from citebook.domain.answer import ProvenClaim
from citebook.domain.evidence import QueryResult
from citebook.domain.language import term_set

_RETRIEVAL_SHARE = 0.6
_GENERATION_SHARE = 0.4
_CHUNKS_LOOKED_AT = 5


@dataclass(frozen=True, slots=True)
class Confidence:
    value: float
    calibrated: bool


class ConfidenceModel:
    """0.6 retrieval + 0.4 generation. Retrieval is a logistic curve over features of the evidence."""

    def __init__(self, with_vectors: dict[str, float], words_only: dict[str, float], *, is_calibrated: bool) -> None:
        self._with_vectors, self._words_only = with_vectors, words_only
        self.is_calibrated = is_calibrated

    @classmethod
    def load(cls, embedder: str) -> Self:
        """The weights that were fitted for this embedder, or else the default embedder's."""
        stored = json.loads((files("citebook.agents") / "confidence.json").read_text())
        by_embedder = stored["with_vectors"]
        fitted = by_embedder.get(embedder) or next(iter(by_embedder.values()))
        return cls(fitted, stored["words_only"], is_calibrated=False)

    def before_answering(self, evidence: QueryResult) -> float:
        """The retrieval part, on which a refusal is decided before anything is said."""
        if not evidence.retrieved_chunks:
            return 0.0
        weights = self._words_only if evidence.lexical_only else self._with_vectors
        features = evidence_features(evidence)
        total = weights["intercept"] + sum(weights.get(name, 0.0) * value for name, value in features.items())
        return 1.0 / (1.0 + exp(-max(-50.0, min(50.0, total))))

    def after_answering(self, retrieval: float, claims: Sequence[ProvenClaim]) -> Confidence:
        """`retrieval` is what `before_answering` gave."""
        generation = max((claim.support if claim.score is None else claim.score for claim in claims), default=0.0)
        value = _RETRIEVAL_SHARE * retrieval + _GENERATION_SHARE * generation
        return Confidence(min(1.0, max(0.0, value)), self.is_calibrated)


def evidence_features(evidence: QueryResult) -> dict[str, float]:
    """What the evidence tells about whether it holds an answer, on scales that do not depend on the book."""
    weights = evidence.term_weights
    total = sum(weights.values()) or 1.0
    coverage = max(
        sum(weight for term, weight in weights.items() if term in term_set(found.chunk.quote(sentence)))
        for found in evidence.retrieved_chunks[:_CHUNKS_LOOKED_AT]
        for sentence in found.chunk.sentences
    )
    return {
        "best_score": max(found.score for found in evidence.retrieved_chunks),
        "sentence_coverage": coverage / total,
        "question_length": log(1 + len(weights)),
    }
