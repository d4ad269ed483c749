"""Phrases as people write them."""

import re

import pytest

from citebook.language.phrases import pattern_of

LISTS = {"time": ["year", "point in time"], "naming": ["list", "name"]}


@pytest.mark.parametrize(
    ("phrase", "text", "is_found"),
    [
        ("when", "and when was it", True),
        ("when", "whenever it was", False),
        ("what <time>", "in what year was it", True),
        ("what <time>", "at what point in time", True),
        ("what <time>", "what yearning", False),
        ("what * size", "what typical size", True),
        ("what * size", "what size", False),
        ("what * size", "what typical body size", False),
        ("percent*", "a percentage of it", True),
        ("*ern", "the northern shore", True),
        ("what … called", "what is the thing called", True),
        ("what … called", "is it called what", False),
        ("^list", "  - list them", True),
        ("^list", "now list them", False),
        ("^<naming> all", "name all of them", True),
        ("vs.", "a vs. b", True),
        ("c++", "is c++x fast", False),
    ],
)
def test_a_phrase_is_found_as_whole_words(phrase: str, text: str, is_found: bool) -> None:
    assert (pattern_of([phrase], LISTS).search(text) is not None) is is_found


def test_any_of_several_phrases_is_found() -> None:
    cue = pattern_of(["due to", "because"], {}, re.IGNORECASE)
    assert [bool(cue.search(text)) for text in ("Because of it", "due to it", "in spite of it")] == [
        True,
        True,
        False,
    ]


def test_no_phrases_find_nothing() -> None:
    assert pattern_of([], {}).search("anything") is None


def test_a_list_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="no list place"):
        pattern_of(["what <place>"], LISTS)
