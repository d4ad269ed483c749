from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as some

from citebook.language.lexicon import Entry, Lexicon

WORDS = some.text("abcd", min_size=1, max_size=6)


def lexicon_of(words: Sequence[str]) -> Lexicon:
    return Lexicon.of_counts((word, 1) for word in dict.fromkeys(words))


def edits(first: str, second: str) -> int:
    """Optimal string alignment, as textbooks give it."""
    table = {(row, -1): row + 1 for row in range(-1, len(first))} | {(-1, c): c + 1 for c in range(-1, len(second))}
    for row, letter in enumerate(first):
        for column, other in enumerate(second):
            ways = [table[row - 1, column] + 1, table[row, column - 1] + 1]
            ways.append(table[row - 1, column - 1] + (letter != other))
            if row and column and letter == second[column - 1] and other == first[row - 1]:
                ways.append(table[row - 2, column - 2] + 1)
            table[row, column] = min(ways)
    return table[len(first) - 1, len(second) - 1]


def test_knows_its_words_and_how_often_they_stand_there() -> None:
    lexicon = Lexicon.of_counts([("robot", 3), ("arm", 12), ("mutex", 1)])
    assert "arm" in lexicon
    assert "ar" not in lexicon
    assert "zebra" not in lexicon
    assert list(lexicon.beginning_with("ro")) == [Entry("robot", 3)]


def test_words_without_counts_stand_there_once() -> None:
    assert list(Lexicon(b"arm\nrobot\n").beginning_with("")) == [Entry("arm", 1), Entry("robot", 1)]


def test_an_empty_list_has_nothing() -> None:
    empty = Lexicon(b"")
    assert len(empty) == 0
    assert "a" not in empty
    assert empty.like("a", 2) == []


@given(some.lists(WORDS, min_size=1, max_size=30), WORDS, some.integers(1, 2))
def test_finds_just_the_words_that_are_so_few_edits_away(words: list[str], typed: str, most: int) -> None:
    near = {entry.word for entry in lexicon_of(words).like(typed, most)}
    assert near == {word for word in words if edits(typed, word) <= most}


@pytest.mark.parametrize("length", [60, 61, 300])
def test_very_long_words_do_no_harm(length: int) -> None:
    near = lexicon_of(["a" * length, "arm"]).like("a" * length, 1)
    assert [entry.word for entry in near] == (["a" * 60] if length == 60 else [])
