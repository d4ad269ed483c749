"""What a reader sees of claims, and which of their quotes."""

from citebook.domain.answer import Claim
from citebook.proving.proofs import Proofs, proven
from tests.fakes import claim_of, evidence_of, make_chunk

TEXT = "An emergency stop must be category 0 or 1. The person is assumed to walk at 1.6 m/s."
CHUNK = make_chunk(TEXT, "safety.mdx")
DRIVE = make_chunk("A harmonic drive is a gear. It has almost no backlash.", "drive.mdx")
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


def shown(*claims: Claim) -> list[str]:
    return [sentence.claim.text for sentence in proven(claims, evidence_of(CHUNK, DRIVE))]


def test_what_rewords_a_quote_that_is_shown_says_nothing_new() -> None:
    stray = claim_of(CHUNK, text="An emergency stop must be category 2.")
    reworded = claim_of(CHUNK, text="Emergency stops must be category 0 or 1.")
    assert shown(stray, reworded) == ["An emergency stop must be category 0 or 1."]


def test_the_same_words_are_shown_once() -> None:
    reworded = claim_of(CHUNK, text="Emergency stops must be category 0 or 1.")
    assert shown(reworded, reworded) == ["Emergency stops must be category 0 or 1."]


def test_what_was_told_in_words_is_not_quoted_too() -> None:
    reworded = claim_of(CHUNK, text="Emergency stops must be category 0 or 1.")
    stray = claim_of(CHUNK, text="An emergency stop must be category 2.")
    assert shown(reworded, stray) == ["Emergency stops must be category 0 or 1."]


def test_of_quotes_that_overlap_each_sentence_is_shown_once() -> None:
    first = claim_of(CHUNK, text="A false one.").model_copy(update={"last_sentence": 1})
    second = claim_of(CHUNK, 1, text="Another false one.")
    assert shown(claim_of(CHUNK, text="A false one."), first, second) == [
        "An emergency stop must be category 0 or 1.",
        "The person is assumed to walk at 1.6 m/s.",
    ]


def test_a_quote_that_begins_with_it_is_shown_with_what_it_is() -> None:
    assert shown(claim_of(DRIVE, 1, text="A harmonic drive has great backlash.")) == [
        "A harmonic drive is a gear. It has almost no backlash."
    ]


def test_what_it_is_is_not_said_twice() -> None:
    claims = [claim_of(DRIVE, 0), claim_of(DRIVE, 1, text="A harmonic drive has great backlash.")]
    assert shown(*claims) == ["A harmonic drive is a gear.", "It has almost no backlash."]


def test_where_something_was_told_of_it_a_quote_may_begin_with_it() -> None:
    drive = make_chunk(
        "A harmonic drive is a gear that bends a thin steel cup. It has almost no backlash.", "long.mdx"
    )
    claims = claim_of(drive, text="A harmonic drive is a gear."), claim_of(drive, 1, text="It has great backlash.")
    told = [sentence.claim.text for sentence in proven(claims, evidence_of(drive))]
    assert told == ["A harmonic drive is a gear.", "It has almost no backlash."]


def test_a_claim_without_a_quote_is_counted() -> None:
    proofs = Proofs(evidence_of(CHUNK))
    assert proofs.of(claim_of(FOREIGN)) is None
    assert proofs.unproven == 1
