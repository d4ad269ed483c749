"""All figures about graded answers: by kind of question, by level of confidence, and how far that can be believed."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from citebook.domain.answer import Outcome
from citebook.evals.answer_metrics import expected_calibration_error, reliability
from citebook.evals.grades import Grade
from citebook.evals.judging_run import JudgedAnswer
from citebook.evals.metrics import bootstrap_interval, share, wilson_interval

Answers = Sequence[JudgedAnswer]

LEVELS = ("high", "medium", "low", "refused", "failed")
_MISLEADS = (Grade.POOR, Grade.WRONG)


def summarise(answers: Answers) -> dict[str, Any]:
    graded = [answer for answer in answers if answer.grade is not None]
    kinds = sorted({answer.kind for answer in answers})
    levels = [level for level in LEVELS if any(answer.shown_level == level for answer in answers)]
    return {
        "questions": len(answers),
        "graded": len(graded),
        "calibrated": all(answer.calibrated for answer in answers if answer.outcome is Outcome.ANSWERED),
        "metrics": {name: figure(graded) for name, figure in _FIGURES.items()},
        "intervals": {name: _interval(name, graded) for name in _FIGURES},
        "all": _counted(answers),
        "by_kind": {kind: _counted([a for a in answers if a.kind == kind]) for kind in kinds},
        "by_level": {level: _counted([a for a in answers if a.shown_level == level]) for level in levels},
        "reliability": [asdict(own) for own in reliability(*_calibration_pairs(graded))],
    }


def _counted(answers: Answers) -> dict[str, Any]:
    graded = [answer for answer in answers if answer.grade is not None]
    goods = [is_good(answer) for answer in graded]
    return {
        "questions": len(answers),
        "graded": len(graded),
        "grades": {grade.value: sum(answer.grade is grade for answer in graded) for grade in Grade},
        "share_good": share(goods),
        "interval": wilson_interval(sum(goods), len(goods)),
        "share_excellent": share([answer.grade is Grade.EXCELLENT for answer in graded]),
    }


def is_good(answer: JudgedAnswer) -> bool:
    return answer.grade is not None and answer.grade.is_good


def _is_sure(answer: JudgedAnswer) -> bool:
    return answer.shown_level == "high"


def good(graded: Answers) -> float | None:
    return share([is_good(answer) for answer in graded])


def excellent(graded: Answers) -> float | None:
    return share([answer.grade is Grade.EXCELLENT for answer in graded])


def sure_and_poor_or_wrong(graded: Answers) -> float | None:
    """Of the answers that readers are told are sure."""
    return share([answer.grade in _MISLEADS for answer in graded if _is_sure(answer)])


def wrong(graded: Answers) -> float | None:
    return share([answer.grade is Grade.WRONG for answer in graded])


def ece(graded: Answers) -> float | None:
    """Of confidence against good, over the answers that were given."""
    confidences, goods = _calibration_pairs(graded)
    return expected_calibration_error(confidences, goods) if confidences else None


def _calibration_pairs(graded: Answers) -> tuple[list[float], list[bool]]:
    given = [answer for answer in graded if answer.outcome is Outcome.ANSWERED]
    return [answer.confidence for answer in given], [is_good(answer) for answer in given]


_FIGURES: dict[str, Callable[[Answers], float | None]] = {
    "good": good,
    "excellent": excellent,
    "wrong": wrong,
    "high_but_poor_or_wrong": sure_and_poor_or_wrong,
    "ece": ece,
}


def _interval(name: str, graded: Answers) -> tuple[float, float] | None:
    """Wilson's for shares; the calibration error is drawn again."""
    value = _FIGURES[name](graded)
    if value is None:
        return None
    if name == "ece":
        return bootstrap_interval(graded, ece)
    counted = sum(map(_is_sure, graded)) if name == "high_but_poor_or_wrong" else len(graded)
    return wilson_interval(round(value * counted), counted)
