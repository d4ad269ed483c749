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
    EXAMINED,
    FILE,
    Candidate,
    ScoredUnit,
    UnitWeights,
    candidates,
    first_reading,
    probability_signals,
    second_reading,
    shares_of,
    shipped_weights,
    unit_signals,
)
from citebook.root.citebook import Citebook
from citebook.settings import read_settings

_TOP_K = 5
_RIDGE = 0.01
"""Of 0.005 to 0.3 the best for books that were not fitted to; see decision 0046."""
_RIDGE_OF_PROBABILITY = 0.1
_RIGHT = 0.7
_HELPS = 0.4
_LIKELY = 8
"""Units that the examiner reads, of which other weights may put others first; the rest is no better."""


@dataclass(frozen=True, slots=True)
class Read:
    """A question with the units that were found for it, what the examiner says of them, and how right each is."""

    labels: LabelledUnits
    asked: Asked
    units: Sequence[Candidate]
    sentences: Sequence[ScoredSentence]
    points: dict[str, float]
    right: dict[str, float]

    @property
    def is_answered(self) -> bool:
        return max(self.right.values(), default=0.0) > 0

    def first_reading(self, weights: UnitWeights) -> list[tuple[Candidate, float]]:
        return first_reading(self.asked, self.units, self.sentences, weights)

    def points_of(self, ranked: Sequence[tuple[Candidate, float]]) -> list[float]:
        return [self.point_of(one) for one, _ in ranked[:EXAMINED]]

    def point_of(self, unit: Candidate) -> float:
        return self.points.get(unit.shown_to_examiner, min(self.points.values()))

    def scored(self, weights: UnitWeights, *, examined: bool) -> list[ScoredUnit]:
        ranked = self.first_reading(weights)
        return second_reading(self.asked, ranked, self.points_of(ranked) if examined else (), weights)


async def read_in(book: str, folder: Path) -> list[Read]:
    settings = read_settings(citebook_data_dir=folder / book).model_copy(update={"qdrant_url": None})
    rows, reader = [], PassageReader()
    async with Citebook(settings) as citebook:
        await citebook.load_models()
        assert citebook.examiner is not None
        for labels in read_labelled_units():
            if labels.book == book:
                evidence = await citebook.retrieval().retrieve(labels.searched, Filters(), _TOP_K)
                asked = Asked(labels.searched, evidence.term_weights, language_of(evidence.language))
                units = candidates(evidence.quotable, reader, asked)
                sentences = score_sentences(asked, evidence.quotable, reader)
                likely = first_reading(asked, units, sentences, shipped_weights().weights)[:_LIKELY]
                shown = [unit.shown_to_examiner for unit, _ in likely]
                points = dict(zip(shown, citebook.examiner.examine(labels.searched, shown), strict=True))
                right = {unit.unit.text: labels.rightness(unit.unit.text) for unit in units}
                rows.append(Read(labels, asked, units, sentences, points, right))
    print(f"{book}: {len(rows):,} questions", flush=True)
    return rows


def fitted(rows: Sequence[Read]) -> UnitWeights:
    """One after the other, as each needs the one before."""
    nothing = UnitWeights(signals={}, second_reading={}, probability={}, probability_unexamined={})
    answered = [row for row in rows if row.is_answered]
    first = nothing.model_copy(update={"signals": _fitted_signals(answered)})
    second = first.model_copy(update={"second_reading": _fitted_second_reading(answered, first)})
    return second.model_copy(
        update={
            "probability": _fitted_probability(rows, second, examined=True),
            "probability_unexamined": _fitted_probability(rows, second, examined=False),
        }
    )


def _fitted_signals(rows: Sequence[Read]) -> dict[str, float]:
    told = [list(unit_signals(row.asked, row.units, row.sentences)) for row in rows]
    names = sorted({name for one in told for _, signals in one for name in signals})
    right = [[row.right[unit.unit.text] for unit, _ in one] for row, one in zip(rows, told, strict=True)]
    return _fitted_shares([[signals for _, signals in one] for one in told], names, right)


def _fitted_second_reading(rows: Sequence[Read], weights: UnitWeights) -> dict[str, float]:
    """Over the units that are examined, of those questions that one of them answers."""
    told, right = [], []
    for row in rows:
        ranked = row.first_reading(weights)
        rightness = [row.right[one.unit.text] for one, _ in ranked[:EXAMINED]]
        if max(rightness) > 0:
            points = row.points_of(ranked)
            told.append([{"score": ranked[at][1], "examined": point} for at, point in enumerate(points)])
            right.append(rightness)
    return _fitted_shares(told, ["score", "examined"], right)


def _fitted_shares(
    told: Sequence[Sequence[dict[str, float]]], names: Sequence[str], right: Sequence[Sequence[float]]
) -> dict[str, float]:
    values = [[signals.get(name, 0.0) for name in names] for one in told for signals in one]
    starts = np.cumsum([0, *(len(one) for one in told[:-1])])
    squared = np.array([rightness**2 for one in right for rightness in one])
    slopes = fit_shares(Lists(np.array(values), np.zeros(len(values)), squared, starts), _RIDGE)
    return {name: round(float(slope), 3) for name, slope in zip(names, slopes, strict=True)}


def _fitted_probability(rows: Sequence[Read], weights: UnitWeights, *, examined: bool) -> dict[str, float]:
    """Over the best unit of each question, those of questions without an answer included."""
    told, right = [], []
    for row in rows:
        ranked = row.scored(weights, examined=examined)
        if ranked:
            best, share = ranked[0], shares_of([one.score for one in ranked])[0]
            point = row.point_of(best.candidate) if examined else 0.0
            told.append(probability_signals(row.asked, best.candidate, best.score, share, point))
            right.append(float(row.right[best.unit.text] >= _HELPS))
    names = list(told[0])
    values = np.array([[one[name] for name in names] for one in told])
    intercept, slopes = logistic(values, np.array(right), np.ones(len(right)), _RIDGE_OF_PROBABILITY)
    return {"intercept": round(intercept, 3), **{n: round(float(s), 3) for n, s in zip(names, slopes, strict=True)}}


def figures(rows: Sequence[Read], weights: UnitWeights, *, examined: bool = True) -> dict[str, float]:
    best, errors = [], []
    for row in rows:
        ranked = row.scored(weights, examined=examined)
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
    weights = fitted(for_fit)
    found = figures(held_out, weights)
    show(
        f"{len(held_out):,} questions that were not fitted to, without and with the examiner",
        figures(held_out, weights, examined=False),
        found,
    )
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
