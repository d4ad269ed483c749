"""How many questions each contract takes, and what the next one gets."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.contracts.clients_of_seeds import academic, agent, ask, core
from tests.contracts.clients_of_seeds.conftest import CONTRACTS, serving
from tests.contracts.clients_of_seeds.wire import Wire

pytestmark = pytest.mark.network

MINUTE, HOUR = 60, 3600
GREETING = "hello"
"""Costs the service nothing, and is a question as any other to whoever counts."""
_TWO_AN_HOUR = {"questions": 2, "seconds": HOUR}
_FEW = {name: {"anonymous": _TWO_AN_HOUR, "signed_in": _TWO_AN_HOUR} for name in CONTRACTS}


@pytest.fixture(scope="module")
def strict_server(data_dir: Path) -> Iterator[httpx.Client]:
    with serving(data_dir) as http:
        yield http


@pytest.fixture(scope="module")
def stingy_server(data_dir: Path) -> Iterator[httpx.Client]:
    with serving(data_dir, POLICIES=json.dumps(_FEW)) as http:
        yield http


class TestByDefault:
    """What the first reply says: to use up a minute's questions is no work for a slow machine."""

    @pytest.fixture
    def wire(self, strict_server: httpx.Client) -> Wire:
        return Wire(strict_server)

    def test_textbook_takes_30_a_minute(self, wire: Wire) -> None:
        assert_limit(lambda: wire.post("/api/query", {"query": GREETING}), 30, MINUTE)

    def test_academic_takes_100_a_minute_of_each_key(self, wire: Wire, key: str) -> None:
        client = academic.AcademicClient(wire, key)
        assert_limit(lambda: client.send("/chat/query", {"query": GREETING}), 100, MINUTE)

    def test_agent_takes_30_a_minute(self, wire: Wire) -> None:
        assert_limit(lambda: agent.AgentClient(wire).send({"question": GREETING}), 30, MINUTE)

    def test_ask_takes_30_a_minute(self, wire: Wire) -> None:
        assert_limit(lambda: ask.AskClient(wire).send("/api/ask", {"question": GREETING}), 30, MINUTE)

    def test_core_takes_10_an_hour_of_who_is_not_signed_in(self, wire: Wire) -> None:
        assert_limit(lambda: wire.post("/api/v1/query", {"query": GREETING}), 10, HOUR)
        for _ in range(9):
            assert wire.post("/api/v1/query", {"query": GREETING}).status_code == 200
        refused = wire.post("/api/v1/query", {"query": GREETING})
        assert refused.status_code == 429
        elsewhere = wire.post("/api/v1/query", {"query": GREETING}, **{"X-Forwarded-For": "203.0.113.7"})
        assert elsewhere.status_code == 429, "a header does not raise the limit"


class TestOneTooMany:
    """Of two an hour, which an operator has set, the third is refused in the words of the contract."""

    @pytest.fixture
    def wire(self, stingy_server: httpx.Client) -> Wire:
        return Wire(stingy_server)

    def test_textbook(self, wire: Wire) -> None:
        refused = third(lambda: wire.post("/api/query", {"query": GREETING}))
        assert isinstance(refused.json()["detail"], str)

    def test_core(self, wire: Wire) -> None:
        error = core.error_of(third(lambda: wire.post("/api/v1/query", {"query": GREETING})))
        assert error.code == "RATE_LIMIT_EXCEEDED"
        assert error.retry_after is not None
        assert 0 < error.retry_after <= HOUR

    def test_academic(self, wire: Wire, key: str) -> None:
        client = academic.AcademicClient(wire, key)
        assert academic.error_of(third(lambda: client.send("/chat/query", {"query": GREETING}))).code

    def test_agent(self, wire: Wire) -> None:
        assert agent.error_of(third(lambda: agent.AgentClient(wire).send({"question": GREETING}))).retryable

    def test_ask(self, wire: Wire) -> None:
        client = ask.AskClient(wire)
        refused = third(lambda: client.send("/api/ask", {"question": GREETING}))
        assert ask.error_of(refused).error == "RATE_LIMIT_EXCEEDED"


def assert_limit(send: Callable[[], httpx.Response], questions: int, seconds: int) -> None:
    """The first question says how many there are, and that it is forgotten after so many seconds."""
    before = time.time()
    first = send()
    assert first.status_code == 200, first.text
    assert first.headers["x-ratelimit-limit"] == str(questions)
    assert first.headers["x-ratelimit-remaining"] == str(questions - 1)
    assert before + seconds - 2 <= int(first.headers["x-ratelimit-reset"]) <= time.time() + seconds + 2


def third(send: Callable[[], httpx.Response]) -> httpx.Response:
    for _ in range(2):
        taken = send()
        assert taken.status_code == 200, taken.text
    refused = send()
    assert refused.status_code == 429
    assert refused.headers["x-ratelimit-limit"] == "2"
    assert refused.headers["x-ratelimit-remaining"] == "0"
    assert int(refused.headers["x-ratelimit-reset"]) > 0
    assert 0 < int(refused.headers["retry-after"]) <= HOUR
    return refused
