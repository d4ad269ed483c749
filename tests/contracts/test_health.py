"""Health in each contract's own words, with the values that clients of that contract compare with."""

from importlib.metadata import version

import pytest

from citebook.domain.errors import BookNotIngested, VectorStoreUnavailable
from tests.contracts.conftest import Start
from tests.contracts.service import CANARY, DownIndex, Service


async def test_textbook_sees_what_is_connected(service: Service) -> None:
    body = (await service.client.get("/health")).json()
    assert body["status"] == "healthy"
    assert body["services"] == {"qdrant": "connected", "llm": "connected"}


async def test_agent_sees_the_same_and_the_number_of_collections(service: Service) -> None:
    body = (await service.client.get("/health")).json()
    assert (body["qdrant_status"], body["llm_status"]) == ("connected", "connected")
    assert body["qdrant_collection_count"] == len(service.services.books) == 2
    assert body["timestamp"]


@pytest.mark.parametrize("error", [VectorStoreUnavailable(CANARY), BookNotIngested("x"), RuntimeError(CANARY)])
async def test_an_index_that_is_away_is_disconnected(start: Start, error: Exception) -> None:
    response = await (await start(index=DownIndex(error))).client.get("/health")
    body = response.json()
    assert (response.status_code, body["status"]) == (503, "unhealthy")
    assert body["services"] == {"qdrant": "disconnected", "llm": "connected"}
    assert (body["qdrant_status"], body["qdrant_collection_count"]) == ("disconnected", 0)


async def test_core_has_a_version_and_dependencies(service: Service) -> None:
    body = (await service.client.get("/api/v1/health")).json()
    assert body.keys() == {"status", "version", "timestamp", "dependencies"}
    assert body["version"] == version("citebook")
    assert body["dependencies"]["qdrant"] == "up"
    assert body["dependencies"]["postgres"] == "not configured"


async def test_academic_has_booleans(service: Service) -> None:
    body = (await service.client.get("/health", headers=service.bearer)).json()
    assert body["status"] == "healthy"
    assert body["services"] == {"postgres": True, "qdrant": True, "claude_api": True}
    assert body["parts"]["postgres"] == "not configured"


async def test_academic_needs_its_database(start: Start, broken_database: str) -> None:
    """Who has a key cannot be looked up then, so whoever shows one is told."""
    service = await start(database_url=broken_database)
    response = await service.client.get("/health", headers=service.bearer)
    assert (response.status_code, response.json()["status"]) == (503, "unhealthy")
    assert response.json()["services"] == {"postgres": False, "qdrant": True, "claude_api": True}
    without = await service.client.get("/health")
    assert (without.status_code, without.json()["status"]) == (200, "degraded")


@pytest.mark.parametrize("header", ["Bearer wrong", "Basic dXNlcjo=", "Bearer"])
async def test_who_has_no_key_gets_the_usual_body(service: Service, header: str) -> None:
    response = await service.client.get("/health", headers={"Authorization": header})
    assert response.status_code == 200
    assert response.json()["services"]["qdrant"] == "connected"
