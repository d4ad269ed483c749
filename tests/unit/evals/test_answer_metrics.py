"""Whether an answer counts as right, and how calibration is measured."""

import pytest

from citebook.evals.answer_metrics import brier_score, contains_gold, expected_calibration_error


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("It has three parts: a wave generator, …", "wave generator"),
        ("The Normans came in 911.", "the Normans"),
        ("It is 3.5 m long.", "3.5 m"),
        ("A state-of-the-art design", "state of the art"),
    ],
)
def test_a_short_gold_answer_is_found_whatever_its_punctuation_and_articles(answer: str, gold: str) -> None:
    assert contains_gold(answer, ["something else", gold])


@pytest.mark.parametrize(("answer", "gold"), [("a partial answer", "part"), ("anything", ""), ("", "gold")])
def test_parts_of_words_and_empty_texts_do_not_count(answer: str, gold: str) -> None:
    assert not contains_gold(answer, [gold])


def test_of_a_long_gold_answer_most_terms_are_enough() -> None:
    gold = "Click the button, fill in values for each variable of your prompt and repeat the process for more cases"
    answer = "Click the button. Fill in values for each variable in the prompt. Repeat the process."
    assert contains_gold(answer, [gold])
    assert not contains_gold("Click the button.", [gold])


def test_confidence_that_keeps_its_word_has_no_calibration_error() -> None:
    assert expected_calibration_error([0.75] * 4, [True, True, True, False]) == pytest.approx(0.0)
    assert expected_calibration_error([1.0, 1.0], [True, False]) == pytest.approx(0.5)


def test_the_brier_score_is_the_mean_squared_error() -> None:
    assert brier_score([1.0, 0.5], [True, False]) == pytest.approx(0.125)
