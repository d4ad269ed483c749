"""Trains the examiner: `python -m bench.training.examiner --model FOLDER --books NAME=FOLDER … --out FILE.onnx`.

FOLDER has model.onnx and tokenizer.json of the model to begin with (see cross_encoder.py). Each step has lists of
passages of which each was judged; questions with the passage that they were written to and with others that search
finds, many beside a question that the passage seems to answer and does not; and, with `--paragraphs`, such questions
of SQuAD 2.0, whose paragraphs answer every second one.
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

_JUDGED, _WRITTEN, _OF_PARAGRAPHS = 5, 5, 14
"""Lists, questions and paragraphs in a step."""
_TOO_LIKE, _NEAR = 6, 30
"""Of what is most like a question some answers it too; strangers are taken from those that follow."""
_STRANGERS = 3
_WITH_NEAR_QUESTION = 0.7
_LIMIT, _MOST = 150, 800
_HEADINGS = 2
_ARTICLES_HELD_OUT = frozenset({"Geology", "Jacksonville,_Florida", "Warsaw"})
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
    wrong = random.sample(strangers.most_like(asked, _TOO_LIKE + _NEAR)[_TOO_LIKE:], _STRANGERS)
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


def read_paragraphs(questions: Path | None) -> list[Judged]:
    """SQuAD 2.0's questions, each with the part of its paragraph that answers it, or seems to."""
    rows = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines()] if questions else []
    judged = []
    for row in rows:
        paragraph = row["gold_section_or_paragraph"] if row["answerable"] else row["near_paragraph"]
        if paragraph and row["article"] not in _ARTICLES_HELD_OUT:
            part = f"{row['article'].replace('_', ' ')}\n{_part_of(paragraph, (row['answers'] or [''])[0])}"
            judged.append(Judged(row["question"], [part], [2 if row["answerable"] else 0]))
    return judged


def _part_of(paragraph: str, answer: str) -> str:
    middle = paragraph.find(answer) if answer else random.randrange(len(paragraph))
    start = max(0, min(middle - _MOST // 2, len(paragraph) - _MOST))
    return paragraph[start : start + _MOST]


def batches_of(material: Material, strangers: Strangers, paragraphs: Sequence[Judged]) -> Iterator[list[Judged]]:
    """Over and over."""
    judgements = read_judgements(material)
    while True:
        random.shuffle(judgements)
        for at in range(0, len(judgements), _JUDGED):
            asked = random.sample(material.asked, _WRITTEN)
            others = [judged for one in asked for judged in written(one, material, strangers)]
            beside = random.sample(paragraphs, min(_OF_PARAGRAPHS, len(paragraphs)))
            yield [*judgements[at : at + _JUDGED], *others, *beside]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of the model to begin with")
    parser.add_argument("--paragraphs", type=Path, help="questions.jsonl of SQuAD 2.0 in the data folder")
    options = parser.parse_args()
    random.seed(1)
    torch.manual_seed(1)
    material, embedder = material_of(options), Encoder()
    embedder.read(_EMBEDDER)
    of_books = [one for one in material.passages.values() if one.book not in options.held_out]
    strangers = Strangers(embedder, of_books, material.asked)
    model = CrossEncoder(options.model)
    model.train()
    descend(
        model.trained(),
        batches_of(material, strangers, read_paragraphs(options.paragraphs)),
        lambda batch: loss_of(model, batch),
        minutes=options.minutes,
        rate=options.rate,
    )
    weights = {name: value.detach().float().numpy() for name, value in model.state_dict().items()}
    onnx.save(examiner_graph(weights), str(options.out))


if __name__ == "__main__":
    main()
