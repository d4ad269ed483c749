"""What evidence and answers tell about whether an answer is right."""

from citebook.confidence.signals import AskedOfEvidence
from citebook.domain.answer import ProvenClaim, ProvenSentence
from citebook.domain.book import Chunk
from citebook.proving.citing import cite
from tests.fakes import claim_of, evidence_of, make_chunk, retrieved

GEARS = make_chunk("A harmonic drive has no backlash. It costs 900 euros. Delft makes it.", "gears.mdx")
BELTS = make_chunk("A belt drive is cheap.", "belts.mdx")


def asked(question: str, *chunks: Chunk, **more: object) -> AskedOfEvidence:
    return AskedOfEvidence(question, evidence_of(*(chunks or (GEARS,)), question=question.lower(), **more))


def quoted(chunk: Chunk, index: int = 0, score: float | None = None) -> ProvenSentence:
    return ProvenSentence(
        ProvenClaim(text="x", citation=1, score=score), cite(claim_of(chunk, index), retrieved(chunk), 1)
    )


def test_coverage_is_of_the_best_single_sentence() -> None:
    signals = asked("harmonic drive backlash", BELTS, GEARS).evidence_signals
    assert signals["sentence_coverage"] == 1.0


def test_the_margin_is_how_far_the_best_passage_is_ahead() -> None:
    chunks = (retrieved(GEARS, score=0.9), retrieved(BELTS, rank=2, score=0.8))
    signals = asked("harmonic drive", GEARS, BELTS, retrieved_chunks=chunks).evidence_signals
    assert round(signals["margin"], 6) == 0.1


def test_a_single_passage_has_the_usual_margin() -> None:
    assert asked("harmonic drive", GEARS).evidence_signals["margin"] > 0


def test_words_that_stand_together_as_in_the_question_count() -> None:
    signals = asked("harmonic drive price", GEARS).evidence_signals
    assert signals["word_pairs"] == 0.5


def test_one_word_has_no_pairs() -> None:
    assert asked("backlash", GEARS).evidence_signals["word_pairs"] == 0.0


def test_few_terms_are_less_to_go_by() -> None:
    few, many = asked("backlash").evidence_signals, asked("harmonic drive backlash euros price").evidence_signals
    assert (few["enough_terms"], many["enough_terms"]) == (0.25, 1.0)


def test_a_name_of_the_question_that_the_cited_passage_lacks_counts_against_it() -> None:
    question = asked("Who makes it in Delft and Oslo?")
    assert question.answer_signals([quoted(GEARS)])["names"] == 0.5


def test_the_first_word_of_a_question_is_no_name() -> None:
    assert asked("Oslo is where?").answer_signals([quoted(GEARS)])["names"] == 1.0


def test_a_number_of_the_question_that_the_cited_passage_lacks_counts_against_it() -> None:
    assert asked("What costs 901 euros?").answer_signals([quoted(GEARS)])["numbers"] == 0.0
    assert asked("What costs 900 euros?").answer_signals([quoted(GEARS)])["numbers"] == 1.0


def test_where_no_estimate_was_given_there_is_none() -> None:
    question = asked("harmonic drive")
    assert "own_estimate" not in question.answer_signals([quoted(GEARS)])
    assert question.answer_signals([quoted(GEARS, score=0.3)])["own_estimate"] == 0.3


def test_an_answer_s_coverage_is_of_what_it_quotes() -> None:
    question = asked("harmonic drive backlash")
    assert question.answer_signals([quoted(GEARS, 1)])["answer_coverage"] == 0.0
    assert question.answer_signals([quoted(GEARS, 1), quoted(GEARS, 0)])["answer_coverage"] == 1.0


def test_a_question_without_telling_words_is_not_divided_by_nothing() -> None:
    assert asked("what is it?").evidence_signals["sentence_coverage"] == 0.0


def test_saying_the_same_word_over_and_over_is_nothing_to_go_by() -> None:
    assert asked("backlash " * 40).evidence_signals["enough_terms"] < 0.02


def test_a_name_that_the_book_never_uses_is_strange_to_it() -> None:
    signals = asked("harmonic drive of zoxide", GEARS, missing_terms=frozenset({"zoxid"})).evidence_signals
    assert signals["known"] == 0.0


def test_a_word_of_everyday_life_that_the_book_never_uses_is_none_against_it() -> None:
    signals = asked("harmonic drive in the kitchen", GEARS, missing_terms=frozenset({"kitchen"})).evidence_signals
    assert signals["known"] == 1.0
