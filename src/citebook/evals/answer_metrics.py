"""Whether an answer is right, and whether confidence keeps its word. One metric, one function."""

import string
from collections.abc import Sequence

from citebook.domain.language import terms
from citebook.evals.metrics import mean

_LONG_ANSWER = 12
_ENOUGH_OF_A_LONG_ANSWER = 0.6
_ARTICLES = frozenset({"a", "an", "the"})
_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation + "–—“”’‘…", " "))


def contains_gold(answer: str, golds: Sequence[str]) -> bool:
    """A short gold answer must stand in the text word for word; of a long one most of the terms must."""
    return any(_contains(answer, gold) for gold in golds)


def _contains(answer: str, gold: str) -> bool:
    plain = _plain(gold)
    if not plain:
        return False
    if len(plain.split()) <= _LONG_ANSWER:
        return f" {plain} " in f" {_plain(answer)} "
    wanted = set(terms(gold))
    return len(wanted & set(terms(answer))) >= _ENOUGH_OF_A_LONG_ANSWER * len(wanted)


def _plain(text: str) -> str:
    """Small letters, no punctuation, no articles."""
    return " ".join(word for word in text.lower().translate(_PUNCTUATION).split() if word not in _ARTICLES)


def brier_score(confidences: Sequence[float], rights: Sequence[bool]) -> float:
    return mean([(confidence - right) ** 2 for confidence, right in zip(confidences, rights, strict=True)])


def expected_calibration_error(confidences: Sequence[float], rights: Sequence[bool], bins: int = 10) -> float:
    """How far confidence is from the share of right answers, on average over bins of equal width."""
    pairs = list(zip(confidences, rights, strict=True))
    total = 0.0
    for number in range(bins):
        own = [(c, r) for c, r in pairs if min(bins - 1, int(c * bins)) == number]
        if own:
            gap = mean([c for c, _ in own]) - mean([float(r) for _, r in own])
            total += abs(gap) * len(own) / len(pairs)
    return total
