"""All figures about answers, worked out from the judged answers alone, so that runs can be joined."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import inf
from typing import Any, TypeVar

from citebook.domain.answer import Outcome
from citebook.evals.answer_metrics import (
    auroc,
    brier_score,
    expected_calibration_error,
    refusal_at,
    refusal_curve,
    reliability,
    risk_coverage,
)
from citebook.evals.answers_run import AnswerResult
from citebook.evals.metrics import Interval, bootstrap_interval, mean, percentile, share, wilson_interval

FALSE_REFUSALS_ALLOWED = 0.05
BANDS = ("above_0.85", "0.70_to_0.85", "below_0.70")
"""What readers are told as high, medium and low."""

Results = Sequence[AnswerResult]
Figures = dict[str, float | None]
Point = TypeVar("Point")

_MOST_POINTS = 101

_SHARES: dict[str, Callable[[AnswerResult], bool | None]] = {
    "answer_contains_gold": lambda r: r.contains_gold if r.answerable and r.golds else None,
    "first_sentence_contains_gold": lambda r: r.first_sentence_contains_gold if r.answerable and r.golds else None,
    "answered_contains_gold": lambda r: r.right_by_words if _is_given(r) else None,
    "citation_recall": lambda r: r.right_citations > 0 if _has_gold_citations(r) else None,
    "refused_unanswerable": lambda r: None if r.answerable else r.outcome == Outcome.REFUSED,
    "false_refusals": lambda r: r.outcome == Outcome.REFUSED if r.answerable else None,
    "failed": lambda r: r.outcome == Outcome.FAILED,
}
"""What can be said of one question: yes, no, or that it does not count."""


def _is_given(result: AnswerResult) -> bool:
    return result.outcome == Outcome.ANSWERED


def _has_gold_citations(result: AnswerResult) -> bool:
    """Answered, and the label tells which citations are right."""
    return _is_given(result) and result.answerable and bool(result.gold_place or result.golds)


def value_of(name: str, result: AnswerResult) -> bool | None:
    """One question's part in a share; None where it does not count."""
    return _SHARES[name](result)


SHARE_NAMES = tuple(_SHARES)


def citation_precision(results: Results) -> float | None:
    return _ratio(results, _has_gold_citations, lambda r: r.right_citations)


def citation_in_gold_place(results: Results) -> float | None:
    return _ratio(results, _has_gold_citations, lambda r: sum(bool(c.get("in_gold_place")) for c in r.citations))


def verbatim(results: Results) -> float | None:
    return _ratio(results, _is_given, lambda r: r.verbatim_citations)


def _ratio(
    results: Results, counts: Callable[[AnswerResult], bool], good: Callable[[AnswerResult], int]
) -> float | None:
    own = [result for result in results if counts(result)]
    citations = sum(len(result.citations) for result in own)
    return sum(good(result) for result in own) / citations if citations else None


def claims_quoted(results: Results) -> float | None:
    claims = sum(result.claims for result in results)
    return sum(result.quoted_claims for result in results) / claims if claims else None


def ece(results: Results) -> float | None:
    confidences, rights = _calibration_pairs(results)
    return expected_calibration_error(confidences, rights) if confidences else None


def ece_by_words(results: Results) -> float | None:
    """The error where only the gold words count, even those that the book does not have."""
    pairs = [(r.confidence, r.right_by_words) for r in results if _is_given(r) and r.right_by_words is not None]
    confidences, rights = [confidence for confidence, _ in pairs], [bool(right) for _, right in pairs]
    return expected_calibration_error(confidences, rights) if pairs else None


def brier(results: Results) -> float | None:
    confidences, rights = _calibration_pairs(results)
    return brier_score(confidences, rights) if confidences else None


def auroc_of(results: Results) -> float | None:
    return auroc(*_refusal_scores(results))


def refused_at_5(results: Results) -> float | None:
    point = refusal_at(FALSE_REFUSALS_ALLOWED, refusal_curve(*_refusal_scores(results)))
    return point.refused_unanswerable if point else None


_STATISTICS: dict[str, Callable[[Results], float | None]] = {
    "citation_precision": citation_precision,
    "citation_in_gold_place": citation_in_gold_place,
    "verbatim": verbatim,
    "claims_quoted": claims_quoted,
    "refused_at_5_false_refusals": refused_at_5,
    "auroc": auroc_of,
    "ece": ece,
    "ece_by_words": ece_by_words,
    "brier": brier,
}
"""What can only be said of all questions together."""


FIGURES = (
    "answer_contains_gold",
    "first_sentence_contains_gold",
    "answered_contains_gold",
    "citation_precision",
    "citation_recall",
    "citation_in_gold_place",
    "verbatim",
    "claims_quoted",
    "refused_unanswerable",
    "false_refusals",
    "refused_at_5_false_refusals",
    "auroc",
    "ece",
    "ece_by_words",
    "brier",
    "failed",
)
"""In the order in which they are shown."""


def _calibration_pairs(results: Results) -> tuple[list[float], list[bool]]:
    """Of the answers that were given and can be judged: an answer to an unanswerable question is wrong."""
    judged = [(result.confidence, result.right) for result in results if _is_given(result)]
    pairs = [(confidence, right) for confidence, right in judged if right is not None]
    return [confidence for confidence, _ in pairs], [right for _, right in pairs]


def _refusal_scores(results: Results) -> tuple[list[float], list[float]]:
    """Of answerable and unanswerable questions."""
    counted = [result for result in results if result.outcome != Outcome.FAILED]
    return (
        [_refusal_score(result) for result in counted if result.answerable],
        [_refusal_score(result) for result in counted if not result.answerable],
    )


def _refusal_score(result: AnswerResult) -> float:
    """The confidence; below 0 for what was refused, because no threshold would have refused less of it."""
    return result.confidence if _is_given(result) else result.confidence - 1.0


def figures_of(results: Results) -> Figures:
    figures = {name: share(_values(name, results)) for name in _SHARES}
    figures |= {name: statistic(results) for name, statistic in _STATISTICS.items()}
    return {name: figures[name] for name in FIGURES}


def _values(name: str, results: Results) -> list[bool]:
    values = (_SHARES[name](result) for result in results)
    return [value for value in values if value is not None]


def intervals_of(results: Results) -> dict[str, Interval | None]:
    """95 %: Wilson's for shares of questions, else drawn again by question."""
    intervals: dict[str, Interval | None] = {}
    for name in _SHARES:
        values = _values(name, results)
        intervals[name] = wilson_interval(sum(values), len(values))
    return intervals | {name: bootstrap_interval(results, statistic) for name, statistic in _STATISTICS.items()}


def bands_of(results: Results) -> dict[str, dict[str, Any]]:
    """How many answers of each level of confidence are right."""
    held: dict[str, list[bool]] = {name: [] for name in BANDS}
    for confidence, right in zip(*_calibration_pairs(results), strict=True):
        held[_band(confidence)].append(right)
    return {
        name: {
            "count": len(rights),
            "share_right": _rounded(share(rights)),
            "interval": _rounded_interval(wilson_interval(sum(rights), len(rights))),
        }
        for name, rights in held.items()
    }


def _band(confidence: float) -> str:
    above, middle, below = BANDS
    if confidence > 0.85:
        return above
    return middle if confidence >= 0.70 else below


def curves_of(results: Results) -> dict[str, list[dict[str, Any]]]:
    """The points of the reliability diagram, the risk–coverage curve and the refusal trade-off."""
    confidences, rights = _calibration_pairs(results)
    judged = sum(result.right is not None for result in results)
    curves: dict[str, Sequence[Any]] = {
        "reliability": reliability(confidences, rights),
        "risk_coverage": _thinned(risk_coverage(confidences, rights, judged)),
        "refusal_curve": _thinned(refusal_curve(*_refusal_scores(results))),
    }
    return {name: [_point_as_json(point) for point in points] for name, points in curves.items()}


def _thinned(points: Sequence[Point]) -> Sequence[Point]:
    """Evenly taken, the first and the last among them."""
    if len(points) <= _MOST_POINTS:
        return points
    steps = _MOST_POINTS - 1
    return [points[index * (len(points) - 1) // steps] for index in range(steps + 1)]


def _point_as_json(point: Any) -> dict[str, Any]:
    """JSON has no infinity: a threshold that refuses all is null."""
    return {name: None if value == inf else round(value, 4) for name, value in asdict(point).items()}


def refusal_of(results: Results) -> dict[str, Any] | None:
    """Where the threshold would have to lie for 5 % false refusals, and what it would refuse of each kind."""
    point = refusal_at(FALSE_REFUSALS_ALLOWED, refusal_curve(*_refusal_scores(results)))
    if point is None:
        return None
    refused: dict[str, list[bool]] = {}
    for result in results:
        if not result.answerable and result.outcome != Outcome.FAILED:
            kind = result.labels.get("kind", "unanswerable")
            refused.setdefault(kind, []).append(_refusal_score(result) < point.threshold)
    return {
        "threshold": None if point.threshold == inf else round(point.threshold, 4),
        "false_refusals": round(point.false_refusals, 4),
        "refused_by_kind": {
            kind: {
                "count": len(own),
                "share_refused": _rounded(share(own)),
                "interval": _rounded_interval(wilson_interval(sum(own), len(own))),
            }
            for kind, own in sorted(refused.items())
        },
    }


def latency_of(results: Results) -> dict[str, dict[str, float | None]]:
    firsts = [r.first_sentence_milliseconds for r in results if r.first_sentence_milliseconds is not None]
    times = {"answer": [result.milliseconds for result in results], "first_sentence": firsts}
    return {name: {f"p{percent}": percentile(own, percent) for percent in (50, 95)} for name, own in times.items()}


def tokens_of(results: Results) -> dict[str, float]:
    """Language models' tokens: none where the book's own sentences are the answer."""
    given, taken = [r.tokens_input for r in results], [r.tokens_output for r in results]
    return {
        "input": sum(given),
        "output": sum(taken),
        "input_per_question": round(mean(given), 1),
        "output_per_question": round(mean(taken), 1),
    }


def groups_of(results: Results) -> dict[str, dict[str, Any]]:
    """The figures apart for each value of each label that has several."""
    groups: dict[str, dict[str, list[AnswerResult]]] = {}
    for result in results:
        for label, value in result.labels.items():
            groups.setdefault(label, {}).setdefault(value, []).append(result)
    return {
        label: {
            value: {"questions": len(own), "metrics": _rounded_figures(figures_of(own))}
            for value, own in sorted(by_value.items())
        }
        for label, by_value in groups.items()
        if len(by_value) > 1 or len(next(iter(by_value.values()))) < len(results)
    }


def summarise(results: Results) -> dict[str, Any]:
    """What is written with `--json`, but for every question's result."""
    return {
        "metrics": _rounded_figures(figures_of(results)),
        "intervals": {name: _rounded_interval(interval) for name, interval in intervals_of(results).items()},
        "questions": len(results),
        "answerable": sum(result.answerable for result in results),
        "calibrated": all(result.calibrated for result in results if _is_given(result)),
        "bands": bands_of(results),
        "refusal": refusal_of(results),
        "latency_ms": latency_of(results),
        "tokens": tokens_of(results),
        "groups": groups_of(results),
        **curves_of(results),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _rounded_figures(figures: Figures) -> Figures:
    return {name: _rounded(value) for name, value in figures.items()}


def _rounded_interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [round(end, 4) for end in interval]
