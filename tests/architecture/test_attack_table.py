"""docs/reference/attack-table.md: no row is without a test, and every test that it names is there."""

import re

from tests.architecture.named_tests import ROOT, TEST, is_a_test

TEXT = (ROOT / "docs" / "reference" / "attack-table.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| (.+) \|$", TEXT, re.MULTILINE)


def test_there_is_a_row_for_each_attack() -> None:
    assert [int(number) for number, _ in ROWS] == list(range(1, 24))


def test_no_row_is_empty_and_every_test_is_there() -> None:
    for number, cells in ROWS:
        named = TEST.findall(cells)
        assert named, f"row {number} has no test"
        assert [test for test in named if not is_a_test(*test)] == [], f"row {number}"
