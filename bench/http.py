"""A light HTTP/1.1 client, and the servers it talks to: a heavy client would measure itself."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, sleep
from types import MappingProxyType
from typing import Any

HOST = "127.0.0.1"
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes
    first_byte_seconds: float
    """Until the first byte of the body."""
    seconds: float


class Client:
    """One connection that is kept alive: one reader."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.has_words = False
        """Whether a part of a stream was read."""

    def abort(self) -> None:
        """Leaves at once."""
        self._writer.transport.abort()

    async def post(
        self,
        path: str,
        body: Mapping[str, Any],
        accept: str = "application/json",
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> Reply:
        return await self._send(_request(path, body, accept, headers))

    async def begin(
        self, path: str, body: Mapping[str, Any], headers: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[int, Mapping[str, str]]:
        """Asks for a stream; what it says is read by `next_chunk`."""
        self._writer.write(_request(path, body, "text/event-stream", headers))
        async with asyncio.timeout(_PATIENCE):
            return await self._head()

    async def next_chunk(self) -> bytes:
        """Of a reply that comes in chunks; empty at its end."""
        async with asyncio.timeout(_PATIENCE):
            chunk = await self._reader.readexactly(int(await self._reader.readline(), 16))
            await self._reader.readline()
        self.has_words = True
        return chunk

    async def get(self, path: str) -> Reply:
        return await self._send(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())

    async def rest(self, headers: Mapping[str, str]) -> bytes:
        """The body of a reply that does not come in chunks."""
        return await self._reader.readexactly(int(headers.get("content-length", "0")))

    async def _send(self, request: bytes) -> Reply:
        started = perf_counter()
        self._writer.write(request)
        async with asyncio.timeout(_PATIENCE):
            status, headers = await self._head()
            if headers.get("transfer-encoding") == "chunked":
                first, received = await self._chunks(started)
            else:
                received = await self.rest(headers)
                first = perf_counter() - started
        return Reply(status, headers, received, first, perf_counter() - started)

    async def _head(self) -> tuple[int, dict[str, str]]:
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines[1:] if line)
        return int(lines[0].split()[1]), {name.lower(): value.strip() for name, _, value in pairs}

    async def _chunks(self, started: float) -> tuple[float, bytes]:
        received = [await self.next_chunk()]
        first = perf_counter() - started
        while received[-1]:
            received.append(await self.next_chunk())
        return first, b"".join(received)


def _request(path: str, body: Mapping[str, Any], accept: str, headers: Mapping[str, str]) -> bytes:
    data = json.dumps(body).encode()
    more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nAccept: {accept}\r\n{more}"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Client]:
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()
        with suppress(ConnectionError):  # the server may have closed it first
            await writer.wait_closed()


@dataclass(frozen=True, slots=True)
class RunningServer:
    port: int
    seconds_to_ready: float
    process: "subprocess.Popen[bytes]"
    log: Path
    """What it says on its error output."""

    def logged(self, level: str) -> list[str]:
        """The messages of a level, in the form of `citebook serve`."""
        lines = [line for line in self.log.read_text(encoding="utf-8").splitlines() if line.startswith("{")]
        return [line["message"] for line in map(json.loads, lines) if line["level"] == level]

    @property
    def resident_megabytes(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status")
        if not status.exists():  # only Linux tells it this way
            return float("nan")
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    @property
    def open_files(self) -> int:
        """Files and sockets; -1 where nobody tells."""
        folder = Path(f"/proc/{self.process.pid}/fd")
        return len(list(folder.iterdir())) if folder.exists() else -1

    @property
    def cpu_seconds(self) -> float:
        """User and system time of the process so far."""
        stat = Path(f"/proc/{self.process.pid}/stat")
        if not stat.exists():
            return float("nan")
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(
    command: list[str], ready_path: str, port: int, environment: Mapping[str, str]
) -> Iterator[RunningServer]:
    """A server in a process of its own, from when it answers 200 at `ready_path`; told to end by SIGTERM."""
    started = perf_counter()
    with (
        tempfile.NamedTemporaryFile(prefix="citebook-server-", suffix=".log") as log,
        subprocess.Popen([sys.executable, *command], env={**os.environ, **environment}, stderr=log) as process,
    ):
        try:
            _wait_until_ready(process, port, ready_path)
            yield RunningServer(port, perf_counter() - started, process, Path(log.name))
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_until_ready(process: "subprocess.Popen[bytes]", port: int, path: str) -> None:
    end = perf_counter() + _PATIENCE
    while perf_counter() < end:
        if process.poll() is not None:
            sys.exit(f"The server ended with exit code {process.returncode} before it was ready.")
        try:
            with socket.create_connection((HOST, port), timeout=5) as probe:
                probe.sendall(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
                if b" 200 " in probe.recv(4096).partition(b"\r\n")[0]:
                    return
        except OSError:
            pass
        sleep(0.02)
    sys.exit("The server was not ready in time.")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
