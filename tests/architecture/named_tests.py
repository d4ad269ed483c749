"""Tests that documentation names, as `file::test`, and whether they are there."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEST = re.compile(r"`((?:tests|web)/[^`]+?)::([^`]+)`")


@cache
def content(file: str) -> str:
    path = ROOT / file
    return path.read_text(encoding="utf-8") if path.is_file() else ""


@cache
def names_in(file: str) -> frozenset[str]:
    """The tests of a Python file, those of a class as `Class::test`."""
    names = set()
    for node in ast.parse(content(file)).body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        names |= {prefix + one.name for one in inner if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    return frozenset(name for name in names if name.rpartition("::")[2].startswith("test_"))


def is_a_test(file: str, name: str) -> bool:
    """Of the browser's tests the title is looked for, as it is written there between quotation marks."""
    if file.endswith(".py"):
        return name in names_in(file)
    return any(f"{mark}{name}{mark}," in content(file) for mark in "'\"`")
