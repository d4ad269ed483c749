"""Fitting the curve that makes a probability of an answer's raw figure."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.domain.calibration import Curve
from citebook.domain.errors import InvalidQuestionSet
from citebook.domain.set_up import SearchSetUp, SetUp
from citebook.evals.curve_fitting import Sample, fit, fit_curve, risks_of

SET_UP = SetUp(
    embedder="words",
    generator="extractive",
    search=SearchSetUp(dense_weight=0.85, top_k=5, reranker="none", recipe="1"),
    weights={},
)

samples = st.lists(
    st.builds(Sample, raw=st.floats(0, 1), right=st.booleans(), weight=st.floats(0.01, 100)), min_size=4, max_size=80
)


def overconfident(count: int = 400) -> list[Sample]:
    """Answers of which half as many are right as their figure says."""
    drawn = random.Random(1)
    raws = [drawn.random() for _ in range(count)]
    return [Sample(raw, drawn.random() < raw / 2) for raw in raws]


@given(samples)
def test_a_fitted_curve_never_falls_and_stays_between_0_and_1(seen: list[Sample]) -> None:
    values = [fit_curve(seen).at(step / 50) for step in range(51)]
    assert all(0.0 <= value <= 1.0 for value in values)
    assert all(before <= after for before, after in pairwise(values))


def test_confidence_is_brought_to_what_was_measured() -> None:
    fitted = fit(overconfident(), SET_UP)
    assert fitted.ece_before > 0.2
    assert fitted.ece_after < 0.06
    assert fitted.brier_after < fitted.brier_before
    assert abs(fitted.calibration.curve.at(0.8) - 0.4) < 0.1


def test_figures_after_are_of_answers_that_the_curve_has_not_seen() -> None:
    """Whether these are right has nothing to do with their figure, so a curve that saw them would look too good."""
    drawn = random.Random(2)
    seen = [Sample(drawn.random(), drawn.random() < 0.5) for _ in range(60)]
    assert fit(seen, SET_UP).brier_after > 0.24


def test_too_few_answers_are_refused() -> None:
    with pytest.raises(InvalidQuestionSet, match=r"at least 50 answers.*there are 49"):
        fit(overconfident(49), SET_UP)


def test_with_few_answers_the_curve_that_held_before_still_counts() -> None:
    all_right = [Sample(0.5 + number / 1000, True) for number in range(50)]
    doubting = Curve(knots=((0.0, 0.0), (1.0, 0.2)))
    assert fit_curve(all_right).at(0.5) == 1.0
    assert fit_curve(all_right, doubting).at(0.5) < 0.9


def test_heavier_answers_count_more() -> None:
    seen = [Sample(0.5, True, weight=3.0), Sample(0.5, False, weight=1.0)] * 20
    assert fit_curve(seen).at(0.5) == pytest.approx(0.75)


def test_the_risk_of_a_threshold_is_the_share_of_wrong_answers_that_pass_it() -> None:
    seen = [Sample(0.2, False)] * 40 + [Sample(0.9, True)] * 60
    lowest, highest = risks_of(seen, Curve(knots=((0.0, 0.0), (1.0, 1.0))))
    assert (lowest.threshold, lowest.answered, lowest.wrong) == (0.2, 1.0, 0.4)
    assert (highest.threshold, highest.answered, highest.wrong) == (0.9, 0.6, 0.0)
