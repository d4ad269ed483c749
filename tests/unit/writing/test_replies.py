"""The words of answers and refusals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citebook.domain.answer import MAX_ANSWER_CHARACTERS, ProvenClaim
from citebook.domain.blocks import Block, Code, Formula, ListBlock, Quotation
from citebook.domain.units import units_of
from citebook.writing.replies import AnswerText, markdown_of_claims, plain_text_of, refuse, suggest
from tests.block_texts import listed, said, table
from tests.fakes import ENGLISH, evidence_of, make_chunk


def claim(text: str, position: int = 1, *quoted: Block) -> ProvenClaim:
    return ProvenClaim(text=text, citation=position, quoted=quoted)


CODE = claim("import os\nos.fork()", 2, Code(language="python", text="import os\nos.fork()"))


def test_paragraphs_stand_side_by_side_with_their_markers() -> None:
    assert markdown_of_claims([claim("One gear.", 1), claim("Two gears.", 2)]) == "One gear. [1] Two gears. [2]"


def test_code_stands_apart_and_its_marker_behind_it() -> None:
    text = markdown_of_claims([claim("This code runs:", 1), CODE, claim("Done.", 3)])
    assert text == "This code runs: [1]\n\n```python\nimport os\nos.fork()\n```\n\n[2]\n\nDone. [3]"


@pytest.mark.parametrize(
    ("block", "ending"),
    [
        (table(("a", "b"), ("1", "2")), "| 1 | 2 |\n\n[1]"),
        (Formula(text="e = mc^2"), "$$\ne = mc^2\n$$\n\n[1]"),
        (listed("One", "Two"), "- Two [1]"),
        (listed("One", [said("Two"), listed("Three")]), "  - Three [1]"),
        (listed("One", [said("Run"), Code(language="sh", text="make")]), "  make\n  ```\n\n[1]"),
        (Quotation(blocks=(said("One"),)), "> One\n\n[1]"),
    ],
    ids=["table", "formula", "list", "nested list", "list that ends in code", "quotation"],
)
def test_a_marker_breaks_no_block(block: Block, ending: str) -> None:
    assert markdown_of_claims([claim("x", 1, block)]).endswith(ending)


@pytest.mark.parametrize("start", [1, 3])
def test_a_list_keeps_its_first_marker_in_plain_text(start: int) -> None:
    steps = ListBlock(ordered=True, start=start, items=((said("Lift"),), (said("Lower"),)))
    assert plain_text_of([claim(f"Lift\n{start + 1}. Lower", 1, steps)]) == f"{start}. Lift\n{start + 1}. Lower"
    assert plain_text_of([claim("One\n- Two", 1, listed("One", "Two"))]) == "- One\n- Two"


def test_other_contracts_mark_sources_in_their_own_way_or_not_at_all() -> None:
    claims = [claim("One gear.", 1), CODE]
    assert markdown_of_claims(claims[:1], lambda own: f"(see {own.citation})") == "One gear. (see 1)"
    assert plain_text_of(claims) == "One gear.\n\nimport os\nos.fork()"


def test_an_answer_ends_at_a_whole_claim_before_its_limit() -> None:
    text = AnswerText()
    pieces = [text.add(claim("x" * 3_990 + ".", position)) for position in (1, 2, 3)]
    assert len(text.text) <= MAX_ANSWER_CHARACTERS
    assert [bool(piece) for piece in pieces] == [True, True, False]
    assert text.text.endswith(". [2]")


@given(st.lists(st.text(min_size=1, max_size=200), max_size=12))
def test_all_pieces_together_are_the_text(texts: list[str]) -> None:
    claims = [claim(text, position) for position, text in enumerate(texts, start=1)]
    growing = AnswerText()
    assert "".join(growing.add(one) for one in claims) == growing.text == markdown_of_claims(claims)


def test_a_refusal_says_only_that() -> None:
    """What comes near is told beside it, once."""
    assert refuse(ENGLISH) == "I did not find this in the book."
    assert refuse(ENGLISH, "Gears & Belts") == "This question is not covered in Gears & Belts."


def test_a_suggestion_shows_how_the_passage_begins_that_is_most_like_the_question() -> None:
    chunk = make_chunk("Part\n\nGears turn.\n\nMotors " + "hum " * 60, title="Part")
    count = len(units_of(chunk))
    evidence = evidence_of(chunk)
    (found,) = evidence.retrieved_chunks
    liked = found.model_copy(update={"unit_cosines": (*[0.1] * (count - 1), 0.9)})
    (suggestion,) = suggest(evidence.model_copy(update={"retrieved_chunks": (liked,)}))
    assert suggestion.snippet.startswith("Motors hum")
    assert suggestion.snippet.endswith("hum …")
    assert len(suggestion.snippet) <= 162


def test_a_snippet_does_not_end_in_the_dash_of_the_next_item() -> None:
    (suggestion,) = suggest(evidence_of(make_chunk(f"{'Motors hum ' * 14}:\n\n- loudly{' and softly' * 9}")))
    assert suggestion.snippet.endswith("hum : …")


def test_what_is_no_nearer_than_to_any_question_is_not_suggested() -> None:
    evidence = evidence_of(make_chunk("Gears turn.", title="Part"))
    (found,) = evidence.retrieved_chunks
    far = found.model_copy(update={"dense_score": 0.8})  # a cosine of 0.6
    assert not suggest(evidence.model_copy(update={"retrieved_chunks": (far,), "likeness_of_strangers": 0.6}))
    assert suggest(evidence.model_copy(update={"retrieved_chunks": (far,), "likeness_of_strangers": 0.5}))


def test_what_words_alone_found_is_suggested() -> None:
    evidence = evidence_of(make_chunk("Gears turn.", title="Part"))
    (found,) = evidence.retrieved_chunks
    by_words = found.model_copy(update={"dense_score": 0.0})
    assert suggest(evidence.model_copy(update={"retrieved_chunks": (by_words,), "lexical_only": True}))


def test_suggestions_are_different_and_at_most_three() -> None:
    chunks = [make_chunk(f"Text {n}.", f"{n}.mdx", title=f"Chapter {n % 4}") for n in range(8)]
    titles = [suggestion.title for suggestion in suggest(evidence_of(*chunks))]
    assert titles == ["Chapter 0: Part", "Chapter 1: Part", "Chapter 2: Part"]


def test_a_section_called_like_its_chapter_is_named_once() -> None:
    (suggestion,) = suggest(evidence_of(make_chunk("Text.", title="Part")))
    assert (suggestion.title, suggestion.url) == ("Part", "/docs/chapter#part")


def test_a_monstrous_heading_does_not_fill_a_refusal() -> None:
    (suggestion,) = suggest(evidence_of(make_chunk("Text.", title="word " * 5_000)))
    assert len(suggestion.title) <= 200


def test_an_introduction_stands_before_the_first_claim_without_a_marker() -> None:
    headed = claim("One gear.").model_copy(update={"heading": "Gears"})
    assert markdown_of_claims([headed], introduction="It has one:") == "It has one:\n\nGears\n\nOne gear. [1]"
    assert plain_text_of([headed], "It has one:") == "It has one:\n\nGears\nOne gear."
    assert markdown_of_claims([], introduction="It has one:") == plain_text_of([], "It has one:") == ""
