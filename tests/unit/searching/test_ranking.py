"""How vectors and words are blended."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.domain.evidence import FoundChunk, Hit, RetrievedChunk, SearchHits
from citebook.searching.ranking import HybridRanking, Weights
from tests.fakes import ENGLISH, chunk_of_page, make_chunk

PURE = Weights().without_bonuses()
TERMS = {"robot": 2.0, "arm": 1.0}

scores = st.floats(-1, 1)
hits = st.lists(
    st.builds(Hit, st.uuids().map(str), st.sampled_from("abc"), scores, st.floats(0, 100)),
    unique_by=lambda h: h.key,
)


def ranked(
    *hits: Hit,
    question: str = "robot arm",
    weights: Weights = PURE,
    terms: Mapping[str, float] = TERMS,
    texts: Mapping[str, str] = {},
) -> list[RetrievedChunk]:
    """The chunks of these hits in their order; the text of each is its key, unless it is given."""
    ranking = HybridRanking(question, weights, 5, SearchHits("first", hits, terms), ENGLISH)
    keys = ranking.worth_reading()
    return list(ranking.ranked({key: FoundChunk(make_chunk(texts.get(key, key), f"{key}.mdx")) for key in keys}))


@given(hits)
def test_scores_stay_between_0_and_1_and_come_best_first(found: list[Hit]) -> None:
    chosen = [chunk.deciding_score for chunk in ranked(*found, weights=Weights())]
    assert chosen == sorted(chosen, reverse=True)
    assert all(0 <= score <= 1 for score in chosen)


def test_the_blend_is_085_dense_and_015_words_of_scales_from_0_to_1() -> None:
    (found,) = ranked(Hit("x", "p", 0.6, 2.25))
    assert found.dense_score == pytest.approx(0.8)
    assert found.lexical_score == pytest.approx(0.25)  # half of the words, squared
    assert found.score == pytest.approx(0.85 * 0.8 + 0.15 * 0.25)


def test_the_best_match_of_words_counts_as_full_even_above_the_scale() -> None:
    full, half = ranked(Hit("x", "p", 0.0, 9.0), Hit("y", "p", 0.0, 4.5))
    assert (full.lexical_score, half.lexical_score) == (1.0, 0.25)


def test_without_a_vector_words_alone_decide() -> None:
    (found,) = ranked(Hit("x", "p", None, 2.25))
    assert found.score == found.lexical_score == pytest.approx(0.25)


def test_a_page_with_several_good_chunks_wins_over_a_page_with_one() -> None:
    found = [
        Hit("lone", "a", 0.80, 0.0),
        Hit("friend1", "b", 0.80, 0.0),
        Hit("friend2", "b", 0.79, 0.0),
        Hit("floor", "c", 0.1, 0.0),
    ]
    best = ranked(*found, question="robot", weights=Weights())[0]
    assert best.chunk.place.source_file == "friend1.mdx"


def test_words_in_the_question_s_order_break_a_tie() -> None:
    texts = {"a": "Torque limits the motor of a stepper.", "b": "The stepper motor torque falls with speed."}
    found = [Hit(key, key, 0.5, 1.0) for key in texts]
    terms = {"stepper": 1.0, "motor": 1.0, "torqu": 1.0}
    best = ranked(*found, question="stepper motor torque", weights=Weights(), terms=terms, texts=texts)[0]
    assert best.chunk.place.source_file == "b.mdx"


@pytest.mark.parametrize(("dense", "lexical"), [(0.9, 0.2), (-0.1, 1.1)])
def test_weights_that_do_not_add_up_are_refused(dense: float, lexical: float) -> None:
    with pytest.raises(ValueError, match="add up to 1"):
        Weights(dense=dense, lexical=lexical)


def test_what_only_sets_a_task_comes_behind_what_tells_something() -> None:
    hits = (Hit("task", "a", 0.9, 3.0), Hit("text", "b", 0.5, 1.0))
    texts = {"task": "Explain why a robot has an arm.", "text": "A robot has an arm to lift things."}
    ranking = HybridRanking("robot arm", PURE, 5, SearchHits("first", hits, TERMS), ENGLISH)
    chunks = {key: FoundChunk(chunk_of_page(texts[key])) for key in ranking.worth_reading()}
    text, task = ranking.ranked(chunks)
    assert [text.chunk.text, task.chunk.text] == [texts["text"], texts["task"]]
    assert task.deciding_score <= text.deciding_score


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 9), st.booleans()), min_size=1, max_size=12))
def test_whatever_is_found_stands_in_the_order_of_its_scores(found: list[tuple[float, float, bool]]) -> None:
    hits = tuple(Hit(str(at), f"page {at % 3}", cosine, bm25) for at, (cosine, bm25, _) in enumerate(found))
    texts = {
        hit.key: f"A robot has an arm, number {hit.key}." if tells else f"Explain why a robot has an arm {hit.key}."
        for hit, (*_, tells) in zip(hits, found, strict=True)
    }
    ranking = HybridRanking("robot arm", Weights(), 5, SearchHits("first", hits, TERMS), ENGLISH)
    chunks = {key: FoundChunk(chunk_of_page(texts[key])) for key in ranking.worth_reading()}
    scores = [one.deciding_score for one in ranking.ranked(chunks)]
    assert scores == sorted(scores, reverse=True)
