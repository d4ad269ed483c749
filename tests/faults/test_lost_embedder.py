"""The embedder is away, hangs or talks nonsense: the whole service answers by words alone, and says so."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from citebook.domain.calibration import AS_IT_IS
from citebook.domain.errors import EmbedderFailed
from citebook.pacing.watched_embedder import WatchedEmbedder
from citebook.ports import Vector, Vectors
from tests.fakes import WordEmbedder
from tests.faults.conftest import Shelf
from tests.faults.test_outages_under_load import ALL_WELL, Service, settings_of, started, statuses

DIMENSION = WordEmbedder().stamp.dimension
NONSENSE: dict[str, Vector] = {
    "a wrong dimension": np.ones(DIMENSION + 1, np.float32),
    "not a number": np.full(DIMENSION, np.nan, np.float32),
    "no direction": np.zeros(DIMENSION, np.float32),
    "a row too many": np.ones((1, DIMENSION), np.float32),
}


@dataclass(slots=True)
class Fault:
    """What is wrong with the embedder, as long as it is."""

    error: EmbedderFailed | None = None
    vector: Vector | None = None
    hangs: bool = False
    asked: int = 0


@dataclass
class FaultyEmbedder(WordEmbedder):
    fault: Fault = field(default_factory=Fault)

    def __post_init__(self) -> None:
        super().__init__()

    def load(self) -> None:
        if self.fault.error is not None:
            raise self.fault.error

    async def embed_question(self, text: str) -> Vector:
        self.fault.asked += 1
        if self.fault.error is not None:
            raise self.fault.error
        if self.fault.hangs:
            await asyncio.Event().wait()
        return super()._vector(text) if self.fault.vector is None else self.fault.vector

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        given = self.fault.vector
        return await super().embed_passages(texts) if given is None else np.stack([given] * len(texts))


@pytest.fixture
def fault(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> Fault:
    assert shelf.editions, "a whole embedder has ingested the book"
    fault = Fault()
    monkeypatch.setenv("EXAMINER", "none")
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: FaultyEmbedder(fault))
    return fault


@pytest.fixture
def data_dir(shelf: Shelf) -> Path:
    return shelf.data


async def state(service: Service) -> tuple[int, str, str]:
    status, body = await service.health()
    return status, body["status"], body["parts"]["embedder"]


DEGRADED = (200, "degraded", "down")
WELL = (200, "healthy", "up")


@pytest.fixture
def _measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A set-up whose confidence was measured: answers by words alone are then told apart from the others."""

    class Chosen:
        holds, is_own, differences = True, True, ()

        def __init__(self, in_use: Any) -> None:
            self.calibration = SimpleNamespace(set_up=in_use, curve=AS_IT_IS)

    monkeypatch.setattr("citebook.root.wiring.calibration_of", lambda _settings, in_use: Chosen(in_use))


async def is_flagged(service: Service) -> dict[str, bool]:
    """By contract, of those that say so on the wire: whether the confidence is not the measured one."""
    asked = await service.ask_all()
    assert statuses(asked) == ALL_WELL
    return {name: not asked[name].json()["calibrated"] for name in ("textbook", "core", "ask")}


FLAGGED = dict.fromkeys(("textbook", "core", "ask"), True)
UNFLAGGED = dict.fromkeys(FLAGGED, False)


@pytest.mark.usefixtures("_measured")
async def test_down_at_start_the_service_starts_and_says_that_words_alone_are_searched(
    data_dir: Path, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    fault.error = EmbedderFailed("nobody is there")
    async with started(settings_of(data_dir)) as service:
        assert await state(service) == DEGRADED
        assert await is_flagged(service) == FLAGGED
        assert "the embedder failed (failure 1 since the start): nobody is there" in caplog.text
        fault.error = None
        await asyncio.sleep(1.1)  # so long it is left alone
        assert await state(service) == WELL, "health asks again by itself"
        assert await is_flagged(service) == UNFLAGGED


FAULTS: dict[str, Callable[[Fault], None]] = {
    "dies": lambda fault: setattr(fault, "error", EmbedderFailed("the connection broke")),
    "hangs": lambda fault: setattr(fault, "hangs", True),
}


@pytest.mark.usefixtures("_measured")
@pytest.mark.parametrize("happens", FAULTS.values(), ids=FAULTS)
async def test_lost_in_a_request_words_alone_are_searched_and_the_answer_is_flagged(
    data_dir: Path, fault: Fault, happens: Callable[[Fault], None]
) -> None:
    async with started(settings_of(data_dir, retrieval_seconds=4)) as service:
        assert await state(service) == WELL
        assert await is_flagged(service) == UNFLAGGED
        happens(fault)
        assert await is_flagged(service) == FLAGGED
        assert await state(service) == DEGRADED


async def test_nonsense_is_refused_and_counted(
    data_dir: Path, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    selected = {"question": "What is a harmonic drive?", "selected_text": "A harmonic drive is a gear."}
    async with started(settings_of(data_dir)) as service:
        for times, fault.vector in enumerate(NONSENSE.values(), start=1):
            assert (await service.ask("ask")).status_code == 200
            assert f"the embedder failed (failure {times} since the start): words gave a vector" in caplog.text
        assert (await service.client.post("/api/ask-selected", json=selected)).status_code == 200
        assert await state(service) == DEGRADED


def test_an_ingest_of_nonsense_changes_nothing(shelf: Shelf, fault: Fault) -> None:
    before = shelf.editions
    page = shelf.book / "01-joints" / "gears.mdx"
    page.write_text(page.read_text().replace("cheap", "strong"))
    for fault.vector in NONSENSE.values():
        assert shelf.ingest().exit_code != 0
        assert shelf.editions == before
    fault.vector = None
    assert shelf.still_serves


async def test_an_ingest_waits_for_a_slow_one(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(WordEmbedder):
        async def embed_question(self, text: str) -> Vector:
            await asyncio.sleep(0.05)
            return await super().embed_question(text)

    monkeypatch.setenv("RETRIEVAL_SECONDS", "0.01")
    monkeypatch.setattr("citebook.root.wiring.embedder_of", lambda *_given: Slow("slow", 32))
    assert (await asyncio.to_thread(shelf.ingest)).exit_code == 0


async def test_one_that_keeps_failing_is_only_probed(fault: Fault, caplog: pytest.LogCaptureFixture) -> None:
    embedder = WatchedEmbedder(FaultyEmbedder(fault), 60.0)
    fault.error = EmbedderFailed("away")
    with caplog.at_level(logging.WARNING):
        for _ in range(20):
            with pytest.raises(EmbedderFailed):
                await embedder.embed_question("a question")
    assert fault.asked < 20
    assert "it is left alone, but for a probe every 1 s" in caplog.text
    fault.error = None
    await embedder.ping()
    await embedder.embed_question("a question")
    assert embedder.is_up
