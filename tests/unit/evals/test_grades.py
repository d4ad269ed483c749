"""Grades as a file that outlives the answers."""

from pathlib import Path

import pytest

from citebook.domain.answer import Outcome
from citebook.domain.errors import InvalidQuestionSet
from citebook.evals.grades import Grade, Grades, grades_for
from citebook.evals.judging_run import JudgedAnswer, Source, hash_of_answer, with_grades
from tests.graded_answers import SOURCE, answered

WHEEL = answered()


def given(path: Path, *answers_and_grades: tuple[str, str, Grade]) -> Grades:
    grades = Grades.read(path)
    for question_id, answer_hash, grade in answers_and_grades:
        grades.give(question_id, answer_hash, grade, "too short", "Ada")
    return grades


def test_each_grade_is_on_the_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "grades.jsonl"
    grades = Grades.read(path)
    grades.give("q1", WHEEL.answer_hash, Grade.USEFUL, "too short", "Ada")
    kept = Grades.read(path).of("q1", WHEEL.answer_hash)
    assert kept is not None
    assert (kept.grade, kept.note, kept.grader) == (Grade.USEFUL, "too short", "Ada")


def test_another_opinion_replaces_the_first_and_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "grades.jsonl"
    given(path, ("q1", WHEEL.answer_hash, Grade.WRONG), ("q2", WHEEL.answer_hash, Grade.POOR))
    given(path, ("q1", WHEEL.answer_hash, Grade.EXCELLENT))
    lines = path.read_text().splitlines()
    assert ['"grade":"A"' in line for line in lines] == [True, False]


def test_an_answer_that_did_not_change_keeps_its_grade(tmp_path: Path) -> None:
    grades = given(tmp_path / "grades.jsonl", ("q1", WHEEL.answer_hash, Grade.USEFUL))
    surer = answered(confidence=0.1, level="low", milliseconds=5.0)
    assert [answer.grade for answer in with_grades([surer], grades)] == [Grade.USEFUL]


@pytest.mark.parametrize("changed", [answered("A wheel."), answered(id="q2"), answered(question="What are gears?")])
def test_a_changed_answer_or_question_has_no_grade(tmp_path: Path, changed: JudgedAnswer) -> None:
    grades = given(tmp_path / "grades.jsonl", ("q1", WHEEL.answer_hash, Grade.USEFUL))
    assert [answer.grade for answer in with_grades([changed], grades)] == [None]


def test_other_sources_make_another_answer_but_another_address_does_not() -> None:
    source = Source.model_validate(SOURCE)
    moved = source.model_copy(update={"url": "/elsewhere"})
    other = source.model_copy(update={"excerpt": "A wheel."})
    first = hash_of_answer("q", "a", [source])
    assert hash_of_answer("q", "a", [moved]) == first
    assert hash_of_answer("q", "a", [other]) != first
    assert hash_of_answer("q", "a", []) != first


def test_grades_of_somebody_else_are_left_aside_unless_they_are_wanted(tmp_path: Path) -> None:
    nobody = Grades.read(tmp_path / "none.jsonl")
    graded = answered(grade="A", note="good", grader="Bob")
    assert with_grades([graded], nobody) == [answered()]
    assert with_grades([graded], nobody, keeping_own=True) == [graded]


def test_refusals_and_answers_have_grades_of_their_own() -> None:
    assert grades_for(Outcome.REFUSED) == (Grade.RIGHT_REFUSAL, Grade.WRONG_REFUSAL)
    assert grades_for(Outcome.ANSWERED) == (Grade.EXCELLENT, Grade.USEFUL, Grade.POOR, Grade.WRONG)
    assert grades_for(Outcome.FAILED) == grades_for(Outcome.ANSWERED)


def test_lines_written_by_hand_need_no_more_than_the_grade(tmp_path: Path) -> None:
    path = tmp_path / "grades.jsonl"
    path.write_text(f'{{"id": "q1", "answer_hash": "{WHEEL.answer_hash}", "grade": "R+"}}\n\n')
    kept = Grades.read(path).of("q1", WHEEL.answer_hash)
    assert kept is not None
    assert kept.grade is Grade.RIGHT_REFUSAL


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{half", "line 2: line: Invalid JSON"),
        ('{"id": "q1"}', "line 2: answer_hash: Field required"),
        (f'{{"id": "q1", "answer_hash": "{WHEEL.answer_hash}", "grade": "E"}}', "line 2: grade: Input should be 'A'"),
    ],
)
def test_a_line_that_is_no_grade_is_named(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "grades.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(InvalidQuestionSet) as error:
        Grades.read(path)
    assert str(error.value).startswith(f"{path}, {reason}")


def test_a_file_that_cannot_be_read_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(InvalidQuestionSet, match="cannot be read"):
        Grades.read(tmp_path)
