"""What readers say around a question is not searched."""

import pytest

from citebook.domain.conversation import Exchange
from citebook.language.languages import language_of
from citebook.outlining.asking import Where, recognise
from citebook.writing.follow_ups import is_follow_up
from citebook.writing.framing import unframed
from tests.fakes import ENGLISH


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Tell me about harmonic drives", "harmonic drives"),
        ("tell me something about harmonic drives please", "harmonic drives"),
        ("Can you explain harmonic drives to me?", "harmonic drives"),
        ("Could you please explain how harmonic drives work?", "how harmonic drives work?"),
        ("I want to understand harmonic drives", "harmonic drives"),
        ("I don't understand why a gear has backlash", "why a gear has backlash"),
        ("What does the book say about harmonic drives?", "harmonic drives?"),
        ("according to the book, what is a harmonic drive?", "what is a harmonic drive?"),
        ("hi, can you tell me what a harmonic drive is?", "What is harmonic drive?"),
        ("could you please tell me what the term backlash means", "What is backlash?"),
        ("Hello! What is backlash?", "What is backlash?"),
        ("hey, I have a question: what's a harmonic drive", "what's a harmonic drive"),
        ("explain like I'm five: harmonic drive", "harmonic drive"),
        ("Explain backlash in simple terms, please.", "backlash"),
        ("I'd like to know more about gears in the book", "gears"),
    ],
)
def test_the_question_alone_is_left(text: str, asked: str) -> None:
    assert unframed(text, ENGLISH) == asked


@pytest.mark.parametrize(
    "text",
    [
        "What is a harmonic drive?",
        "Tell me more",
        "I don't understand",
        "Help me understand",
        "How do I tell gears apart?",
        "I want to ask two servers at once",
        "what does this mean for me?",
        "Can you use a motor as a brake?",
        "Which book explains gears best?",
        "hey",
        "please",
        "What does the book say about it?",
    ],
)
def test_what_is_a_question_itself_stays_as_it_is(text: str) -> None:
    assert unframed(text, ENGLISH) == text


@pytest.mark.parametrize("text", ["Can you explain it?", "Explain this to me", "tell me about the second one"])
def test_what_leans_on_what_was_said_still_does(text: str) -> None:
    before = Exchange(question="What is a harmonic drive?", answer="A gear.")
    assert is_follow_up(unframed(text, ENGLISH), [before], ENGLISH)


@pytest.mark.parametrize("text", ["Does the book cover gears?", "is there anything about gears in this book?"])
def test_whether_the_book_has_something_asks_where_it_is(text: str) -> None:
    assert recognise(text, ENGLISH) == Where("gears")


def test_a_language_without_cues_is_left_alone() -> None:
    assert unframed("Bitte, was ist ein Getriebe?", language_of("de")) == "Bitte, was ist ein Getriebe?"


@pytest.mark.parametrize("piece", ["please ", "tell me about ", "hi, ", "can you tell ", " in the book"])
def test_a_long_text_is_read_in_no_time(piece: str) -> None:
    assert unframed(piece * 2_000, ENGLISH) == piece * 2_000
