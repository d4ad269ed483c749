"""docs/guides/through-the-rooms.md names code that is there."""

import re
from pathlib import Path

import pytest

from tests.architecture.test_seed_map import resolves

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "through-the-rooms.md"
names = sorted(set(re.findall(r"\bcitebook(?:\.\w+)+", PAGE.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("name", names)
def test_every_station_is_there(name: str) -> None:
    assert resolves(name)


def test_the_whole_way_is_told() -> None:
    assert len(names) > 20
