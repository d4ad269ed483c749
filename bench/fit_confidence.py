"""Fits the shipped confidence to labelled books: `python -m bench.fit_confidence --data DATA --indexes DIR`."""

import argparse
import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np

from bench.fitting import Array, logistic, parser_of, write_weights
from bench.labelled_books import BOOKS, LabelledBook, add_book_options, chosen_books, is_for_fit, opened
from citebook.confidence.model import (
    ConfidenceModel,
    GenerationWeights,
    Weighing,
    shipped_calibrations,
    shipped_weights,
)
from citebook.confidence.signals import Signals
from citebook.domain.answer import Outcome
from citebook.domain.calibration import (
    AS_IT_IS,
    Calibration,
    ConfidenceWeights,
    Curve,
    Risk,
    ShippedCalibrations,
    Weights,
)
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Policy
from citebook.domain.set_up import SetUp
from citebook.domain.weights import hash_of
from citebook.evals.answer_metrics import expected_calibration_error
from citebook.evals.answers_run import AnswerResult, evaluate_answers
from citebook.evals.calibration import gold_texts, is_right
from citebook.evals.curve_fitting import Sample, claiming_less, fit_curve, risks_of
from citebook.evals.questions import LabelledQuestion
from citebook.ingestion.page_reading import source_reader

_REFUSE_BELOW = 0.20
_IN_ORIGIN = ("far refused", "false refusals", "ece, no near")

Kind = Literal["answerable", "far", "near"]

_RETRIEVAL = ("likeness", "sentence_coverage", "margin", "word_pairs", "enough_terms")
_GENERATION = ("answer_coverage", "answer_word_pairs", "names", "numbers", "margin")
_OWN_ESTIMATE = "own_estimate"

# How much each kind of question counts, in each book alike.
_FOR_RETRIEVAL: Mapping[Kind, float] = {"answerable": 0.5, "far": 0.5, "near": 0.0}
_FOR_GENERATION: Mapping[Kind, float] = {"answerable": 0.7, "far": 0.0, "near": 0.3}
_FOR_CURVE: Mapping[Kind, float] = {"answerable": 0.27, "far": 0.7, "near": 0.03}
"""Strict where evidence is thin: many questions about other things; a few near ones, which no signal tells apart."""

# Strong for retrieval, which must hold in books that were not seen.
_RIDGE_OF_RETRIEVAL = 0.05
_RIDGE_OF_GENERATION = 0.01


@dataclass(frozen=True, slots=True)
class Row:
    """One question: what the signals said, whether the answer was right, and whether it may be fitted to."""

    book: str
    kind: Kind
    is_for_fit: bool
    right: bool
    evidence: Signals
    answer: Signals
    """Empty where nothing was answered."""


class _Listening(ConfidenceModel):
    """Notes the signals of the question that is being answered."""

    evidence_signals: Signals
    answer_signals: Signals

    def weigh(self, question: str, evidence: QueryResult) -> Weighing:
        weighing = super().weigh(question, evidence)
        self.evidence_signals = weighing.asked.evidence_signals if weighing.asked else {}
        self.answer_signals = {}
        return weighing

    def generation(self, signals: Signals) -> float:
        self.answer_signals = signals
        return super().generation(signals)


async def rows_of(book: LabelledBook, options: argparse.Namespace) -> tuple[list[Row], SetUp]:
    """The rows of a book, and the set-up that they were measured with."""
    listening = _Listening({}, shipped_weights().weights.words_only, GenerationWeights({}, {}))
    everything = Policy(refuse_below=0, warn_below=0)
    read = source_reader(book.path(options.data) / "docs")
    rows = []
    async with opened(book, options) as citebook:
        agent, edition = citebook.agent(confidence=listening), await citebook.index().edition()
        gold_text = gold_texts(list(edition.files), read)
        for question in book.questions(options.data, options.limit):
            (answered,) = await evaluate_answers([question], agent, everything, read, lambda _: None)
            right = answered.outcome is Outcome.ANSWERED and is_right(question, answered, gold_text)
            rows.append(_row(book.name, question, answered, listening, right=right))
        return [row for row in rows if row.evidence], citebook.set_up(edition.recipe)


def _row(book: str, question: LabelledQuestion, result: AnswerResult, listening: _Listening, *, right: bool) -> Row:
    answer = listening.answer_signals if result.outcome is Outcome.ANSWERED else {}
    return Row(book, _kind(question), is_for_fit(book, question), right, dict(listening.evidence_signals), answer)


def _kind(question: LabelledQuestion) -> Kind:
    if question.answerable:
        return "answerable"
    labels = question.labels
    near = {"adversarial_unanswerable", "near"}
    return "near" if near & {labels.get("kind"), labels.get("style")} else "far"


# --- fitting


def weights_of(rows: Sequence[Row], mix: Mapping[Kind, float]) -> Array:
    """Each kind counts as the mix says, in every book alike, however many questions it has."""
    counts: dict[tuple[str, Kind], int] = {}
    for row in rows:
        counts[row.book, row.kind] = counts.get((row.book, row.kind), 0) + 1
    return np.array([mix[row.kind] / counts[row.book, row.kind] for row in rows])


def without_negatives(
    signals: Sequence[Signals], names: Sequence[str], right: Array, weights: Array, ridge: float
) -> Weights:
    """A logistic regression whose weights are not negative: signals that would be are left out, worst first."""
    kept = list(names)
    while True:
        values = np.array([[own[name] for name in kept] for own in signals]).reshape(len(signals), len(kept))
        intercept, slopes = logistic(values, right, weights, ridge)
        if not kept or slopes.min() >= 0:
            break
        kept.pop(int(np.argmin(slopes * values.std(axis=0))))
    found = {"intercept": intercept, **dict(zip(kept, slopes, strict=True))}
    return {name: round(float(weight), 4) for name, weight in found.items()}


@dataclass(frozen=True, slots=True)
class FittedConfidence:
    weights: ConfidenceWeights
    curve: Curve
    risks: tuple[Risk, ...]
    answers: int

    def calibration(self, set_up: SetUp) -> Calibration:
        return Calibration(
            embedder=set_up.embedder,
            generator=set_up.generator,
            curve=self.curve,
            risks=self.risks,
            questions=self.answers,
            made_at=datetime.now(UTC).replace(microsecond=0),
            set_up=set_up,
        )


def fitted(rows: Sequence[Row], embedder: str) -> FittedConfidence:
    in_or_out = [row for row in rows if row.kind != "near"]
    retrieval = without_negatives(
        [row.evidence for row in in_or_out],
        _RETRIEVAL,
        np.array([float(row.kind == "answerable") for row in in_or_out]),
        weights_of(in_or_out, _FOR_RETRIEVAL),
        _RIDGE_OF_RETRIEVAL,
    )
    told = [row for row in rows if row.kind != "far" and row.answer]
    rights, told_weights = np.array([float(row.right) for row in told]), weights_of(told, _FOR_GENERATION)
    generation = {
        name: without_negatives([row.answer for row in told], names, rights, told_weights, _RIDGE_OF_GENERATION)
        for name, names in (("extractive", (*_GENERATION, _OWN_ESTIMATE)), ("any", _GENERATION))
    }
    model = _model(retrieval, generation)
    samples = [
        Sample(_confidence(model, row), row.right, float(weight))
        for row, weight in zip(rows, weights_of(rows, _FOR_CURVE), strict=True)
        if row.answer
    ]
    curve = claiming_less(fit_curve(samples), samples)
    words_only = shipped_weights().weights.words_only
    weights = ConfidenceWeights(retrieval={embedder: retrieval}, words_only=words_only, generation=generation)
    return FittedConfidence(weights, _shortened(curve), risks_of(samples, curve), len(samples))


def _shortened(curve: Curve) -> Curve:
    """Knots in the middle of a level stretch say nothing."""
    knots = [(round(raw, 4), round(share, 4)) for raw, share in curve.knots]
    inner = (own for before, own, after in zip(knots, knots[1:], knots[2:], strict=False) if before[1] < after[1])
    return Curve(knots=(knots[0], *inner, knots[-1]))


def _model(retrieval: Weights, generation: Mapping[str, Weights], curve: Curve = AS_IT_IS) -> ConfidenceModel:
    return ConfidenceModel(retrieval, {}, GenerationWeights(generation["extractive"], generation["any"]), curve)


def _confidence(model: ConfidenceModel, row: Row) -> float:
    if not row.answer:
        return 0.0
    return model.probability(model.retrieval(row.evidence), model.generation(row.answer))


# --- telling


def table(rows: Sequence[Row], weights: ConfidenceWeights, curve: Curve) -> dict[str, float | None]:
    """How one book fares at the usual threshold."""
    model = _model(next(iter(weights.retrieval.values())), weights.generation, curve)
    judged = [(_confidence(model, row), row) for row in rows]
    given = [(value, row) for value, row in judged if value >= _REFUSE_BELOW]
    without_near = [(value, row) for value, row in given if row.kind != "near"]
    medium = [row.right for value, row in without_near if 0.70 <= value <= 0.85]
    return {
        "rows": len(rows),
        "far refused": _share(value < _REFUSE_BELOW for value, row in judged if row.kind == "far"),
        "near refused": _share(value < _REFUSE_BELOW for value, row in judged if row.kind == "near"),
        "false refusals": _share(value < _REFUSE_BELOW for value, row in judged if row.kind == "answerable"),
        "right refused": _share(value < _REFUSE_BELOW for value, row in judged if row.right),
        "right": _share(row.right for _, row in given),
        "ece": _error(given),
        "ece, no near": _error(without_near),
        "right 0.70-0.85": _share(medium),
        "above 0.85": float(sum(value > 0.85 for value, _ in given)),
        "right above 0.85": _share(row.right for value, row in without_near if value > 0.85),
    }


def _share(values: Iterable[bool]) -> float | None:
    held = list(values)
    return round(sum(held) / len(held), 3) if held else None


def _error(given: Sequence[tuple[float, Row]]) -> float | None:
    values, rights = [value for value, _ in given], [row.right for _, row in given]
    return round(expected_calibration_error(values, rights), 3) if given else None


def show_tables(title: str, tables: Mapping[str, Mapping[str, float | None]]) -> None:
    print(f"\n{title}")
    names = list(next(iter(tables.values())))
    print("| book | " + " | ".join(names) + " |\n" + "| --- " * (len(names) + 1) + "|")
    for book, figures in tables.items():
        print(
            f"| {book} | " + " | ".join("-" if value is None else f"{value:g}" for value in figures.values()) + " |"
        )


def main() -> None:
    parser = parser_of(__doc__, "citebook/confidence")
    add_book_options(parser, [book.name for book in BOOKS])
    parser.add_argument("--rows", type=Path, help="keep the signals there, or use those that are there")
    options = parser.parse_args()
    books = chosen_books(options)
    rows, set_up = _all_rows(books, options)
    by_book = {book.name: [row for row in rows if row.book == book.name] for book in books}
    held_out = {name: [row for row in own if not row.is_for_fit] for name, own in by_book.items()}
    held_out = {name: own for name, own in held_out.items() if own}
    shipped = shipped_weights().weights, shipped_calibrations().calibrations[0].curve
    show_tables("Before, held-out questions", {name: table(own, *shipped) for name, own in held_out.items()})
    found = fitted([row for row in rows if row.is_for_fit], set_up.embedder)
    after = {name: table(own, found.weights, found.curve) for name, own in held_out.items()}
    show_tables("After, held-out questions", after)
    if len(books) > 1:
        show_tables("Fitted on the other books", {name: _left_out(name, rows, set_up) for name in by_book})
    print(found.weights.model_dump_json())
    write_weights(
        options,
        found.weights,
        module="bench.fit_confidence",
        fitted_to="retrieval: answerable or out of scope; generation: right or wrong answers; logistic regressions "
        "without negative weights, all books of the same weight, development questions only",
        by_hand="words_only; which signals, the ridge and the balance of the kinds; see decision 0023",
        data=[name for book in books for name in book.files],
        figures={
            f"{name}, {book}": figure
            for book, own in after.items()
            for name, figure in own.items()
            if figure is not None and name in _IN_ORIGIN
        },
        figures_on=f"{sum(map(len, held_out.values())):,} questions of the same books that were not fitted to",
    )
    if not options.dry_run:
        _write_calibration(options.out.with_name("calibrations.json"), found, set_up)


def _left_out(name: str, rows: Sequence[Row], set_up: SetUp) -> dict[str, float | None]:
    """How a book fares by a fit on all others."""
    others = fitted([row for row in rows if row.book != name], set_up.embedder)
    return table([row for row in rows if row.book == name], others.weights, others.curve)


def _write_calibration(path: Path, found: FittedConfidence, set_up: SetUp) -> None:
    """The set-up is that of the answers, with the weights that were fitted to them."""
    weights = {**set_up.weights, "confidence": hash_of(found.weights)}
    calibration = found.calibration(set_up.model_copy(update={"weights": weights}))
    shipped = ShippedCalibrations(calibrations=(calibration,))
    path.write_text(shipped.model_dump_json(indent=1) + "\n", encoding="utf-8")
    print(f"written: {path}")


def _all_rows(books: Sequence[LabelledBook], options: argparse.Namespace) -> tuple[list[Row], SetUp]:
    if options.rows is not None and options.rows.exists():
        kept = json.loads(options.rows.read_text(encoding="utf-8"))
        return [Row(**row) for row in kept["rows"]], SetUp.model_validate(kept["set_up"])
    rows: list[Row] = []
    set_ups = []
    for book in books:
        own, set_up = asyncio.run(rows_of(book, options))
        rows += own
        set_ups.append(set_up)
        print(f"{book.name}: {len(rows)} rows so far", flush=True)
    if options.rows is not None:
        kept = {"rows": [asdict(row) for row in rows], "set_up": set_ups[0].model_dump(mode="json")}
        options.rows.write_text(json.dumps(kept), encoding="utf-8")
    if any(set_up != set_ups[0] for set_up in set_ups):
        raise SystemExit("The books were not all measured with the same set-up: leave out --as-indexed.")
    return rows, set_ups[0]


if __name__ == "__main__":
    main()
