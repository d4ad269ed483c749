"""Results as a file."""

import json
from pathlib import Path

import pytest

from citebook.domain.errors import InvalidQuestionSet
from citebook.evals.result_files import Run, read_run, write_run
from tests.judged_answers import answers_run, found, judged, refused, retrieval_run


@pytest.mark.parametrize("run", [answers_run(judged(), refused()), retrieval_run(found(1), found(None, "dense"))])
def test_what_is_written_is_read_back(tmp_path: Path, run: Run) -> None:
    write_run(tmp_path / "out.json", run, run.summary())
    assert read_run(tmp_path / "out.json") == run


def test_figures_stand_before_the_questions(tmp_path: Path) -> None:
    run = answers_run(judged())
    write_run(tmp_path / "out.json", run, run.summary(), comparison={"broken": []})
    written = json.loads((tmp_path / "out.json").read_text())
    assert written["metrics"]["answer_contains_gold"] == 1.0
    assert written["comparison"] == {"broken": []}
    assert list(written)[-1] == "results"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{half", "is damaged: it is not JSON"),
        ("[" * 100_000, "is damaged: it is not JSON"),
        ("[]", "was not written by `citebook eval"),
        ('{"metrics": {}}', "was not written by `citebook eval"),
        ('{"results": []}', "cannot be used: measured: Unable to extract tag"),
        ('{"measured": "answers", "results": []}', "cannot be used: answers.name: Field required"),
    ],
)
def test_another_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(InvalidQuestionSet) as error:
        read_run(path)
    assert str(error.value).startswith(f"{path} {reason}")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidQuestionSet, match=r"gone\.json cannot be read: No such file"):
        read_run(tmp_path / "gone.json")


def test_a_file_that_is_not_utf_8_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b'{"name": "\xe9"}')
    with pytest.raises(InvalidQuestionSet, match="is damaged"):
        read_run(tmp_path / "latin.json")
