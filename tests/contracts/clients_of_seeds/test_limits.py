"""How many questions each contract takes, and what the next one gets: with the limits that the seeds set."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.contracts.clients_of_seeds import academic, agent, ask, core
from tests.contracts.clients_of_seeds.conftest import serving
from tests.contracts.clients_of_seeds.wire import Wire

pytestmark = pytest.mark.network

GREETING = "hello"
"""Costs the service nothing, and is a question as any other to whoever counts."""


@pytest.fixture(scope="module")
def strict_server(data_dir: Path) -> Iterator[httpx.Client]:
    with serving(data_dir) as http:
        yield http


@pytest.fixture
def wire(strict_server: httpx.Client) -> Wire:
    """To a service with the limits that it has by default."""
    return Wire(strict_server)


def exhausted(send: Callable[[], httpx.Response], limit: int) -> httpx.Response:
    """The reply to the first question above the limit."""
    for _ in range(limit):
        taken = send()
        assert taken.status_code == 200, taken.text
    refused = send()
    assert refused.status_code == 429
    assert refused.headers["x-ratelimit-limit"] == str(limit)
    assert refused.headers["x-ratelimit-remaining"] == "0"
    assert int(refused.headers["x-ratelimit-reset"]) > 0
    assert int(refused.headers["retry-after"]) > 0
    return refused


def test_textbook_takes_30_a_minute(wire: Wire) -> None:
    refused = exhausted(lambda: wire.post("/api/query", {"query": GREETING}), 30)
    assert isinstance(refused.json()["detail"], str)


def test_core_takes_10_an_hour_of_who_is_not_signed_in(wire: Wire) -> None:
    refused = exhausted(lambda: wire.post("/api/v1/query", {"query": GREETING}), 10)
    error = core.error_of(refused)
    assert error.code == "RATE_LIMIT_EXCEEDED"
    assert error.retry_after is not None
    assert 60 < error.retry_after <= 3600


def test_a_header_does_not_raise_the_limit(wire: Wire) -> None:
    exhausted_once = wire.post("/api/v1/query", {"query": GREETING})
    while exhausted_once.status_code == 200:
        exhausted_once = wire.post("/api/v1/query", {"query": GREETING})
    elsewhere = wire.post("/api/v1/query", {"query": GREETING}, **{"X-Forwarded-For": "203.0.113.7"})
    assert elsewhere.status_code == 429


def test_academic_takes_100_a_minute_of_each_key(wire: Wire, key: str) -> None:
    client = academic.AcademicClient(wire, key)
    refused = exhausted(lambda: client.send("/chat/query", {"query": GREETING}), 100)
    assert academic.error_of(refused).code


def test_agent_takes_30_a_minute(wire: Wire) -> None:
    client = agent.AgentClient(wire)
    refused = exhausted(lambda: client.send({"question": GREETING}), 30)
    assert agent.error_of(refused).retryable


def test_ask_takes_30_a_minute(wire: Wire) -> None:
    client = ask.AskClient(wire)
    refused = exhausted(lambda: client.send("/api/ask", {"question": GREETING}), 30)
    assert ask.error_of(refused).error == "RATE_LIMIT_EXCEEDED"
