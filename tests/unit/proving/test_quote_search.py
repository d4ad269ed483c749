"""Where a quote stands in a chunk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.proving.quote_search import QuotableChunk, Quoted
from tests.fakes import make_chunk

CHUNK = make_chunk(
    "A harmonic drive – a strain gear – bends a thin steel cup. It has “almost no” backlash.\n\n"
    "Grease it yearly. A toothed belt is cheap. It stretches under load. Stop. Belts are quiet."
)
QUOTABLE = QuotableChunk(CHUNK)


@pytest.mark.parametrize(
    ("quote", "sentences"),
    [
        ("Grease it yearly.", (2, 2)),
        ("grease  it\nyearly", (2, 2)),
        ('It has "almost no" backlash.', (1, 1)),
        ("A harmonic drive - a strain gear - bends", (0, 0)),
        ("…a thin steel cup. It has “almost no” backlash...", (0, 1)),
        ("backlash. Grease it yearly. A toothed", (1, 3)),
        ("Stop.", (5, 5)),
    ],
)
def test_a_quote_is_found_whatever_its_white_space_dashes_and_marks(quote: str, sentences: tuple[int, int]) -> None:
    assert QUOTABLE.find(quote) == Quoted(*sentences)


@pytest.mark.parametrize(
    "quote",
    ["", " … ", "A harmonic drive has no backlash.", "It has almost no slack.", "the", "cheap", CHUNK.text],
)
def test_what_is_invented_too_short_or_too_long_is_not_found(quote: str) -> None:
    assert QUOTABLE.find(quote) is None


@given(st.integers(0, 6), st.integers(0, 4))
def test_whole_sentences_are_found_where_they_stand(first: int, more: int) -> None:
    last = min(first + more, len(CHUNK.sentences) - 1)
    text = CHUNK.text[CHUNK.sentences[first].start : CHUNK.sentences[last].end]
    assert QUOTABLE.find(text) == Quoted(first, last)


@given(st.text(), st.text(min_size=1).filter(str.strip))
def test_any_quote_of_any_text_gives_sentences_or_none(quote: str, text: str) -> None:
    chunk = make_chunk(text)
    found = QuotableChunk(chunk).find(quote)
    assert found is None or 0 <= found.first_sentence <= found.last_sentence < len(chunk.sentences)
