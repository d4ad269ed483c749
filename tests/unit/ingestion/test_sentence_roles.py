"""What a sentence is to the reader: text to answer with, or a task, an objective, a caption and so on."""

import pytest

from citebook.domain.book import Role
from tests.fakes import chunks_of_page


def roles_of(source: str) -> list[tuple[str, str]]:
    return [
        (sentence.role.value, chunk.quote(sentence))
        for chunk in chunks_of_page(source)
        for sentence in chunk.sentences
    ]


def test_what_the_reader_will_be_able_to_do_is_an_objective_with_the_list_behind_it() -> None:
    page = "By the end of this section, you will be able to:\n\n* Describe cells\n* Sum up cell theory\n\nCells live."
    assert roles_of(page) == [
        ("objective", "By the end of this section, you will be able to:"),
        ("objective", "Describe cells"),
        ("objective", "Sum up cell theory"),
        ("text", "Cells live."),
    ]


def test_a_heading_makes_all_below_it_objectives_or_tasks() -> None:
    page = "## Learning Objectives\n\nUse ROS 2.\n\n## 9. Knowledge Check\n\nPick one.\n\n### Part A\n\nDraw it."
    assert [role for role, _ in roles_of(page)] == ["objective", "task", "task"]


def test_the_title_of_a_box_counts_like_a_heading() -> None:
    page = ":::tip[What you will learn]\n\n- Frames\n- Poses\n\n:::\n\nA frame has an origin."
    assert [role for role, _ in roles_of(page)] == ["objective", "objective", "objective", "text"]


def test_common_mistakes_of_an_exercise_tell_something() -> None:
    page = "## Hands-on Exercise: Build it\n\nBuild it.\n\n### Common Mistakes\n\nThe path is not sourced."
    assert [role for role, _ in roles_of(page)] == ["task", "text"]


def test_a_summary_with_exercises_has_both() -> None:
    page = "## Summary and exercises\n\nGrasps hold by friction.\n\n1. Compute the cone.\n2. Draw it."
    assert [role for role, _ in roles_of(page)] == ["text", "task", "task"]


@pytest.mark.parametrize(
    "heading", ["Effects of exercise on muscles", "Exercise", "Test Organization", "The Problem"]
)
def test_headings_that_only_have_such_a_word_are_topics(heading: str) -> None:
    assert roles_of(f"## {heading}\n\nMuscles grow.") == [("text", "Muscles grow.")]


def test_a_section_called_exercise_that_opens_with_an_order_sets_a_task() -> None:
    page = "## Exercise\n\nDesign a gripper. Consider:\n\n- friction\n- mass"
    assert {role for role, _ in roles_of(page)} == {"task"}


@pytest.mark.parametrize("heading", ["Week 1 Quiz: Joints", "Question 5", "Question 7 (Multiple Choice)"])
def test_a_quiz_tells_nothing(heading: str) -> None:
    assert roles_of(f"## {heading}\n\nIt bends.") == [("task", "It bends.")]


def test_choices_of_a_question_tell_nothing() -> None:
    page = "What is a joint?\n\nA) A weld\nB) Two links that move\nC) A sensor\n\nIt bends."
    assert {role for role, text in roles_of(page) if text not in ("What is a joint?", "It bends.")} == {"task"}
    listed = "What is a joint?\n\n- a) A weld\n- b) Two links\n- c) A sensor"
    assert {role for role, _ in roles_of(listed)} == {"question", "task"}


def test_what_is_counted_by_small_letters_without_a_question_is_text() -> None:
    assert {role for role, _ in roles_of("a) Open it. b) Turn it. c) Close it.")} == {"text"}


def test_the_code_of_a_diagram_is_a_caption() -> None:
    page = "Text.\n\n```mermaid\nA --> B\n```\n\n```python\nrun()\n```"
    assert [role for role, _ in roles_of(page)] == ["text", "caption", "text"]


@pytest.mark.parametrize(
    "sentence",
    [
        "In this chapter, we’ll look at enums.",
        "This lesson covers launch files.",
        "This chapter follows a pixel from the lens to a decision.",
        "Next: We'll explore architectures.",
        "We'll discuss ownership in Chapter 4.",
        "In Chapter 7, you'll learn about modules.",
        "Here, we will examine the structure of cells.",
        "Let's look at how it works.",
        "The effects of runoff will be discussed later.",
        "This lesson is currently under development.",
        "This comprehensive installation guide is currently under development.",
        "Check back soon for more of it.",
    ],
)
def test_a_sentence_that_says_what_will_be_told_is_an_announcement(sentence: str) -> None:
    assert roles_of(sentence) == [(Role.ANNOUNCEMENT, sentence)]


@pytest.mark.parametrize(
    "sentence",
    [
        "First, we'll create a new project.",
        "When we run this program, we’ll see the output.",
        "This chapter of history ended in 1945.",
        "This module exports a function.",
        "You should be able to read Python.",
        "Describe the tool in the description field.",
        "Visitors watch the site.",
    ],
)
def test_a_sentence_that_tells_something_is_text(sentence: str) -> None:
    assert roles_of(sentence) == [(Role.TEXT, sentence)]


def test_whole_sentences_in_an_announced_list_are_text() -> None:
    page = "In this chapter, we’ll discuss two collections:\n\n* Vectors\n* A string is a collection of characters."
    assert [role for role, _ in roles_of(page)] == ["announcement", "announcement", "text"]


@pytest.mark.parametrize("sentence", ["Explain why cells are small.", "Watch this video.", "Is it alive? Explain."])
def test_a_sentence_that_asks_for_something_is_a_task(sentence: str) -> None:
    assert "task" in [role for role, _ in roles_of(sentence)]


def test_a_question_in_the_text_is_one() -> None:
    assert roles_of("What is a cell? A unit of life.") == [
        ("question", "What is a cell?"),
        ("text", "A unit of life."),
    ]


def test_words_of_figures_are_captions() -> None:
    page = (
        "Cells divide.\n\n![Two cells side by side.](a.png)\n\n"
        "<figure><figcaption>A cell. It is small.</figcaption></figure>\n\nFigure 4-1: Memory of a string\n\n"
        "Figure 4-1 shows memory."
    )
    assert [role for role, _ in roles_of(page)] == ["text", "caption", "caption", "caption", "caption", "text"]


def test_entries_of_a_bibliography_are_references() -> None:
    page = "Abel, M., & Bäuml, K.-H. T. (2013). Sleep can reduce interference. *Memory*, 22(4), 332–339."
    assert {role for role, _ in roles_of(page)} == {"reference"}
    assert {role for role, _ in roles_of("van Praag, H. (2008). Neurogenesis and exercise.")} == {"reference"}
    assert [role for role, _ in roles_of("For example, i.e., a cell divides.")] == ["text"]


def test_a_section_of_references_tells_nothing_itself() -> None:
    page = "## Memory\n\nIt fades.\n\n## References\n\nOn forgetting, the journal of 1999."
    assert [role for role, _ in roles_of(page)] == ["text", "reference"]


def test_an_icon_in_a_sentence_does_not_make_it_a_caption() -> None:
    assert [role for role, _ in roles_of("Press ![the gear](a.png) to open the settings of your site.")] == ["text"]


def test_entries_of_a_glossary_are_a_term_and_its_definition() -> None:
    page = "### Glossary\n\ncell\n: the unit of life\n^\n\n**DNA**: carries genes. It is long.\n\n- IMU: a sensor"
    assert roles_of(page) == [
        ("term", "cell"),
        ("definition", "the unit of life"),
        ("term", "DNA"),
        ("definition", "carries genes."),
        ("definition", "It is long."),
        ("term", "IMU"),
        ("definition", "a sensor"),
    ]


def test_a_term_may_be_a_paragraph_of_its_own() -> None:
    page = "## Key Terms\n\nThese are the terms.\n\n<dl><dt>cell</dt><dd>The unit of life.</dd></dl>"
    assert roles_of(page) == [
        ("text", "These are the terms."),
        ("term", "cell"),
        ("definition", "The unit of life."),
    ]


def test_a_term_and_its_definition_can_be_quoted_together() -> None:
    (chunk,) = chunks_of_page("## Glossary\n\ncell\n: the smallest unit\n^\n\nDNA\n: carries genes")
    assert chunk.text == "cell : the smallest unit\n\nDNA : carries genes"


def test_contents_at_the_top_of_a_page_tell_nothing() -> None:
    page = "# Registers\n\n- [Own registers](#own)\n- [Special registers](#special)\n\nThey hold text."
    page += "\n\n## Own registers\n\nYours.\n\n## Special registers\n\nOurs."
    assert [role for role, _ in roles_of(page)][:3] == ["announcement", "announcement", "text"]


def test_a_list_that_a_line_announces_tells_what_the_page_has_headings_of() -> None:
    page = "# Registers\n\nThere are two kinds:\n\n- Own\n- Special\n\n## Own\n\nYours.\n\n## Special\n\nOurs."
    assert [role for role, _ in roles_of(page)][:3] == ["text", "text", "text"]
