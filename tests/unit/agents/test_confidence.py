"""How sure an answer is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.agents.confidence import ConfidenceModel, evidence_features
from citebook.domain.answer import ProvenClaim
from tests.fakes import evidence_of, make_chunk, retrieved

QUESTION = "harmonic drive backlash"
FULL = make_chunk("A harmonic drive has no backlash. Unrelated words follow.", "full.mdx")
PART = make_chunk("A belt drive is cheap.", "part.mdx")
EVEN = ConfidenceModel({"intercept": 0.0}, {"intercept": 0.0}, is_calibrated=False)
REAL = ConfidenceModel.load("granite-embedding-30m-english")


def claim(score: float) -> ProvenClaim:
    return ProvenClaim(text="x", citation=1, score=score)


def test_nothing_found_is_no_confidence() -> None:
    assert REAL.before_answering(evidence_of()) == 0.0


def test_retrieval_counts_06_and_generation_04() -> None:
    confidence = EVEN.after_answering(EVEN.before_answering(evidence_of(FULL)), [claim(1.0)])
    assert confidence.value == pytest.approx(0.6 * 0.5 + 0.4 * 1.0)


def test_the_best_sentence_stands_for_the_generation() -> None:
    confidence = EVEN.after_answering(EVEN.before_answering(evidence_of(FULL)), [claim(0.2), claim(0.8)])
    assert confidence.value == pytest.approx(0.6 * 0.5 + 0.4 * 0.8)


def test_an_uncalibrated_figure_says_so() -> None:
    assert not EVEN.after_answering(EVEN.before_answering(evidence_of(FULL)), [claim(1.0)]).calibrated


def test_better_scores_make_surer() -> None:
    def with_score(score: float) -> float:
        chunks = (retrieved(FULL, score=score),)
        return REAL.before_answering(evidence_of(FULL, question=QUESTION, retrieved_chunks=chunks))

    assert with_score(0.70) < with_score(0.80) < with_score(0.90)


def test_a_sentence_with_more_of_the_question_s_words_makes_surer() -> None:
    full, part = evidence_of(FULL, question=QUESTION), evidence_of(PART, question=QUESTION)
    assert REAL.before_answering(full) > REAL.before_answering(part)


def test_words_alone_are_judged_by_their_own_weights() -> None:
    model = ConfidenceModel({"intercept": 50.0}, {"intercept": -50.0}, is_calibrated=False)
    assert model.before_answering(evidence_of(FULL)) > 0.99
    assert model.before_answering(evidence_of(FULL, lexical_only=True)) < 0.01


def test_coverage_is_of_the_best_single_sentence() -> None:
    features = evidence_features(evidence_of(PART, FULL, question=QUESTION))
    assert features["sentence_coverage"] == 1.0


def test_an_unknown_embedder_gets_the_default_one_s_weights() -> None:
    evidence = evidence_of(FULL, question=QUESTION)
    assert ConfidenceModel.load("unknown").before_answering(evidence) == REAL.before_answering(evidence)


@given(st.floats(-1e6, 1e6), st.floats(0, 1), st.lists(st.floats(0, 1), max_size=3))
def test_confidence_stays_between_0_and_1(intercept: float, score: float, claims: list[float]) -> None:
    model = ConfidenceModel({"intercept": intercept, "best_score": 50.0}, {}, is_calibrated=False)
    evidence = evidence_of(FULL, retrieved_chunks=(retrieved(FULL, score=score),))
    assert (
        0.0
        <= model.after_answering(model.before_answering(evidence), [claim(value) for value in claims]).value
        <= 1.0
    )
