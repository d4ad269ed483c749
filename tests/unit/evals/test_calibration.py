"""Which answers count as right for the confidence in them."""

import pytest

from citebook.domain.answer import Outcome
from citebook.evals.answers_run import AnswerResult
from citebook.evals.calibration import gold_texts, is_right, samples_of
from citebook.evals.questions import LabelledQuestion

BOOK = {"gears.mdx": "A harmonic drive has no backlash.", "belts.mdx": "Belts are cheap."}
GOLD_TEXT = gold_texts(list(BOOK), BOOK.__getitem__)


def asked(**fields: object) -> LabelledQuestion:
    return LabelledQuestion.model_validate({"question": "?", "gold_file": "docs/gears.mdx", **fields})


def answered(**fields: object) -> AnswerResult:
    usual = {
        "id": "",
        "question": "?",
        "answerable": True,
        "golds": [],
        "gold_place": None,
        "outcome": Outcome.ANSWERED,
        "answer": "x",
        "confidence": 0.5,
        "calibrated": False,
        "right": None,
        "model": "extractive",
        "contains_gold": False,
        "first_sentence_contains_gold": False,
        "citations": [],
        "verbatim_citations": 0,
        "right_citations": 0,
        "claims": 1,
        "quoted_claims": 1,
        "milliseconds": 1.0,
        "first_sentence_milliseconds": None,
        "tokens_input": 0,
        "tokens_output": 0,
    }
    return AnswerResult.model_validate({**usual, **fields})


def test_an_answer_with_the_gold_words_is_right() -> None:
    assert is_right(asked(answers=["no backlash"]), answered(contains_gold=True), GOLD_TEXT)


def test_an_answer_to_a_question_that_has_none_is_wrong() -> None:
    assert not is_right(asked(answerable=False), answered(contains_gold=True, right_citations=1), GOLD_TEXT)


def test_words_that_could_have_been_quoted_must_be() -> None:
    assert not is_right(asked(answers=["no backlash"]), answered(right_citations=1), GOLD_TEXT)


@pytest.mark.parametrize("citations", [0, 1])
def test_of_a_reference_in_other_words_the_right_place_is_enough(citations: int) -> None:
    question = asked(answers=["free of play"])
    assert is_right(question, answered(right_citations=citations), GOLD_TEXT) == bool(citations)


@pytest.mark.parametrize("citations", [0, 1])
def test_where_only_the_place_is_known_it_decides(citations: int) -> None:
    assert is_right(asked(), answered(right_citations=citations), GOLD_TEXT) == bool(citations)


def test_the_gold_text_of_a_paragraph_is_the_paragraph() -> None:
    question = asked(gold_level="paragraph", gold_section_or_paragraph="It costs 900 euros.", answers=["900 euros"])
    assert not is_right(question, answered(right_citations=1), GOLD_TEXT)


def test_only_given_answers_are_learnt_from() -> None:
    results = [answered(outcome=Outcome.REFUSED), answered(outcome=Outcome.FAILED), answered(confidence=0.7)]
    samples = samples_of([asked()] * 3, results, GOLD_TEXT)
    assert [(sample.raw, sample.right) for sample in samples] == [(0.7, False)]
