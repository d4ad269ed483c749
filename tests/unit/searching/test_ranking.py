"""How vectors and words are blended."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.domain.evidence import Candidate, Hit
from citebook.searching.ranking import HybridRanking, Weights
from tests.fakes import make_chunk

PURE = Weights().without_bonuses()
TERMS = {"robot": 2.0, "arm": 1.0}

scores = st.floats(-1, 1)
hits = st.lists(
    st.builds(Hit, st.uuids().map(str), st.sampled_from("abc"), scores, st.floats(0, 100)),
    unique_by=lambda h: h.key,
)


@given(hits)
def test_scores_stay_between_0_and_1_and_come_best_first(found: list[Hit]) -> None:
    ranking = HybridRanking("robot arm", Weights(), keep=5)
    chosen = [ranking.scores[hit.key].total for hit in ranking.choose(found, TERMS)]
    assert chosen == sorted(chosen, reverse=True)
    assert all(0 <= score <= 1 for score in chosen)


def test_the_blend_is_085_dense_and_015_words_of_scales_from_0_to_1() -> None:
    ranking = HybridRanking("robot arm", PURE, keep=5)
    ranking.choose([Hit("x", "p", 0.6, 2.25)], TERMS)
    assert ranking.scores["x"].dense == pytest.approx(0.8)
    assert ranking.scores["x"].lexical == pytest.approx(0.5)
    assert ranking.scores["x"].total == pytest.approx(0.85 * 0.8 + 0.15 * 0.5)


def test_the_best_match_of_words_counts_as_full_even_above_the_scale() -> None:
    ranking = HybridRanking("robot arm", PURE, keep=5)
    ranking.choose([Hit("x", "p", 0.0, 9.0), Hit("y", "p", 0.0, 4.5)], TERMS)
    assert ranking.scores["x"].lexical == 1.0
    assert ranking.scores["y"].lexical == 0.5


def test_without_a_vector_words_alone_decide() -> None:
    ranking = HybridRanking("robot arm", PURE, keep=5)
    ranking.choose([Hit("x", "p", None, 2.25)], TERMS)
    assert ranking.scores["x"].total == ranking.scores["x"].lexical == pytest.approx(0.5)


def test_a_page_with_several_good_chunks_wins_over_a_page_with_one() -> None:
    found = [
        Hit("lone", "a", 0.80, 0.0),
        Hit("friend1", "b", 0.80, 0.0),
        Hit("friend2", "b", 0.79, 0.0),
        Hit("floor", "c", 0.1, 0.0),
    ]
    chosen = HybridRanking("robot", Weights(), keep=2).choose(found, TERMS)
    assert chosen[0].key == "friend1"


def test_words_in_the_question_s_order_break_a_tie() -> None:
    ranking = HybridRanking("stepper motor torque", Weights(), keep=2)
    texts = {"a": "Torque limits the motor of a stepper.", "b": "The stepper motor torque falls with speed."}
    found = [Hit(key, key, 0.5, 1.0) for key in texts]
    ranking.choose(found, TERMS)
    candidates = [Candidate(hit=hit, chunk=make_chunk(texts[hit.key])) for hit in found]
    assert ranking.reread(candidates, {"stepper": 1.0, "motor": 1.0, "torqu": 1.0})[0].hit.key == "b"


@pytest.mark.parametrize(("dense", "lexical"), [(0.9, 0.2), (-0.1, 1.1)])
def test_weights_that_do_not_add_up_are_refused(dense: float, lexical: float) -> None:
    with pytest.raises(ValueError, match="add up to 1"):
        Weights(dense, lexical)
