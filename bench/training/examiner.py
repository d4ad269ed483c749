"""Trains the examiner: `python -m bench.training.examiner --model FOLDER --books NAME=FOLDER … --out FILE.onnx`.

FOLDER has model.onnx and tokenizer.json of the model to begin with (see cross_encoder.py). First it learns from
questions with the passage that they were written to and with others that search finds; then also from lists of
passages of which each was judged. A question that a passage seems to answer, and does not, stands beside many.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch
from torch.nn import functional

from bench.training.cross_encoder import CrossEncoder, Tensor
from bench.training.encoder import Encoder
from bench.training.examiner_graph import examiner_graph
from bench.training.mining import Strangers
from bench.training.passages import Asked, Passage
from bench.training.steps import descend
from bench.training.training_options import Material, material_of, parser_of

JUDGEMENTS = Path(__file__).with_name("judgements.jsonl")
_EMBEDDER = Path("src/citebook/adapters/local_model/citebook-embedding-30m-english.npz")

_AT_ONCE = 20
_JUDGED_AT_ONCE, _WRITTEN_BESIDE = 12, 6
_NEAREST, _NEAR = 8, 28
"""Strangers are taken from the most like and from those that follow."""
_OF_EACH = 2
_WITH_NEAR_QUESTION = 0.6
_LIMIT, _MOST = 144, 750
_HEADINGS = 2
_LENGTHS = 3
"""Parts of a batch by length, so that little is spent on padding."""

# By grade: 0 does not answer, 1 helps, 2 answers.
_SHARE = (0.0, 0.25, 1.0)
_CHANCE = (0.0, 0.4, 1.0)
_OF_CHANCE = 0.8
"""How much being sure by itself counts, beside being first in the list."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with passages, and how well each of them answers it."""

    question: str
    passages: Sequence[str]
    grades: Sequence[int]


def shown(passage: Passage) -> str:
    """As the product shows it to the examiner."""
    return f"{' > '.join(passage.headings[-_HEADINGS:])}\n{passage.text}"[:_MOST]


def written(asked: Asked, material: Material, strangers: Strangers) -> Iterator[Judged]:
    right = material.passages[asked.passage]
    others = strangers.most_like(asked, _NEAREST + _NEAR)
    wrong = [
        *random.sample(others[:_NEAREST], _OF_EACH),
        *random.sample(others[_NEAREST:], _OF_EACH),
    ]
    yield Judged(asked.text, [shown(one) for one in (right, *wrong)], [2, *[0] * len(wrong)])
    if asked.near and random.random() < _WITH_NEAR_QUESTION:
        yield Judged(asked.near, [shown(right)], [0])


def read_judgements(material: Material) -> list[Judged]:
    """Those of books that are not held out, whose passages are there."""
    texts = {(one.book, one.passage, one.kind): one.text for one in material.asked}
    texts |= {(one.book, one.passage, "near"): one.near for one in material.asked}
    judgements = []
    for line in JUDGEMENTS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text, passages = texts.get((row["book"], row["passage"], row["kind"])), row["shown"]
        if text and all(key in material.passages for key in passages):
            grades = [int(grade) for grade in row["grades"]]
            judgements.append(Judged(text, [shown(material.passages[key]) for key in passages], grades))
    return judgements


def loss_of(model: CrossEncoder, batch: Sequence[Judged]) -> Tensor:
    pairs = [(one.question, passage) for one in batch for passage in one.passages]
    points, at, total = _points(model, pairs), 0, 0.0
    for one in batch:
        own = points[at : at + len(one.passages)]
        at += len(one.passages)
        shares = torch.tensor([_SHARE[grade] for grade in one.grades])
        chances = torch.tensor([_CHANCE[grade] for grade in one.grades])
        if len(one.passages) > 1 and shares.sum() > 0:
            total = total - (shares / shares.sum() * functional.log_softmax(own, 0)).sum()
        total = total + _OF_CHANCE * functional.binary_cross_entropy_with_logits(own, chances)
    return total / len(batch)


def _points(model: CrossEncoder, pairs: Sequence[tuple[str, str]]) -> Tensor:
    order = sorted(range(len(pairs)), key=lambda place: sum(map(len, pairs[place])))
    parts = [order[at * len(order) // _LENGTHS : (at + 1) * len(order) // _LENGTHS] for at in range(_LENGTHS)]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        points = torch.cat([model.points([pairs[place] for place in part], _LIMIT) for part in parts if part])
    return points[torch.tensor(np.argsort(order))]


def batches_of_written(material: Material, strangers: Strangers) -> Iterator[list[Judged]]:
    """Over and over; of the questions that were typed in a hurry every second one."""
    while True:
        asked = [one for one in material.asked if one.kind != "short" or random.random() < 1 / 2]
        random.shuffle(asked)
        for at in range(0, len(asked), _AT_ONCE):
            yield [judged for one in asked[at : at + _AT_ONCE] for judged in written(one, material, strangers)]


def batches_of_judged(material: Material, strangers: Strangers) -> Iterator[list[Judged]]:
    """Over and over, with some that were written."""
    judgements = read_judgements(material)
    while True:
        random.shuffle(judgements)
        for at in range(0, len(judgements), _JUDGED_AT_ONCE):
            beside = random.sample(material.asked, _WRITTEN_BESIDE)
            others = [judged for one in beside for judged in written(one, material, strangers)]
            yield [*judgements[at : at + _JUDGED_AT_ONCE], *others]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of the model to begin with")
    options = parser.parse_args()
    random.seed(1)
    torch.manual_seed(1)
    material, embedder = material_of(options), Encoder()
    embedder.read(_EMBEDDER)
    of_books = [one for one in material.passages.values() if one.book not in options.held_out]
    strangers = Strangers(embedder, of_books, material.asked)
    model = CrossEncoder(options.model)
    model.train()
    minutes, rate = options.minutes, options.rate
    for batches, share_of_time, share_of_rate in (
        (batches_of_written(material, strangers), 5 / 6, 1.0),
        (batches_of_judged(material, strangers), 1 / 6, 1 / 2),
    ):
        descend(
            model.trained(),
            batches,
            lambda batch: loss_of(model, batch),
            minutes=minutes * share_of_time,
            rate=rate * share_of_rate,
        )
    weights = {name: value.detach().float().numpy() for name, value in model.state_dict().items()}
    onnx.save(examiner_graph(weights), str(options.out))


if __name__ == "__main__":
    main()
