"""Trains the embedder: `python -m bench.training.embedder --books NAME=FOLDER … --out FILE`.

A question and the passage that answers it are to be nearer to each other than to the other passages of a batch, of
which a third comes from the same book and as many were found by the untrained model.
"""

import random
from collections.abc import Sequence

import numpy as np
import torch
from torch.nn import functional

from bench.training.encoder import Encoder, Tensor
from bench.training.mining import Strangers, embedded
from bench.training.passages import Asked, Passage
from bench.training.steps import descend
from bench.training.training_options import Material, material_of, parser_of

_OF_ONE_BOOK, _BOOKS_AT_ONCE = 16, 3
_WARMTH = 0.03
_LIMIT = 144
_MOST = 1_400
_FAR_AFTER, _FAR = 2, 28
"""The nearest strangers may answer too and are passed over; one of so many that follow is taken."""
_AMONG = 900
"""Passages of a held-out book, besides those that answer, among which the right one is looked for."""


def batches_of(asked: Sequence[Asked]) -> list[list[Asked]]:
    by_book: dict[str, list[Asked]] = {}
    for one in random.sample(list(asked), len(asked)):
        by_book.setdefault(one.book, []).append(one)
    pieces = [ones[at : at + _OF_ONE_BOOK] for ones in by_book.values() for at in range(0, len(ones), _OF_ONE_BOOK)]
    random.shuffle(pieces)
    groups = (pieces[at : at + _BOOKS_AT_ONCE] for at in range(0, len(pieces), _BOOKS_AT_ONCE))
    return [[one for piece in group for one in piece] for group in groups]


def loss_of(encoder: Encoder, batch: Sequence[Asked], material: Material, strangers: Strangers) -> Tensor:
    right = [material.passages[one.passage] for one in batch]
    hard = [random.choice(strangers.most_like(one, _FAR, _FAR_AFTER)) for one in batch]
    shown = {passage.id: passage for passage in (*right, *hard)}
    places = {key: place for place, key in enumerate(shown)}
    asked = encoder.embedding([one.text for one in batch], _LIMIT)
    answers = encoder.embedding([passage.embedded[:_MOST] for passage in shown.values()], _LIMIT)
    wanted = torch.tensor([places[passage.id] for passage in right])
    return functional.cross_entropy(asked @ answers.T / _WARMTH, wanted)


def figures(encoder: Encoder, material: Material) -> str:
    """How often the right passage of a held-out book comes first, and among five; by the kind of question."""
    found: dict[str, list[int]] = {}
    for book in {one.book for one in material.held_out}:
        own = [one for one in material.held_out if one.book == book]
        among = _among(material, book, {one.passage for one in own})
        places = {passage.id: place for place, passage in enumerate(among)}
        vectors = embedded(encoder, [passage.embedded for passage in among])
        for one, vector in zip(own, embedded(encoder, [one.text for one in own], 64), strict=True):
            scores = vectors @ vector
            found.setdefault(one.kind, []).append(int((scores > scores[places[one.passage]]).sum()))
    return ", ".join(f"{kind} {_share(ranks, 1)} / {_share(ranks, 5)}" for kind, ranks in found.items())


def _among(material: Material, book: str, right: set[str]) -> list[Passage]:
    others = [one for one in material.passages.values() if one.book == book and one.id not in right]
    chosen = random.Random(3).sample(others, min(_AMONG, len(others)))
    return [*(material.passages[key] for key in sorted(right)), *chosen]


def _share(ranks: Sequence[int], within: int) -> str:
    return f"{np.mean([rank < within for rank in ranks]):.3f}"


def main() -> None:
    options = parser_of(__doc__).parse_args()
    random.seed(1)
    torch.manual_seed(1)
    material, encoder = material_of(options), Encoder()
    if options.begin_with:
        encoder.read(options.begin_with)
    print("before:", figures(encoder, material), flush=True)
    of_books = [one for one in material.passages.values() if one.book not in options.held_out]
    strangers = Strangers(encoder, of_books, material.asked)
    encoder.is_training = True
    descend(
        encoder.parameters(),
        batches_of(material.asked),
        lambda batch: loss_of(encoder, batch, material, strangers),
        minutes=options.minutes,
        rate=options.rate,
    )
    encoder.is_training = False
    encoder.write(options.out)
    print("after:", figures(encoder, material))


if __name__ == "__main__":
    main()
