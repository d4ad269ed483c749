"""`citebook eval judge`, with the real model on a small book."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from citebook.cli.exit_codes import UNUSABLE_INPUT
from tests.command_line import Finished, citebook
from tests.small_book import write_book

GEARS = "01-joints/gears.mdx"
DRIVE = {
    "id": "drive",
    "kind": "definition",
    "question": "What is a harmonic drive?",
    "good_answer_holds": "A gear that bends a thin steel cup",
    "gold": [f"{GEARS}#Harmonic drives"],
}
BACKLASH = {
    "id": "backlash",
    "kind": "followup",
    "question": "does it have backlash?",
    "history": ["What is a harmonic drive?"],
    "good_answer_holds": "Almost none",
    "gold": [GEARS],
}
BELT = {
    "id": "belt",
    "kind": "selected",
    "question": "What is wrong with this under load?",
    "selected": {"begins": "A toothed belt", "ends": "under load."},
    "good_answer_holds": "It stretches",
    "gold": [GEARS],
}
CHESS = {
    "id": "chess",
    "kind": "far",
    "question": "Which chess opening did Magnus Carlsen play in London?",
    "answerable": False,
}
ALL = [DRIVE, BACKLASH, BELT, CHESS]

Judge = Callable[..., Finished]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a book and its index."""
    folder = tmp_path_factory.mktemp("shelf")
    write_book(folder / "book")
    assert citebook("ingest", folder / "book", "--data-dir", folder / "data").exit_code == 0
    return folder


@pytest.fixture
def judge(shelf: Path, tmp_path: Path) -> Judge:
    """Judges the answers to these questions; `keys` are pressed by a grader at the terminal."""

    def run(rows: Sequence[dict[str, Any]], *options: str | Path, keys: str = "") -> Finished:
        questions = tmp_path / "questions.jsonl"
        questions.write_text("\n".join(map(json.dumps, rows)))
        arguments = "eval", "judge", shelf / "book", questions, "--data-dir", shelf / "data", *options
        if not keys:
            return citebook(*arguments)
        pressed = iter(keys)
        with (
            patch("citebook.cli.evaluate_judge._is_terminal", return_value=True),
            patch("typer.getchar", lambda: next(pressed)),
        ):
            return citebook(*arguments, "--grade", "--grader", "Ada")

    return run


def results_of(path: Path) -> dict[str, dict[str, Any]]:
    return {result["id"]: result for result in json.loads(path.read_text())["results"]}


def test_questions_are_asked_as_readers_ask_them(judge: Judge, tmp_path: Path) -> None:
    out, page = tmp_path / "out.json", tmp_path / "out.html"
    shown = judge(ALL, "--json", out, "--html", page)
    assert shown.exit_code == 0, shown.err
    assert "4 of 4 answers have no grade" in shown.out
    results = results_of(out)
    assert "steel cup" in results["drive"]["answer"]
    assert "backlash" in results["backlash"]["answer"]
    assert results["belt"]["selected"] == "A toothed belt is cheap & quiet, but it stretches under load."
    assert results["belt"]["sources"][0]["source_file"] == GEARS
    assert (results["chess"]["outcome"], results["chess"]["grade"]) == ("refused", None)
    assert results["drive"]["expectation"] == DRIVE["good_answer_holds"]
    assert page.read_text().startswith("<!doctype html>")


def test_grades_are_kept_reported_and_asked_for_once(judge: Judge, tmp_path: Path) -> None:
    out, grades = tmp_path / "out.json", tmp_path / "grades.jsonl"
    assert judge([DRIVE, CHESS], "--grades", grades, keys="b+").exit_code == 0
    again = judge([DRIVE, CHESS], "--grades", grades, "--json", out)
    assert again.exit_code == 0
    assert "no grade" not in again.out
    summary = json.loads(out.read_text())
    assert summary["metrics"]["good"] == 1.0
    assert {kind: own["grades"] for kind, own in summary["by_kind"].items()}["far"]["R+"] == 1
    assert (results_of(out)["drive"]["grade"], results_of(out)["drive"]["grader"]) == ("B", "Ada")


def test_answers_of_an_earlier_run_can_be_graded_without_the_book(judge: Judge, tmp_path: Path) -> None:
    out, grades = tmp_path / "out.json", tmp_path / "grades.jsonl"
    judge([DRIVE], "--json", out)
    with patch("citebook.cli.evaluate_judge.ingest_book", side_effect=AssertionError("the book was read")):
        relabelled = DRIVE | {"good_answer_holds": "A steel cup"}
        shown = judge([relabelled], "--answers", out, "--json", out, "--grades", grades, keys="a")
    assert shown.exit_code == 0, shown.err
    drive = results_of(out)["drive"]
    assert (drive["grade"], drive["expectation"]) == ("A", "A steel cup")


def test_kept_answers_are_not_overwritten_by_fewer(judge: Judge, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    judge([DRIVE, CHESS], "--json", out)
    shown = judge([DRIVE], "--answers", out, "--json", out)
    assert shown.exit_code == UNUSABLE_INPUT
    assert "answers would be lost that are not asked for now: 1" in shown.err
    assert results_of(out).keys() == {"drive", "chess"}


def test_two_versions_are_graded_without_knowing_which_is_which(judge: Judge, tmp_path: Path) -> None:
    old, grades = tmp_path / "old.json", tmp_path / "grades.jsonl"
    judge([DRIVE, CHESS], "--json", old)
    other = json.loads(old.read_text())
    other["results"][0] |= {"answer": "Something else.", "answer_hash": "0" * 64}
    old.write_text(json.dumps(other))
    shown = judge([DRIVE, CHESS], "--grades", grades, "--compare", old, "--blind", keys="da+")
    assert shown.exit_code == 0, shown.err
    assert "Graded better than before: 1" in shown.out
    assert "Graded worse than before: 0" in shown.out
    assert len(grades.read_text().splitlines()) == 3


def test_a_selection_that_is_not_in_the_book_is_explained_and_left_out(judge: Judge, tmp_path: Path) -> None:
    lost = BELT | {"id": "lost", "selected": {"begins": "Never written", "ends": "anywhere."}}
    shown = judge([DRIVE, lost], "--json", tmp_path / "out.json")
    assert shown.exit_code == 0
    assert f"questions.jsonl:2: “Never written … anywhere.” is not in {GEARS}" in shown.err
    assert results_of(tmp_path / "out.json").keys() == {"drive"}


@pytest.mark.parametrize(
    ("options", "reason"),
    [(("--grade",), "--grade needs --grades FILE"), (("--grade", "--grades", "g.jsonl"), "--grade needs a terminal")],
)
def test_what_grading_needs_is_said_before_anything_is_asked(
    judge: Judge, options: tuple[str, ...], reason: str
) -> None:
    shown = judge([DRIVE], *options)
    assert shown.exit_code == UNUSABLE_INPUT
    assert reason in shown.err
