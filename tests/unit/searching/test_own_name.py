"""The name of a book's subject in a question."""

import pytest

from citebook.domain.wording import Wording
from citebook.searching.own_name import OwnName
from tests.fakes import ENGLISH

WORDS = {"helix": 60, "key": 20, "line": 55, "the": 200}
NAME = OwnName(Wording("e", "".join(f"{word}\t{WORDS[word]}\n" for word in sorted(WORDS)).encode()), ENGLISH)


@pytest.mark.parametrize(
    ("asked", "searched"),
    [
        ("What is a minor mode in Helix?", "What is a minor mode?"),
        ("how do I split windows with helix", "how do I split windows"),
        ("In Helix, what is a register?", "what is a register?"),
    ],
)
def test_what_stands_all_over_the_book_is_not_searched(asked: str, searched: str) -> None:
    assert NAME.left_out(asked) == searched


@pytest.mark.parametrize(
    "asked",
    [
        "What is a minor mode in Vim?",
        "How do I end a line?",
        "Which words are in the line?",
        "How do I bind it with key",
        "Is it in Helix?",
        "What is new in Helix 25?",
    ],
)
def test_anything_else_is_searched_as_it_was_asked(asked: str) -> None:
    assert NAME.left_out(asked) == asked


def test_a_book_whose_words_are_not_known_leaves_every_question_as_it_is() -> None:
    assert OwnName(Wording("e"), ENGLISH).left_out("What is a mode in Helix?") == "What is a mode in Helix?"
