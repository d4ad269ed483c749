"""The metrics, by examples worked out by hand."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.evals.metrics import (
    bootstrap_interval,
    mcnemar_exact,
    mean,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank_at,
    share,
    standard_error,
    wilson_interval,
)


@pytest.mark.parametrize(("k", "first", "expected"), [(1, 1, 1), (1, 2, 0), (5, 5, 1), (5, 6, 0), (5, None, 0)])
def test_recall_asks_whether_a_right_result_is_among_the_first(k: int, first: int | None, expected: float) -> None:
    assert recall_at(k, first) == expected


@pytest.mark.parametrize(("first", "expected"), [(1, 1.0), (4, 0.25), (10, 0.1), (11, 0.0), (None, 0.0)])
def test_the_reciprocal_rank_is_one_over_the_first_right_rank(first: int | None, expected: float) -> None:
    assert reciprocal_rank_at(10, first) == expected


@pytest.mark.parametrize(
    ("ranks", "right", "expected"),
    [
        ((1,), 1, 1.0),
        ((2,), 1, 1 / log2(3)),
        ((1, 2), 2, 1.0),
        ((1,), 2, 1 / (1 + 1 / log2(3))),
        ((3,), 2, 0.5 / (1 + 1 / log2(3))),
        ((11,), 1, 0.0),
        ((), 1, 0.0),
        ((), 0, 0.0),
    ],
)
def test_ndcg_discounts_by_rank_and_divides_by_the_ideal(ranks: tuple[int, ...], right: int, expected: float) -> None:
    assert ndcg_at(10, ranks, right) == pytest.approx(expected)


@given(st.sets(st.integers(1, 30), max_size=10), st.integers(1, 20))
def test_ndcg_stays_between_0_and_1(ranks: set[int], right: int) -> None:
    assert 0.0 <= ndcg_at(10, sorted(ranks), right) <= 1.0


def test_the_mean_of_nothing_is_0() -> None:
    assert mean([]) == 0.0


def test_the_standard_error_is_that_of_the_mean() -> None:
    assert standard_error([0.0, 0.0, 1.0, 1.0]) == pytest.approx((1 / 3 / 4) ** 0.5)


@pytest.mark.parametrize("values", [[], [0.5]])
def test_too_few_values_have_no_standard_error(values: list[float]) -> None:
    assert standard_error(values) == 0.0


@pytest.mark.parametrize(("percent", "expected"), [(50, 2.0), (95, 4.0), (100, 4.0), (0, 1.0)])
def test_a_percentile_is_one_of_the_values(percent: float, expected: float) -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], percent) == expected


def test_of_nothing_there_is_no_percentile_share_or_interval() -> None:
    assert percentile([], 50) is None
    assert share([]) is None
    assert wilson_interval(0, 0) is None
    assert bootstrap_interval([], mean) is None


def test_the_wilson_interval_is_the_published_one() -> None:
    low, high = wilson_interval(8, 10) or (0, 0)
    assert [low, high] == pytest.approx([0.4902, 0.9433], abs=1e-4)


@given(st.integers(1, 500), st.data())
def test_the_wilson_interval_holds_the_share_and_stays_between_0_and_1(count: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, count))
    low, high = wilson_interval(successes, count) or (0, 0)
    assert 0.0 <= low <= successes / count + 1e-12
    assert successes / count - 1e-12 <= high <= 1.0


def test_drawing_again_gives_the_same_interval_each_time() -> None:
    values = [0.0, 0.2, 0.5, 0.9, 1.0] * 10
    low, high = bootstrap_interval(values, mean) or (0, 0)
    assert low < mean(values) < high
    assert bootstrap_interval(values, mean) == (low, high)


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [(0, 0, 1.0), (5, 5, 1.0), (0, 5, 0.0625), (0, 6, 0.03125), (6, 0, 0.03125), (1, 9, 0.0215)],
)
def test_mcnemar_is_the_exact_binomial_of_the_changed_questions(better: int, worse: int, p: float) -> None:
    assert mcnemar_exact(better, worse) == pytest.approx(p, abs=1e-4)


def test_mcnemar_takes_thousands_of_changed_questions() -> None:
    assert mcnemar_exact(3000, 2000) < 1e-9
