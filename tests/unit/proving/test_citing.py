"""What a citation shows of the book around the words that it cites."""

import pytest

from citebook.domain.answer import Claim
from citebook.domain.blocks import plain_paragraph
from citebook.domain.book import Chunk
from citebook.domain.evidence import RetrievedChunk
from citebook.proving.citing import cite, passage_around
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


def test_a_citation_shows_its_whole_words_and_the_sentences_beside_them() -> None:
    chunk = make_chunk(
        "Cups bend. A harmonic drive is a gear. It has no backlash. Grease it. " + "And so on, " * 50 + "end."
    )
    claim = Claim(text="It is a gear.", chunk_id=chunk.id, first_sentence=1, last_sentence=2)
    citation = cite(claim, found(chunk), 1)
    assert citation.shown == citation.excerpt == "A harmonic drive is a gear. It has no backlash."
    assert citation.blocks == (plain_paragraph(citation.excerpt),)
    assert citation.before == (plain_paragraph("Cups bend."),)
    assert citation.after == (plain_paragraph("Grease it."),)


def test_a_neighbour_that_nobody_reads_at_a_glance_is_left_out() -> None:
    chunk = make_chunk("Cups bend. " + "And so on, " * 50 + "end.")
    claim = Claim(text="Cups bend.", chunk_id=chunk.id, first_sentence=0, last_sentence=0)
    citation = cite(claim, found(chunk), 1)
    assert (citation.before, citation.after) == ((), ())


def found(chunk: Chunk) -> RetrievedChunk:
    return RetrievedChunk(chunk=chunk, score=0.5, dense_score=0.5, lexical_score=0.5, rank=1)
