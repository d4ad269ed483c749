"""The load commands in their shortest form: the guarantees that do not depend on how fast a machine is."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bench.trust.figures import FIGURES
from bench.trust.outcome import Outcome
from bench.trust.page import BEGIN, END, Measured, table_of, write_table

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.network
def test_readers_who_leave_close_the_call_of_the_model(sample_index: Path, tmp_path: Path) -> None:
    """Of the sample book, because a reader who leaves must have been answered by the model."""
    command = [
        sys.executable,
        "-m",
        "bench.load.leaving",
        "--clients",
        "20",
        "--json",
        str(tmp_path / "outcome.json"),
    ]
    copy = shutil.copytree(sample_index, tmp_path / "data")
    ended = subprocess.run([*command, "--data-dir", str(copy)], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    outcome = json.loads((tmp_path / "outcome.json").read_text())
    assert outcome["figure"] == 4
    measured = {goal["what"]: goal["measured"] for goal in outcome["details"]["goals"]}
    assert measured["never closed"] == measured["open calls at the end"] == "0"


def test_the_table_shows_failures_and_short_runs_as_what_they_are(tmp_path: Path) -> None:
    page = tmp_path / "trust.md"
    page.write_text(f"# Trust\n\nBefore.\n\n{BEGIN}\nstood here before\n{END}\n\nAfter.\n")
    failed = Outcome(11, "100 streams", "0 errors", "3 errors", False, 60.0)
    passed = Outcome(13, "500 streams", "no leak", "none", True, 60.0)
    measured = {
        11: Measured(failed, True, "2026-01-02", "abc", 2, 16),
        13: Measured(passed, False, "2026-01-02", "abc", 2, 16),
    }
    write_table(page, measured)
    text = page.read_text()
    assert "Before." in text
    assert "After." in text
    assert "stood here before" not in text
    rows = {row.split("|")[1].strip(): row for row in text.splitlines() if row.startswith("| ")}
    assert "3 errors | **no** |" in rows["11"]
    assert "| in a short run |" in rows["13"]
    assert "not measured" in rows["1"]
    assert len([name for name in rows if name.isdigit()]) == len(FIGURES) == 14


def test_an_outcome_is_read_as_it_was_written(tmp_path: Path) -> None:
    measured = Measured(Outcome(4, "a", "b", "c", True, 1.5, {"d": 1}), True, "2026-01-02", "abc", 2, 16)
    measured.write(tmp_path / "figure.json")
    assert Measured.read(tmp_path / "figure.json") == measured
    assert "c | yes |" in table_of({4: measured})
