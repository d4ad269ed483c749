"""Reading labelled questions."""

import json
from pathlib import Path

import pytest

from citebook.domain.errors import InvalidQuestionSet
from citebook.evals.questions import read_questions

GOOD = json.dumps({"question": "What is torque?", "gold_file": "a.mdx", "split": "test", "form": "question"})
OTHER = json.dumps({"question": "And force?", "answerable": False, "split": "dev", "answers": None})


def written(folder: Path, *lines: str) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_each_line_is_a_question(tmp_path: Path) -> None:
    questions = read_questions(written(tmp_path, GOOD, "", OTHER))
    assert [question.question for question in questions] == ["What is torque?", "And force?"]
    assert [question.answerable for question in questions] == [True, False]


def test_what_is_null_counts_as_absent(tmp_path: Path) -> None:
    assert read_questions(written(tmp_path, OTHER))[0].answers == ()


@pytest.mark.parametrize(
    ("condition", "expected"),
    [("split=test", 1), ("form=question", 1), ("answerable=false", 1), ("split=TEST", 1)],
)
def test_questions_are_chosen_by_any_field(tmp_path: Path, condition: str, expected: int) -> None:
    assert len(read_questions(written(tmp_path, GOOD, OTHER), [condition])) == expected


def test_all_conditions_must_be_met(tmp_path: Path) -> None:
    with pytest.raises(InvalidQuestionSet, match="split=test and answerable=false"):
        read_questions(written(tmp_path, GOOD, OTHER), ["split=test", "answerable=false"])


@pytest.mark.parametrize("condition", ["split", "=test", ""])
def test_a_condition_that_is_none_shows_how_to_write_one(tmp_path: Path, condition: str) -> None:
    with pytest.raises(InvalidQuestionSet, match="FIELD=VALUE"):
        read_questions(written(tmp_path, GOOD), [condition])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{not json", "not JSON"),
        ('{"id": "x"}', "question: Field required"),
        ('{"question": 7}', "question: Input should be a valid string"),
        ('{"question": "?", "gold_level": "galaxy"}', "gold_level: Input should be"),
        ("[]", "line: Input should be a valid dictionary"),
    ],
)
def test_a_bad_line_is_named_with_its_file_number_and_reason(tmp_path: Path, line: str, reason: str) -> None:
    path = written(tmp_path, GOOD, line)
    with pytest.raises(InvalidQuestionSet) as error:
        read_questions(path)
    assert str(error.value).startswith(f"{path}, line 2: {reason}")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidQuestionSet, match=r"nowhere\.jsonl cannot be read"):
        read_questions(tmp_path / "nowhere.jsonl")


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b'{"question": "\xe9"}')
    with pytest.raises(InvalidQuestionSet, match=r"latin\.jsonl cannot be read"):
        read_questions(tmp_path / "latin.jsonl")


def test_a_file_without_questions_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidQuestionSet, match="has no question"):
        read_questions(written(tmp_path, "", " "))


def test_several_files_are_read_as_one_set(tmp_path: Path) -> None:
    more = tmp_path / "out_of_scope.jsonl"
    more.write_text(OTHER)
    questions = read_questions([written(tmp_path, GOOD), more])
    assert [question.where_from for question in questions] == ["questions.jsonl:1", "out_of_scope.jsonl:1"]


def test_a_condition_may_need_to_hold_in_one_of_the_files_only(tmp_path: Path) -> None:
    more = tmp_path / "out_of_scope.jsonl"
    more.write_text(OTHER)
    assert len(read_questions([written(tmp_path, GOOD), more], ["split=test"])) == 1


@pytest.mark.parametrize("condition", ["split=test,dev", "split=none, TEST,dev", "kind=none"])
def test_any_of_several_values_meets_a_condition_and_none_means_absent(tmp_path: Path, condition: str) -> None:
    assert len(read_questions(written(tmp_path, GOOD, OTHER), [condition])) == 2


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path: Path) -> None:
    line = json.dumps({"question": "One\u2028two?"}, ensure_ascii=False)
    assert read_questions(written(tmp_path, line))[0].question == "One\u2028two?"


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "marked.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert len(read_questions(path)) == 1


def test_labels_are_what_questions_are_grouped_by(tmp_path: Path) -> None:
    assert read_questions(written(tmp_path, GOOD))[0].labels == {"split": "test", "form": "question"}
