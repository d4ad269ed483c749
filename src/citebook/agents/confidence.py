"""How probable it is that an answer is right: a measured figure where one was measured, and marked where not."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import exp
from typing import Self

from citebook.domain.answer import ProvenClaim
from citebook.domain.evidence import QueryResult
from citebook.domain.language import terms

_RETRIEVAL_SHARE = 0.6
_GENERATION_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Confidence:
    value: float
    calibrated: bool


class ConfidenceModel:
    """0.6 retrieval + 0.4 generation. Retrieval is a logistic curve over features of the evidence."""

    def __init__(self, weights: dict[str, float], *, is_calibrated: bool) -> None:
        self._weights = weights
        self.is_calibrated = is_calibrated

    @classmethod
    def load(cls, embedder: str, generator: str) -> Self:
        """The weights that were fitted for this pair, or the default pair's, which is then not calibrated."""
        stored = json.loads((files("citebook.agents") / "confidence.json").read_text())
        own = stored.get(f"{embedder}+{generator}")
        return cls(own or next(iter(stored.values())), is_calibrated=False)

    def before_answering(self, evidence: QueryResult) -> float:
        """The retrieval part, on which a refusal is decided before anything is said."""
        if not evidence.retrieved_chunks:
            return 0.0
        features = evidence_features(evidence)
        total = self._weights["intercept"]
        total += sum(self._weights[name] * value for name, value in features.items() if name in self._weights)
        return 1.0 / (1.0 + exp(-max(-50.0, min(50.0, total))))

    def after_answering(self, evidence: QueryResult, claims: Sequence[ProvenClaim]) -> Confidence:
        generation = max((claim.score for claim in claims), default=0.0)
        value = _RETRIEVAL_SHARE * self.before_answering(evidence) + _GENERATION_SHARE * generation
        return Confidence(min(1.0, max(0.0, value)), self.is_calibrated)


def evidence_features(evidence: QueryResult) -> dict[str, float]:
    """What the evidence tells about whether it holds an answer; each is on a scale that does not depend on the book."""
    best = evidence.retrieved_chunks[0]
    weights = evidence.term_weights
    total = sum(weights.values()) or 1.0
    in_best = set(terms(best.chunk.embedded_text))
    return {
        "cosine": 2 * best.dense_score - 1,
        "lexical": best.lexical_score,
        "coverage": sum(weight for term, weight in weights.items() if term in in_best) / total,
        "missing": sum(weights[term] for term in evidence.missing_terms) / total,
    }
