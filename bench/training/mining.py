"""Passages that look like the answer to a question and are not: the hard ones of its book."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt
import torch

from bench.training.encoder import Encoder
from bench.training.passages import Asked, Passage

_AT_ONCE = 64
_MOST = 1_800
"""Characters of a passage that are embedded."""

Vectors = npt.NDArray[np.float32]


def embedded(encoder: Encoder, texts: Sequence[str], limit: int = 256) -> Vectors:
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    found = np.zeros((len(texts), 384), np.float32)
    with torch.no_grad():
        for at in range(0, len(order), _AT_ONCE):
            batch = order[at : at + _AT_ONCE]
            found[batch] = encoder.embedding([texts[place][:_MOST] for place in batch], limit).numpy()
    return found


class Strangers:
    """Of each question: the passages of its book that are most like it and do not answer it."""

    def __init__(self, encoder: Encoder, passages: Sequence[Passage], asked: Sequence[Asked]) -> None:
        self._passages = passages
        self._places = {passage.id: place for place, passage in enumerate(passages)}
        self._vectors = embedded(encoder, [passage.embedded for passage in passages])
        self._asked = dict(zip(asked, embedded(encoder, [one.text for one in asked], 64), strict=True))
        self._of_book: dict[str, npt.NDArray[np.int64]] = {}
        for book in {passage.book for passage in passages}:
            self._of_book[book] = np.array([at for at, one in enumerate(passages) if one.book == book])

    def most_like(self, asked: Asked, most: int, skip: int = 0) -> list[Passage]:
        """Without those that hold the right one or are a part of it; the first of them may answer as well."""
        places = self._of_book[asked.book]
        order = places[np.argsort(-(self._vectors[places] @ self._asked[asked]))]
        right = self._passages[self._places[asked.passage]]
        others = (self._passages[place] for place in order)
        return list(islice((one for one in others if not _overlap(one, right)), skip, skip + most))


def _overlap(one: Passage, other: Passage) -> bool:
    return one.text in other.text or other.text in one.text
