"""`citebook serve` as its operator and its readers meet it: a process of its own, on a socket of this machine."""

import json
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from pytest_socket import enable_socket

from tests.command_line import PATIENCE, citebook, process, started
from tests.conftest import SAMPLE_BOOK

pytestmark = pytest.mark.network

QUESTION = "What is inverse kinematics?"
PASSAGE = (
    "Inverse kinematics asks which joint angles give a wanted tip pose. "
    "There may be none, one, several or infinitely many solutions."
)


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def frames(self) -> list[Any]:
        lines = [line for line in self.body.decode().split("\n\n") if line.startswith("data: ")]
        return [json.loads(line.removeprefix("data: ")) for line in lines]


@dataclass(frozen=True, slots=True)
class Server:
    port: int
    data_dir: Path
    process: "subprocess.Popen[str]"
    seconds_to_ready: float

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            data = None if body is None else json.dumps(body)
            spelled = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, data, {"Content-Type": "application/json", **spelled})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, found, response.read())
        finally:
            connection.close()


@pytest.fixture(scope="module")
def book(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of our own, with the sample book in it."""
    return shutil.copytree(sample_index, tmp_path_factory.mktemp("serve") / "data")


@pytest.fixture(scope="module")
def server(book: Path) -> Iterator[Server]:
    yield from serving(book)


def serving(data_dir: Path) -> Iterator[Server]:
    enable_socket()
    port = free_port()
    begun = time.monotonic()
    with started("serve", "--port", str(port), "--data-dir", data_dir) as running:
        wait_for(running, port)
        seconds = time.monotonic() - begun
        print(f"ready after {seconds:.2f} s")
        yield Server(port, data_dir, running, seconds)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(running: "subprocess.Popen[str]", port: int) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert running.poll() is None, running.communicate()[1]
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise TimeoutError("the server did not start")


def test_port_0_takes_a_free_port_and_tells_it(book: Path) -> None:
    enable_socket()
    with started("serve", "--port", "0", "--data-dir", book) as running:
        assert running.stderr is not None
        lines = (re.search(r"answers at http://127\.0\.0\.1:(\d+) ", line) for line in running.stderr)
        port = next(int(told[1]) for told in lines if told)
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE):
            pass


@pytest.fixture(scope="module")
def key(book: Path) -> str:
    return citebook("keys", "create", "e2e", "--data-dir", book).out.strip()


class TestContracts:
    def test_health_is_asked_of_each_part(self, server: Server) -> None:
        health = server.ask("GET", "/health")
        assert health.status == 200
        assert health.json["status"] == "healthy"
        assert health.json["qdrant_collection_count"] == 1
        assert health.json["parts"]["postgres"] == "not configured"
        assert server.ask("GET", "/api/v1/health").json["status"] == "healthy"
        assert server.ask("GET", "/api/health").json["status"] == "healthy"

    def test_textbook(self, server: Server) -> None:
        reply = server.ask("POST", "/api/query", {"query": QUESTION})
        assert reply.status == 200
        assert "joint angles" in json.dumps(reply.json)
        assert reply.headers["x-request-id"]

    def test_core_keeps_a_session_that_only_its_token_opens(self, server: Server) -> None:
        first = server.ask("POST", "/api/v1/query", {"query": QUESTION})
        assert first.status == 200
        session, token = first.json["sessionId"], first.headers["x-session-token"]
        again = {"query": "and why is that?", "sessionId": session}
        assert server.ask("POST", "/api/v1/query", again, X_Session_Token=token).status == 200
        path = f"/api/v1/chat/sessions/{session}"
        history = server.ask("GET", path, X_Session_Token=token)
        assert [message["role"] for message in history.json["messages"]] == ["user", "assistant"] * 2
        assert server.ask("GET", path).status == 404
        assert server.ask("DELETE", path, X_Session_Token=token).status == 204
        assert server.ask("GET", path, X_Session_Token=token).status == 404

    def test_core_streams(self, server: Server) -> None:
        stream = server.ask("POST", "/api/v1/query", {"query": QUESTION}, Accept="text/event-stream")
        assert stream.headers["content-type"].startswith("text/event-stream")
        *chunks, last = stream.frames
        assert "".join(frame["chunk"] for frame in chunks).startswith("Inverse kinematics")
        assert last["done"] is True
        assert last["sources"]

    def test_academic_answers_a_key_and_nobody_else(self, server: Server, key: str) -> None:
        assert server.ask("POST", "/chat/query", {"query": QUESTION}).status == 401
        bearer = {"Authorization": f"Bearer {key}"}
        answer = server.ask("POST", "/chat/query", {"query": QUESTION}, **bearer)
        assert answer.status == 200
        assert "[Source: " in answer.json["answer"]
        again = server.ask("GET", f"/chat/{answer.json['answer_id']}", **bearer)
        assert again.json == answer.json
        restricted = {"query": QUESTION, "selected_passage": PASSAGE}
        assert server.ask("POST", "/chat/context-restricted", restricted, **bearer).status == 200

    def test_agent(self, server: Server) -> None:
        assert server.ask("POST", "/query", {"question": QUESTION}).json["sources"]
        assert server.ask("GET", "/chapters").json["total_count"] > 10

    def test_ask(self, server: Server) -> None:
        assert server.ask("POST", "/api/ask", {"question": QUESTION}).json["citations"]
        selected = {"question": QUESTION, "selected_text": PASSAGE}
        assert server.ask("POST", "/api/ask-selected", selected).status == 200

    def test_ask_streams(self, server: Server) -> None:
        stream = server.ask("POST", "/api/ask/stream", {"question": QUESTION})
        *chunks, last = stream.frames
        assert chunks
        assert all(frame["done"] is False for frame in chunks)
        assert last["done"] is True
        assert last["citations"]

    def test_too_many_questions_are_turned_away_with_the_headers_that_say_for_how_long(self, server: Server) -> None:
        replies = [server.ask("POST", "/api/v1/query", {"query": "hello"}) for _ in range(11)]
        refused = replies[-1]
        assert refused.status == 429
        assert refused.json["error"]["code"] == "RATE_LIMIT_EXCEEDED"
        assert 0 < int(refused.headers["retry-after"]) <= 3600
        assert refused.headers["x-ratelimit-limit"] == "10"
        assert refused.headers["x-ratelimit-remaining"] == "0"

    def test_the_description_of_the_service_is_served(self, server: Server) -> None:
        paths = server.ask("GET", "/api/openapi.json").json["paths"]
        assert {"/api/query", "/api/v1/query", "/chat/query", "/query", "/api/ask"} <= paths.keys()
        assert server.ask("GET", "/api/docs").status == 200

    def test_a_changed_sentence_is_found_by_a_replay(self, server: Server, key: str, tmp_path: Path) -> None:
        asked = server.ask("POST", "/chat/query", {"query": QUESTION}, Authorization=f"Bearer {key}")
        replay = ("audit", "replay", asked.json["answer_id"], "--data-dir", server.data_dir)
        same = citebook(*replay)
        assert same.exit_code == 0, same.err
        assert "The edition is the same, and so is what it gives." in same.out
        docs = shutil.copytree(SAMPLE_BOOK / "docs", tmp_path / "docs")
        page = docs / "01-module-1-ros2" / "02-chapter-2-kinematics.mdx"
        page.write_text(page.read_text().replace("There may be none, one, several", "There may be one, several"))
        assert citebook("ingest", docs, "--data-dir", server.data_dir).exit_code == 0
        changed = citebook(*replay)
        assert changed.exit_code == 1
        assert re.search(r"then: .*There may be none, one, several or infinitely many solutions\.", changed.out)
        assert re.search(r"now:  .*There may be one, several or infinitely many solutions\.", changed.out)
        as_json = citebook(*replay, "--json").json
        assert [one["state"] for one in as_json["citations"]].count("changed") == 1
        now = server.ask("POST", "/chat/query", {"query": QUESTION}, Authorization=f"Bearer {key}")
        assert "There may be one, several" in now.json["answer"]  # the running server has the new edition
        assert citebook("audit", "verify", "--data-dir", server.data_dir).exit_code == 0

    def test_it_ends_when_told_to_although_a_client_stays_connected(self, server: Server) -> None:
        """The last test of this server."""
        with socket.create_connection(("127.0.0.1", server.port)):
            server.process.send_signal(signal.SIGTERM)
            _, log = server.process.communicate(timeout=PATIENCE)
        assert server.process.returncode in (0, -signal.SIGTERM)  # uvicorn closes all, then lets the signal end it
        assert "Application shutdown complete" in log
        assert "Traceback" not in log


class TestStart:
    @pytest.mark.parametrize(
        ("setting", "value", "said"),
        [
            ("DATABASE_URL", "mysql://somewhere/else", "DATABASE_URL must begin with postgresql:// or sqlite:///"),
            ("REDIS_URL", "http://somewhere", "REDIS_URL must begin with redis://"),
            ("CORS_ORIGINS", "*", "CORS_ORIGINS: Value error, must be exact origins"),
            ("JWT_SECRET", "short", "must have at least 32 bytes"),
            ("FALLBACK_FAQ", "/there/is/none.json", "FALLBACK_FAQ cannot be read"),
            ("TRUSTED_PROXIES", "my-proxy", "TRUSTED_PROXIES: "),
        ],
    )
    def test_a_wrong_setting_stops_it_with_a_message(
        self, setting: str, value: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(setting, value)
        finished = citebook("serve", "--data-dir", tmp_path)
        assert finished.exit_code == 2
        assert said in finished.err
        assert "Traceback" not in finished.err

    @pytest.mark.parametrize(
        ("package", "setting", "value", "extra"),
        [
            ("redis", "REDIS_URL", "redis://127.0.0.1:1", "citebook[redis]"),
            ("psycopg", "DATABASE_URL", "postgresql://127.0.0.1:1/x", "citebook[postgres]"),
            ("qdrant_client", "QDRANT_URL", "http://127.0.0.1:1", "citebook[qdrant]"),
        ],
    )
    def test_a_missing_extra_is_named(
        self, package: str, setting: str, value: str, extra: str, tmp_path: Path
    ) -> None:
        """A package of that name that cannot be imported stands in for one that is not installed."""
        (tmp_path / f"{package}.py").write_text(f"raise ModuleNotFoundError('no {package}', name='{package}')\n")
        environment = {setting: value, "PYTHONPATH": str(tmp_path)}
        finished = process("serve", "--port", "0", "--data-dir", tmp_path / "data", **environment)
        assert finished.exit_code == 2
        assert f"pip install '{extra}'" in finished.err
        assert "Traceback" not in finished.err
