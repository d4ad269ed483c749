"""docs/reference/seed-map.md: every place and every test that it names must be there."""

import re
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

import pytest
from pydantic import BaseModel

from tests.architecture.named_tests import ROOT, TEST, content, is_a_test

SEED_MAP = ROOT / "docs" / "reference" / "seed-map.md"
SEEDS = ("textbook", "core", "academic", "agent", "ask")
NAME = re.compile(r"`(citebook(?:\.\w+)+)`")
SYMBOL = re.compile(r"`([^`]+)` in `([^`]+)`")
OVERRULED = re.compile(r"\*\*overruled by SPEC section [2-6]\*\*[^:]*: \S")
OPEN = re.compile(r"\*\*open\*\*: \S")


class Row(NamedTuple):
    seed: str
    heading: str
    requirement: str
    place: str
    shown_by: str
    more: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return "overruled" if "**overruled" in self.place else "open" if "**open**" in self.place else "as said"


def rows_of(text: str) -> list[Row]:
    found = []
    seed = heading = ""
    for line in text.splitlines():
        if line.startswith("## "):
            seed = line.removeprefix("## ")
        elif line.startswith("### "):
            heading = line.removeprefix("### ")
        elif seed and line.startswith("| ") and not line.startswith(("| requirement ", "| --- ")):
            requirement, place, shown_by, *more = (*(cell.strip() for cell in line.strip("|").split(" | ")), "", "")
            found.append(Row(seed, heading, requirement, place, shown_by, tuple(filter(None, more))))
    return found


text = SEED_MAP.read_text(encoding="utf-8")
rows = rows_of(text)


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


def holds(symbol: str, file: str) -> bool:
    """Whether the file has the symbol: `Type.field` where it has both names."""
    parts = symbol.split(".") if re.fullmatch(r"[\w.]+", symbol) else [symbol]
    return all(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", content(file)) for part in parts)


def test_every_name_is_there() -> None:
    names = set(NAME.findall(text))
    assert len(names) > 100
    assert [name for name in sorted(names) if not resolves(name)] == []


def test_every_symbol_is_in_its_file() -> None:
    symbols = set(SYMBOL.findall(text)) - {("symbol", "file")}
    assert len(symbols) > 20
    assert [symbol for symbol in sorted(symbols) if not holds(*symbol)] == []


def test_every_test_is_there() -> None:
    tests = set(TEST.findall(text))
    assert len(tests) > 200
    assert [test for test in sorted(tests) if not is_a_test(*test)] == []


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


def test_a_symbol_that_is_not_there_would_be_noticed() -> None:
    file = "web/packages/client/src/types.ts"
    assert holds("Message.timestamp", file)
    assert not holds("Message.colour", file)
    assert not holds("Message.timestamp", "web/packages/client/src/nowhere.ts")


def test_a_test_that_is_not_there_would_be_noticed() -> None:
    here = "tests/architecture/test_seed_map.py"
    assert is_a_test(here, "test_every_name_is_there")
    assert not is_a_test(here, "test_every_name")
    assert not is_a_test(here, "TestNames::test_every_name_is_there")
    assert not is_a_test("tests/architecture/test_nowhere.py", "test_every_name_is_there")
    assert not is_a_test("web/packages/widget/test/chatStore.test.ts", "grows while")


def test_every_seed_is_mapped() -> None:
    assert tuple(dict.fromkeys(row.seed for row in rows)) == SEEDS


def test_no_requirement_stands_twice_under_one_heading() -> None:
    keys = [row[:3] for row in rows]
    assert sorted(keys) == sorted(set(keys))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_row_says_where_and_which_test_or_why_not(seed: str) -> None:
    for row in (row for row in rows if row.seed == seed):
        assert not row.more, row
        if row.kind == "open":
            assert OPEN.search(row.place), row
            continue
        assert TEST.search(row.shown_by), row
        if row.kind == "overruled":
            assert OVERRULED.search(row.place), row
        else:
            assert NAME.search(row.place) or SYMBOL.search(row.place), row


def test_a_row_without_a_test_would_be_noticed() -> None:
    (row,) = rows_of("## ask\n### Rules\n| a rule | `citebook.domain.book.Chunk` | – |\n")
    assert (row.kind, TEST.search(row.shown_by)) == ("as said", None)


def test_the_summary_counts_the_rows() -> None:
    for seed in (*SEEDS, "all"):
        kinds = [row.kind for row in rows if seed in (row.seed, "all")]
        counts = [len(kinds), *(kinds.count(kind) for kind in ("as said", "overruled", "open"))]
        line = " | ".join(map(str, counts))
        assert re.search(rf"^\| (\[{seed}\]\(#{seed}\)|{seed}) \| {re.escape(line)} \|$", text, re.MULTILINE), counts
