"""The terms of an edition, with their numbers and counts."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.adapters.qdrant.vocabulary import Term, Vocabulary, VocabularyInTheMaking
from tests.fakes import ENGLISH

SAME_CHECKSUM = ("plumless", "buckeroo")
"""Two words with the same CRC-32."""


def vocabulary(*chunks: str) -> Vocabulary:
    making = VocabularyInTheMaking()
    for chunk in chunks:
        making.of_chunk(dict.fromkeys(ENGLISH.terms(chunk), 1.0))
    return Vocabulary(making.lines(), len(chunks))


@given(st.lists(st.text(), max_size=20))
def test_every_term_is_found_again_with_the_number_of_its_chunks(chunks: list[str]) -> None:
    known = vocabulary(*chunks)
    for term in {term for chunk in chunks for term in ENGLISH.terms(chunk)}:
        found = known.find(term)
        assert (found.chunks if found else 0) == sum(term in ENGLISH.terms(chunk) for chunk in chunks)


@given(st.lists(st.text(), max_size=20))
def test_no_two_terms_share_a_number(chunks: list[str]) -> None:
    known = list(vocabulary(*chunks))
    assert sorted(term.number for term in known) == list(range(len(known)))


def test_words_with_the_same_checksum_are_two_terms() -> None:
    one, other = SAME_CHECKSUM
    known = vocabulary(one, f"{one} {other}")
    assert [term.chunks for term in (known.find(one), known.find(other)) if term] == [2, 1]
    assert known.look_up([one, other]).numbers.keys() == {0, 1}


def test_a_chunk_s_weights_keep_to_their_terms() -> None:
    making = VocabularyInTheMaking()
    assert making.of_chunk({"gear": 0.5, "belt": 0.25}) == {0: 0.5, 1: 0.25}
    assert making.of_chunk({"rope": 1.0, "belt": 0.75}) == {2: 1.0, 1: 0.75}


def test_terms_stand_in_the_order_of_their_letters_and_can_be_had_by_number() -> None:
    known = vocabulary("gear belt", "belt éclair rope")
    assert list(known) == [Term("belt", 1, 2), Term("eclair", 2, 1), Term("gear", 0, 1), Term("rope", 3, 1)]
    assert known.by_number() == ["gear", "belt", "eclair", "rope"]


def test_a_term_that_stands_nowhere_has_no_number_no_count_and_the_most_weight() -> None:
    known = vocabulary(*["gear"] * 3, *["belt"] * 7)
    asked = known.look_up(["unicorn", "gear", "belt"])
    assert asked.missing == {"unicorn"}
    assert len(asked.numbers) == 2
    assert asked.weights["unicorn"] == pytest.approx(log(1 + 10.5 / 0.5))
    assert asked.weights["unicorn"] > asked.weights["gear"] > asked.weights["belt"] > 0


def test_an_empty_book_has_no_terms() -> None:
    assert list(vocabulary()) == []
    assert vocabulary().find("gear") is None


@pytest.mark.parametrize("lines", [b"gear", b"gear\n", b"gear\t0\n", b"gear\t0\t1\nbel"])
def test_a_damaged_file_is_refused(lines: bytes) -> None:
    with pytest.raises(ValueError, match="damaged"):
        Vocabulary(lines, 1)
