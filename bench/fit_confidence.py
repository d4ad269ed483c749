"""Fits the shipped confidence to labelled books: `python -m bench.fit_confidence DATA --indexes DIR`."""

import argparse
import asyncio
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from citebook.confidence.model import ConfidenceModel, GenerationWeights, Weighing, shipped_weights
from citebook.confidence.signals import Signals
from citebook.domain.answer import Outcome
from citebook.domain.calibration import AS_IT_IS, Calibration, ConfidenceWeights, Curve, Weights
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Policy
from citebook.evals.answer_metrics import expected_calibration_error
from citebook.evals.answers_run import AnswerResult, evaluate_answers
from citebook.evals.calibration import gold_texts, is_right
from citebook.evals.curve_fitting import Sample, claiming_less, fit_curve, risks_of
from citebook.evals.questions import LabelledQuestion, read_questions
from citebook.ingestion.page_reading import source_reader
from citebook.root.citebook import Citebook
from citebook.settings import read_settings

_ROOT = Path(__file__).parent.parent
_TARGET = _ROOT / "src/citebook/confidence/weights.json"
_REFUSE_BELOW = 0.20
_HELD_OUT_OF_100 = 40

Array = npt.NDArray[np.float64]
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
class Part:
    questions: str
    where: tuple[str, ...] = ()
    limit: int = 10_000


@dataclass(frozen=True, slots=True)
class LabelledBook:
    name: str
    parts: tuple[Part, ...]


BOOKS = (
    LabelledBook(
        "openstax-biology",
        (
            Part("questions.jsonl", ("form=question", "self_contained=true", "verbatim_in_docs=false")),
            Part("out_of_scope.jsonl"),
        ),
    ),
    LabelledBook(
        "physical-ai-curriculum",
        (
            Part("questions.jsonl", ("form=question", "verbatim_in_docs=false")),
            Part("questions.jsonl", ("form=cloze_or_task", "type=short", "verbatim_in_docs=false")),
            Part("out_of_scope.jsonl"),
        ),
    ),
    LabelledBook("squad1-dev", (Part("questions.jsonl", limit=1200),)),
    LabelledBook(
        "squad2-dev",
        tuple(
            Part("questions.jsonl", (f"kind={kind}",), limit)
            for kind, limit in (("answerable", 700), ("adversarial_unanswerable", 700), ("out_of_corpus", 600))
        ),
    ),
    LabelledBook("clapnq-dev", (Part("questions.jsonl"),)),
    LabelledBook("anthropic-docs", (Part("questions.jsonl"),)),
    LabelledBook("sample", (Part("questions.jsonl"), Part("questions-hard.jsonl"))),
)


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


async def rows_of(book: LabelledBook, data: Path, indexes: Path, *, as_indexed: bool) -> list[Row]:
    folder = _ROOT / "examples/physical-ai" if book.name == "sample" else data / book.name
    settings = read_settings(citebook_data_dir=indexes / book.name).model_copy(update={"qdrant_url": None})
    listening = _Listening({}, shipped_weights().words_only, GenerationWeights({}, {}))
    read = source_reader(folder / "docs")
    rows = []
    async with Citebook(settings) as citebook:
        if not as_indexed:
            await citebook.ingest.run(folder / "docs", progress=lambda _: None, allow_deletions=True)
        await citebook.load_models()
        agent = citebook.agent(confidence=listening)
        gold_text = gold_texts(list((await citebook.index().edition()).files), read)
        for question in _questions(book, folder):
            answered = await evaluate_answers(
                [question], agent, Policy(refuse_below=0, warn_below=0), read, lambda _: None
            )
            right = answered[0].outcome is Outcome.ANSWERED and is_right(question, answered[0], gold_text)
            rows.append(_row(book.name, question, answered[0], listening, right=right))
    return [row for row in rows if row.evidence]


def _questions(book: LabelledBook, folder: Path) -> list[LabelledQuestion]:
    asked = []
    for part in book.parts:
        found = read_questions(folder / part.questions, part.where)
        count = min(part.limit, len(found))
        asked += [found[number * len(found) // count] for number in range(count)]
    return asked


def _row(book: str, question: LabelledQuestion, result: AnswerResult, listening: _Listening, *, right: bool) -> Row:
    answer = listening.answer_signals if result.outcome is Outcome.ANSWERED else {}
    return Row(book, _kind(question), _is_for_fit(book, question), right, dict(listening.evidence_signals), answer)


def _kind(question: LabelledQuestion) -> Kind:
    if question.answerable:
        return "answerable"
    labels = question.labels
    near = {"adversarial_unanswerable", "near"}
    return "near" if near & {labels.get("kind"), labels.get("style")} else "far"


def _is_for_fit(book: str, question: LabelledQuestion) -> bool:
    """The development split; where all rows are of it, or none, part of the files are held out."""
    if book in {"openstax-biology", "anthropic-docs", "sample"} and question.split:
        return question.split == "dev"
    digest = hashlib.sha256((question.gold_file or question.id).encode()).digest()
    return int.from_bytes(digest[:4]) % 100 >= _HELD_OUT_OF_100


# --- fitting


def weights_of(rows: Sequence[Row], mix: Mapping[Kind, float]) -> Array:
    """Each kind counts as the mix says, in every book alike, however many questions it has."""
    counts: dict[tuple[str, Kind], int] = {}
    for row in rows:
        counts[row.book, row.kind] = counts.get((row.book, row.kind), 0) + 1
    return np.array([mix[row.kind] / counts[row.book, row.kind] for row in rows])


def logistic(signals: Sequence[Signals], names: Sequence[str], right: Array, weights: Array, ridge: float) -> Weights:
    """A logistic regression whose weights are not negative: signals that would be are left out, worst first."""
    values = np.array([[own[name] for name in names] for own in signals])
    weights = weights / weights.sum()
    middle = weights @ values
    spread = np.sqrt(weights @ (values - middle) ** 2) + 1e-9
    scaled = np.column_stack([np.ones(len(values)), (values - middle) / spread])
    kept = list(range(len(names) + 1))
    while True:
        found = _newton(scaled[:, kept], right, weights, ridge)
        worst = int(np.argmin(found[1:])) + 1 if len(found) > 1 else 0
        if not worst or found[worst] >= 0:
            break
        kept.pop(worst)
    slopes = {names[place - 1]: found[at] / spread[place - 1] for at, place in enumerate(kept) if place}
    intercept = found[0] - sum(slope * middle[names.index(name)] for name, slope in slopes.items())
    return {name: round(float(weight), 4) for name, weight in {"intercept": intercept, **slopes}.items()}


def _newton(values: Array, right: Array, weights: Array, ridge: float) -> Array:
    penalty = np.full(values.shape[1], ridge)
    penalty[0] = 1e-9
    found: Array = np.zeros(values.shape[1])
    for _ in range(100):
        likely = 1 / (1 + np.exp(-np.clip(values @ found, -50, 50)))
        slope = values.T @ (weights * (likely - right)) + penalty * found
        bend = (values * (weights * likely * (1 - likely))[:, None]).T @ values + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        found = found - step
        if np.abs(step).max() < 1e-9:
            break
    return found


def fitted(rows: Sequence[Row], embedder: str) -> ConfidenceWeights:
    in_or_out = [row for row in rows if row.kind != "near"]
    retrieval = logistic(
        [row.evidence for row in in_or_out],
        _RETRIEVAL,
        np.array([float(row.kind == "answerable") for row in in_or_out]),
        weights_of(in_or_out, _FOR_RETRIEVAL),
        _RIDGE_OF_RETRIEVAL,
    )
    told = [row for row in rows if row.kind != "far" and row.answer]
    rights, told_weights = np.array([float(row.right) for row in told]), weights_of(told, _FOR_GENERATION)
    generation = {
        name: logistic([row.answer for row in told], names, rights, told_weights, _RIDGE_OF_GENERATION)
        for name, names in (("extractive", (*_GENERATION, _OWN_ESTIMATE)), ("any", _GENERATION))
    }
    model = _model(retrieval, generation)
    samples = [
        Sample(_confidence(model, row), row.right, float(weight))
        for row, weight in zip(rows, weights_of(rows, _FOR_CURVE), strict=True)
        if row.answer
    ]
    curve = claiming_less(fit_curve(samples), samples)
    calibration = Calibration(
        embedder=embedder,
        generator="extractive",
        curve=_shortened(curve),
        risks=risks_of(samples, curve),
        questions=len(samples),
        made_at=datetime.now(UTC).replace(microsecond=0),
    )
    return ConfidenceWeights(
        retrieval={embedder: retrieval},
        words_only=shipped_weights().words_only,
        generation=generation,
        calibrations=(calibration,),
    )


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


def table(rows: Sequence[Row], weights: ConfidenceWeights) -> dict[str, float | None]:
    """How one book fares at the usual threshold."""
    retrieval = next(iter(weights.retrieval.values()))
    model = _model(retrieval, weights.generation, weights.calibrations[0].curve)
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


def show(title: str, tables: Mapping[str, Mapping[str, float | None]]) -> None:
    print(f"\n{title}")
    names = list(next(iter(tables.values())))
    print("| book | " + " | ".join(names) + " |\n" + "| --- " * (len(names) + 1) + "|")
    for book, figures in tables.items():
        print(
            f"| {book} | " + " | ".join("-" if value is None else f"{value:g}" for value in figures.values()) + " |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the labelled books")
    parser.add_argument("--indexes", type=Path, required=True, help="folder for an index of each book")
    parser.add_argument("--rows", type=Path, help="keep the signals there, or use those that are there")
    parser.add_argument("--as-indexed", action="store_true", help="take the indexes as they are")
    parser.add_argument("--dry-run", action="store_true", help="write nothing into the package")
    options = parser.parse_args()
    rows = _all_rows(options.data, options.indexes, options.rows, as_indexed=options.as_indexed)
    embedder = Citebook(read_settings()).embedder.stamp.name
    by_book = {book.name: [row for row in rows if row.book == book.name] for book in BOOKS}
    weights = fitted([row for row in rows if row.is_for_fit], embedder)
    held = {name: table([row for row in own if not row.is_for_fit], weights) for name, own in by_book.items()}
    show("Held-out questions of the same books", {name: figures for name, figures in held.items() if figures["rows"]})
    apart = {name: fitted([row for row in rows if row.book != name], embedder) for name in by_book}
    show("Fitted on the other books", {name: table(own, apart[name]) for name, own in by_book.items()})
    print(json.dumps(weights.model_dump(mode="json", exclude={"calibrations"})))
    if not options.dry_run:
        _TARGET.write_text(weights.model_dump_json(indent=1) + "\n", encoding="utf-8")
        print(f"written: {_TARGET}")


def _all_rows(data: Path, indexes: Path, kept: Path | None, *, as_indexed: bool) -> list[Row]:
    if kept is not None and kept.exists():
        return [Row(**row) for row in json.loads(kept.read_text())]
    rows = []
    for book in BOOKS:
        rows += asyncio.run(rows_of(book, data, indexes, as_indexed=as_indexed))
        print(f"{book.name}: {len(rows)} rows so far", flush=True)
    if kept is not None:
        kept.write_text(json.dumps([{name: getattr(row, name) for name in Row.__slots__} for row in rows]))
    return rows


if __name__ == "__main__":
    main()
