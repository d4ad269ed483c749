"""The figures about answers, by a few judged answers made by hand."""

import json
from typing import Any

import pytest

from citebook.evals.answer_figures import figures_of, summarise
from citebook.evals.answers_run import AnswerResult
from tests.judged_answers import citation, given_anyway, judged, refused, wrong


def figure(name: str, *results: AnswerResult) -> float | None:
    return figures_of(results)[name]


def test_gold_words_are_counted_over_answerable_questions_and_refusals_hold_none() -> None:
    falsely_refused = refused(answerable=True, golds=["x"], right=False)
    assert figure("answer_contains_gold", judged(), wrong(), falsely_refused, refused()) == pytest.approx(1 / 3)


def test_questions_without_gold_words_cannot_be_judged_by_words() -> None:
    unlabelled = judged(golds=[], right=None, contains_gold=False)
    assert figure("answer_contains_gold", unlabelled) is None
    assert figure("ece", unlabelled) is None


def test_of_what_was_answered_an_answer_to_an_unanswerable_question_is_wrong() -> None:
    assert figure("answered_contains_gold", judged(), given_anyway(), refused()) == 0.5


def test_citation_precision_counts_citations_and_recall_counts_questions() -> None:
    half = judged(citations=[citation(), citation(right=False, in_gold_place=False)], right_citations=1)
    results = [half, wrong()]
    assert figure("citation_precision", *results) == pytest.approx(1 / 3)
    assert figure("citation_recall", *results) == 0.5


def test_words_elsewhere_count_as_a_right_citation_but_not_as_the_gold_place() -> None:
    elsewhere = judged(citations=[citation(in_gold_place=False)])
    assert figure("citation_precision", elsewhere) == 1.0
    assert figure("citation_in_gold_place", elsewhere) == 0.0


def test_citations_of_unanswerable_questions_are_left_to_the_refusal_figures() -> None:
    assert figure("citation_precision", judged(), given_anyway()) == 1.0
    assert figure("refused_unanswerable", judged(), given_anyway(), refused()) == 0.5


def test_every_citation_that_was_shown_must_be_verbatim() -> None:
    assert figure("verbatim", judged(), given_anyway(verbatim_citations=0)) == 0.5


def test_what_was_refused_counts_as_refused_at_any_threshold_above() -> None:
    """Its confidence may lie above that of answers, because it is measured before anything is said."""
    answerable = [judged(confidence=0.5)] * 19 + [judged(confidence=0.3)]
    results = [*answerable, refused(confidence=0.9), given_anyway(confidence=0.4), given_anyway(confidence=0.6)]
    assert figure("refused_at_5_false_refusals", *results) == pytest.approx(2 / 3)


def test_calibration_is_also_held_against_right_places() -> None:
    cited = wrong(confidence=1.0, right=True, right_by_words=False)
    assert (figure("ece", cited), figure("ece_by_words", cited)) == (0.0, 1.0)


def test_a_failure_is_neither_an_answer_nor_a_refusal() -> None:
    failed = refused(answerable=True, outcome="failed", right=False, golds=["x"])
    assert figure("false_refusals", judged(), failed) == 0.0
    assert figure("failed", judged(), failed) == 0.5


@pytest.mark.parametrize(
    ("confidence", "band"),
    [(0.86, "above_0.85"), (0.85, "0.70_to_0.85"), (0.70, "0.70_to_0.85"), (0.69, "below_0.70"), (1.0, "above_0.85")],
)
def test_bands_are_those_that_readers_are_told(confidence: float, band: str) -> None:
    bands = summarise([judged(confidence=confidence)])["bands"]
    assert [name for name, own in bands.items() if own["count"]] == [band]


def test_refusals_are_told_apart_by_kind() -> None:
    results = [judged(), refused(labels={"kind": "far"}), given_anyway(labels={"kind": "near"}, confidence=0.95)]
    by_kind = summarise(results)["refusal"]["refused_by_kind"]
    assert {kind: own["share_refused"] for kind, own in by_kind.items()} == {"far": 1.0, "near": 0.0}


def test_figures_are_given_apart_for_each_label_that_tells_something_apart() -> None:
    results = [judged(labels={"style": "direct", "split": "dev"}), wrong(labels={"style": "riddle", "split": "dev"})]
    groups = summarise(results)["groups"]
    assert groups.keys() == {"style"}
    assert groups["style"]["riddle"]["metrics"]["answer_contains_gold"] == 0.0


def test_times_and_tokens_are_told() -> None:
    summary = summarise([judged(milliseconds=10.0, tokens_input=30), judged(milliseconds=90.0, tokens_output=4)])
    assert summary["latency_ms"]["answer"] == {"p50": 10.0, "p95": 90.0}
    assert (summary["tokens"]["input"], summary["tokens"]["output_per_question"]) == (30, 2.0)


@pytest.mark.parametrize("results", [[judged()], [refused()], [judged(), refused()], [wrong(), given_anyway()]])
def test_a_summary_is_plain_json_whatever_is_missing(results: list[AnswerResult]) -> None:
    summary: dict[str, Any] = summarise(results)
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_curves_of_many_answers_are_thinned_and_keep_their_ends() -> None:
    results = [judged(confidence=number / 1000) for number in range(1000)]
    points = summarise(results)["risk_coverage"]
    assert len(points) == 101
    assert (points[0]["coverage"], points[-1]["coverage"]) == (0.001, 1.0)
