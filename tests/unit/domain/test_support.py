"""One vocabulary for how sure it is that an answer answers."""

import pytest

from citebook.domain.answer import Answer, Outcome
from citebook.domain.support import Support, support_of


@pytest.mark.parametrize(
    ("confidence", "support"),
    [
        (1.0, Support.LIKELY),
        (0.7, Support.LIKELY),
        (0.69, Support.UNSURE),
        (0.5, Support.UNSURE),
        (0.49, Support.CLOSEST),
        (0.0, Support.CLOSEST),
    ],
)
def test_words_follow_the_confidence(confidence: float, support: Support) -> None:
    assert support_of(confidence) is support
    assert support.words


def test_what_a_reader_is_warned_of_is_called_no_more_than_the_closest() -> None:
    assert support_of(0.9, low_confidence=True) is Support.CLOSEST


def test_a_refusal_has_no_support_and_a_greeting_is_talk() -> None:
    refusal = Answer(question_id="q", outcome=Outcome.REFUSED, text="No.", confidence=0.0, model_used="none")
    assert refusal.support is None
    talk = refusal.model_copy(update={"is_talk": True}).support
    assert talk is Support.TALK
    assert talk.words is None
