"""A Qdrant server that is away, hangs or talks nonsense: words, refusals, and never a model without context."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from math import inf, nan
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import pytest
from qdrant_client import AsyncQdrantClient
from qdrant_client.http.exceptions import ResponseHandlingException

from citebook.adapters.qdrant.server import QdrantServer
from citebook.settings import Settings
from tests.faults.conftest import Shelf
from tests.faults.test_outages_under_load import (
    ALL_WELL,
    Service,
    check_words,
    index_is,
    settings_of,
    started,
    statuses,
    until,
)
from tests.language_models import SpokenModel
from tests.small_book import write_book

pytestmark = [
    pytest.mark.network,
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning"),  # of the client's local mode
]
DOWN = {"textbook": 500, "core": 503, "academic": 503, "agent": 500, "ask": 503}
FAILURES = 5
Spoil = Callable[[Any], Any]


@dataclass
class FaultyClient:
    """The client of a Qdrant server, whose server is in this process and may be lost."""

    fault: Literal["none", "dead", "hung"] = "none"
    spoil: Spoil = lambda found: found
    """What becomes of the hits of a search on their way."""
    asked: int = 0
    real: AsyncQdrantClient = field(default_factory=lambda: AsyncQdrantClient(":memory:"))

    def __getattr__(self, name: str) -> Any:
        real = getattr(self.real, name)

        async def ask(*args: Any, **kwargs: Any) -> Any:
            self.asked += 1
            if self.fault == "dead":
                raise ResponseHandlingException(ConnectionRefusedError("nobody is there"))
            if self.fault == "hung":
                await asyncio.Event().wait()
            found = await real(*args, **kwargs)
            return self.spoil(found) if name == "query_batch_points" else found

        return ask

    async def close(self) -> None:
        """The server stays."""


class Model(SpokenModel):
    async def ping(self) -> None:
        """It is there."""


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    model = Model('{"claim": "A harmonic drive is a gear.", "excerpt": 1, "quote": "A harmonic drive is a gear"}\n')
    monkeypatch.setattr("citebook.root.wiring.language_model_of", lambda *_given: model)
    return model


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> FaultyClient:
    client = FaultyClient()
    monkeypatch.setattr(
        QdrantServer,
        "connect",
        lambda _address, alias, locks, workers, _shape: QdrantServer(client, alias, locks, workers),  # type: ignore[arg-type]
    )
    return client


@pytest.fixture
def settings(client: FaultyClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A book that is ingested on that server."""
    monkeypatch.setenv("QDRANT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("EXAMINER", "none")
    shelf = Shelf(write_book(tmp_path / "book"), tmp_path / "data")
    assert shelf.ingest().exit_code == 0
    assert client.asked
    return settings_of(shelf.data)


@pytest.fixture
async def service(settings: Settings, model: Model) -> AsyncIterator[Service]:
    async with started(settings) as service:
        assert statuses(await service.ask_all()) == ALL_WELL
        assert model.prompts
        model.prompts.clear()
        yield service


async def test_down_at_start_the_service_starts_and_each_contract_says_so(
    settings: Settings, client: FaultyClient, model: Model
) -> None:
    client.fault = "dead"
    async with started(settings) as service:
        assert statuses(await service.ask_all()) == DOWN
        assert model.prompts == []
        client.fault = "none"
        await until(lambda: index_is(service, "connected"))
        assert statuses(await service.ask_all()) == ALL_WELL


async def test_after_five_failures_it_is_left_alone_until_a_probe_succeeds(
    service: Service, client: FaultyClient, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "citebook")
    client.fault = "dead"
    before = client.asked
    for _ in range(20):
        assert (await service.ask("ask")).status_code == 503
    assert "the index fails: it is left alone, but for a probe every 1 s" in caplog.text
    assert client.asked - before < 20, "each question has two tries, and each try asks for words and passages"
    asked = await service.ask_all()
    assert statuses(asked) == DOWN
    check_words_of_outage({name: reply.json() for name, reply in asked.items()})
    client.fault = "none"
    await until(lambda: index_is(service, "connected"))
    assert statuses(await service.ask_all()) == ALL_WELL
    assert "the index is back" in caplog.text
    assert model.prompts


def check_words_of_outage(said: dict[str, Any]) -> None:
    said["core"]["error"]["fallbackFaq"] = [{"question": "Where is the book?"}]  # here those of the book itself
    said["agent"]["error"] = "database" if said["agent"]["error"] == "network" else said["agent"]["error"]
    check_words(said)


async def test_one_that_hangs_is_given_up_on_and_then_left_alone(
    settings: Settings, client: FaultyClient, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    hurried = settings.model_copy(update={"retrieval_seconds": 2.0})
    async with started(hurried) as service:
        client.fault = "hung"
        asked = [await service.ask("core") for _ in range(2)]
        assert {reply.json()["error"]["code"] for reply in asked} == {"VECTOR_STORE_UNAVAILABLE"}
        assert "the index fails: it is left alone" in caplog.text
        client.fault = "none"
        await until(lambda: index_is(service, "connected"))
    assert model.prompts == []


async def test_no_model_is_ever_asked_without_context(service: Service, client: FaultyClient, model: Model) -> None:
    client.fault = "dead"
    assert statuses(await service.ask_all()) == DOWN
    client.fault, client.spoil = "none", EMPTY
    await until(lambda: index_is(service, "connected"))
    for contract in ALL_WELL:
        assert (await service.ask(contract)).status_code == 200
    assert model.prompts == []


def each_point(change: Callable[[Any], Any]) -> Spoil:
    def spoil(found: Any) -> Any:
        points = [[change(point) for point in answer.points] for answer in found]
        return [
            answer.model_copy(update={"points": [point for point in kept if point is not None]})
            for answer, kept in zip(found, points, strict=True)
        ]

    return spoil


EMPTY = each_point(lambda _point: None)
NONSENSE = {
    "ids of nobody": each_point(lambda point: point.model_copy(update={"id": str(uuid4())})),
    "no numbers": each_point(lambda point: point.model_copy(update={"score": nan})),
    "endless": each_point(lambda point: point.model_copy(update={"score": inf})),
    "below nothing": each_point(lambda point: point.model_copy(update={"score": -7.0})),
    "without a page": each_point(lambda point: point.model_copy(update={"payload": None})),
    "a page that is none": each_point(lambda point: point.model_copy(update={"payload": {"source_file": 7}})),
}


async def test_unknown_ids_and_bad_scores_are_dropped_and_where_none_is_left_it_is_an_honest_refusal(
    service: Service, client: FaultyClient, model: Model
) -> None:
    for name, client.spoil in NONSENSE.items():
        reply = await service.ask("core")
        said = (reply.status_code, reply.json().get("outcome"), reply.json().get("sources"))
        assert said == (200, "refused", []), name
        assert statuses(await service.ask_all()) == ALL_WELL, name
    assert model.prompts == []


async def test_of_some_bad_scores_the_others_answer(service: Service, client: FaultyClient) -> None:
    """The last hit of each search is spoilt; what is left is told, and cited."""
    whole = (await service.ask("core")).json()["sources"]

    def spoil(found: Any) -> Any:
        worst = {answer.points[-1].id for answer in found if len(answer.points) > 1}
        spoilt = each_point(lambda one: one.model_copy(update={"score": nan}) if one.id in worst else one)
        return spoilt(found)

    client.spoil = spoil
    reply = await service.ask("core")
    assert (reply.status_code, reply.json()["outcome"]) == (200, "answered")
    assert {source["chapterId"] for source in reply.json()["sources"]} <= {source["chapterId"] for source in whole}


async def test_fewer_answers_than_were_asked_for_are_a_failure_of_the_server(
    service: Service, client: FaultyClient, model: Model
) -> None:
    client.spoil = lambda found: found[:-1]
    reply = await service.ask("core")
    assert (reply.status_code, reply.json()["error"]["code"]) == (503, "VECTOR_STORE_UNAVAILABLE")
    assert model.prompts == []
