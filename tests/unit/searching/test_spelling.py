from collections import Counter

import pytest

from citebook.domain.wording import Correction, Wording
from citebook.language.languages import language_of
from citebook.language.lexicon import Lexicon
from citebook.searching.spelling import Speller
from tests.fakes import ENGLISH

BOOK = """
A lysosome digests what phagocytosis brings into the cell. Lock the mutex before you look at the data, and unlock it.
To highlight certain lines of a code block, add a comment. The zero moment point stays inside the foot. The type of a
captain is a string. The behaviour of a robot, its domain and its randomisation are described. We deploy to GitHub.
A lidar measures distance with light. Front and back. Alzheimer's disease. Datasets. An optimum. cmd_vel
"""


def speller_of(text: str, language: str = "en") -> Speller:
    own = language_of(language)
    return Speller(Wording("first", Lexicon.of_counts(Counter(own.words(text)).items()).lines), own)


SPELLER = speller_of(BOOK)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("what dose a lysosme do and what is phagocitosis", "what dose a lysosome do and what is phagocytosis"),
        ("wat is a mutext and how do i lok it", "what is a mutex and how do i lock it"),
        ("how do i higlight certian lines in a code blok", "how do i highlight certain lines in a code block"),
        ("what is teh zero momment point", "what is the zero moment point"),
        ("how do i deploy to githb?", "how do i deploy to github?"),
        ("symptoms of alzhiemers diesease", "symptoms of alzheimer disease"),
        ("Lysosme", "Lysosome"),
    ],
)
def test_slips_are_put_right(typed: str, meant: str) -> None:
    assert SPELLER.spell(typed).text == meant


def test_tells_what_was_typed_and_what_is_searched() -> None:
    found = SPELLER.spell("lysosme, mutext; mutext")
    assert found.corrections == (
        Correction(typed="lysosme", searched="lysosome"),
        Correction(typed="mutext", searched="mutex"),
    )


@pytest.mark.parametrize(
    "question",
    [
        "which tyre fits",
        "what is the capital of France",
        "the stock price and the weather",
        "why doesn't it work, and why shouldn't it",
        "a datasheet of the Optimus",
        "who is Frank Herbert",
        "CELLS or LIDARS",
        "run lysosme.py with --mutext=1 and `blok`",
        "moments, locked and unlocking",
        "¿dónde está?",
        "",
    ],
)
def test_what_is_no_slip_stays(question: str) -> None:
    assert SPELLER.spell(question) == (question, ())


def test_a_nearer_word_that_the_book_does_not_have_stands_in_the_way() -> None:
    assert SPELLER.spell("what is the captial of it").corrections == ()


def test_two_words_that_are_as_near_are_left_to_the_reader() -> None:
    assert speller_of("a gripper, a gropper").spell("the grpper").corrections == ()


def test_another_spelling_of_the_same_word_is_searched_for_without_a_word() -> None:
    assert SPELLER.spell("behavior and randomization") == ("behaviour and randomisation", ())


def test_the_book_s_own_spelling_comes_before_a_word_with_the_same_stem() -> None:
    speller = speller_of("Random numbers, and the randomisation of domains")
    assert speller.spell("domian randomizaton").text == "domain randomisation"
    assert speller.spell("randomization").text == "randomisation"


def test_a_word_that_only_looks_like_another_spelling_stays() -> None:
    assert speller_of("the fourth chapter").spell("set forth").text == "set forth"


def test_a_slip_in_the_other_spelling_is_put_right() -> None:
    assert SPELLER.spell("a behaivor").text == "a behaviour"


@pytest.mark.parametrize("speller", [speller_of(""), speller_of("Der Roboter greift.", "de")])
def test_without_words_of_the_book_or_the_language_nothing_is_changed(speller: Speller) -> None:
    assert speller.spell("the robotre griff") == ("the robotre griff", ())


def test_the_list_of_known_words_has_common_words_and_no_slips() -> None:
    words = ENGLISH.known_words
    assert all(word in words for word in ("tyre", "capital", "france", "weather", "stock", "price", "dose"))
    assert not any(word in words for word in ("teh", "wat", "blok", "lok"))


def test_a_damaged_list_is_refused() -> None:
    with pytest.raises(ValueError, match="damaged"):
        Wording("first", b"robot\t3\narm")
