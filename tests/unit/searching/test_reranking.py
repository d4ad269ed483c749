"""What is read again of a chunk, and how the reader's word and the search's score are blended."""

from collections.abc import Sequence
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.domain.evidence import RetrievedChunk
from citebook.domain.units import units_of
from citebook.searching.reranking import Asked, LikestUnits, Reranking, WholeChunks
from tests.fakes import ENGLISH, WORKERS, chunk_of_page, make_chunk

PAGE = """# Gears

## Harmonic drives

Gears wear out when nobody oils them.

A harmonic drive bends a thin steel cup.

Soup is served on all days but Sunday.
"""
ASKED = Asked("What does a harmonic drive bend?", {"harmon": 3.0, "drive": 2.0, "bend": 1.0}, ENGLISH)


def found(text: str = "Text.", score: float = 0.8, rank: int = 1, **given: object) -> RetrievedChunk:
    chunk = chunk_of_page(text) if text.startswith("#") else make_chunk(text, f"{rank}.mdx")
    scores = {"score": score, "dense_score": score, "lexical_score": 0.0, "relevance_score": score}
    return RetrievedChunk.model_validate({"chunk": chunk, "rank": rank, **scores, **given})


def ranked(*scores: float) -> list[RetrievedChunk]:
    return [found(score=score, rank=rank) for rank, score in enumerate(scores, start=1)]


def chance(logit: float) -> float:
    return 1 / (1 + exp(-logit))


def order(reranked: tuple[RetrievedChunk, ...]) -> list[str]:
    return [one.chunk.place.source_file for one in reranked]


def test_the_unit_that_is_most_like_the_question_is_read_under_its_headings() -> None:
    count = len(units_of(chunk_of_page(PAGE)))
    one = found(PAGE, unit_cosines=(0.1,) * (count - 1) + (0.9,))
    assert LikestUnits().passage(ASKED, one) == "Gears > Harmonic drives\nSoup is served on all days but Sunday."


def test_where_words_alone_were_matched_the_unit_with_the_most_telling_of_them_is_read() -> None:
    passage = LikestUnits().passage(ASKED, found(PAGE))
    assert passage.endswith("\nA harmonic drive bends a thin steel cup.")


def test_a_whole_chunk_is_read_as_it_was_embedded() -> None:
    one = found(PAGE)
    assert WholeChunks().passage(ASKED, one) == one.chunk.embedded_text


def test_a_reader_who_is_much_surer_moves_a_chunk_up() -> None:
    best, others = LikestUnits().reread(ranked(0.80, 0.78), [chance(-3), chance(4)], 1)
    assert order(best) == ["2.mdx"]
    assert order(others) == ["1.mdx"]


def test_a_reader_who_is_a_little_surer_does_not() -> None:
    best, _ = LikestUnits().reread(ranked(0.80, 0.78), [chance(2), chance(3)], 2)
    assert order(best) == ["1.mdx", "2.mdx"]


def test_blended_scores_stay_on_the_search_s_scale() -> None:
    best, _ = LikestUnits().reread(ranked(0.80, 0.78), [chance(-3), chance(4)], 2)
    assert [one.deciding_score for one in best] == pytest.approx([0.78, 0.73])
    assert [one.score for one in best] == [0.78, 0.80]


def test_what_was_not_read_stays_behind_what_was() -> None:
    best, others = LikestUnits().reread(ranked(0.80, 0.79, 0.79, 0.2), [chance(3), chance(-3)], 2)
    assert order((*best, *others)) == ["1.mdx", "2.mdx", "3.mdx", "4.mdx"]
    assert [one.rank for one in (*best, *others)] == [1, 2, 3, 4]


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=8).map(lambda scores: sorted(scores, reverse=True)),
    st.lists(st.floats(0, 1), min_size=8, max_size=8),
    st.integers(1, 8),
)
def test_any_scores_give_an_order_of_all(scores: list[float], said: list[float], read: int) -> None:
    best, others = LikestUnits().reread(ranked(*scores), said[: min(read, len(scores))], 3)
    every = [one.deciding_score for one in (*best, *others)]
    assert len(every) == len(scores)
    assert every == sorted(every, reverse=True)
    assert all(0 <= score <= 1 for score in every)


async def test_a_passage_that_two_chunks_share_is_read_once() -> None:
    class Counting:
        name = "counting"

        async def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
            assert (question, passages) == (ASKED.text, ["Chapter > Part\nThe same text."])
            return [0.5]

        async def aclose(self) -> None:
            """There is nothing to close."""

    twice = [found("The same text.", score, rank) for rank, score in ((1, 0.9), (2, 0.8))]
    reread = await Reranking(Counting(), reading=LikestUnits()).reread(ASKED, twice, 5, WORKERS)
    assert reread is not None
    assert order(reread.best) == ["1.mdx", "2.mdx"]
