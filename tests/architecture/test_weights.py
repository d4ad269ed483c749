"""Every table of weights says where it comes from, and nobody changed a number without saying so."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citebook.confidence import model
from citebook.domain.weights import FILE_NAME, Fitted
from citebook.proving.support import judging
from citebook.reading import sentence_scoring
from citebook.searching import ranking

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "citebook"

ROOMS: dict[str, Callable[[], Fitted[Any]]] = {
    "confidence": model.shipped_weights,
    "proving/support": judging.shipped_weights,
    "reading": sentence_scoring.shipped_weights,
    "searching": ranking.shipped_weights,
}


def test_every_file_of_weights_is_looked_at() -> None:
    found = {file.parent.relative_to(SOURCE).as_posix() for file in SOURCE.rglob(FILE_NAME)}
    assert found == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_no_number_was_changed_by_hand(room: str) -> None:
    shipped = ROOMS[room]()
    assert shipped.sha256 == shipped.origin.weights_sha256, "fit it again, or say in its origin what was chosen"


@pytest.mark.parametrize("room", ROOMS)
def test_every_number_of_the_file_is_said_in_it(room: str) -> None:
    """None comes from a default that the hash would not see."""
    written = json.loads((SOURCE / room / FILE_NAME).read_text(encoding="utf-8"))["weights"]
    assert written == ROOMS[room]().weights.model_dump(mode="json")


@pytest.mark.parametrize("room", ROOMS)
def test_the_command_that_makes_it_again_is_there(room: str) -> None:
    module = ROOMS[room]().origin.command.split()[2]
    command = ROOT / f"{module.replace('.', '/')}.py"
    assert command.is_file()
    assert f'parser_of(__doc__, "citebook/{room}")' in command.read_text(encoding="utf-8")


@pytest.mark.parametrize("room", ROOMS)
def test_the_decisions_that_it_names_are_there(room: str) -> None:
    origin = ROOMS[room]().origin
    named = re.findall(r"decision (\d{4})", f"{origin.fitted_to} {origin.by_hand}")
    assert named
    assert all(list((ROOT / "docs" / "decisions").glob(f"{number}-*.md")) for number in named)


@pytest.mark.parametrize("room", ROOMS)
def test_no_place_of_a_machine_is_in_it(room: str) -> None:
    assert not re.search(r"/(?:home|tmp|work|root|Users)\b", (SOURCE / room / FILE_NAME).read_text(encoding="utf-8"))
