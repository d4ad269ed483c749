"""Which passages are right for a labelled question."""

import pytest

from citebook.domain.book import Chunk
from citebook.evals.matching import Ranking, rank_right_results
from citebook.evals.questions import LabelledQuestion
from tests.fakes import make_chunk


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
