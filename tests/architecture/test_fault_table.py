"""docs/reference/fault-table.md: every fault has its cells, and every cell a test that is there."""

from typing import NamedTuple

import pytest

from tests.architecture.named_tests import ROOT, TEST, is_a_test

FAULT_TABLE = ROOT / "docs" / "reference" / "fault-table.md"
FAULTS = (
    "Embedder",
    "Qdrant",
    "Language model",
    "PostgreSQL",
    "Redis",
    "Disk full",
    "SIGKILL",
    "SIGTERM",
    "Client leaves",
    "Clock jumps",
)
TIMES = ("down at start", "dies or hangs in a request", "answers nonsense", "half-written")
CANNOT_BE = {
    ("Disk full", "answers nonsense"),
    ("SIGKILL", "down at start"),
    ("SIGKILL", "answers nonsense"),
    ("SIGTERM", "down at start"),
    ("SIGTERM", "answers nonsense"),
    ("SIGTERM", "half-written"),
    ("Client leaves", "down at start"),
    ("Client leaves", "answers nonsense"),
    ("Clock jumps", "down at start"),
}
"""A process that ends says nothing, a client that leaves was there before."""


class Cell(NamedTuple):
    fault: str
    time: str
    happens: str
    held_by: str


def cells_of(text: str) -> list[Cell]:
    found = []
    fault = ""
    for line in text.splitlines():
        if line.startswith("## "):
            fault = line.removeprefix("## ")
        elif fault and line.startswith("| ") and not line.startswith(("| when ", "| --- ")):
            time, happens, held_by, *_ = (*(cell.strip() for cell in line.strip("|").split(" | ")), "", "")
            found.append(Cell(fault, time, happens, held_by))
    return found


text = FAULT_TABLE.read_text(encoding="utf-8")
cells = cells_of(text)


def faults_of(cell: Cell) -> list[str]:
    """What is wrong with a cell."""
    tests = TEST.findall(cell.held_by)
    wrong = [f"there is no {file}::{name}" for file, name in tests if not is_a_test(file, name)]
    if not tests:
        wrong.append("no test")
    if len(cell.happens) < 2:
        wrong.append("it does not say what happens")
    return wrong


def test_every_cell_is_there_once() -> None:
    expected = [(fault, time) for fault in FAULTS for time in TIMES if (fault, time) not in CANNOT_BE]
    assert [(cell.fault, cell.time) for cell in cells] == expected


@pytest.mark.parametrize("cell", cells, ids=lambda cell: f"{cell.fault}: {cell.time}")
def test_every_cell_says_what_happens_and_names_tests_that_are_there(cell: Cell) -> None:
    assert faults_of(cell) == []


@pytest.mark.parametrize(
    "row",
    [
        "| down at start | it starts | |",
        "| down at start | | `tests/architecture/test_fault_table.py::test_every_cell_is_there_once` |",
        "| down at start | it starts | `tests/architecture/test_fault_table.py::test_of_nobody` |",
        "| down at start | it starts | `tests/nowhere.py::test_every_cell_is_there_once` |",
    ],
)
def test_a_cell_that_is_empty_or_names_a_test_of_nobody_would_be_noticed(row: str) -> None:
    (cell,) = cells_of(f"## Embedder\n{row}\n")
    assert faults_of(cell)
