"""What a citation shows of the book around the words that it cites."""

import pytest

from citebook.domain.book import Chunk
from citebook.proving.citing import passage_around
from tests.fakes import make_chunk


def of_words(*lengths: int) -> Chunk:
    """A chunk of sentences with so many words each."""
    sentences = [
        " ".join([f"Word{number}", *["and"] * (length - 2), "end."]) for number, length in enumerate(lengths)
    ]
    chunk = make_chunk(" ".join(sentences))
    assert len(chunk.sentences) == len(lengths)
    return chunk


@pytest.mark.parametrize(
    ("lengths", "first", "last", "words"),
    [
        ((10, 12, 12, 12), 0, 0, 34),  # three whole sentences
        ((10, 10, 10), 1, 1, 30),  # what follows, then what stands before
        ((10, 15, 15), 2, 2, 30),
        ((25, 40), 0, 0, 50),  # the last one is cut
        ((60, 10), 1, 1, 50),  # the first one is cut
        ((8, 9), 0, 0, 17),  # there is no more
        ((8,), 0, 0, 8),
    ],
)
def test_a_short_excerpt_is_widened(lengths: tuple[int, ...], first: int, last: int, words: int) -> None:
    chunk = of_words(*lengths)
    passage = passage_around(chunk, first, last)
    assert passage is not None
    assert len(passage.split()) == words
    assert passage in chunk.text
    assert chunk.text[chunk.sentences[first].start : chunk.sentences[last].end] in passage


@pytest.mark.parametrize(("first", "last"), [(0, 0), (1, 2)])
def test_an_excerpt_that_is_long_enough_stays_as_it_is(first: int, last: int) -> None:
    assert passage_around(of_words(30, 15, 15, 40), first, last) is None
