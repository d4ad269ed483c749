"""Fits the curve that makes a probability of an answer's raw figure, and measures how well it keeps its word."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from citebook.domain.calibration import AS_IT_IS, Calibration, Curve, Risk
from citebook.domain.errors import InvalidQuestionSet
from citebook.domain.set_up import SetUp
from citebook.evals.answer_metrics import brier_score, expected_calibration_error

FEWEST_ANSWERS = 50
_ANSWERS_A_KNOT = 12
_MOST_KNOTS = 30
_BASE_COUNTS_FOR = 4.0
"""Answers; of so many the curve that held before is worth in each knot."""
_FOLDS = 5
_FEWEST_AT_RISK = 20
_MOST_RISKS = 50

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """One given answer: its raw figure, whether it was right, and how much it counts."""

    raw: float
    right: bool
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Fit:
    """A calibration, and how far off confidence was without it and is with it, on answers it was not fitted to."""

    calibration: Calibration
    ece_before: float
    brier_before: float
    ece_after: float
    brier_after: float
    held_out: tuple[tuple[float, bool], ...]
    """Confidence of every answer by a curve that was fitted without it, and whether it was right."""


def fit(samples: Sequence[Sample], set_up: SetUp, base: Curve | None = None) -> Fit:
    """`base` is the curve that holds so far, if any does. Raises `InvalidQuestionSet` where there are too few."""
    check_enough(len(samples))
    held_out = _cross_validated(samples, base)
    rights = [sample.right for sample in samples]
    before = [(base or AS_IT_IS).at(sample.raw) for sample in samples]
    after = [confidence for confidence, _ in held_out]
    curve = fit_curve(samples, base)
    return Fit(
        calibration=Calibration(
            embedder=set_up.embedder,
            generator=set_up.generator,
            set_up=set_up,
            curve=curve,
            risks=risks_of(samples, curve),
            questions=len(samples),
            made_at=datetime.now(UTC).replace(microsecond=0),
        ),
        ece_before=expected_calibration_error(before, rights),
        brier_before=brier_score(before, rights),
        ece_after=expected_calibration_error(after, [right for _, right in held_out]),
        brier_after=brier_score(after, [right for _, right in held_out]),
        held_out=held_out,
    )


def check_enough(answers: int) -> None:
    """Raises `InvalidQuestionSet` where nothing could be learnt from so few."""
    if answers < FEWEST_ANSWERS:
        raise InvalidQuestionSet(
            f"A calibration needs at least {FEWEST_ANSWERS} answers, and better a few hundred; there are {answers}."
        )


def _cross_validated(samples: Sequence[Sample], base: Curve | None) -> tuple[tuple[float, bool], ...]:
    """Every answer judged by a curve of the other four fifths, dealt out by chance, and always in the same way."""
    dealt = [samples[place] for place in np.random.default_rng(0).permutation(len(samples))]
    judged = []
    for number in range(_FOLDS):
        others = [sample for place, sample in enumerate(dealt) if place % _FOLDS != number]
        curve = fit_curve(others, base)
        judged += [(curve.at(sample.raw), sample.right) for sample in dealt[number::_FOLDS]]
    return tuple(judged)


def fit_curve(samples: Sequence[Sample], base: Curve | None = None) -> Curve:
    """Shares of right answers in groups of equal weight, made to rise."""
    knots = _risen([_group_knot(group, base) for group in _groups(samples)])
    return Curve(knots=tuple((raw, share) for raw, share, _ in knots))


def _groups(samples: Sequence[Sample]) -> list[list[Sample]]:
    ordered = sorted(samples, key=lambda sample: sample.raw)
    count = max(2, min(_MOST_KNOTS, len(ordered) // _ANSWERS_A_KNOT))
    weights = np.array([sample.weight for sample in ordered])
    middles = (np.cumsum(weights) - weights / 2) / weights.sum()
    numbers = np.minimum(count - 1, (middles * count).astype(int))
    groups: dict[int, list[Sample]] = {}
    for sample, number in zip(ordered, numbers, strict=True):
        groups.setdefault(int(number), []).append(sample)
    return list(groups.values())


Knot = tuple[float, float, float]
"""Raw figure, share of right answers, weight."""


def _group_knot(group: Sequence[Sample], base: Curve | None) -> Knot:
    weight = sum(sample.weight for sample in group)
    raw = sum(sample.raw * sample.weight for sample in group) / weight
    right = sum(sample.weight for sample in group if sample.right)
    if base is None:
        return raw, right / weight, weight
    from_base = _BASE_COUNTS_FOR * weight / len(group)
    return raw, (right + from_base * base.at(raw)) / (weight + from_base), weight


def _risen(knots: Sequence[Knot]) -> list[Knot]:
    """Neighbours that fall are levelled; knots at the same raw figure become one."""
    levels: list[tuple[float, float, list[float]]] = []
    for raw, share, weight in knots:
        raws = [raw]
        while levels and (levels[-1][0] >= share or levels[-1][2][-1] >= raws[0]):
            other_share, other_weight, other_raws = levels.pop()
            total = other_weight + weight
            share = (other_share * other_weight + share * weight) / total
            weight, raws = total, other_raws + raws
        levels.append((share, weight, raws))
    risen = [(raw, share, weight) for share, weight, raws in levels for raw in raws]
    return risen[:1] + [after for before, after in pairwise(risen) if after[0] > before[0]]


def risks_of(samples: Sequence[Sample], curve: Curve) -> tuple[Risk, ...]:
    """What would be answered, and how much of that wrongly, at thresholds over which enough answers were seen."""
    judged = sorted(((curve.at(sample.raw), sample) for sample in samples), key=lambda pair: -pair[0])
    total = sum(sample.weight for sample in samples)
    risks: dict[float, Risk] = {}
    given = wrong = 0.0
    for count, (confidence, sample) in enumerate(judged, start=1):
        given += sample.weight
        wrong += 0.0 if sample.right else sample.weight
        if count >= _FEWEST_AT_RISK:
            threshold = np.floor(confidence * 1000) / 1000
            share_wrong = min(1.0, wrong / given)
            risks[threshold] = Risk(threshold=threshold, answered=min(1.0, given / total), wrong=share_wrong)
    rising = sorted(risks.values(), key=lambda risk: risk.threshold)
    step = max(1, -(-len(rising) // _MOST_RISKS))
    return tuple(_shortened(risk) for risk in rising[::step])


def _shortened(risk: Risk) -> Risk:
    return risk.model_copy(update={"answered": round(risk.answered, 4), "wrong": round(risk.wrong, 4)})
