"""Figures about graded answers, and what changed between two versions."""

import pytest

from citebook.evals.comparison import compare
from citebook.evals.graded_figures import summarise
from tests.graded_answers import answered, judged_run, refusal

MIXED = [
    answered(id="1", grade="A"),
    answered(id="2", grade="C", labels={"kind": "list"}),
    answered(id="3", grade="B", confidence=0.5, level="low", labels={"kind": "list"}),
    refusal(id="4", grade="R+"),
    refusal(id="5", grade="R-", answerable=True),
    answered(id="6"),
]


def test_shares_are_of_what_is_graded() -> None:
    summary = summarise(MIXED)
    assert (summary["questions"], summary["graded"]) == (6, 5)
    assert summary["metrics"]["good"] == pytest.approx(3 / 5)
    assert summary["metrics"]["excellent"] == pytest.approx(1 / 5)
    assert summary["metrics"]["wrong"] == 0
    low, high = summary["intervals"]["good"]
    assert low < 3 / 5 < high


def test_grades_are_counted_by_kind_and_by_confidence() -> None:
    summary = summarise(MIXED)
    listed = summary["by_kind"]["list"]
    assert listed["grades"] == {"A": 0, "B": 1, "C": 1, "D": 0, "R+": 0, "R-": 0}
    assert (listed["share_good"], listed["share_excellent"]) == (0.5, 0.0)
    assert list(summary["by_level"]) == ["high", "low", "refused"]
    assert summary["by_level"]["high"]["graded"] == 2
    assert summary["by_level"]["refused"]["grades"]["R-"] == 1


def test_what_misleads_is_counted_among_the_sure_answers() -> None:
    assert summarise(MIXED)["metrics"]["high_but_poor_or_wrong"] == 0.5
    assert summarise([refusal(grade="R+")])["metrics"]["high_but_poor_or_wrong"] is None


def test_confidence_is_held_against_good_over_answers_that_were_given() -> None:
    summary = summarise([answered(grade="A"), answered(grade="D"), refusal(grade="R+")])
    assert summary["metrics"]["ece"] == pytest.approx(0.4)
    assert [own["count"] for own in summary["reliability"]] == [2]


def test_nothing_graded_has_no_figures() -> None:
    summary = summarise([answered()])
    assert set(summary["metrics"].values()) == {None}
    assert summary["all"]["share_good"] is None


def test_two_versions_are_compared_question_by_question_and_by_kind() -> None:
    old = judged_run(*(answered(id=str(number), grade="C") for number in range(7)))
    better = [answered("Other.", id=str(number), grade="B") for number in range(6)]
    comparison = compare(old, judged_run(*better, answered(id="6", grade="D", note="not a wheel")))
    assert (len(comparison.mended), [flip.now for flip in comparison.broken]) == (6, ["D: not a wheel"])
    rank = comparison.changes[0]
    assert (rank.name, rank.better, rank.worse) == ("rank", 6, 1)
    assert rank.p == pytest.approx(0.125)
    assert [(change.name, change.better) for change in comparison.by_kind] == [("definition", 6)]


def test_a_wrong_refusal_is_no_worse_than_a_poor_answer_and_better_than_a_wrong_one() -> None:
    poor, wrong = judged_run(answered(grade="C")), judged_run(answered(grade="D"))
    refused = judged_run(refusal(grade="R-"))
    assert compare(poor, refused).broken == compare(poor, refused).mended == []
    assert len(compare(wrong, refused).mended) == 1


def test_questions_without_a_grade_on_one_side_do_not_count() -> None:
    comparison = compare(judged_run(answered(grade="A")), judged_run(answered("Other.")))
    assert (comparison.compared, comparison.changes, comparison.broken) == (1, [], [])


def test_many_worse_grades_of_one_kind_are_a_failure_only_of_the_whole() -> None:
    old = judged_run(*(answered(id=str(number), grade="A") for number in range(6)))
    new = judged_run(*(answered("Other.", id=str(number), grade="B") for number in range(6)))
    assert compare(old, new).significantly_worse == ["rank", "excellent"]
