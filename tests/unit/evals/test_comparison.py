"""What is said about two measurements of the same questions."""

from typing import Any

import pytest

from citebook.domain.errors import InvalidQuestionSet
from citebook.evals.comparison import Change, Comparison, compare
from tests.judged_answers import answers_run, found, given_anyway, judged, refused, retrieval_run, wrong


def change(comparison: Comparison, name: str) -> Change:
    return next(change for change in comparison.changes if change.name == name)


def test_a_question_that_went_wrong_is_named_with_what_it_was_and_is() -> None:
    comparison = compare(answers_run(judged(confidence=0.8)), answers_run(wrong(confidence=0.7)))
    (flip,) = comparison.broken
    assert (flip.id, flip.was, flip.now) == ("q1", "right answer (0.80)", "wrong answer (0.70)")
    assert comparison.mended == []


def test_an_unanswerable_question_is_right_when_it_is_refused() -> None:
    comparison = compare(answers_run(given_anyway()), answers_run(refused()))
    assert [flip.now for flip in comparison.mended] == ["refused"]


def test_where_there_are_no_gold_words_a_right_citation_tells() -> None:
    unlabelled: dict[str, Any] = {"golds": [], "right": None}
    comparison = compare(answers_run(judged(**unlabelled)), answers_run(wrong(**unlabelled)))
    assert len(comparison.broken) == 1


def test_a_reworded_question_is_another_one() -> None:
    old = answers_run(judged(), judged(id="q2", question="Old?"))
    comparison = compare(old, answers_run(judged(), wrong(id="q2", question="New?"), judged(id="q3")))
    assert (comparison.compared, comparison.only_old, comparison.only_new) == (1, 1, 2)
    assert comparison.broken == []


def test_questions_without_ids_and_repeated_ones_are_paired_in_order() -> None:
    old, new = answers_run(judged(id=""), wrong(id="")), answers_run(judged(id=""), wrong(id=""))
    assert compare(old, new).compared == 2
    assert compare(old, new).broken == []


@pytest.mark.parametrize(("broken", "is_worse"), [(5, False), (6, True)])
def test_six_broken_questions_are_no_chance_any_more(broken: int, is_worse: bool) -> None:
    old = answers_run(*(judged(id=str(number)) for number in range(10)))
    new = answers_run(*((wrong if number < broken else judged)(id=str(number)) for number in range(10)))
    assert ("answer_contains_gold" in compare(old, new).significantly_worse) is is_worse


def test_more_false_refusals_are_worse_not_better() -> None:
    def asked(refuse: bool) -> list[object]:
        one = refused(answerable=True, right=False, golds=["x"]) if refuse else judged()
        return [one.model_copy(update={"id": str(number)}) for number in range(8)]

    comparison = compare(answers_run(results=asked(False)), answers_run(results=asked(True)))
    assert "false_refusals" in comparison.significantly_worse
    assert (change(comparison, "false_refusals").better, change(comparison, "false_refusals").worse) == (0, 8)


def test_what_got_better_is_never_called_worse() -> None:
    old = answers_run(*(wrong(id=str(number)) for number in range(10)))
    new = answers_run(*(judged(id=str(number)) for number in range(10)))
    assert compare(old, new).significantly_worse == []


def test_figures_of_all_questions_together_are_shown_without_a_test() -> None:
    comparison = compare(answers_run(judged(confidence=0.5)), answers_run(judged(confidence=1.0)))
    assert change(comparison, "ece") == Change("ece", 0.5, 0.0)


@pytest.mark.parametrize(("rank", "is_broken"), [(5, False), (6, True), (None, True)])
def test_a_passage_beyond_the_first_five_is_no_help_to_an_answer(rank: int | None, is_broken: bool) -> None:
    comparison = compare(retrieval_run(found(1)), retrieval_run(found(rank)))
    assert bool(comparison.broken) is is_broken


def test_only_the_search_that_answers_is_compared() -> None:
    old = retrieval_run(found(1), found(1, "dense"))
    assert compare(old, retrieval_run(found(1), found(None, "dense"))).broken == []


def test_answers_cannot_be_compared_with_retrieval() -> None:
    with pytest.raises(InvalidQuestionSet, match="results of answers cannot be compared with results of retrieval"):
        compare(answers_run(judged()), retrieval_run(found(1)))


def test_measurements_without_a_frequent_question_cannot_be_compared() -> None:
    with pytest.raises(InvalidQuestionSet, match="no question in common"):
        compare(answers_run(judged(id="a")), answers_run(judged(id="b")))
