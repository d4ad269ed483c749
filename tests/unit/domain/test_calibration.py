"""The curve that makes a probability of a figure."""

from datetime import UTC, datetime
from itertools import pairwise
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from citebook.domain.calibration import AS_IT_IS, Calibration, Curve, Risk

shares = st.floats(0, 1)


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    raws = sorted(draw(st.sets(st.floats(0, 1), min_size=1, max_size=12)))
    rising = sorted(draw(st.lists(shares, min_size=len(raws), max_size=len(raws))))
    return Curve(knots=tuple(zip(raws, rising, strict=True)))


@given(curves(), st.lists(st.floats(-1, 2), min_size=2))
def test_a_curve_never_falls_and_stays_between_0_and_1(curve: Curve, raws: list[float]) -> None:
    values = [curve.at(raw) for raw in sorted(raws)]
    assert all(0.0 <= value <= 1.0 for value in values)
    assert all(before <= after for before, after in pairwise(values))


def test_between_knots_lines_are_straight_and_beyond_them_level() -> None:
    curve = Curve(knots=((0.2, 0.1), (0.6, 0.5)))
    assert [round(curve.at(raw), 6) for raw in (0.0, 0.2, 0.4, 0.6, 1.0)] == [0.1, 0.1, 0.3, 0.5, 0.5]


def test_without_a_calibration_a_figure_stays_as_it_is() -> None:
    assert [AS_IT_IS.at(raw) for raw in (0.0, 0.25, 1.0)] == [0.0, 0.25, 1.0]


@pytest.mark.parametrize(
    "knots", [((0.0, 0.5), (0.5, 0.4)), ((0.5, 0.1), (0.5, 0.2)), ((nan, 0.1),), ((0.0, 1.1),), ((0.0, nan),), ()]
)
def test_a_curve_that_is_none_is_rejected(knots: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(ValidationError):
        Curve(knots=knots)


def calibration(*risks: tuple[float, float, float]) -> Calibration:
    return Calibration(
        embedder="words",
        generator="extractive",
        curve=AS_IT_IS,
        risks=tuple(
            Risk(threshold=threshold, answered=answered, wrong=wrong) for threshold, answered, wrong in risks
        ),
        questions=100,
        made_at=datetime(2026, 11, 16, tzinfo=UTC),
    )


def test_a_target_leads_to_the_lowest_threshold_that_keeps_it() -> None:
    measured = calibration((0.1, 1.0, 0.3), (0.5, 0.8, 0.1), (0.8, 0.4, 0.02))
    risk = measured.least_confidence(0.1)
    assert risk is not None
    assert (risk.threshold, risk.answered) == (0.5, 0.8)


def test_a_target_that_no_threshold_keeps_leads_nowhere() -> None:
    measured = calibration((0.1, 1.0, 0.3), (0.8, 0.4, 0.02))
    assert measured.least_confidence(0.01) is None
    assert measured.least_wrong == 0.02
