"""What each client is told when the answer comes too late, and when the vector store is down."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.command_line import citebook
from tests.contracts.clients_of_seeds import academic, agent, ask, core
from tests.contracts.clients_of_seeds.conftest import serving
from tests.contracts.clients_of_seeds.wire import Wire

pytestmark = pytest.mark.network

QUESTION = "What is inverse kinematics?"
_TOO_SHORT = dict.fromkeys(("DEADLINE_SECONDS", "RETRIEVAL_SECONDS", "GENERATION_SECONDS"), "0.0001")


@pytest.fixture(scope="module")
def hurried_server(data_dir: Path) -> Iterator[httpx.Client]:
    with serving(data_dir, **_TOO_SHORT) as http:
        yield http


@pytest.fixture(scope="module")
def own_dir(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As the ingest left it: with the frequent questions of the book beside the index."""
    return shutil.copytree(data_dir, tmp_path_factory.mktemp("cut-off") / "data")


@pytest.fixture(scope="module")
def cut_off_server(own_dir: Path) -> Iterator[httpx.Client]:
    with serving(own_dir, QDRANT_URL="http://127.0.0.1:1") as http:
        yield http


class TestOverTheDeadline:
    @pytest.fixture
    def wire(self, hurried_server: httpx.Client) -> Wire:
        return Wire(hurried_server)

    def test_textbook(self, wire: Wire) -> None:
        late = wire.post("/api/query", {"query": QUESTION})
        assert late.status_code == 500
        assert isinstance(late.json()["detail"], str)

    @pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
    def test_core(self, wire: Wire, accept: str) -> None:
        late = wire.post("/api/v1/query", {"query": QUESTION}, Accept=accept)
        assert late.status_code == 503
        assert core.error_of(late).code == "LLM_TIMEOUT"

    def test_academic(self, wire: Wire, key: str) -> None:
        late = academic.AcademicClient(wire, key).send("/chat/query", {"query": QUESTION})
        assert late.status_code == 504
        error = academic.error_of(late)
        assert error.code == "TIMEOUT"
        assert "Query processing timed out" in error.message
        assert "simpler question" in error.message + str(error.details)

    def test_agent(self, wire: Wire) -> None:
        late = agent.AgentClient(wire).send({"question": QUESTION})
        assert late.status_code == 500
        error = agent.error_of(late)
        assert (error.error, error.retryable) == ("llm", True)

    @pytest.mark.parametrize("path", ["/api/ask", "/api/ask/stream"])
    def test_ask(self, wire: Wire, path: str) -> None:
        late = ask.AskClient(wire).send(path, {"question": QUESTION})
        assert late.status_code == 503
        assert ask.error_of(late).error == "SERVICE_UNAVAILABLE"


class TestVectorStoreDown:
    @pytest.fixture
    def wire(self, cut_off_server: httpx.Client) -> Wire:
        return Wire(cut_off_server)

    def test_textbook(self, wire: Wire) -> None:
        failed = wire.post("/api/query", {"query": QUESTION})
        assert failed.status_code == 500
        assert isinstance(failed.json()["detail"], str)

    def test_core_brings_questions_and_answers_to_show_meanwhile(self, wire: Wire) -> None:
        failed = wire.post("/api/v1/query", {"query": QUESTION})
        assert failed.status_code == 503
        assert core.error_of(failed).code == "VECTOR_STORE_UNAVAILABLE"
        assert all(entry["question"] and entry["answer"] for entry in failed.json()["error"]["fallbackFaq"])
        assert len(failed.json()["error"]["fallbackFaq"]) > 1

    def test_academic(self, wire: Wire, own_dir: Path) -> None:
        key = citebook("keys", "create", "cut off", "--data-dir", own_dir).out.strip().splitlines()[-1]
        failed = academic.AcademicClient(wire, key).send("/chat/query", {"query": QUESTION})
        assert failed.status_code == 503
        assert academic.error_of(failed).message

    def test_agent(self, wire: Wire) -> None:
        failed = agent.AgentClient(wire).send({"question": QUESTION})
        assert failed.status_code == 500
        error = agent.error_of(failed)
        assert (error.error, error.retryable) == ("database", True)

    @pytest.mark.parametrize("path", ["/api/ask", "/api/ask/stream"])
    def test_ask(self, wire: Wire, path: str) -> None:
        failed = ask.AskClient(wire).send(path, {"question": QUESTION})
        assert failed.status_code == 503
        assert ask.error_of(failed).error == "SERVICE_UNAVAILABLE"

    @pytest.mark.parametrize(
        ("path", "words"),
        [
            ("/health", {"status": "unhealthy", "qdrant_status": "disconnected"}),
            ("/api/v1/health", {"status": "unhealthy"}),
            ("/api/health", {"status": "unhealthy"}),
        ],
    )
    def test_health(self, wire: Wire, path: str, words: dict[str, Any]) -> None:
        health = wire.get(path)
        assert health.status_code == 503
        assert words.items() <= health.json().items()

    def test_nothing_of_the_machine_is_told(self, wire: Wire, own_dir: Path) -> None:
        for path, name in (("/api/query", "query"), ("/api/v1/query", "query"), ("/query", "question")):
            failed = wire.post(path, {name: QUESTION})
            assert str(own_dir) not in failed.text
            assert "Traceback" not in failed.text
