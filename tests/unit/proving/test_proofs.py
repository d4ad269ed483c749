"""What a reader sees of claims, and which of their quotes."""

from citebook.proving.proofs import Proofs
from tests.fakes import claim_of, evidence_of, make_chunk

TEXT = "An emergency stop must be category 0 or 1. The person is assumed to walk at 1.6 m/s."
CHUNK = make_chunk(TEXT, "safety.mdx")
FOREIGN = make_chunk("The elbow bends.", "arm.mdx")


def test_of_a_false_claim_the_quote_is_shown_with_its_citation() -> None:
    sentence = Proofs(evidence_of(CHUNK)).of(claim_of(CHUNK, text="An emergency stop must be category 2."))
    assert sentence is not None
    assert sentence.claim.text == sentence.citation.excerpt == "An emergency stop must be category 0 or 1."
    assert sentence.claim.quoted
    assert sentence.claim.support == 1.0


def test_a_claim_that_its_quote_says_keeps_its_words() -> None:
    sentence = Proofs(evidence_of(CHUNK)).of(claim_of(CHUNK, text="Emergency stops must be category 0 or 1."))
    assert sentence is not None
    assert sentence.claim.text == "Emergency stops must be category 0 or 1."
    assert not sentence.claim.quoted


def test_a_quote_is_shown_once_however_often_it_is_claimed_falsely() -> None:
    proofs = Proofs(evidence_of(CHUNK))
    claims = [
        claim_of(CHUNK, 1, text="The person is assumed to walk at 1.6 km/h."),
        claim_of(CHUNK, 1, text="The person is assumed to run at 1.6 m/s."),
        claim_of(CHUNK, 1),
    ]
    shown = [sentence.claim.text for claim in claims if (sentence := proofs.of(claim)) is not None]
    assert shown == ["The person is assumed to walk at 1.6 m/s."]
    assert proofs.unproven == 0


def test_a_claim_without_a_quote_is_counted() -> None:
    proofs = Proofs(evidence_of(CHUNK))
    assert proofs.of(claim_of(FOREIGN)) is None
    assert proofs.unproven == 1
