"""Fits a score that puts the right one of a list first: listwise logistic regression."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench.fitting import Array

_STEPS = 50
_SMALLEST_STEP = 1e-6


@dataclass(frozen=True, slots=True)
class Lists:
    """What all lists hold, one after the other."""

    values: Array
    by_hand: Array
    """What signals that are not fitted add to each score."""
    right: Array
    """How right each one is: 0 where it is wrong."""
    starts: npt.NDArray[np.int64]


def fit_signals(lists: Lists, ridge: float) -> Array:
    """Makes the share of the right ones in the exponentials of a list's scores as large as it can be."""

    def shares_of_the_right(scores: Array) -> tuple[Array, float]:
        among_right, of_right = shares(_of_the_right(scores, lists), lists.starts)
        _, of_all = shares(scores, lists.starts)
        return among_right, float((of_right - of_all).mean())

    return _climb(lists, ridge, shares_of_the_right)


def fit_shares(lists: Lists, ridge: float) -> Array:
    """Makes each one's share in the exponentials of a list's scores what its rightness has in that of the list.

    Where several are right, all of them are to score well; `fit_signals` is content with one.
    """
    sizes = np.diff([*lists.starts, len(lists.right)])
    wanted: Array = lists.right / np.repeat(np.add.reduceat(lists.right, lists.starts), sizes)

    def wanted_shares(scores: Array) -> tuple[Array, float]:
        among_all, _ = shares(scores, lists.starts)
        return wanted, float(wanted @ np.log(among_all + 1e-300)) / len(lists.starts)

    return _climb(lists, ridge, wanted_shares)


Aim = Callable[[Array], tuple[Array, float]]
"""From the scores to the share that each is to have, and how near the scores are to that."""


def _climb(lists: Lists, ridge: float, aim: Aim) -> Array:
    """By Newton's method, on signals of equal spread."""
    spread = lists.values.std(axis=0) + 1e-9
    values, count = lists.values / spread, len(lists.starts)
    slopes: Array = np.zeros(values.shape[1])

    def worth(slopes: Array) -> float:
        return aim(values @ slopes + lists.by_hand)[1] - ridge / 2 * float(slopes @ slopes)

    for _ in range(_STEPS):
        scores = values @ slopes + lists.by_hand
        among_all, _ = shares(scores, lists.starts)
        wanted, _ = aim(scores)
        middles = np.add.reduceat(among_all[:, None] * values, lists.starts)
        bend = (among_all[:, None] * values).T @ values - middles.T @ middles
        slope = values.T @ (wanted - among_all)
        step = np.linalg.solve(bend / count + ridge * np.eye(len(slopes)), slope / count - ridge * slopes)
        reached = worth(slopes)
        while worth(slopes + step) < reached and np.abs(step).max() > _SMALLEST_STEP:
            step = step / 2
        slopes = slopes + step
        if np.abs(step).max() <= _SMALLEST_STEP:
            break
    by_signal: Array = slopes / spread
    return by_signal


def shares(scores: Array, starts: npt.NDArray[np.int64]) -> tuple[Array, Array]:
    """Each one's share in the exponentials of its list's scores, and the logarithm of their sum."""
    sizes = np.diff([*starts, len(scores)])
    best = np.maximum.reduceat(scores, starts)
    powers = np.exp(scores - np.repeat(best, sizes))
    sums = np.add.reduceat(powers, starts)
    return powers / np.repeat(sums, sizes), best + np.log(sums)


def _of_the_right(scores: Array, lists: Lists) -> Array:
    """One that is half right counts as a right one whose share is half as large."""
    with np.errstate(divide="ignore"):
        weighted: Array = scores + np.log(lists.right)
    return weighted
