"""Names say what is in a module; no file and no function grows beyond what one reads in one go."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "citebook"
FILES = sorted(SOURCE.rglob("*.py"))

SAYS_NOTHING = {"utils", "util", "helpers", "helper", "common", "base", "manager", "service", "misc"}
MOST_LINES_OF_A_FILE = 400
MOST_LINES_OF_A_FUNCTION = 60


def name_of(file: Path) -> str:
    return str(file.relative_to(SOURCE))


def long_functions(source: str) -> Iterator[str]:
    """Functions that are too long, with their length."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MOST_LINES_OF_A_FUNCTION:
                yield f"{node.name}: {lines} lines"


def test_the_source_is_found() -> None:
    assert len(FILES) > 20


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_names_say_something(file: Path) -> None:
    parts = file.relative_to(SOURCE).with_suffix("").parts
    assert [part for part in parts if SAYS_NOTHING.intersection(part.lower().split("_"))] == []


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_files_are_short(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MOST_LINES_OF_A_FILE


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_functions_are_short(file: Path) -> None:
    assert list(long_functions(file.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_modules_open_with_a_sentence(file: Path) -> None:
    source = file.read_text(encoding="utf-8")
    assert not source.strip() or ast.get_docstring(ast.parse(source))


def test_a_long_function_would_be_noticed() -> None:
    source = "async def long():\n" + "    pass\n" * MOST_LINES_OF_A_FUNCTION
    assert list(long_functions(source)) == [f"long: {MOST_LINES_OF_A_FUNCTION + 1} lines"]
