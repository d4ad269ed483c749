"""What a change broke and what it mended: two measurements of the same questions, side by side."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from citebook.domain.answer import Outcome
from citebook.domain.errors import InvalidQuestionSet
from citebook.evals import answer_figures, graded_figures
from citebook.evals.answers_run import AnswerResult
from citebook.evals.grades import Grade
from citebook.evals.judging_run import JudgedAnswer
from citebook.evals.metrics import mcnemar_exact, mean, percentile
from citebook.evals.result_files import AnswersRun, JudgedRun, RetrievalRun, Run
from citebook.evals.retrieval_run import CONFIGURED, METRICS, QuestionResult

SIGNIFICANT = 0.05
_ENOUGH_RANK = 5
"""An answer is made of the first five passages."""
_LOWER_IS_BETTER = frozenset({"false_refusals", "failed", "ece", "brier", "latency_ms_p50"})

Result = TypeVar("Result", AnswerResult, QuestionResult, JudgedAnswer)
Pair = tuple[Result, Result]


@dataclass(frozen=True, slots=True)
class Flip:
    """A question that was right and is wrong, or the other way round; or whose grade changed."""

    id: str
    question: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class Change:
    """One figure over the questions that both runs have."""

    name: str
    old: float
    new: float
    better: int | None = None
    """Questions for which it rose (or fell, where less is better); None where it is a figure of all together."""
    worse: int | None = None
    p: float | None = None

    @property
    def is_significantly_worse(self) -> bool:
        more_worse = self.better is not None and self.worse is not None and self.worse > self.better
        return more_worse and self.p is not None and self.p < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class Comparison:
    name: str
    measured: str
    compared: int
    only_old: int
    only_new: int
    broken: list[Flip] = field(default_factory=list)
    mended: list[Flip] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    by_kind: list[Change] = field(default_factory=list)
    """Of graded answers: the same by kind of question. Each has few questions, so none of them fails a run."""

    @property
    def titles_of_flips(self) -> tuple[str, str]:
        """Of the broken and of the mended ones."""
        if self.measured == "judge":
            return "Graded worse than before", "Graded better than before"
        return "Right before, wrong now", "Wrong before, right now"

    @property
    def significantly_worse(self) -> list[str]:
        return [change.name for change in self.changes if change.is_significantly_worse]


def compare(old: Run, new: Run) -> Comparison:
    """Pairs questions by id and wording: a reworded question is another one."""
    if isinstance(old, AnswersRun) and isinstance(new, AnswersRun):
        pairs, only_old, only_new = _paired(old.results, new.results)
        comparison = Comparison(new.name, new.measured, len(pairs), only_old, only_new)
        return _answers(comparison, pairs)
    if isinstance(old, RetrievalRun) and isinstance(new, RetrievalRun):
        olds, news = ([r for r in run.results if r.method == CONFIGURED] for run in (old, new))
        found, only_old, only_new = _paired(olds, news)
        return _retrieval(Comparison(new.name, new.measured, len(found), only_old, only_new), found)
    if isinstance(old, JudgedRun) and isinstance(new, JudgedRun):
        judged, only_old, only_new = _paired(old.results, new.results)
        return _judged(Comparison(new.name, new.measured, len(judged), only_old, only_new), judged)
    raise InvalidQuestionSet(f"results of {old.measured} cannot be compared with results of {new.measured}")


def _paired(old: Sequence[Result], new: Sequence[Result]) -> tuple[list[Pair[Result]], int, int]:
    """The results of the same questions, and how many stand alone on either side."""
    olds, news = _keyed(old), _keyed(new)
    pairs = [(olds[key], result) for key, result in news.items() if key in olds]
    if not pairs:
        raise InvalidQuestionSet("the two measurements have no question in common, so they cannot be compared")
    return pairs, len(olds) - len(pairs), len(news) - len(pairs)


def _keyed(results: Sequence[Result]) -> dict[tuple[str, str, int], Result]:
    """By id, wording, and the how-manieth of that id and wording."""
    keyed: dict[tuple[str, str, int], Result] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for result in results:
        seen[result.id, result.question] += 1
        keyed[result.id, result.question, seen[result.id, result.question]] = result
    return keyed


def _collect_flips(
    comparison: Comparison,
    pairs: Sequence[Pair[Result]],
    rank: Callable[[Result], float | None],
    in_words: Callable[[Result], str],
) -> None:
    """A question that has no rank on either side is left out."""
    for old, new in pairs:
        was, now = rank(old), rank(new)
        if was is not None and now is not None and was != now:
            flips = comparison.broken if now < was else comparison.mended
            flips.append(Flip(new.id, new.question, in_words(old), in_words(new)))


def _change(name: str, pairs: Sequence[Pair[Result]], value: Callable[[Result], float | None]) -> Change | None:
    """Over the pairs where both have a value; tested by which of them changed, whatever by how much."""
    values = [(before, after) for old, new in pairs for before, after in [(value(old), value(new))]]
    both = [(before, after) for before, after in values if before is not None and after is not None]
    if not both:
        return None
    rose = sum(after > before for before, after in both)
    fell = sum(after < before for before, after in both)
    better, worse = (fell, rose) if name in _LOWER_IS_BETTER else (rose, fell)
    olds, news = mean([before for before, _ in both]), mean([after for _, after in both])
    return Change(name, olds, news, better, worse, mcnemar_exact(better, worse))


# --- answers


def _answers(comparison: Comparison, pairs: Sequence[Pair[AnswerResult]]) -> Comparison:
    _collect_flips(comparison, pairs, _is_right, _outcome_in_words)
    by_question = (_change(name, pairs, value) for name, value in _ANSWER_VALUES.items())
    comparison.changes.extend(change for change in by_question if change is not None)
    olds, news = [old for old, _ in pairs], [new for _, new in pairs]
    for name, figure in _FIGURES_OF_ALL.items():
        before, after = figure(olds), figure(news)
        if before is not None and after is not None:
            comparison.changes.append(Change(name, before, after))
    return comparison


def _is_right(result: AnswerResult) -> bool:
    """Where the label has no words to look for, a right citation tells."""
    return result.right_citations > 0 if result.right is None else result.right


def _outcome_in_words(result: AnswerResult) -> str:
    if result.outcome is not Outcome.ANSWERED:
        return result.outcome.value
    return f"{'right' if _is_right(result) else 'wrong'} answer ({result.confidence:.2f})"


def _value_of(name: str) -> Callable[[AnswerResult], float | None]:
    def value(result: AnswerResult) -> float | None:
        counted = answer_figures.value_of(name, result)
        return None if counted is None else float(counted)

    return value


_ANSWER_VALUES: dict[str, Callable[[AnswerResult], float | None]] = {
    **{name: _value_of(name) for name in answer_figures.SHARE_NAMES},
    "citation_precision_by_question": lambda result: answer_figures.citation_precision([result]),
    "verbatim": lambda result: answer_figures.verbatim([result]),
}

_FIGURES_OF_ALL: dict[str, Callable[[Sequence[AnswerResult]], float | None]] = {
    "refused_at_5_false_refusals": answer_figures.refused_at_5,
    "auroc": answer_figures.auroc_of,
    "ece": answer_figures.ece,
    "brier": answer_figures.brier,
    "latency_ms_p50": lambda results: percentile([result.milliseconds for result in results], 50),
}


# --- retrieval


def _retrieval(comparison: Comparison, pairs: Sequence[Pair[QuestionResult]]) -> Comparison:
    _collect_flips(comparison, pairs, _is_found, _rank_in_words)
    for name in METRICS:
        change = _change(name, pairs, lambda result: result.metrics.get(name))  # noqa: B023 - called at once
        if change is not None:
            comparison.changes.append(change)
    return comparison


def _is_found(result: QuestionResult) -> bool:
    return result.first_rank is not None and result.first_rank <= _ENOUGH_RANK


def _rank_in_words(result: QuestionResult) -> str:
    return "not found" if result.first_rank is None else f"rank {result.first_rank}"


# --- grades


def _judged(comparison: Comparison, pairs: Sequence[Pair[JudgedAnswer]]) -> Comparison:
    """Over the pairs where both have a grade."""
    _collect_flips(comparison, pairs, _rank_of, _grade_in_words)
    by_question = (_change(name, pairs, value) for name, value in _GRADE_VALUES.items())
    comparison.changes.extend(change for change in by_question if change is not None)
    graded = [(old, new) for old, new in pairs if old.grade is not None and new.grade is not None]
    before, after = graded_figures.ece([old for old, _ in graded]), graded_figures.ece([new for _, new in graded])
    if before is not None and after is not None:
        comparison.changes.append(Change("ece", before, after))
    for kind in sorted({new.kind for _, new in pairs}):
        change = _change(kind, [pair for pair in pairs if pair[1].kind == kind], _rank_of)
        if change is not None:
            comparison.by_kind.append(change)
    return comparison


def _rank_of(answer: JudgedAnswer) -> float | None:
    return None if answer.grade is None else float(answer.grade.rank)


def _grade_in_words(answer: JudgedAnswer) -> str:
    return f"{answer.grade}: {answer.note}" if answer.note else f"{answer.grade}"


def _if_graded(value: Callable[[Grade], bool]) -> Callable[[JudgedAnswer], float | None]:
    return lambda answer: None if answer.grade is None else float(value(answer.grade))


_GRADE_VALUES: dict[str, Callable[[JudgedAnswer], float | None]] = {
    "rank": _rank_of,
    "good": _if_graded(lambda grade: grade.is_good),
    "excellent": _if_graded(lambda grade: grade is Grade.EXCELLENT),
    "not_wrong": _if_graded(lambda grade: grade is not Grade.WRONG),
}
