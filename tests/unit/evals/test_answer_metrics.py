"""Whether an answer counts as right, and how calibration is measured."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.evals.answer_metrics import (
    auroc,
    brier_score,
    contains_gold,
    expected_calibration_error,
    refusal_at,
    refusal_curve,
    reliability,
    risk_coverage,
)
from tests.fakes import ENGLISH


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
    assert contains_gold(answer, ["something else", gold], ENGLISH)


@pytest.mark.parametrize(("answer", "gold"), [("a partial answer", "part"), ("anything", ""), ("", "gold")])
def test_parts_of_words_and_empty_texts_do_not_count(answer: str, gold: str) -> None:
    assert not contains_gold(answer, [gold], ENGLISH)


def test_of_a_long_gold_answer_most_terms_are_enough() -> None:
    gold = "Click the button, fill in values for each variable of your prompt and repeat the process for more cases"
    answer = "Click the button. Fill in values for each variable in the prompt. Repeat the process."
    assert contains_gold(answer, [gold], ENGLISH)
    assert not contains_gold("Click the button.", [gold], ENGLISH)


def test_confidence_that_keeps_its_word_has_no_calibration_error() -> None:
    assert expected_calibration_error([0.75] * 4, [True, True, True, False]) == pytest.approx(0.0)
    assert expected_calibration_error([1.0, 1.0], [True, False]) == pytest.approx(0.5)


def test_the_brier_score_is_the_mean_squared_error() -> None:
    assert brier_score([1.0, 0.5], [True, False]) == pytest.approx(0.125)


def test_answers_of_about_the_same_confidence_share_a_bin() -> None:
    low, high = reliability([0.1, 0.15, 1.0], [False, True, True])
    assert (low.low, low.high, low.confidence, low.share_right, low.count) == (0.1, 0.2, 0.125, 0.5, 2)
    assert (high.low, high.count) == (0.9, 1)


def test_risk_is_the_share_of_wrong_ones_among_the_surest_answers() -> None:
    points = risk_coverage([0.5, 0.9, 0.7], [False, True, True], questions=4)
    assert [(p.coverage, round(p.risk, 3), p.threshold) for p in points] == [
        (0.25, 0, 0.9),
        (0.5, 0, 0.7),
        (0.75, 0.333, 0.5),
    ]


def test_answers_of_equal_confidence_make_one_point() -> None:
    assert len(risk_coverage([0.5, 0.5], [False, True], questions=2)) == 1


ANSWERABLE, UNANSWERABLE = [0.4, 0.6, 0.8, 0.9], [0.1, 0.2, 0.5, 0.7]


def test_the_refusal_curve_runs_from_refusing_nothing_to_refusing_all() -> None:
    curve = refusal_curve(ANSWERABLE, UNANSWERABLE)
    assert (curve[0].false_refusals, curve[0].refused_unanswerable) == (0, 0)
    assert (curve[-1].false_refusals, curve[-1].refused_unanswerable) == (1, 1)


@pytest.mark.parametrize(("allowed", "refused"), [(0.0, 0.5), (0.25, 0.75), (0.5, 1.0), (1.0, 1.0)])
def test_as_much_is_refused_as_the_false_refusals_allow(allowed: float, refused: float) -> None:
    point = refusal_at(allowed, refusal_curve(ANSWERABLE, UNANSWERABLE))
    assert point is not None
    assert point.false_refusals <= allowed
    assert point.refused_unanswerable == refused


def test_without_one_of_the_two_kinds_nothing_can_be_said_of_refusals() -> None:
    assert refusal_curve([0.5], []) == refusal_curve([], [0.5]) == []
    assert refusal_at(0.05, []) is None
    assert auroc([0.5], []) is None


@given(st.lists(st.integers(0, 8), min_size=1, max_size=20), st.lists(st.integers(0, 8), min_size=1, max_size=20))
def test_the_area_is_the_share_of_pairs_in_the_right_order(answerable: list[int], unanswerable: list[int]) -> None:
    pairs = [(good > bad) + 0.5 * (good == bad) for good in answerable for bad in unanswerable]
    assert auroc([*map(float, answerable)], [*map(float, unanswerable)]) == pytest.approx(sum(pairs) / len(pairs))
