"""Fits which sentence answers: `python -m bench.fit_sentence_scoring --data DATA --indexes DIR`."""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench.fitting import Array, logistic, parser_of, show, write_weights
from bench.labelled_books import LabelledBook, add_book_options, chosen_books, is_for_fit, opened
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Filters
from citebook.evals.answer_metrics import contains_gold
from citebook.evals.metrics import mean
from citebook.evals.questions import LabelledQuestion
from citebook.language.languages import language_of
from citebook.reading.passages import PassageReader
from citebook.reading.sentence_scoring import (
    Asked,
    ProbabilityWeights,
    ScoringWeights,
    probability_signals,
    score_sentences,
    shipped_weights,
    signals_of,
)

_BOOKS = ("squad1-dev", "squad2-dev")
_BY_HAND = ("code", "task", "definition", "other number", "asked on its page")
"""Such sentences are no answers in these sets, or answers that the sets do not ask for."""
_TOP_K = 5
_JUDGED = 3
_RIDGE = 0.001
_STEPS = 50
_SMALLEST_STEP = 1e-6
_NEAR = ("adversarial_unanswerable", "near")


@dataclass(frozen=True, slots=True)
class Found:
    """A question with the passages that were found for it."""

    question: LabelledQuestion
    evidence: QueryResult
    is_for_fit: bool

    def asked(self) -> Asked:
        return Asked(self.question.question, self.evidence.term_weights, language_of(self.evidence.language))

    def is_right(self, sentence: str) -> bool:
        return self.question.answerable and contains_gold(sentence, self.question.answers, self.question.spoken)


async def found_in(book: LabelledBook, options: argparse.Namespace) -> list[Found]:
    """Questions near the subject are left out: their sentences look like answers, and no signal tells them apart."""
    asked = book.questions(options.data, options.limit)
    usable = [q for q in asked if q.answers or not q.answerable]
    rows = []
    async with opened(book, options) as citebook:
        search = citebook.retrieval()
        for question in usable:
            if question.answerable or not {question.labels.get("kind"), question.labels.get("style")} & {*_NEAR}:
                evidence = await search.retrieve(question.question, Filters(), _TOP_K)
                rows.append(Found(question, evidence, is_for_fit(book.name, question)))
    print(f"{book.name}: {len(rows):,} questions", flush=True)
    return rows


# --- which sentence


@dataclass(frozen=True, slots=True)
class Lists:
    """The sentences of all questions one after the other."""

    values: Array
    by_hand: Array
    """What the signals set by hand add to each score."""
    right: Array
    starts: npt.NDArray[np.int64]


def lists_of(rows: Sequence[Found], names: Sequence[str], start: ScoringWeights, reader: PassageReader) -> Lists:
    """Of questions that some sentence answers and some does not."""
    values: list[list[float]] = []
    by_hand: list[float] = []
    right: list[float] = []
    starts: list[int] = []
    for row in rows:
        told = list(signals_of(row.asked(), row.evidence.retrieved_chunks, reader))
        rights = [float(row.is_right(place.read.text)) for place, _, _ in told]
        if not any(rights) or all(rights):
            continue
        starts.append(len(values))
        values += [[signals.get(name, 0.0) for name in names] for _, signals, _ in told]
        by_hand += [sum(start.signals[name] * signals.get(name, 0.0) for name in _BY_HAND) for _, signals, _ in told]
        right += rights
    return Lists(np.array(values), np.array(by_hand), np.array(right), np.array(starts))


def fit_signals(lists: Lists) -> Array:
    """Makes the share of the right sentences in the exponentials of a question's scores as large as it can be."""
    spread = lists.values.std(axis=0) + 1e-9
    values, count = lists.values / spread, len(lists.starts)
    slopes: Array = np.zeros(values.shape[1])
    for _ in range(_STEPS):
        scores = values @ slopes + lists.by_hand
        among_all, _ = shares(scores, lists.starts)
        among_right, _ = shares(np.where(lists.right > 0, scores, -np.inf), lists.starts)
        middles = np.add.reduceat(among_all[:, None] * values, lists.starts)
        bend = (among_all[:, None] * values).T @ values - middles.T @ middles
        slope = values.T @ (among_right - among_all)
        step = np.linalg.solve(bend / count + _RIDGE * np.eye(len(slopes)), slope / count - _RIDGE * slopes)
        worth = _worth(slopes, values, lists)
        while _worth(slopes + step, values, lists) < worth and np.abs(step).max() > _SMALLEST_STEP:
            step = step / 2
        slopes = slopes + step
        if np.abs(step).max() <= _SMALLEST_STEP:
            break
    by_signal: Array = slopes / spread
    return by_signal


def shares(scores: Array, starts: npt.NDArray[np.int64]) -> tuple[Array, Array]:
    """Each sentence's share in the exponentials of its question's scores, and the logarithm of their sum."""
    sizes = np.diff([*starts, len(scores)])
    best = np.maximum.reduceat(scores, starts)
    powers = np.exp(scores - np.repeat(best, sizes))
    sums = np.add.reduceat(powers, starts)
    return powers / np.repeat(sums, sizes), best + np.log(sums)


def _worth(slopes: Array, values: Array, lists: Lists) -> float:
    scores = values @ slopes + lists.by_hand
    _, of_all = shares(scores, lists.starts)
    _, of_right = shares(np.where(lists.right > 0, scores, -np.inf), lists.starts)
    return float((of_right - of_all).mean() - _RIDGE / 2 * slopes @ slopes)


# --- how probably


def fit_probability(rows: Sequence[Found], weights: ScoringWeights, reader: PassageReader) -> ProbabilityWeights:
    """Over the best sentences of each question, those of questions without an answer included."""
    names = [name for name in ProbabilityWeights.model_fields if name != "intercept"]
    values: list[list[float]] = []
    right: list[float] = []
    for row in rows:
        asked = row.asked()
        ranked = score_sentences(asked, row.evidence.retrieved_chunks, reader, weights)
        for sentence, signals in list(probability_signals(asked, ranked))[:_JUDGED]:
            values.append([signals[name] for name in names])
            right.append(float(row.is_right(sentence.read.text)))
    intercept, slopes = logistic(np.array(values), np.array(right), np.ones(len(right)), _RIDGE)
    fitted = {name: round(float(slope), 3) for name, slope in zip(names, slopes, strict=True)}
    return ProbabilityWeights(intercept=round(intercept, 3), **fitted)


def fitted(rows: Sequence[Found], start: ScoringWeights, reader: PassageReader) -> ScoringWeights:
    names = [name for name in start.signals if name not in _BY_HAND]
    lists = lists_of(rows, names, start, reader)
    slopes, was_seen = fit_signals(lists), np.abs(lists.values).max(axis=0) > 0
    fits = zip(names, slopes, was_seen, strict=True)
    own = {name: round(float(slope), 2) for name, slope, seen in fits if seen}  # the others stay as they are
    signals = {name: own.get(name, weight) for name, weight in start.signals.items()}
    weights = start.model_copy(update={"signals": signals})
    return weights.model_copy(update={"probability": fit_probability(rows, weights, reader)})


def figures(rows: Sequence[Found], weights: ScoringWeights, reader: PassageReader) -> dict[str, float]:
    first, first_three, errors = [], [], []
    for row in rows:
        ranked = score_sentences(row.asked(), row.evidence.retrieved_chunks, reader, weights)
        rights = [row.is_right(sentence.read.text) for sentence in ranked[:_JUDGED]]
        if row.question.answerable:
            first.append(float(rights[0] if rights else False))
            first_three.append(float(any(rights)))
        if ranked:
            errors.append((ranked[0].probability - float(rights[0])) ** 2)
    return {
        "best sentence holds the answer": mean(first),
        "three best sentences hold it": mean(first_three),
        "Brier score of the best one's probability": mean(errors),
    }


def main() -> None:
    parser = parser_of(__doc__, "citebook/reading")
    add_book_options(parser, _BOOKS)
    options = parser.parse_args()
    books, reader = chosen_books(options), PassageReader()
    rows = [row for book in books for row in asyncio.run(found_in(book, options))]
    held_out, for_fit = [row for row in rows if not row.is_for_fit], [row for row in rows if row.is_for_fit]
    before = shipped_weights().weights
    after = fitted(for_fit, before, reader)
    found = figures(held_out, after, reader)
    show(f"{len(held_out):,} questions that were not fitted to", figures(held_out, before, reader), found)
    print(after.model_dump_json())
    write_weights(
        options,
        after,
        module="bench.fit_sentence_scoring",
        fitted_to="signals: the share of the sentences with the answer's words in the exponentials of all scores "
        f"(listwise logistic regression, L2 {_RIDGE} on standardised signals); probability: a logistic curve over "
        f"the {_JUDGED} best sentences",
        by_hand=f"{', '.join(_BY_HAND)}; see decision 0022",
        data=[name for book in books for name in book.files],
        figures=found,
        figures_on=f"{len(held_out):,} questions of other chapters of the same books",
    )


if __name__ == "__main__":
    main()
