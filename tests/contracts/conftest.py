"""A service with a book of four pages, and services with something wrong in them."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.ingestion.indexing import Ingest
from tests.contracts.service import ROOMY, RULES, Parts, Service, frames_of, running_service
from tests.fakes import WORKERS, WordEmbedder
from tests.small_book import write_book

Start = Callable[..., Any]

_MASKS = (
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)"), "<time>"),
    (re.compile(r"\b\d{8}T\d{6}-[0-9a-f]{8}\b"), "<edition>"),
)
_SHOWN = {"retry-after", "x-ratelimit-limit", "x-ratelimit-remaining", "content-type", "allow", "cache-control"}


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an ingested book. Nobody may change it."""
    folder = tmp_path_factory.mktemp("service")
    ingest = Ingest(EmbeddedQdrant(folder / "index", WORKERS), WordEmbedder(), RULES, "/docs", folder / "uploads")
    asyncio.run(ingest.run(write_book(folder / "book"), progress=lambda _report: None))
    return folder


@pytest.fixture(autouse=True)
def patient_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is up may take long to say so on a busy machine; the limits are tested in tests/faults."""
    monkeypatch.setattr("citebook.api.health._SECONDS", 60.0)
    monkeypatch.setattr("citebook.adapters.sql.database._SECONDS_TO_PROBE", 60.0)


@pytest.fixture
async def start(ingested: Path) -> AsyncIterator[Start]:
    """Starts a service with other parts than usual."""
    async with AsyncExitStack() as running:

        async def started(**parts: Any) -> Service:
            service: AbstractAsyncContextManager[Service] = running_service(ingested, Parts(**parts))
            return await running.enter_async_context(service)

        yield started


@pytest.fixture
async def service(start: Start) -> Service:
    started: Service = await start()
    return started


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def roomy(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    """A service whose limits nobody reaches, for all tests of a module."""
    folder = shutil.copytree(ingested, tmp_path_factory.mktemp("roomy") / "own")
    async with running_service(folder, Parts(policies=ROOMY)) as service:
        yield service


@pytest.fixture
async def own_service(ingested: Path, tmp_path: Path) -> AsyncIterator[Service]:
    """A service with a book of its own, which may be changed."""
    folder = shutil.copytree(ingested, tmp_path / "own")
    async with running_service(folder, Parts()) as service:
        yield service


@pytest.fixture
def broken_database(tmp_path: Path) -> str:
    """The address of a database that nobody can use."""
    file = tmp_path / "broken.sqlite3"
    file.write_bytes(b"this is not a database, but it is long enough to look like one" * 100)
    return f"sqlite:///{file}"


def masked(value: Any) -> Any:
    """Without what is different in each run."""
    match value:
        case dict():
            times = {"processing_time_ms": "<ms>", "retryAfter": "<seconds>", "version": "<version>"}
            return {name: times.get(name) or masked(item) for name, item in value.items()}
        case list():
            return [masked(item) for item in value]
        case float():
            return round(value, 3)
        case str():
            for pattern, mask in _MASKS:
                value = pattern.sub(mask, value)
            return value
        case _:
            return value


def wire(response: httpx.Response) -> dict[str, Any]:
    """A response as it is kept in a snapshot."""
    headers = {name: value for name, value in response.headers.items() if name in _SHOWN}
    if "retry-after" in headers and response.status_code == 429:
        headers["retry-after"] = "<seconds>"
    kind = response.headers.get("content-type", "").partition(";")[0]
    body: Any = response.text
    if kind == "text/event-stream":
        body = frames_of(response.text)
    elif kind == "application/json" and response.content:
        body = response.json()
    return {"status": response.status_code, "headers": headers, "body": masked(body)}
