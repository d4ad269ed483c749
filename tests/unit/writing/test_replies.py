"""The words of answers and refusals."""

from citebook.domain.answer import MAX_ANSWER_CHARACTERS, ProvenClaim, ProvenSentence, Suggestion
from citebook.proving.citing import cite
from citebook.writing.replies import compose, refuse, suggest
from tests.fakes import claim_of, evidence_of, make_chunk, retrieved


def sentence(text: str, position: int = 1) -> ProvenSentence:
    chunk = make_chunk(text)
    citation = cite(claim_of(chunk, 0, len(chunk.sentences) - 1), retrieved(chunk), position)
    return ProvenSentence(ProvenClaim(text=text, citation=position), citation)


def test_sentences_stand_side_by_side_with_their_markers() -> None:
    _, _, text = compose([sentence("One gear.", 1), sentence("Two gears.", 2)])
    assert text == "One gear. [1] Two gears. [2]"


def test_what_has_lines_of_its_own_stands_apart() -> None:
    _, _, text = compose([sentence("This code runs:", 1), sentence("import os\nos.fork()", 2), sentence("Done.", 3)])
    assert text == "This code runs: [1]\n\nimport os\nos.fork() [2]\n\nDone. [3]"


def test_each_passage_is_listed_once() -> None:
    once = sentence("One gear.")
    claims, citations, _ = compose([once, once])
    assert (len(claims), len(citations)) == (2, 1)


def test_an_answer_ends_at_a_whole_sentence_before_its_limit() -> None:
    long = [sentence("x" * 3_990 + ".", position) for position in (1, 2, 3)]
    claims, citations, text = compose(long)
    assert len(text) <= MAX_ANSWER_CHARACTERS
    assert len(claims) == len(citations) == 2
    assert text.endswith(". [2]")


def test_a_refusal_names_the_nearest_parts() -> None:
    nearest = [Suggestion(title="Gears", url="/a"), Suggestion(title="Belts", url="/b")]
    assert refuse(nearest) == "The book does not answer this. The nearest it has: Gears; Belts."


def test_a_refusal_with_nothing_near_says_only_that() -> None:
    assert refuse([]) == "The book does not answer this."


def test_suggestions_are_different_and_at_most_three() -> None:
    chunks = [make_chunk(f"Text {n}.", f"{n}.mdx", title=f"Chapter {n % 4}") for n in range(8)]
    titles = [suggestion.title for suggestion in suggest(evidence_of(*chunks))]
    assert titles == ["Chapter 0: Part", "Chapter 1: Part", "Chapter 2: Part"]


def test_a_section_called_like_its_chapter_is_named_once() -> None:
    (suggestion,) = suggest(evidence_of(make_chunk("Text.", title="Part")))
    assert (suggestion.title, suggestion.url) == ("Part", "/docs/chapter#part")
