"""Whether an answer is right, and whether confidence keeps its word. One metric, one function."""

import string
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from citebook.evals.metrics import mean
from citebook.language.languages import Language

_LONG_ANSWER = 12
_ENOUGH_OF_A_LONG_ANSWER = 0.6
_ARTICLES = frozenset({"a", "an", "the"})
_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation + "–—“”’‘…", " "))


def contains_gold(answer: str, golds: Sequence[str], language: Language) -> bool:
    """A short gold answer must stand in the text word for word; of a long one most of the terms must."""
    return any(_contains(answer, gold, language) for gold in golds)


def _contains(answer: str, gold: str, language: Language) -> bool:
    plain = _plain(gold)
    if not plain:
        return False
    if len(plain.split()) <= _LONG_ANSWER:
        return f" {plain} " in f" {_plain(answer)} "
    wanted = set(language.terms(gold))
    return len(wanted & set(language.terms(answer))) >= _ENOUGH_OF_A_LONG_ANSWER * len(wanted)


def _plain(text: str) -> str:
    """Small letters, no punctuation, no articles."""
    return " ".join(word for word in text.lower().translate(_PUNCTUATION).split() if word not in _ARTICLES)


def brier_score(confidences: Sequence[float], rights: Sequence[bool]) -> float:
    return mean([(confidence - right) ** 2 for confidence, right in zip(confidences, rights, strict=True)])


def expected_calibration_error(confidences: Sequence[float], rights: Sequence[bool], bins: int = 10) -> float:
    """How far confidence is from the share of right answers, on average over bins of equal width."""
    return sum(
        abs(own.confidence - own.share_right) * own.count / len(confidences)
        for own in reliability(confidences, rights, bins)
    )


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Answers of about the same confidence: their mean confidence, and how many of them are right."""

    low: float
    high: float
    confidence: float
    share_right: float
    count: int


def reliability(confidences: Sequence[float], rights: Sequence[bool], bins: int = 10) -> list[ReliabilityBin]:
    """The bins of equal width that hold any answer."""
    held: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in zip(confidences, rights, strict=True):
        held.setdefault(min(bins - 1, int(confidence * bins)), []).append((confidence, right))
    return [
        ReliabilityBin(
            low=number / bins,
            high=(number + 1) / bins,
            confidence=mean([confidence for confidence, _ in own]),
            share_right=mean([float(right) for _, right in own]),
            count=len(own),
        )
        for number, own in sorted(held.items())
    ]


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """If only the surest answers were given: the share of questions answered, and how many of them wrongly."""

    coverage: float
    risk: float
    threshold: float


def risk_coverage(confidences: Sequence[float], rights: Sequence[bool], questions: int) -> list[RiskPoint]:
    """One point for each confidence that occurs, surest answers first. `questions` counts the unanswered too."""
    points = []
    pairs = sorted(zip(confidences, rights, strict=True), reverse=True)
    wrong = 0
    for given, (confidence, right) in enumerate(pairs, start=1):
        wrong += not right
        is_last_of_its_confidence = given == len(pairs) or pairs[given][0] < confidence
        if is_last_of_its_confidence:
            points.append(RiskPoint(given / questions, wrong / given, confidence))
    return points


@dataclass(frozen=True, slots=True)
class RefusalPoint:
    """If everything with a score below the threshold were refused."""

    threshold: float
    false_refusals: float
    refused_unanswerable: float


def refusal_curve(answerable: Sequence[float], unanswerable: Sequence[float]) -> list[RefusalPoint]:
    """What refusing costs and gains, from refusing nothing to refusing all, by the scores of both kinds."""
    if not answerable or not unanswerable:
        return []
    thresholds = [*sorted({*answerable, *unanswerable}), float("inf")]
    scores = sorted([(score, True) for score in answerable] + [(score, False) for score in unanswerable])
    points, position, good, bad = [], 0, 0, 0
    for threshold in thresholds:
        while position < len(scores) and scores[position][0] < threshold:
            good += scores[position][1]
            bad += not scores[position][1]
            position += 1
        points.append(RefusalPoint(threshold, good / len(answerable), bad / len(unanswerable)))
    return points


def refusal_at(false_refusals: float, curve: Sequence[RefusalPoint]) -> RefusalPoint | None:
    """The strictest point of the curve with at most this share of false refusals."""
    return max(
        (point for point in curve if point.false_refusals <= false_refusals),
        key=lambda point: point.threshold,
        default=None,
    )


def auroc(answerable: Sequence[float], unanswerable: Sequence[float]) -> float | None:
    """How probable it is that an answerable question scores above an unanswerable one; ties count half."""
    curve = refusal_curve(answerable, unanswerable)
    if not curve:
        return None
    return sum(
        (after.false_refusals - before.false_refusals)
        * (before.refused_unanswerable + after.refused_unanswerable)
        / 2
        for before, after in pairwise(curve)
    )
