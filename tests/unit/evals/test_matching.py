"""Which passages are right for a labelled question."""

from datetime import UTC, datetime

import pytest

from citebook.domain.answer import Citation
from citebook.domain.book import Chapter, Chunk, Edition, EmbedderStamp, IndexedFile
from citebook.evals.matching import Ranking, cites_gold_place, missing_gold, quotes_gold_words, rank_right_results
from citebook.evals.questions import LabelledQuestion
from citebook.proving.citing import cite
from tests.fakes import claim_of, make_chunk, retrieved


def chunk(text: str, file: str = "a.mdx", section: str = "Part") -> Chunk:
    made = make_chunk(text, file)
    return made.model_copy(update={"section": section.lower(), "section_title": section, "section_path": (section,)})


def rank(chunks: list[Chunk], **label: object) -> Ranking:
    return rank_right_results(LabelledQuestion.model_validate({"question": "?", **label}), chunks)


# --- files


def test_the_gold_file_is_ranked_among_files_not_among_chunks() -> None:
    found = [chunk("1.", "a.mdx"), chunk("2.", "a.mdx"), chunk("3.", "gold.mdx")]
    assert rank(found, gold_file="gold.mdx") == Ranking((2,), 1)


def test_a_label_may_name_the_file_from_a_folder_above() -> None:
    assert rank([chunk("1.", "module/gold.mdx")], gold_file="docs/module/gold.mdx").first == 1


def test_a_file_whose_name_only_ends_alike_is_another() -> None:
    assert rank([chunk("1.", "marigold.mdx")], gold_file="gold.mdx").first is None


def test_a_gold_file_that_was_not_found_has_no_rank() -> None:
    assert rank([chunk("1.", "a.mdx")], gold_file="gold.mdx") == Ranking((), 1)


def test_any_of_several_gold_files_is_right() -> None:
    assert rank([chunk("1.", "a.mdx"), chunk("2.", "b.mdx")], gold=["c.mdx#part", "b.mdx"]) == Ranking((2,), 1)


def test_a_whole_folder_may_be_the_gold_place() -> None:
    found = [chunk("1.", "module-10/a.mdx"), chunk("2.", "module-1/b.mdx")]
    assert rank(found, gold=["module-1"]).first == 2


# --- sections


def test_the_gold_section_is_ranked_among_sections() -> None:
    found = [chunk("1.", section="One"), chunk("2.", section="One"), chunk("3.", section="Gold")]
    assert rank(found, gold_file="a.mdx", gold_level="section", gold_heading="Gold").first == 2


def test_a_section_of_the_same_name_in_another_file_is_wrong() -> None:
    found = [chunk("1.", "b.mdx", "Gold")]
    assert rank(found, gold_file="a.mdx", gold_level="section", gold_heading="Gold").first is None


def test_a_heading_is_matched_by_its_words() -> None:
    found = [chunk("1.", section="What is PID control?")]
    assert rank(found, gold_file="a.mdx", gold_level="section", gold_heading="What is `PID` Control").first == 1


def test_each_of_several_gold_sections_counts() -> None:
    golds = [{"file": "a.mdx", "heading": "One"}, {"file": "a.mdx", "heading": "Three"}]
    found = [chunk("1.", section="One"), chunk("2.", section="Two"), chunk("3.", section="Three")]
    assert rank(found, gold_level="section", gold_all=golds) == Ranking((1, 3), 2)


# --- paragraphs

PARAGRAPH = "The knee bends under load. The ankle rolls on the foot."


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        (f"Before it. {PARAGRAPH} After it.", True),
        ("The KNEE bends, under load. The ankle rolls on the foot!", True),
        ("The ankle rolls on the foot. Something else.", True),
        ("The ankle rolls.", False),
        ("Nothing of the sort.", False),
    ],
)
def test_a_chunk_is_right_when_it_holds_half_of_the_paragraph(text: str, is_right: bool) -> None:
    found = rank([chunk(text)], gold_file="a.mdx", gold_level="paragraph", gold_section_or_paragraph=PARAGRAPH)
    assert (found.first == 1) is is_right


def test_an_empty_gold_paragraph_is_held_by_nothing() -> None:
    assert rank([chunk("Text.")], gold_file="a.mdx", gold_level="paragraph").first is None


# --- citations

TEXT = "The knee bends under load. The ankle rolls on the foot. The hip turns."


def labelled(**label: object) -> LabelledQuestion:
    return LabelledQuestion.model_validate({"question": "?", "gold_file": "a.mdx", **label})


def cited(sentence: int = 0, file: str = "a.mdx", section: str = "Part") -> tuple[Citation, Chunk]:
    """A citation of one sentence, and the chunk it is taken from."""
    source = chunk(TEXT, file, section)
    return cite(claim_of(source, sentence), retrieved(source), 1), source


def test_a_citation_of_the_gold_file_is_right() -> None:
    assert cites_gold_place(labelled(), *cited())
    assert not cites_gold_place(labelled(), *cited(file="b.mdx"))


def test_a_citation_of_the_gold_section_is_right() -> None:
    question = labelled(gold_level="section", gold_heading="Part")
    assert cites_gold_place(question, *cited())
    assert not cites_gold_place(question, *cited(section="Other"))


@pytest.mark.parametrize(("sentence", "is_right"), [(0, True), (1, True), (2, False)])
def test_of_a_gold_paragraph_one_of_its_sentences_must_be_quoted(sentence: int, is_right: bool) -> None:
    question = labelled(gold_level="paragraph", gold_section_or_paragraph=PARAGRAPH)
    assert cites_gold_place(question, *cited(sentence)) is is_right


def test_the_same_sentence_in_another_file_is_another_place() -> None:
    question = labelled(gold_level="paragraph", gold_section_or_paragraph=PARAGRAPH)
    assert not cites_gold_place(question, *cited(file="b.mdx"))


def test_any_of_several_gold_excerpts_counts() -> None:
    golds = [{"content": "Nothing of the sort is here."}, {"content": "The hip turns."}]
    assert cites_gold_place(labelled(gold_level="excerpt", gold_all=golds), *cited(2))


def test_a_quotation_with_the_gold_words_is_right_wherever_it_stands() -> None:
    citation, _ = cited(file="b.mdx")
    assert quotes_gold_words(labelled(answers=["under load"]), citation)
    assert not quotes_gold_words(labelled(answers=["on the foot"]), citation)


def test_a_quotation_of_a_supporting_sentence_is_right() -> None:
    citation, _ = cited(1)
    assert quotes_gold_words(labelled(supporting_sentences=["the ankle rolls , on the foot ."]), citation)
    assert not quotes_gold_words(labelled(supporting_sentences=["The ankle"]), citation)


# --- labels that name what is not there


def edition_of(file: str, *sections: str) -> Edition:
    chapter = Chapter(id="a", title="Knees", sections=sections, url="/a")
    return Edition(
        name="first",
        embedder=EmbedderStamp(name="words", dimension=1, max_tokens=1),
        recipe="r",
        created_at=datetime.now(UTC),
        files={file: IndexedFile(sha256="0" * 64, chunks=1, chapter=chapter)},
        chunk_count=1,
    )


@pytest.mark.parametrize(
    ("label", "missing"),
    [
        ({}, None),
        ({"gold_file": "docs/a.mdx"}, None),
        ({"gold_file": "docs/gone.mdx"}, "docs/gone.mdx"),
        ({"gold_file": "gone.mdx", "answerable": False}, None),
        ({"gold_level": "section", "gold_heading": "Bends"}, None),
        ({"gold_level": "section", "gold_heading": "knees!"}, None),
        ({"gold_level": "section", "gold_heading": "Hips"}, "a.mdx, section “Hips”"),
        ({"gold_heading": "Hips"}, None),
        ({"gold_all": [{"file": "a.mdx"}, {"file": "b.mdx"}]}, "b.mdx"),
        ({"gold_all": [{"content": "text"}]}, None),
        ({"gold_file": None}, None),
    ],
)
def test_a_gold_place_that_the_book_does_not_have_is_named(label: dict[str, object], missing: str | None) -> None:
    assert missing_gold(labelled(**label), edition_of("a.mdx", "Bends")) == missing
