"""Frames and the growing text of an answer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.api.event_stream import SpokenText, frame
from citebook.domain.answer import MAX_ANSWER_CHARACTERS, ProvenClaim, ProvenSentence
from citebook.domain.events import SentenceVerified
from citebook.proving.citing import cite
from citebook.writing.replies import compose
from tests.fakes import claim_of, make_chunk, retrieved


@given(st.text(st.characters()))
def test_a_frame_is_one_line_whatever_is_in_it(text: str) -> None:
    made = frame({"content": text})
    assert made.startswith(b"data: ")
    assert made.endswith(b"\n\n")
    assert len(made.decode("ascii").splitlines()) == 2
    assert json.loads(made[len(b"data: ") :]) == {"content": text}


def said(text: str, number: int = 1) -> SentenceVerified:
    chunk = make_chunk("A gear turns.")
    citation = cite(claim_of(chunk), retrieved(chunk), number)
    return SentenceVerified(claim=ProvenClaim(text=text, citation=number), citation=citation)


@pytest.mark.parametrize(
    "sentences",
    [
        ["One."],
        ["One.", "Two.", "Three."],
        ["One.", "- a\n- b", "Two."],
        ["```\ncode\n```", "Two."],
        ["long " * 1000, "longer " * 1000, "never said"],
    ],
    ids=lambda sentences: sentences[0][:8],
)
def test_all_that_is_said_is_the_answer(sentences: list[str]) -> None:
    events = [said(text, number) for number, text in enumerate(sentences, start=1)]
    spoken = SpokenText()
    text = "".join(spoken.following(event) for event in events)
    assert text == compose([ProvenSentence(event.claim, event.citation) for event in events])[2]
    assert 0 < len(text) <= MAX_ANSWER_CHARACTERS
    assert spoken


def test_nothing_was_said_yet() -> None:
    assert not SpokenText()
