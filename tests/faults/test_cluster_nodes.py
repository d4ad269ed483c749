"""Nodes of a real Qdrant cluster are stopped, frozen and started again under readers. Skipped without a binary."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from citebook.settings import Settings
from tests.faults.conftest import Shelf
from tests.faults.test_outages_under_load import (
    ALL_WELL,
    Service,
    index_is,
    served,
    settings_of,
    statuses,
    until,
)
from tests.qdrant_servers import Cluster
from tests.small_book import write_book

pytestmark = [pytest.mark.network, pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")]

RETRIEVAL_SECONDS = 2.0
HONEST = {200, 500, 503}
"""What a contract may say while its index is away: SPEC's words are checked in test_lost_index."""


@pytest.fixture
def cluster(qdrant_cluster: Cluster) -> Iterator[Cluster]:
    """Whole again at the end."""
    yield qdrant_cluster
    for node in qdrant_cluster.nodes:
        node.stop()
    for node in qdrant_cluster.nodes:
        node.start()
    qdrant_cluster.wait_for_peers()


@pytest.fixture
def settings(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A book with a copy on each node."""
    monkeypatch.setenv("QDRANT_URL", ",".join(cluster.urls))
    monkeypatch.setenv("QDRANT_COLLECTION", f"test-{uuid4().hex}")
    monkeypatch.setenv("QDRANT_REPLICATION_FACTOR", "3")
    monkeypatch.setenv("QDRANT_WRITE_CONSISTENCY_FACTOR", "2")
    monkeypatch.setenv("RETRIEVAL_SECONDS", str(RETRIEVAL_SECONDS))
    monkeypatch.setenv("EXAMINER", "none")
    shelf = Shelf(write_book(tmp_path / "book"), tmp_path / "data")
    assert shelf.ingest().exit_code == 0
    return settings_of(shelf.data)


@pytest.fixture
async def service(settings: Settings) -> AsyncIterator[Service]:
    async with served(settings) as service:
        yield service


async def answers(service: Service) -> dict[str, Any]:
    """What readers are told, without what differs from one asking to the next."""
    return {name: reply.json().get("answer") for name, reply in (await service.ask_all()).items()}


async def asked_on(service: Service, seconds: float = 3.0) -> list[int]:
    service.statuses.clear()
    await asyncio.sleep(seconds)
    return list(service.statuses)


@pytest.mark.parametrize("number", [0, 1, 2])
async def test_with_one_node_stopped_the_same_answers_go_on(service: Service, cluster: Cluster, number: int) -> None:
    before = await answers(service)
    cluster.nodes[number].stop()
    await asked_on(service)
    assert await answers(service) == before
    assert set(await asked_on(service)) == {200}
    await asyncio.to_thread(cluster.nodes[number].start)
    assert set(await asked_on(service)) == {200}


async def test_with_one_node_frozen_answers_go_on(service: Service, cluster: Cluster) -> None:
    before = await answers(service)
    cluster.nodes[0].freeze()
    try:
        await asked_on(service)
        assert set(await asked_on(service)) <= HONEST
        assert await answers(service) == before
    finally:
        cluster.nodes[0].thaw()
    assert set(await asked_on(service)) == {200}


async def test_with_all_stopped_each_contract_says_so_and_answers_when_they_are_back(
    service: Service, cluster: Cluster
) -> None:
    before = await answers(service)
    for node in cluster.nodes:
        node.stop()
    await until(lambda: index_is(service, "disconnected"))
    down = statuses(await service.ask_all())
    assert down == {"textbook": 500, "core": 503, "academic": 503, "agent": 500, "ask": 503}
    for node in cluster.nodes:
        await asyncio.to_thread(node.start)
    await until(lambda: index_is(service, "connected"))
    assert statuses(await service.ask_all()) == ALL_WELL
    assert await answers(service) == before
    assert set(service.statuses) <= HONEST


def test_a_book_is_ingested_with_one_node_stopped(settings: Settings, cluster: Cluster, tmp_path: Path) -> None:
    cluster.nodes[2].stop()
    shelf = Shelf(
        write_book(tmp_path / "book", balance="# Balance\n\nA gyroscope of brass spins.\n"), tmp_path / "data"
    )
    ingested = shelf.ingest()
    assert (ingested.exit_code, settings.citebook_data_dir) == (0, shelf.data), ingested.err
    assert shelf.found("gyroscope of brass")[0] == "02-walking/balance.md"
