"""The clock is set while questions are answered: no deadline, limit or breaker is moved by it."""

import sys
import time
from pathlib import Path

import pytest

from citebook.ports import Vector
from tests.fakes import WordEmbedder
from tests.faults.conftest import Shelf
from tests.faults.test_outages_under_load import ALL_WELL, settings_of, started, statuses

DAYS = 86_400.0


@pytest.fixture
def data_dir(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXAMINER", "none")
    return shelf.data


@pytest.mark.parametrize("days", [45, -45])
async def test_a_clock_that_is_set_back_or_ahead_moves_no_deadline(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    """In the middle of each question, for all who look at the wall clock."""
    real, jumps = time.time, 0

    class Jumping(WordEmbedder):
        async def embed_question(self, text: str) -> Vector:
            nonlocal jumps
            jumps += 1
            return await super().embed_question(text)

    def jumped() -> float:
        return real() + jumps * days * DAYS

    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: Jumping())
    async with started(settings_of(data_dir)) as service:
        for name, module in list(sys.modules.items()):
            if name.startswith("citebook"):
                for attribute in [one for one, value in vars(module).items() if value is real]:
                    monkeypatch.setattr(module, attribute, jumped)
        monkeypatch.setattr(time, "time", jumped)
        for _ in range(2):
            assert statuses(await service.ask_all()) == ALL_WELL
    assert jumps >= 2 * len(ALL_WELL)
