"""Passages that readers selected, by their first and last words."""

import pytest

from citebook.evals.questions import LabelledQuestion, PassageEnds
from citebook.evals.selections import passage_between, with_selections

PAGE = "# Gears\n\nA **harmonic\ndrive** is a gear that\nbends a cup (of steel). It has no backlash.\n"


@pytest.mark.parametrize(
    ("begins", "ends", "passage"),
    [
        ("A harmonic drive", "of steel).", "A **harmonic drive** is a gear that bends a cup (of steel)."),
        ("It has", "no backlash.", "It has no backlash."),
        ("It has", "of steel", None),
        ("A harmonica", "backlash", None),
    ],
)
def test_a_passage_runs_from_its_first_words_to_its_last(begins: str, ends: str, passage: str | None) -> None:
    assert passage_between(PAGE, PassageEnds(begins=begins, ends=ends)) == passage


def asked(**fields: object) -> LabelledQuestion:
    return LabelledQuestion.model_validate({"question": "Why?", "gold": ["docs/gears.md#gears"], **fields})


def test_only_the_gold_page_is_searched_and_what_is_not_there_is_explained() -> None:
    found = asked(selected={"begins": "It has", "ends": "backlash"})
    missing = asked(selected={"begins": "It had", "ends": "backlash"}, where_from="set.jsonl:2")
    plain, none = asked(selected="as text"), asked()
    read_source = {"gears.md": PAGE}.__getitem__
    ready, told = with_selections([found, missing, plain, none], ["gears.md", "belts.md"], read_source)
    assert [question.selected for question in ready] == ["It has no backlash.", "as text", None]
    assert told == ["set.jsonl:2: “It had … backlash” is not in docs/gears.md"]


def test_the_other_form_of_gold_names_files() -> None:
    question = asked(gold=["a.md#One", "b.md", "a.md#Two"])
    assert (question.gold_file, question.gold_files) == ("a.md", ("a.md", "b.md"))
