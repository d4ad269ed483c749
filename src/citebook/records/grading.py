"""What the grades of experts come to, by the confidence that the answers had."""

from collections.abc import Sequence
from typing import get_args

from citebook.domain.answer import ConfidenceLevel, level_of
from citebook.domain.grading import AnswerGrade, LevelFigures, Verdict


def figures_of(grades: Sequence[AnswerGrade]) -> tuple[LevelFigures, ...]:
    """Each grade counts, also where two experts graded one answer."""
    return tuple(_figures(level, grades) for level in get_args(ConfidenceLevel))


def _figures(level: ConfidenceLevel, grades: Sequence[AnswerGrade]) -> LevelFigures:
    verdicts = [grade.verdict for grade in grades if level_of(grade.confidence) == level]
    return LevelFigures(
        level=level,
        graded=len(verdicts),
        passed=verdicts.count(Verdict.PASS),
        hallucinated=verdicts.count(Verdict.HALLUCINATION),
    )
