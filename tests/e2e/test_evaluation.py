"""`citebook eval`, with the real model on a small book."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citebook.cli.exit_codes import GOT_WORSE, UNUSABLE_INPUT
from tests.command_line import Finished, citebook
from tests.small_book import write_book

GEARS, MOTORS = "01-joints/gears.mdx", "01-joints/motors.mdx"
DRIVE = {
    "id": "drive",
    "question": "What is a harmonic drive?",
    "gold_file": f"book/{GEARS}",
    "answers": ["steel cup"],
}
STEPS = {
    "id": "steps",
    "question": "How large are the steps of a stepper motor?",
    "gold_file": f"book/{MOTORS}",
    "gold_level": "section",
    "gold_heading": "Stepper motors",
    "answers": ["1.8 degrees"],
}
CHESS = {
    "id": "chess",
    "question": "Which chess opening did Magnus Carlsen play in London?",
    "answerable": False,
    "kind": "far",
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a book and its index."""
    folder = tmp_path_factory.mktemp("shelf")
    write_book(folder / "book")
    assert citebook("ingest", folder / "book", "--data-dir", folder / "data").exit_code == 0
    return folder


Evaluate = Callable[..., Finished]


@pytest.fixture
def evaluate(shelf: Path, tmp_path: Path) -> Evaluate:
    """Measures the book with these rows, each list of rows in a file of its own."""

    def run(what: str, *files: list[dict[str, Any]], options: tuple[str | Path, ...] = ()) -> Finished:
        paths = []
        for number, rows in enumerate(files):
            paths.append(tmp_path / f"questions{number}.jsonl")
            paths[-1].write_text("\n".join(map(json.dumps, rows)))
        return citebook("eval", what, shelf / "book", *paths, "--data-dir", shelf / "data", *options)

    return run


def test_answers_are_measured(evaluate: Evaluate, tmp_path: Path) -> None:
    out, page = tmp_path / "out.json", tmp_path / "out.html"
    shown = evaluate("answers", [DRIVE, STEPS], [CHESS], options=("--json", out, "--html", page))
    assert shown.exit_code == 0, shown.err
    measured = json.loads(out.read_text())
    promised = {
        "answer_contains_gold",
        "citation_precision",
        "citation_recall",
        "verbatim",
        "refused_unanswerable",
        "false_refusals",
        "ece",
        "brier",
    }
    assert promised <= measured["metrics"].keys()
    assert measured["metrics"]["verbatim"] == 1.0
    assert [result["id"] for result in measured["results"]] == ["drive", "steps", "chess"]
    assert measured["name"] == "book"
    assert "refused_at_5_false_refusals" in shown.out
    assert page.read_text().startswith("<!doctype html>")


def test_citations_are_judged_one_by_one(evaluate: Evaluate, tmp_path: Path) -> None:
    assert evaluate("answers", [DRIVE, STEPS], options=("--json", tmp_path / "out.json")).exit_code == 0
    drive, steps = json.loads((tmp_path / "out.json").read_text())["results"]
    assert all(citation["verbatim"] for citation in drive["citations"])
    assert [c["in_gold_place"] for c in drive["citations"]] == [c["source_file"] == GEARS for c in drive["citations"]]
    assert steps["citations"][0]["right"] is True
    assert steps["right"] is True


def test_the_same_run_again_breaks_nothing(evaluate: Evaluate, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    evaluate("answers", [DRIVE, CHESS], options=("--json", out))
    again = evaluate("answers", [DRIVE, CHESS], options=("--compare", out, "--fail-on-flip", "--json", out))
    assert again.exit_code == 0, again.err
    assert "Right before, wrong now: 0" in again.out
    assert json.loads(out.read_text())["comparison"]["compared"] == 2


@pytest.mark.parametrize(("options", "code"), [(("--fail-on-flip",), GOT_WORSE), ((), 0)])
def test_one_broken_question_fails_only_where_that_is_asked_for(
    evaluate: Evaluate, tmp_path: Path, options: tuple[str, ...], code: int
) -> None:
    out = tmp_path / "old.json"
    evaluate("retrieval", [DRIVE, STEPS], options=("--json", out))
    moved = DRIVE | {
        "gold_file": "intro.md",
        "gold_level": "paragraph",
        "gold_section_or_paragraph": "Not there at all.",
    }
    shown = evaluate("retrieval", [moved, STEPS], options=("--compare", out, *options))
    assert shown.exit_code == code
    assert "Right before, wrong now: 1" in shown.out


def test_a_gold_file_that_is_not_in_the_book_is_named_with_its_line(evaluate: Evaluate, tmp_path: Path) -> None:
    shown = evaluate(
        "retrieval", [DRIVE, STEPS | {"gold_file": "book/gone.mdx"}], options=("--json", tmp_path / "out.json")
    )
    assert shown.exit_code == 0
    assert "warning: 1 of 2 gold places are not in the book" in shown.err
    assert "questions0.jsonl:2: book/gone.mdx" in shown.err
    assert json.loads((tmp_path / "out.json").read_text())["missing_golds"] == ["questions0.jsonl:2: book/gone.mdx"]


def test_questions_of_another_book_are_an_error(evaluate: Evaluate) -> None:
    shown = evaluate("answers", [DRIVE | {"gold_file": "other/book.mdx"}])
    assert shown.exit_code == UNUSABLE_INPUT
    assert "No gold place is in this book. Are these its questions?" in shown.err


def test_retrieval_needs_a_place_to_look_for(evaluate: Evaluate) -> None:
    shown = evaluate("retrieval", [{"question": "What is a gear?"}, CHESS])
    assert shown.exit_code == UNUSABLE_INPUT
    assert "give it a gold_file" in shown.err


@pytest.mark.parametrize("what", ["answers", "retrieval"])
def test_a_foreign_file_to_compare_with_is_told_before_anything_is_measured(
    evaluate: Evaluate, tmp_path: Path, what: str
) -> None:
    (tmp_path / "foreign.json").write_text('{"hello": 1}')
    shown = evaluate(what, [DRIVE], options=("--compare", tmp_path / "foreign.json"))
    assert shown.exit_code == UNUSABLE_INPUT
    assert "foreign.json was not written by `citebook eval" in shown.err
    assert shown.out == ""


def test_results_of_another_kind_cannot_be_compared(evaluate: Evaluate, tmp_path: Path) -> None:
    out = tmp_path / "retrieval.json"
    evaluate("retrieval", [DRIVE], options=("--json", out))
    shown = evaluate("answers", [DRIVE], options=("--compare", out))
    assert shown.exit_code == UNUSABLE_INPUT
    assert "these are results of retrieval" in shown.err


def test_nothing_to_fall_behind_is_said(evaluate: Evaluate) -> None:
    shown = evaluate("answers", [DRIVE], options=("--fail-on-flip",))
    assert shown.exit_code == UNUSABLE_INPUT
    assert "--fail-on-flip needs --compare" in shown.err


@pytest.mark.parametrize("option", ["--json", "--html"])
def test_where_results_cannot_be_written_it_says_so_first(evaluate: Evaluate, tmp_path: Path, option: str) -> None:
    shown = evaluate("answers", [DRIVE], options=(option, tmp_path / "no" / "such.folder"))
    assert shown.exit_code == UNUSABLE_INPUT
    assert f"{option} {tmp_path}/no/such.folder: name a file in a folder that exists" in shown.err


def test_several_results_become_one_page(evaluate: Evaluate, tmp_path: Path) -> None:
    first, second, page = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "page.html"
    evaluate("answers", [DRIVE, CHESS], options=("--json", first))
    evaluate("retrieval", [STEPS], options=("--json", second, "--name", "another"))
    shown = citebook("eval", "report", first, second, "--out", page, "--compare", first)
    assert shown.exit_code == 0, shown.err
    assert shown.out.endswith(f"Wrote {page}.\n")
    written = page.read_text()
    assert "All sets together" in written
    assert "another" in written
    assert "What changed" in written
