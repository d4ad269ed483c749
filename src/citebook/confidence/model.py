"""How probable it is that an answer is right: a measured figure where one was measured, and marked where not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp
from typing import Self

from citebook.confidence.signals import AskedOfEvidence, Signals
from citebook.domain.answer import ProvenSentence
from citebook.domain.calibration import (
    AS_IT_IS,
    Calibration,
    ConfidenceWeights,
    Curve,
    ShippedCalibrations,
    Weights,
)
from citebook.domain.evidence import QueryResult
from citebook.domain.set_up import SearchSetUp, SetUp
from citebook.domain.weights import Fitted

_RETRIEVAL_SHARE = 0.6
_GENERATION_SHARE = 0.4
_ANY = "any"
_ALL, _SEVERAL = 0.99, 0.75


@dataclass(frozen=True, slots=True)
class Confidence:
    value: float
    calibrated: bool


@dataclass(frozen=True, slots=True)
class GenerationWeights:
    """Those of one generator, and those for a generator that gives no estimate of its own."""

    own: Weights
    without_estimate: Weights


class ConfidenceModel:
    """0.6 × retrieval + 0.4 × generation, and a curve that makes a probability of it."""

    def __init__(
        self,
        with_vectors: Weights,
        words_only: Weights,
        generation: GenerationWeights,
        curve: Curve = AS_IT_IS,
        *,
        examined: Weights | None = None,
        measured_search: SearchSetUp | None = None,
        refuse_below: float = 0.0,
    ) -> None:
        """`examined` is for passages that an examiner has read; `measured_search` is how passages were found when the
        curve was measured, and None where it only guesses."""
        self._with_vectors, self._words_only, self._generation = with_vectors, words_only, generation
        self._examined = examined
        self._curve = curve
        self.measured_search = measured_search
        self.refuse_below = refuse_below
        """What the operator's target demands; a contract may demand more."""

    @classmethod
    def load(cls, in_use: SetUp, calibration: Calibration, *, refuse_below: float = 0.0) -> Self:
        """The shipped weights of these models, with the curve of a calibration.

        How passages are found may differ from question to question, so evidence is compared when it is weighed.
        """
        shipped, measured = shipped_weights().weights, calibration.set_up
        generation = shipped.generation
        holds = measured is not None and measured.model_copy(update={"search": in_use.search}) == in_use
        return cls(
            shipped.retrieval.get(in_use.embedder) or next(iter(shipped.retrieval.values())),
            shipped.words_only,
            GenerationWeights(generation.get(in_use.generator, generation[_ANY]), generation[_ANY]),
            calibration.curve,
            examined=shipped.examined.get(in_use.embedder),
            measured_search=measured.search if measured is not None and holds else None,
            refuse_below=refuse_below,
        )

    def raw(self) -> "ConfidenceModel":
        """Gives the figure that a curve is fitted to, and refuses nothing of its own."""
        return ConfidenceModel(self._with_vectors, self._words_only, self._generation, examined=self._examined)

    def before_answering(self, evidence: QueryResult) -> float:
        """The retrieval part: how far the evidence can be relied on."""
        return self.weigh(evidence.query_text, evidence).retrieval

    def weigh(self, question: str, evidence: QueryResult) -> "Weighing":
        if not evidence.retrieved_chunks:
            return Weighing(self, None, 0.0, is_calibrated=False)
        asked = AskedOfEvidence(question, evidence)
        measured = self.measured_search
        is_as_measured = measured is not None and measured == evidence.searched_with and not evidence.lexical_only
        retrieval = self.retrieval(asked.evidence_signals, by_words_only=evidence.lexical_only)
        return Weighing(self, asked, retrieval, is_calibrated=is_as_measured)

    def retrieval(self, signals: Signals, *, by_words_only: bool = False) -> float:
        """Names that an embedder does not know are like nothing, though they may all stand in one sentence."""
        by_words = _logistic(self._words_only, signals)
        if by_words_only:
            return by_words
        by_vectors = _logistic(self._with_vectors, signals)
        return max(by_vectors, by_words) if _stand_together(signals) else by_vectors

    def retrieval_once_examined(self, retrieval: float, signals: Signals) -> float:
        """A passage must be like the question and, for one who reads both, answer it."""
        return retrieval if self._examined is None else retrieval * _logistic(self._examined, signals)

    def generation(self, signals: Signals) -> float:
        weights = self._generation
        has_estimate = "own_estimate" in signals
        return _logistic(weights.own if has_estimate else weights.without_estimate, signals)

    def probability(self, retrieval: float, generation: float) -> float:
        return self._curve.at(_RETRIEVAL_SHARE * retrieval + _GENERATION_SHARE * generation)


@dataclass(frozen=True, slots=True)
class Weighing:
    """The confidence in the answers to one question, as far as they have come."""

    model: ConfidenceModel
    asked: AskedOfEvidence | None
    """None where nothing was found."""
    retrieval: float
    is_calibrated: bool
    """False also where the evidence was found in another way than was measured: by words alone, or not at all."""

    @property
    def at_best(self) -> float:
        """What the surest of answers would come to."""
        return self.model.probability(self.retrieval, 1.0) if self.asked else 0.0

    def after(self, sentences: Sequence[ProvenSentence], estimate: float | None = None) -> Confidence:
        """More sentences never lower it; a language model's own estimate, which comes last, never raises it."""
        if self.asked is None:
            return Confidence(self.model.probability(0.0, 0.0), self.is_calibrated)
        signals = self.asked.answer_signals(sentences) if sentences else {}
        found = self.model.retrieval_once_examined(self.retrieval, {**self.asked.evidence_signals, **signals})
        generation = self._generation(sentences, signals) * (1.0 if estimate is None else estimate)
        return Confidence(self.model.probability(found, generation), self.is_calibrated)

    def _generation(self, sentences: Sequence[ProvenSentence], signals: Signals) -> float:
        """An answer is as sure as its best proof is strong."""
        return (
            max(sentence.claim.support for sentence in sentences) * self.model.generation(signals) if signals else 0.0
        )


@cache
def shipped_weights() -> Fitted[ConfidenceWeights]:
    return Fitted[ConfidenceWeights].of("citebook.confidence")


@cache
def shipped_calibrations() -> ShippedCalibrations:
    file = files("citebook.confidence") / "calibrations.json"
    return ShippedCalibrations.model_validate_json(file.read_bytes())


def _stand_together(signals: Signals) -> bool:
    """Whether all words of a question that has several stand in one sentence."""
    return signals.get("sentence_coverage", 0.0) >= _ALL and signals.get("enough_terms", 0.0) >= _SEVERAL


def _logistic(weights: Mapping[str, float], signals: Signals) -> float:
    total = weights.get("intercept", 0.0) + sum(weights.get(name, 0.0) * value for name, value in signals.items())
    return 1.0 / (1.0 + exp(-max(-50.0, min(50.0, total))))
