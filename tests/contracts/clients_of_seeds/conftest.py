"""Real servers for the clients: `citebook serve` in a process of its own, with the sample book."""

import json
import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from pytest_socket import enable_socket

from tests.command_line import citebook, started
from tests.contracts.clients_of_seeds.wire import PATIENCE, Wire
from tests.e2e.test_serve import free_port, wait_for

RECORD = "CITEBOOK_RECORD_CLIENTS"
"""Names a file that each test adds a line to: what it is called, and what went over the wire."""
_MANY = {"questions": 10_000, "seconds": 60}
CONTRACTS = ("textbook", "core", "academic", "agent", "ask")
_ROOMY = {name: {"anonymous": _MANY, "signed_in": _MANY} for name in CONTRACTS}


@contextmanager
def serving(data_dir: Path, **environment: str) -> Iterator[httpx.Client]:
    """A server of this folder; it logs errors only, for nobody reads what it prints."""
    enable_socket()
    port = free_port()
    environment = {"LOG_LEVEL": "error", **environment}
    with started("serve", "--port", str(port), "--data-dir", data_dir, environment=environment) as running:
        wait_for(running, port)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as http:
            yield http


@pytest.fixture(scope="module")
def data_dir(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of our own, with the sample book in it."""
    return shutil.copytree(sample_index, tmp_path_factory.mktemp("clients") / "data")


@pytest.fixture(scope="module")
def key(data_dir: Path) -> str:
    """As an operator makes it."""
    return citebook("keys", "create", "client", "--data-dir", data_dir).out.strip().splitlines()[-1]


@pytest.fixture(scope="module")
def roomy_server(data_dir: Path) -> Iterator[httpx.Client]:
    with serving(data_dir, POLICIES=json.dumps(_ROOMY)) as http:
        yield http


@pytest.fixture
def wire(roomy_server: httpx.Client) -> Wire:
    """To a service whose limits nobody reaches."""
    return Wire(roomy_server)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    file = os.environ.get(RECORD)
    wire = getattr(item, "funcargs", {}).get("wire")
    if file and report.when == "call" and isinstance(wire, Wire):
        line = {
            "contract": item.path.stem.removeprefix("test_"),
            "check": item.nodeid.partition("::")[2],
            "passed": report.passed,
            "exchanges": [exchange.as_json() for exchange in wire.exchanges],
        }
        with Path(file).open("a", encoding="utf-8") as record:
            record.write(json.dumps(line) + "\n")
    return report
