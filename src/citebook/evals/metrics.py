"""One metric, one function. A ranking is given as the 1-based ranks at which right results stand."""

from collections.abc import Sequence
from math import log2, sqrt


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


def standard_error(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    middle = mean(values)
    return sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1) / len(values))
