"""Real Qdrant servers for tests, where a binary of one is given: one node, or a cluster on this machine."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

BINARY = os.environ.get("CITEBOOK_TEST_QDRANT_BIN")
URL = os.environ.get("CITEBOOK_TEST_QDRANT_URL")
NO_SERVER = "neither CITEBOOK_TEST_QDRANT_BIN nor CITEBOOK_TEST_QDRANT_URL gives a Qdrant server"
NO_BINARY = "CITEBOOK_TEST_QDRANT_BIN gives no binary of a Qdrant server"

_FAST = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else Path(tempfile.gettempdir())
_PATIENCE = 180.0
_SMALL = {
    "QDRANT__TELEMETRY_DISABLED": "true",
    "QDRANT__LOG_LEVEL": "WARN",
    "QDRANT__SERVICE__HOST": "127.0.0.1",
    "QDRANT__STORAGE__WAL__WAL_CAPACITY_MB": "1",
    "QDRANT__STORAGE__PERFORMANCE__MAX_SEARCH_THREADS": "1",
    "QDRANT__STORAGE__OPTIMIZERS__DEFAULT_SEGMENT_NUMBER": "1",
}


@dataclass
class Node:
    """A Qdrant server in a process of its own. Its ports and its folder stay the same over restarts."""

    folder: Path
    options: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    is_tls: bool = False

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        self.port, self.grpc_port, self.peer_port = free_port(), free_port(), free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"{'https' if self.is_tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def peer_url(self) -> str:
        return f"http://127.0.0.1:{self.peer_port}"

    def start(self) -> None:
        assert BINARY is not None
        own = {
            "QDRANT__SERVICE__HTTP_PORT": str(self.port),
            "QDRANT__SERVICE__GRPC_PORT": str(self.grpc_port),
            "QDRANT__CLUSTER__P2P__PORT": str(self.peer_port),
            "QDRANT__STORAGE__STORAGE_PATH": str(self.folder / "storage"),
            "QDRANT__STORAGE__SNAPSHOTS_PATH": str(self.folder / "snapshots"),
        }
        environment = {**os.environ, **_SMALL, **own, **dict(self.environment)}
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [BINARY, "--disable-telemetry", *self.options],
                cwd=self.folder,
                env=environment,
                stdout=log,
                stderr=log,
            )
        self._wait()

    def _wait(self) -> None:
        ends_at = time.monotonic() + _PATIENCE
        while time.monotonic() < ends_at:
            assert self._process is not None
            assert self._process.poll() is None, (self.folder / "log").read_text()[-3000:]
            try:
                if httpx.get(f"{self.url}/readyz", verify=False, timeout=5).status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        raise TimeoutError((self.folder / "log").read_text()[-3000:])

    def freeze(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@dataclass(frozen=True)
class Cluster:
    nodes: tuple[Node, ...]

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(node.url for node in self.nodes)

    def wait_for_peers(self) -> None:
        """Until each node knows all others."""
        ends_at = time.monotonic() + _PATIENCE
        while {_peers(node) for node in self.nodes} != {len(self.nodes)}:
            assert time.monotonic() < ends_at
            time.sleep(0.2)


def _peers(node: Node) -> int:
    said = httpx.get(f"{node.url}/cluster", timeout=10).json()
    return len(said["result"]["peers"]) if said["result"]["raft_info"]["leader"] else 0


@contextmanager
def started_node(**how: object) -> Iterator[Node]:
    folder = Path(tempfile.mkdtemp(prefix="citebook-qdrant-", dir=_FAST))
    node = Node(folder / "node", **how)  # type: ignore[arg-type]
    try:
        node.start()
        yield node
    finally:
        node.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def started_cluster(size: int = 3) -> Iterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="citebook-qdrant-", dir=_FAST))
    clustered = (("QDRANT__CLUSTER__ENABLED", "true"),)
    nodes = [Node(folder / str(number), environment=clustered) for number in range(size)]
    cluster = Cluster(tuple(nodes))
    try:
        for node in nodes:
            first = node is nodes[0]
            node.options = (
                ("--uri", node.peer_url)
                if first
                else (
                    *("--bootstrap", nodes[0].peer_url),
                    *("--uri", node.peer_url),
                )
            )
            node.start()
        cluster.wait_for_peers()
        yield cluster
    finally:
        for node in nodes:
            node.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def qdrant_node() -> Iterator[Node]:
    if BINARY is None:
        pytest.skip(NO_BINARY)
    with started_node() as node:
        yield node


@pytest.fixture(scope="session")
def qdrant_cluster() -> Iterator[Cluster]:
    """Three nodes. Who stops one starts it again."""
    if BINARY is None:
        pytest.skip(NO_BINARY)
    with started_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def qdrant_url(request: pytest.FixtureRequest) -> str:
    """A server that somebody else runs, or one of our own."""
    if URL is not None:
        return URL
    if BINARY is None:
        pytest.skip(NO_SERVER)
    url: str = request.getfixturevalue("qdrant_node").url
    return url


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
