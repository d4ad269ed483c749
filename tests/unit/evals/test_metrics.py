"""The metrics, by examples worked out by hand."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.evals.metrics import mean, ndcg_at, recall_at, reciprocal_rank_at, standard_error


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
