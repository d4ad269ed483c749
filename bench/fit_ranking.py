"""Fits the bonuses of the ranking to labelled books: `python -m bench.fit_ranking --data DATA --indexes DIR`."""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from bench.fitting import Numbers, parser_of, search_by_coordinates, show, write_weights
from bench.labelled_books import LabelledBook, add_book_options, chosen_books, is_for_fit, opened
from citebook.domain.evidence import FoundChunk, SearchHits
from citebook.domain.question import Filters
from citebook.evals.matching import Ranking, rank_right_results
from citebook.evals.metrics import mean, ndcg_at, recall_at
from citebook.evals.questions import LabelledQuestion
from citebook.searching.ranking import HybridRanking, Weights, shipped_weights

_DEPTH = 50
_KEPT = 20
_BOOKS = ("openstax-biology", "physical-ai-curriculum", "squad1-dev", "sample")
_TRIED = {
    "full_match": (1.0, 1.25, 1.5, 2.0),
    "lexical_power": (1.0, 1.5, 2.0, 3.0),
    "same_page": (0.0, 0.05, 0.1, 0.15, 0.2),
    "best_sentence": (0.0, 0.01, 0.02, 0.04, 0.06),
    "word_pairs": (0.0, 0.015, 0.03, 0.045, 0.06),
}


@dataclass(frozen=True, slots=True)
class Searched:
    """What both methods found for a question, before it is ranked."""

    book: str
    question: LabelledQuestion
    hits: SearchHits
    chunks: Mapping[str, FoundChunk]

    def ranked(self, weights: Weights) -> Ranking:
        ranking = HybridRanking(self.question.question, weights, _KEPT, self.hits, self.question.spoken)
        keys = ranking.worth_reading()
        kept = ranking.ranked({key: self.chunks[key] for key in keys if key in self.chunks})
        return rank_right_results(self.question, [found.chunk for found in kept])


async def searched(book: LabelledBook, options: argparse.Namespace) -> list[Searched]:
    questions = [q for q in book.questions(options.data, options.limit) if q.answerable and q.has_gold_place]
    rows = []
    async with opened(book, options) as citebook:
        index = citebook.index()
        for question in questions:
            vector = await citebook.embedder.embed_question(question.question)
            hits = await index.search(question.spoken.terms(question.question), vector, Filters(), _DEPTH)
            chunks = await index.chunks(hits.edition, [hit.key for hit in hits.hits])
            rows.append(Searched(book.name, question, hits, chunks))
    print(f"{book.name}: {len(rows):,} questions", flush=True)
    return rows


def figures(rows: Sequence[Searched], weights: Weights) -> dict[str, float]:
    """Each book's own, and the means in which every book counts alike."""
    found: dict[str, float] = {}
    for book in dict.fromkeys(row.book for row in rows):
        rankings = [row.ranked(weights) for row in rows if row.book == book]
        found[f"recall@1, {book}"] = mean([recall_at(1, own.first) for own in rankings])
        found[f"nDCG@10, {book}"] = mean([ndcg_at(10, own.ranks, own.right_results) for own in rankings])
    return found


def worth(rows: Sequence[Searched], numbers: Numbers) -> float:
    return mean(list(figures(rows, Weights.model_validate(numbers)).values()))


def main() -> None:
    parser = parser_of(__doc__, "citebook/searching")
    add_book_options(parser, _BOOKS)
    parser.add_argument("--only", nargs="+", default=list(_TRIED), choices=list(_TRIED), help="what is fitted")
    options = parser.parse_args()
    books = chosen_books(options)
    rows = [row for book in books for row in asyncio.run(searched(book, options))]
    held_out = [row for row in rows if not is_for_fit(row.book, row.question)]
    for_fit = [row for row in rows if is_for_fit(row.book, row.question)]
    before = shipped_weights().weights
    tried = {name: values for name, values in _TRIED.items() if name in options.only}
    after = Weights.model_validate(search_by_coordinates(before.model_dump(), tried, partial(worth, for_fit)))
    found = figures(held_out, after)
    show(f"{len(held_out):,} questions that were not fitted to", figures(held_out, before), found)
    print(after.model_dump_json())
    write_weights(
        options,
        after,
        module="bench.fit_ranking",
        fitted_to="the mean of recall@1 and nDCG@10, all books alike; one number at a time, on development questions",
        by_hand="the blend of 0.85 and 0.15, which was given; depths, neighbours, values that are tried, and what "
        "the command does not name; see decision 0004 and decision 0047",
        data=[f"{book.folder}/{book.parts[0].questions}" for book in books],
        figures=found,
        figures_on=f"{len(held_out):,} other questions of the same books",
    )


if __name__ == "__main__":
    main()
