"""docs/reference/seed-map.md: what it says of the code must be there."""

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from pydantic import BaseModel

SEED_MAP = Path(__file__).parents[2] / "docs" / "reference" / "seed-map.md"
WEB_FILE = re.compile(r"\bweb/packages/[\w./-]+\.tsx?\b")
SEEDS = {"textbook", "core", "academic", "agent", "ask"}

text = SEED_MAP.read_text(encoding="utf-8")
names = sorted(set(re.findall(r"\bcitebook(?:\.\w+)+", text)))
rows = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in text.splitlines()
    if line.startswith("| ") and not line.startswith(("| seed ", "| --- "))
]


def resolves(name: str) -> bool:
    """Whether a dotted name leads to a module or to something in one; a field counts as part of its class."""
    module, *rest = name.split(".")
    while rest and find_spec(f"{module}.{rest[0]}") is not None:
        module = f"{module}.{rest.pop(0)}"
        if not hasattr(import_module(module), "__path__"):
            break
    found: object = import_module(module)
    for part in rest:
        if isinstance(found, type) and issubclass(found, BaseModel) and part in found.model_fields:
            found = found.model_fields[part]
        elif hasattr(found, part):
            found = getattr(found, part)
        else:
            return False
    return True


@pytest.mark.parametrize("name", names)
def test_every_name_is_there(name: str) -> None:
    assert resolves(name)


@pytest.mark.parametrize(
    "name",
    [
        "citebook.nowhere",
        "citebook.domain.book.Chunks",
        "citebook.domain.book.Chunk.colour",
        "citebook.domain.x.y",
    ],
)
def test_a_name_that_is_not_there_would_be_noticed(name: str) -> None:
    assert not resolves(name)


def test_every_seed_is_mapped() -> None:
    assert {row[0] for row in rows} == SEEDS


def test_every_row_says_what_and_where() -> None:
    assert [row for row in rows if len(row) != 4 or not all(row)] == []


def test_every_field_stands_once() -> None:
    fields = [(row[0], row[1]) for row in rows]
    assert sorted(fields) == sorted(set(fields))


def test_every_file_of_the_chat_is_there() -> None:
    assert [file for file in WEB_FILE.findall(text) if not (SEED_MAP.parents[2] / file).is_file()] == []


def test_every_row_leads_to_code() -> None:
    places = r"citebook\.|web/packages/|adapter|\*\*overruled\*\*"
    assert [row[:2] for row in rows if not re.search(places, row[3])] == []
