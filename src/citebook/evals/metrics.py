"""One metric, one function. A ranking is given as the 1-based ranks at which right results stand."""

from collections.abc import Callable, Sequence
from math import ceil, comb, log2, sqrt
from random import Random
from typing import TypeVar

Item = TypeVar("Item")
Interval = tuple[float, float]

_NORMAL_95 = 1.959964
"""A normal variable lies within so many standard deviations in 95 of 100 cases."""
_RESAMPLES = 200


def recall_at(k: int, first_rank: int | None) -> float:
    """1 where a right result is among the first k."""
    return float(first_rank is not None and first_rank <= k)


def reciprocal_rank_at(k: int, first_rank: int | None) -> float:
    return 1.0 / first_rank if first_rank is not None and first_rank <= k else 0.0


def ndcg_at(k: int, ranks: Sequence[int], right_results: int) -> float:
    """Discounted gain of the right results among the first k, against the best that could be had."""
    ideal = sum(1.0 / log2(rank + 1) for rank in range(1, min(k, right_results) + 1))
    gain = sum(1.0 / log2(rank + 1) for rank in ranks if rank <= k)
    return min(1.0, gain / ideal) if ideal else 0.0


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def share(values: Sequence[bool]) -> float | None:
    """The part of them that is true; None where there are none, which is not the same as 0."""
    return sum(values) / len(values) if values else None


def standard_error(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    middle = mean(values)
    return sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1) / len(values))


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The smallest value that so many per cent of the values do not exceed."""
    if not values:
        return None
    return sorted(values)[max(0, ceil(len(values) * percent / 100) - 1)]


def wilson_interval(successes: int, count: int) -> Interval | None:
    """Between which shares the true one lies with 95 % certainty, by Wilson's score; fit for 0 and 1 too."""
    if count == 0:
        return None
    z = _NORMAL_95
    observed = successes / count
    centre = observed + z * z / (2 * count)
    spread = z * sqrt(observed * (1 - observed) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def bootstrap_interval(items: Sequence[Item], statistic: Callable[[Sequence[Item]], float | None]) -> Interval | None:
    """The middle 95 % of a statistic over samples drawn again from the items; the same at each run."""
    if not items:
        return None
    draw = Random(0)
    drawn = (statistic(draw.choices(items, k=len(items))) for _ in range(_RESAMPLES))
    values = sorted(value for value in drawn if value is not None)
    low, high = percentile(values, 2.5), percentile(values, 97.5)
    return None if low is None or high is None else (low, high)


def mcnemar_exact(better: int, worse: int) -> float:
    """How probable so uneven a split of changed questions is if both runs are equally good (two-sided)."""
    changed = better + worse
    tail = sum(comb(changed, count) for count in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / (1 << changed))
