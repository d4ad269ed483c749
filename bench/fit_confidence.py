"""Fits the shipped confidence to labelled books: `python -m bench.fit_confidence --data DATA --indexes DIR`."""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np

from bench.fitting import Array, logistic, parser_of, write_weights
from bench.graded_answers import GradedAnswer, read_graded_answers
from bench.labelled_books import BOOKS, LabelledBook, add_book_options, chosen_books, is_for_fit, opened
from bench.listening import ListeningConfidence, listening_confidence
from citebook.confidence.model import (
    ConfidenceModel,
    GenerationWeights,
    shipped_weights,
)
from citebook.confidence.signals import KNOWN, UNDOUBTED, Signals
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
from citebook.domain.question import Policy
from citebook.domain.set_up import SetUp
from citebook.domain.weights import hash_of
from citebook.evals.answer_metrics import expected_calibration_error
from citebook.evals.answers_run import AnswerResult, evaluate_answers
from citebook.evals.calibration import gold_texts, is_right
from citebook.evals.curve_fitting import Sample, risks_of
from citebook.evals.questions import LabelledQuestion
from citebook.ingestion.page_reading import source_reader

_REFUSE_BELOW = 0.20
_IN_ORIGIN = ("good", "ece", "near refused", "far refused", "good refused")

Kind = Literal["answerable", "far", "near"]

_RETRIEVAL = ("above_strangers",)
_EXAMINED = (UNDOUBTED, KNOWN)
_GENERATION = ("answer_coverage", "answer_word_pairs", "names", "numbers", "margin")
_OF_QUOTATIONS = ("own_estimate", "examined")

# How much each kind of question counts, in each book alike.
_FOR_RETRIEVAL: Mapping[Kind, float] = {"answerable": 0.5, "far": 0.5, "near": 0.0}

_AS_READERS_ASK = {"lay": 0.12, "near_unanswerable": 0.09}
"""The share of kinds of which more were graded than are asked, to learn more of them."""

_RIDGE_OF_RETRIEVAL = 0.01
_RIDGE_OF_GENERATION = 0.02
_RIDGE_OF_CURVE = 0.001
_KNOTS = 21


@dataclass(frozen=True, slots=True)
class Row:
    """One question: what the signals said, whether the answer was right, and whether it may be fitted to."""

    book: str
    kind: Kind
    is_for_fit: bool
    right: bool
    evidence: Signals
    signals: Signals
    """Of the answer; empty where nothing was answered."""


async def rows_of(book: LabelledBook, options: argparse.Namespace) -> tuple[list[Row], SetUp]:
    """The rows of a book, and the set-up that they were measured with."""
    listening = listening_confidence()
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


def _row(
    book: str, question: LabelledQuestion, result: AnswerResult, listening: ListeningConfidence, *, right: bool
) -> Row:
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


def fitted(rows: Sequence[Row], graded: Sequence[GradedAnswer], embedder: str) -> FittedConfidence:
    """Retrieval before an answer to questions in and out of scope, the rest to what graders said of answers."""
    in_or_out = [row for row in rows if row.kind != "near"]
    retrieval = without_negatives(
        [row.evidence for row in in_or_out],
        _RETRIEVAL,
        np.array([float(row.kind == "answerable") for row in in_or_out]),
        weights_of(in_or_out, _FOR_RETRIEVAL),
        _RIDGE_OF_RETRIEVAL,
    )
    told = [answer for answer in graded if answer.is_usual]
    good, counted = np.array([float(answer.is_good) for answer in told]), as_asked(told)
    generation = {
        name: without_negatives([answer.signals for answer in told], names, good, counted, _RIDGE_OF_GENERATION)
        for name, names in (("extractive", (*_GENERATION, *_OF_QUOTATIONS)), ("any", _GENERATION))
    }
    examined = without_negatives(
        [{**answer.evidence, **answer.signals} for answer in told], _EXAMINED, good, counted, _RIDGE_OF_GENERATION
    )
    model = _model(retrieval, examined, generation)
    samples = [Sample(_confidence(model, answer), answer.is_good) for answer in told]
    curve = _smooth_curve(samples, counted)
    words_only = shipped_weights().weights.words_only
    weights = ConfidenceWeights(
        retrieval={embedder: retrieval}, examined={embedder: examined}, words_only=words_only, generation=generation
    )
    return FittedConfidence(weights, curve, risks_of(samples, curve), len(samples))


def as_asked(answers: Sequence[GradedAnswer]) -> Array:
    """How much each answer counts, so that kinds of which many were graded count as often as readers ask so."""
    counts = Counter(answer.kind for answer in answers)
    others = sum(count for kind, count in counts.items() if kind not in _AS_READERS_ASK)
    per_share = others / (1 - sum(_AS_READERS_ASK.values()))
    share = {kind: per_share * of_all / counts[kind] for kind, of_all in _AS_READERS_ASK.items() if counts[kind]}
    return np.array([share.get(answer.kind, 1.0) for answer in answers])


def _smooth_curve(samples: Sequence[Sample], counted: Array) -> Curve:
    """A logistic one: a few hundred answers are too few to follow each bend."""
    raws, rights = np.array([[one.raw] for one in samples]), np.array([float(one.right) for one in samples])
    intercept, (slope,) = logistic(raws, rights, counted, _RIDGE_OF_CURVE)
    at = np.linspace(0, 1, _KNOTS)
    return Curve(knots=tuple(zip(at.round(4), (1 / (1 + np.exp(-intercept - slope * at))).round(4), strict=True)))


def _model(
    retrieval: Weights, examined: Weights, generation: Mapping[str, Weights], curve: Curve = AS_IT_IS
) -> ConfidenceModel:
    of_generators = GenerationWeights(generation["extractive"], generation["any"])
    return ConfidenceModel(retrieval, {}, of_generators, curve, examined=examined)


def _model_of(weights: ConfidenceWeights, curve: Curve) -> ConfidenceModel:
    (retrieval,), (examined,) = weights.retrieval.values(), weights.examined.values()
    return _model(retrieval, examined, weights.generation, curve)


def _confidence(model: ConfidenceModel, told: Row | GradedAnswer) -> float:
    if not told.signals:
        return 0.0
    found = model.retrieval_once_examined(model.retrieval(told.evidence), {**told.evidence, **told.signals})
    return model.probability(found, model.generation(told.signals))


# --- telling


def graded_table(graded: Sequence[GradedAnswer], weights: ConfidenceWeights, curve: Curve) -> dict[str, float | None]:
    """How confidence fares against what graders said of answers."""
    model = _model_of(weights, curve)
    judged = [(_confidence(model, answer), answer) for answer in graded if answer.is_usual]
    given = [(value, answer) for value, answer in judged if value >= _REFUSE_BELOW]
    return {
        "answers": len(judged),
        "good": _share(answer.is_good for _, answer in given),
        "good refused": _share(value < _REFUSE_BELOW for value, answer in judged if answer.is_good),
        "near refused": _share(value < _REFUSE_BELOW for value, answer in judged if answer.kind.startswith("near")),
        "far refused": _share(value < _REFUSE_BELOW for value, answer in judged if answer.kind.startswith("far")),
        "ece": round(expected_calibration_error([v for v, _ in given], [a.is_good for _, a in given]), 3),
        "above 0.85": _share(value > 0.85 for value, _ in given),
        "good above 0.85": _share(answer.is_good for value, answer in given if value > 0.85),
        "good 0.70-0.85": _share(answer.is_good for value, answer in given if 0.70 <= value <= 0.85),
        "good below 0.70": _share(answer.is_good for value, answer in given if value < 0.70),
    }


def table(rows: Sequence[Row], weights: ConfidenceWeights, curve: Curve) -> dict[str, float | None]:
    """How one book fares at the usual threshold."""
    model = _model_of(weights, curve)
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
    graded = list(read_graded_answers())
    crossed = _crossed([row for row in rows if row.is_for_fit], graded, set_up.embedder)
    show_tables("Graded answers, each half by a fit on the other", crossed)
    found = fitted([row for row in rows if row.is_for_fit], graded, set_up.embedder)
    by_book = {book.name: [row for row in rows if row.book == book.name] for book in books}
    held_out = {name: [row for row in own if not row.is_for_fit] for name, own in by_book.items()}
    after = {name: table(own, found.weights, found.curve) for name, own in held_out.items() if own}
    show_tables("Labelled questions that were not fitted to", after)
    print(found.weights.model_dump_json())
    write_weights(
        options,
        found.weights,
        module="bench.fit_confidence",
        fitted_to="retrieval: answerable or out of scope, labelled books of the same weight, development questions "
        "only; examined, generation and curve: answers that language models, in a reader's place, called good (A or "
        "B); logistic regressions, all but the curve without negative weights",
        by_hand="words_only; which signals, the ridges and the balance of the kinds; see decision 0046",
        data=[name for book in books for name in book.files],
        figures={
            f"{name}, {half}": figure
            for half, own in crossed.items()
            for name, figure in own.items()
            if figure is not None and name in _IN_ORIGIN
        },
        figures_on=f"{len(graded):,} graded answers, each half by a fit on the other",
    )
    if not options.dry_run:
        _write_calibration(options.out.with_name("calibrations.json"), found, set_up)


def _crossed(
    rows: Sequence[Row], graded: Sequence[GradedAnswer], embedder: str
) -> dict[str, dict[str, float | None]]:
    halves = {half: [answer for answer in graded if answer.split == half] for half in ("dev", "test")}
    tables = {}
    for half, other in (("dev", "test"), ("test", "dev")):
        by_other = fitted(rows, halves[other], embedder)
        tables[half] = graded_table(halves[half], by_other.weights, by_other.curve)
    return tables


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
