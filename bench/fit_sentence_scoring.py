"""Fits which sentence answers: `python -m bench.fit_sentence_scoring --data DATA --indexes DIR`."""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.fitting import parser_of, show, write_weights
from bench.labelled_books import LabelledBook, add_book_options, chosen_books, is_for_fit, opened
from bench.listwise import Lists, fit_signals
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Filters
from citebook.evals.answer_metrics import contains_gold
from citebook.evals.metrics import mean
from citebook.evals.questions import LabelledQuestion
from citebook.language.languages import language_of
from citebook.reading.passages import PassageReader
from citebook.reading.sentence_scoring import (
    Asked,
    ScoringWeights,
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


def fitted(rows: Sequence[Found], start: ScoringWeights, reader: PassageReader) -> ScoringWeights:
    names = [name for name in start.signals if name not in _BY_HAND]
    lists = lists_of(rows, names, start, reader)
    slopes, was_seen = fit_signals(lists, _RIDGE), np.abs(lists.values).max(axis=0) > 0
    fits = zip(names, slopes, was_seen, strict=True)
    own = {name: round(float(slope), 2) for name, slope, seen in fits if seen}  # the others stay as they are
    signals = {name: own.get(name, weight) for name, weight in start.signals.items()}
    return start.model_copy(update={"signals": signals})


def figures(rows: Sequence[Found], weights: ScoringWeights, reader: PassageReader) -> dict[str, float]:
    first, first_three = [], []
    for row in rows:
        ranked = score_sentences(row.asked(), row.evidence.retrieved_chunks, reader, weights)
        rights = [row.is_right(sentence.read.text) for sentence in ranked[:_JUDGED]]
        if row.question.answerable:
            first.append(float(rights[0] if rights else False))
            first_three.append(float(any(rights)))
    return {
        "best sentence holds the answer": mean(first),
        "three best sentences hold it": mean(first_three),
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
        f"(listwise logistic regression, L2 {_RIDGE} on standardised signals)",
        by_hand=f"{', '.join(_BY_HAND)}; see decision 0022",
        data=[name for book in books for name in book.files],
        figures=found,
        figures_on=f"{len(held_out):,} questions of other chapters of the same books",
    )


if __name__ == "__main__":
    main()
