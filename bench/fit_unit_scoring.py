"""Fits which unit answers: `python -m bench.fit_unit_scoring --data bench/labels --indexes DIR`.

DIR has a data folder for each book of bench/graded, made by `citebook ingest BOOK --data-dir DIR/BOOK`.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.fitting import logistic, parser_of, show, write_weights
from bench.labelled_units import LabelledUnits, read_labelled_units
from bench.listwise import Lists, fit_shares
from citebook.domain.question import Filters
from citebook.evals.metrics import mean
from citebook.language.languages import language_of
from citebook.reading.passages import PassageReader
from citebook.reading.sentence_scoring import Asked, ScoredSentence, score_sentences
from citebook.reading.unit_scoring import (
    FILE,
    Candidate,
    UnitWeights,
    candidates,
    probability_signals,
    score_units,
    shares_of,
    shipped_weights,
    unit_signals,
)
from citebook.root.citebook import Citebook
from citebook.settings import read_settings

_TOP_K = 5
_RIDGE = 0.01
"""Of 0.005 to 0.3 the best for books that were not fitted to; see decision 0046."""
_RIDGE_OF_PROBABILITY = 0.3
_RIGHT = 0.7
_HELPS = 0.4


@dataclass(frozen=True, slots=True)
class Read:
    """A question with the units that were found for it, and how right each of them is."""

    labels: LabelledUnits
    asked: Asked
    units: Sequence[Candidate]
    sentences: Sequence[ScoredSentence]
    right: dict[str, float]

    @property
    def is_answered(self) -> bool:
        return max(self.right.values(), default=0.0) > 0


async def read_in(book: str, folder: Path) -> list[Read]:
    settings = read_settings(citebook_data_dir=folder / book).model_copy(update={"qdrant_url": None})
    rows, reader = [], PassageReader()
    async with Citebook(settings) as citebook:
        await citebook.load_models()
        for labels in read_labelled_units():
            if labels.book == book:
                evidence = await citebook.retrieval().retrieve(labels.searched, Filters(), _TOP_K)
                asked = Asked(labels.searched, evidence.term_weights, language_of(evidence.language))
                chunks = (*evidence.retrieved_chunks, *evidence.nearby)
                units = candidates(chunks, reader, asked)
                right = {unit.unit.text: labels.rightness(unit.unit.text) for unit in units}
                rows.append(Read(labels, asked, units, score_sentences(asked, chunks, reader), right))
    print(f"{book}: {len(rows):,} questions", flush=True)
    return rows


def fitted(rows: Sequence[Read]) -> UnitWeights:
    signals = _fitted_signals([row for row in rows if row.is_answered])
    return UnitWeights(signals=signals, probability=_fitted_probability(rows, signals))


def _fitted_signals(rows: Sequence[Read]) -> dict[str, float]:
    told = [list(unit_signals(row.asked, row.units, row.sentences)) for row in rows]
    names = sorted({name for one in told for _, signals in one for name in signals})
    values = [[signals.get(name, 0.0) for name in names] for one in told for _, signals in one]
    right = [row.right[unit.unit.text] ** 2 for row, one in zip(rows, told, strict=True) for unit, _ in one]
    starts = np.cumsum([0, *(len(one) for one in told[:-1])])
    lists = Lists(np.array(values), np.zeros(len(values)), np.array(right), starts)
    return {name: round(float(slope), 3) for name, slope in zip(names, fit_shares(lists, _RIDGE), strict=True)}


def _fitted_probability(rows: Sequence[Read], signals: dict[str, float]) -> dict[str, float]:
    """Over the best unit of each question, those of questions without an answer included."""
    told, right = [], []
    for row in rows:
        ranked = score_units(row.asked, row.units, row.sentences, UnitWeights(signals=signals, probability={}))
        if ranked:
            best, share = ranked[0], shares_of([one.score for one in ranked])[0]
            told.append(probability_signals(row.asked, best.candidate, best.score, share))
            right.append(float(row.right[ranked[0].unit.text] >= _HELPS))
    names = list(told[0])
    values = np.array([[one[name] for name in names] for one in told])
    intercept, slopes = logistic(values, np.array(right), np.ones(len(right)), _RIDGE_OF_PROBABILITY)
    return {"intercept": round(intercept, 3), **{n: round(float(s), 3) for n, s in zip(names, slopes, strict=True)}}


def figures(rows: Sequence[Read], weights: UnitWeights) -> dict[str, float]:
    best, errors = [], []
    for row in rows:
        ranked = score_units(row.asked, row.units, row.sentences, weights)
        rightness = row.right[ranked[0].unit.text] if ranked else 0.0
        if row.labels.best or row.labels.useful:
            best.append(rightness)
        if ranked:
            errors.append((ranked[0].probability - float(rightness >= _HELPS)) ** 2)
    return {
        "best unit is one of the best": mean([float(one >= _RIGHT) for one in best]),
        "best unit helps": mean([float(one >= _HELPS) for one in best]),
        "Brier score of its probability": mean(errors),
    }


def by_kind(rows: Sequence[Read], weights: UnitWeights) -> None:
    for kind in sorted({row.labels.kind for row in rows}):
        found = figures([row for row in rows if row.labels.kind == kind], weights)
        print(f"{kind:20}" + "  ".join(f"{name} {figure:.2f}" for name, figure in found.items()))


def options_of() -> argparse.Namespace:
    parser = parser_of(__doc__, "citebook/reading")
    parser.set_defaults(out=parser.get_default("out").with_name(FILE))
    parser.add_argument("--indexes", type=Path, required=True, help="folder with a data folder for each book")
    parser.add_argument("--books", nargs="+", default=sorted({labels.book for labels in read_labelled_units()}))
    return parser.parse_args()


def main() -> None:
    options = options_of()
    rows = [row for book in options.books for row in asyncio.run(read_in(book, options.indexes))]
    for_fit, held_out = ([row for row in rows if (row.labels.split == "dev") is is_dev] for is_dev in (True, False))
    before, weights = shipped_weights().weights, fitted(for_fit)
    found = figures(held_out, weights)
    show(f"{len(held_out):,} questions that were not fitted to", figures(held_out, before), found)
    by_kind(held_out, weights)
    write_weights(
        options,
        weights,
        module="bench.fit_unit_scoring",
        fitted_to="signals: each unit's share in the exponentials of all scores to its rightness (listwise logistic "
        f"regression, L2 {_RIDGE} on standardised signals); probability: a logistic curve over the best unit "
        f"(L2 {_RIDGE_OF_PROBABILITY})",
        by_hand="nothing",
        data=["units.jsonl"],
        figures=found,
        figures_on=f"{len(held_out):,} other questions to the same {len(options.books)} books",
    )


if __name__ == "__main__":
    main()
