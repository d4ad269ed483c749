"""How sure an answer is."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.confidence.model import ConfidenceModel, GenerationWeights, shipped_calibrations, shipped_weights
from citebook.domain.answer import ProvenClaim, ProvenSentence
from citebook.domain.book import Chunk
from citebook.domain.calibration import Curve
from citebook.domain.evidence import QueryResult
from citebook.proving.citing import cite
from tests.fakes import claim_of, evidence_of, make_chunk, retrieved

QUESTION = "Which harmonic drive has 3 percent backlash in Delft?"
FULL = make_chunk(
    "A harmonic drive has no backlash. Unrelated words follow. In Delft a harmonic drive has 3 percent backlash.",
    "full.mdx",
)
PART = make_chunk("A belt drive is cheap.", "part.mdx")
EVEN = ConfidenceModel({}, {}, GenerationWeights({}, {}))
BY_ESTIMATE = ConfidenceModel({}, {}, GenerationWeights({"own_estimate": 4.0}, {"intercept": -4.0}))
MEASURED = shipped_calibrations().calibrations[0]
assert MEASURED.set_up is not None
SET_UP = MEASURED.set_up
REAL = ConfidenceModel.load(SET_UP, MEASURED)


def sentence(
    chunk: Chunk = FULL,
    index: int = 0,
    score: float | None = None,
    support: float = 1.0,
    examined: float | None = None,
) -> ProvenSentence:
    citation = cite(claim_of(chunk, index), retrieved(chunk), 1)
    claim = ProvenClaim(text="x", citation=1, score=score, support=support, examined=examined)
    return ProvenSentence(claim, citation)


def evidence(*chunks: Chunk, **more: object) -> QueryResult:
    return evidence_of(*(chunks or (FULL,)), question=QUESTION.lower(), **{"searched_with": SET_UP.search} | more)


def is_calibrated(model: ConfidenceModel, found: QueryResult) -> bool:
    return model.weigh(QUESTION, found).after([sentence()]).calibrated


def test_nothing_found_is_no_confidence() -> None:
    weighing = REAL.weigh(QUESTION, evidence_of())
    assert (weighing.retrieval, weighing.at_best, weighing.after([]).calibrated) == (0.0, 0.0, False)


def test_retrieval_counts_06_and_generation_04() -> None:
    sure = ConfidenceModel({"intercept": 50.0}, {}, GenerationWeights({}, {}))
    assert sure.weigh(QUESTION, evidence()).after([sentence()]).value == pytest.approx(0.6 * 1.0 + 0.4 * 0.5)


def test_without_a_sentence_only_retrieval_counts() -> None:
    assert EVEN.weigh(QUESTION, evidence()).after([]).value == pytest.approx(0.6 * 0.5)


def test_the_curve_makes_a_probability_of_the_figure() -> None:
    curved = ConfidenceModel({}, {}, GenerationWeights({}, {}), Curve(knots=((0.4, 0.0), (0.6, 0.9))))
    assert curved.weigh(QUESTION, evidence()).after([sentence()]).value == pytest.approx(0.45)


def test_an_answer_is_no_surer_than_its_best_proof_is_strong() -> None:
    weighing = EVEN.weigh(QUESTION, evidence())
    assert weighing.after([sentence(support=0.5)]).value == pytest.approx(0.6 * 0.5 + 0.4 * 0.5 * 0.5)


def test_the_best_estimate_of_the_generator_counts() -> None:
    weighing = BY_ESTIMATE.weigh(QUESTION, evidence())
    both = weighing.after([sentence(score=0.2), sentence(score=0.8)])
    assert both == weighing.after([sentence(score=0.8)])


def test_a_missing_estimate_is_not_made_up() -> None:
    weighing = BY_ESTIMATE.weigh(QUESTION, evidence())
    assert weighing.after([sentence(score=None)]).value < weighing.after([sentence(score=0.0)]).value


def test_what_a_language_model_thinks_of_its_answer_takes_part_in_generation() -> None:
    weighing = EVEN.weigh(QUESTION, evidence())
    assert weighing.after([sentence()], 0.92).value == pytest.approx(0.6 * 0.5 + 0.4 * 0.5 * 0.92)
    assert weighing.after([sentence()], 0.92) != weighing.after([sentence()])


@given(estimate=st.floats(0, 1), support=st.floats(0, 1))
def test_and_never_raises_the_confidence(estimate: float, support: float) -> None:
    weighing, answer = REAL.weigh(QUESTION, evidence()), [sentence(support=support)]
    assert weighing.after(answer, estimate).value <= weighing.after(answer).value
    assert weighing.after(answer, estimate).value >= weighing.after([]).value


def test_at_best_is_what_the_surest_answer_would_come_to() -> None:
    assert EVEN.weigh(QUESTION, evidence()).at_best == pytest.approx(0.6 * 0.5 + 0.4)


def test_an_examiner_that_finds_no_answer_outweighs_that_a_passage_is_like_the_question() -> None:
    like = {"intercept": 50.0}
    model = ConfidenceModel(like, {}, GenerationWeights({}, {}), examined={"intercept": -50.0, "undoubted": 100.0})
    weighing = model.weigh(QUESTION, evidence())
    doubted, found = (weighing.after([sentence(score=0.5, examined=chance)]).value for chance in (0.001, 0.999))
    assert doubted == pytest.approx(0.4 * 0.5)
    assert found == pytest.approx(0.6 + 0.4 * 0.5)
    assert weighing.at_best == pytest.approx(1.0)


def test_where_nobody_has_read_both_the_reader_s_own_estimate_stands_in() -> None:
    weighing = REAL.weigh(QUESTION, evidence())
    unread = weighing.after([sentence(score=0.3)])
    assert unread == weighing.after([sentence(score=0.3, examined=0.3)])


def test_the_set_up_that_was_measured_is_calibrated() -> None:
    assert is_calibrated(REAL, evidence())


@pytest.mark.parametrize(
    "change",
    [
        {"generator": "some language model"},
        {"embedder": "some embedder"},
        {"weights": {**SET_UP.weights, "reading": "0" * 64}},
    ],
    ids=["generator", "embedder", "weights"],
)
def test_another_set_up_than_the_one_measured_is_not_calibrated(change: dict[str, object]) -> None:
    model = ConfidenceModel.load(SET_UP.model_copy(update=change), MEASURED)
    assert not is_calibrated(model, evidence())
    assert 0.0 < model.weigh(QUESTION, evidence()).after([sentence()]).value < 1.0


def test_a_calibration_that_does_not_say_what_it_measured_only_guesses() -> None:
    model = ConfidenceModel.load(SET_UP, MEASURED.model_copy(update={"set_up": None}))
    assert not is_calibrated(model, evidence())


@pytest.mark.parametrize(
    "unlike",
    [
        {"lexical_only": True},
        {"searched_with": None},
        *(
            {"searched_with": SET_UP.search.model_copy(update=change)}
            for change in ({"top_k": 8}, {"dense_weight": 0.5}, {"reranker": "cohere"}, {"recipe": "5/512/0.2/512"})
        ),
    ],
    ids=["words alone", "selected passage", "top_k", "dense weight", "reranker", "recipe"],
)
def test_evidence_that_was_found_in_another_way_is_not_calibrated(unlike: dict[str, object]) -> None:
    assert not is_calibrated(REAL, evidence(**unlike))


def test_the_raw_model_knows_no_curve_and_no_target() -> None:
    raw = ConfidenceModel.load(SET_UP, MEASURED, refuse_below=0.9).raw()
    assert raw.refuse_below == 0.0
    assert raw.measured_search is None


def test_likeness_makes_surer() -> None:
    partly = make_chunk("A harmonic drive is something else.")

    def with_score(score: float) -> float:
        return REAL.before_answering(evidence(retrieved_chunks=(retrieved(partly, score=score),)))

    assert with_score(0.70) < with_score(0.80) < with_score(0.90)


def test_words_that_all_stand_in_one_sentence_are_relied_on_though_they_are_like_nothing() -> None:
    names = "epoll kqueue mio"
    asked: dict[str, object] = {"query_text": names, "term_weights": {"epol": 5.0, "kqueue": 5.0, "mio": 4.0}}
    together, apart = (
        REAL.before_answering(evidence(retrieved_chunks=(retrieved(make_chunk(text), score=0.3),), **asked))
        for text in ("Linux has epoll, macOS kqueue, and mio hides both.", "Linux has epoll.")
    )
    assert together > 0.9 > apart


def test_a_likeness_that_strangers_reach_too_counts_for_little() -> None:
    near, far = (REAL.before_answering(evidence(likeness_of_strangers=cosine)) for cosine in (0.2, 0.7))
    assert far < near


def test_words_alone_are_judged_by_their_own_weights() -> None:
    model = ConfidenceModel({"intercept": 50.0}, {"intercept": -50.0}, GenerationWeights({}, {}))
    assert model.before_answering(evidence()) > 0.99
    assert model.before_answering(evidence(lexical_only=True)) < 0.01


def test_an_unknown_embedder_gets_the_default_one_s_weights() -> None:
    unknown = ConfidenceModel.load(SET_UP.model_copy(update={"embedder": "unknown"}), MEASURED)
    assert unknown.before_answering(evidence()) == REAL.before_answering(evidence())


def test_a_word_said_many_times_over_is_no_question_to_be_sure_about() -> None:
    """The reader of the book gives its quotations no more than a tenth then."""
    shouting = " ".join(["backlash"] * 40)
    found = evidence_of(FULL, question=shouting, retrieved_chunks=(retrieved(FULL, score=0.85),))
    assert REAL.weigh(shouting, found).after([sentence(score=0.1)]).value < 0.5


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5))
def test_more_sentences_never_lower_the_confidence(told: list[tuple[int, float, float]]) -> None:
    sentences = [sentence(FULL, index, score, support) for index, score, support in told]
    weighing = REAL.weigh(QUESTION, evidence())
    values = [weighing.after(sentences[:count]).value for count in range(len(sentences) + 1)]
    assert all(before <= after for before, after in pairwise(values))
    assert values[-1] <= weighing.at_best


@given(st.floats(-1e6, 1e6), st.floats(0, 1), st.floats(0, 1))
def test_confidence_stays_between_0_and_1(intercept: float, score: float, estimate: float) -> None:
    weights = {"intercept": intercept, "above_strangers": 50.0, "own_estimate": 50.0}
    model = ConfidenceModel(weights, {}, GenerationWeights(weights, weights))
    found = evidence(retrieved_chunks=(retrieved(FULL, score=score),))
    assert 0.0 <= model.weigh(QUESTION, found).after([sentence(score=estimate)]).value <= 1.0


def test_no_shipped_weight_of_a_signal_is_negative() -> None:
    shipped = shipped_weights().weights
    groups = [*shipped.retrieval.values(), *shipped.examined.values(), *shipped.generation.values()]
    assert all(weight >= 0 for group in groups for name, weight in group.items() if name != "intercept")


def test_every_level_of_confidence_can_occur() -> None:
    (shipped,) = shipped_calibrations().calibrations
    assert shipped.curve.at(0.0) < 0.70
    assert shipped.curve.at(1.0) > 0.85
