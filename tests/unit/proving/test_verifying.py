"""Which claims are proven, and which are dropped."""

import pytest

from citebook.domain.answer import Claim
from citebook.proving.verifying import prove
from tests.fakes import ENGLISH, claim_of, make_chunk, retrieved

CHUNK = make_chunk("The knee bends. The ankle rolls. The hip swings.", "leg.mdx")
FOREIGN = make_chunk("The elbow bends.", "arm.mdx")
EVIDENCE = {CHUNK.id: retrieved(CHUNK)}


@pytest.mark.parametrize("claim", [claim_of(CHUNK, 0), claim_of(CHUNK, 2), claim_of(CHUNK, 0, 2)])
async def test_a_verbatim_quote_is_proven_by_its_passage(claim: Claim) -> None:
    proof = prove(claim, EVIDENCE, ENGLISH)
    assert proof is not None
    assert proof.passage is EVIDENCE[CHUNK.id]


async def test_white_space_may_differ() -> None:
    assert prove(claim_of(CHUNK, text="The  knee\nbends."), EVIDENCE, ENGLISH) is not None


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(claim_of(FOREIGN), id="a passage that was not retrieved"),
        pytest.param(claim_of(CHUNK, last_sentence=3), id="a sentence behind the last"),
        pytest.param(claim_of(CHUNK, first_sentence=7, last_sentence=7), id="a range outside the passage"),
    ],
)
async def test_what_has_no_quote_is_dropped(claim: Claim) -> None:
    assert prove(claim, EVIDENCE, ENGLISH) is None


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(claim_of(CHUNK, text="The knee does not bend."), id="the opposite"),
        pytest.param(claim_of(CHUNK, text="The knee bends. The elbow also breaks and melts."), id="words added"),
        pytest.param(claim_of(CHUNK, text="The ankle rolls."), id="the words of another sentence"),
        pytest.param(claim_of(CHUNK, text="The kn\u200bee bends."), id="an invisible character"),
    ],
)
async def test_for_what_the_quoted_sentence_does_not_say_the_sentence_itself_stands(claim: Claim) -> None:
    proof = prove(claim, EVIDENCE, ENGLISH)
    assert proof is not None
    assert proof.is_quote


async def test_what_it_says_in_other_words_is_told_in_those_words() -> None:
    proof = prove(claim_of(CHUNK, text="Knees bend."), EVIDENCE, ENGLISH)
    assert proof is not None
    assert not proof.is_quote


async def test_a_passage_that_was_tampered_with_proves_nothing() -> None:
    forged = CHUNK.model_copy(update={"text": "The knee melts. The ankle rolls. The hip swings."})
    assert prove(claim_of(forged), {forged.id: retrieved(forged)}, ENGLISH) is None


async def test_a_quote_is_supported_fully_and_other_words_less() -> None:
    quote = prove(claim_of(CHUNK), EVIDENCE, ENGLISH)
    paraphrase = prove(claim_of(CHUNK, text="Knees bend."), EVIDENCE, ENGLISH)
    assert quote is not None
    assert paraphrase is not None
    assert paraphrase.support < quote.support == 1.0


async def test_the_sentence_before_says_what_the_quote_is_about() -> None:
    chunk = make_chunk("The hip is a joint. It swings far.", title="Walking")
    evidence = {chunk.id: retrieved(chunk)}
    named = prove(claim_of(chunk, 1, text="The hip swings far."), evidence, ENGLISH)
    added = prove(claim_of(chunk, 1, text="In walking, the hip swings far."), evidence, ENGLISH)
    assert named is not None
    assert added is not None
    assert (named.is_quote, added.is_quote) == (False, True)
