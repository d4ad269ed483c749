"""Questions after a meaning."""

import pytest

from citebook.language.languages import language_of
from citebook.writing.meanings import as_put_for_search

ENGLISH = language_of("en")


@pytest.mark.parametrize(
    "text",
    [
        "what does backlash mean",
        "What is the meaning of backlash?",
        "What is meant by the backlash?",
        "define backlash",
        "Definition of backlash.",
    ],
)
def test_a_question_after_a_meaning_is_searched_by_the_thing(text: str) -> None:
    assert as_put_for_search(text, ENGLISH) == "What is backlash?"


@pytest.mark.parametrize("text", ["What does it mean?", "What does LIPM stand for?", "Which means are there?"])
def test_any_other_question_stays_as_it_is(text: str) -> None:
    assert as_put_for_search(text, ENGLISH) == text
