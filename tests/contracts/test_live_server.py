"""Over a real connection: who leaves stops the work, who does not read is given up on, who stops says so."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from citebook.api.event_stream import StreamTimes
from citebook.pacing.deadline import Budget
from tests.contracts.conftest import Start
from tests.contracts.service import ASKING, ROOMY, Asking, QuotingGenerator, Service, frames_of

pytestmark = pytest.mark.network

UNHURRIED = Budget(total=300, retrieval=300, generation=300, stream_gap=300, stream_total=300)
PATIENCE = 20.0
"""Seconds. After thirty the budget of an answer would end it as well."""

LEAVING = ["textbook", "core", "core-stream", "academic", "academic-restricted", "agent", "ask", "ask-stream"]


@asynccontextmanager
async def listening(service: Service) -> AsyncIterator[int]:
    """The service behind a real server; gives its port."""
    config = uvicorn.Config(service.app, port=0, log_config=None, access_log=False, lifespan="off")
    server = uvicorn.Server(config)
    with socket.socket() as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        door.bind(("127.0.0.1", 0))
        running = asyncio.create_task(server.serve([door]))
        await until(lambda: server.started)
        yield door.getsockname()[1]
        server.should_exit = server.force_exit = True
        await running


async def connect(port: int, service: Service, asking: Asking) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Sends a question, and leaves the answer unread."""
    line = socket.socket()
    line.setblocking(False)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    try:
        await asyncio.get_running_loop().sock_connect(line, ("127.0.0.1", port))
    except OSError:
        line.close()
        raise
    reader, writer = await asyncio.open_connection(sock=line, limit=1024)
    body = json.dumps(asking.body()).encode()
    headers = {"Host": "x", "Content-Type": "application/json", "Content-Length": str(len(body)), **asking.headers}
    headers |= service.bearer if asking.needs_key else {}
    lines = [f"POST {asking.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    writer.write("\r\n".join(lines).encode() + body)
    await writer.drain()
    return reader, writer


async def until(happens: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not happens():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("name", LEAVING)
async def test_who_leaves_before_the_first_word_stops_the_work(start: Start, name: str) -> None:
    generator = QuotingGenerator(claims=0, gets_stuck=True)
    service = await start(writer=generator, max_at_once=1, policies=ROOMY)
    async with listening(service) as port:
        _, writer = await connect(port, service, ASKING[name])
        await asyncio.wait_for(generator.was_asked.wait(), PATIENCE)
        writer.close()
        await asyncio.wait_for(generator.was_closed.wait(), PATIENCE)
        await until(lambda: service.services.answering._running == 0)


@pytest.mark.parametrize("name", ["core-stream", "ask-stream", "core", "ask"])
async def test_who_leaves_midway_stops_the_work(start: Start, name: str) -> None:
    generator = QuotingGenerator(claims=1000, pause=0.01)
    service = await start(writer=generator, policies=ROOMY)
    async with listening(service) as port:
        reader, writer = await connect(port, service, ASKING[name])
        if name.endswith("stream"):
            await reader.readuntil(b"data: ")
        else:
            await until(lambda: generator.given > 3)
        writer.close()
        await asyncio.wait_for(generator.was_closed.wait(), PATIENCE)
        assert generator.given < 500
        if name.startswith("core"):
            sessions = [record for record in await service.audit_texts() if record["outcome"] == "answered"]
            assert sessions == [], "nothing is marked as complete"


async def test_a_source_that_never_waits_does_not_hold_up_the_others(start: Start) -> None:
    """Its client leaves; meanwhile health still answers."""
    generator = QuotingGenerator(claims=100_000, pause=0.0)
    service = await start(writer=generator, policies=ROOMY)
    async with listening(service) as port:
        _, writer = await connect(port, service, ASKING["ask-stream"])
        await asyncio.wait_for(generator.was_asked.wait(), PATIENCE)
        assert (await asyncio.wait_for(service.client.get("/health"), PATIENCE)).status_code == 200
        writer.close()
        await asyncio.wait_for(generator.was_closed.wait(), PATIENCE)


async def test_who_does_not_read_is_given_up_on(start: Start) -> None:
    """Heartbeats fill the connection until nothing more goes in."""
    generator = QuotingGenerator(claims=1, gets_stuck=True)
    times = StreamTimes(heartbeat_seconds=0.0001, send_seconds=0.3)
    service = await start(writer=generator, times=times, budget=UNHURRIED, policies=ROOMY)
    async with listening(service) as port:
        _, writer = await connect(port, service, ASKING["core-stream"])
        await asyncio.wait_for(generator.was_closed.wait(), 120)
        await until(lambda: service.services.answering._running == 0)
        writer.close()


_SERVER = """
import asyncio, sys
from pathlib import Path
import uvicorn
from types import FrameType
from tests.contracts.service import Parts, QuotingGenerator, running_service
from tests.contracts.test_live_server import UNHURRIED

async def main() -> None:
    parts = Parts(writer=QuotingGenerator(claims=1, gets_stuck=True), budget=UNHURRIED)
    async with running_service(Path(sys.argv[1]), parts) as service:
        class Server(uvicorn.Server):
            def handle_exit(self, sig, frame):
                service.services.stopping.set()
                super().handle_exit(sig, frame)
        config = uvicorn.Config(service.app, port=int(sys.argv[2]), log_config=None, timeout_graceful_shutdown=10)
        await Server(config).serve()

asyncio.run(main())
"""


async def test_a_process_that_is_told_to_stop_ends_its_streams_and_itself(ingested: Path, free_port: int) -> None:
    process = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", _SERVER, str(ingested), str(free_port)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": "."},
        stderr=subprocess.DEVNULL,
    )
    try:
        reader, writer = await _patiently(free_port, ASKING["core-stream"])
        await reader.readuntil(b"[1]")
        process.send_signal(signal.SIGTERM)
        rest = await asyncio.wait_for(reader.read(), PATIENCE)
        await asyncio.to_thread(process.wait, PATIENCE)
        assert b'data: {"error":"The server is stopping. Please ask again."}' in rest
        assert b"done" not in rest
        writer.close()
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def _patiently(port: int, asking: Asking) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    nobody: Any = None
    for _ in range(3000):
        try:
            return await connect(port, nobody, asking)
        except ConnectionRefusedError:
            await asyncio.sleep(0.1)
    raise TimeoutError("the server did not start")


def test_frames_are_read_as_a_client_reads_them() -> None:
    assert frames_of('data: {"a":1}\n\n: still at work\n\n') == [{"a": 1}]


_SLOW_SERVER = """
import asyncio, sys
from pathlib import Path
from citebook.api.listening.connections import ConnectionRules
from citebook.api.listening.server import CitebookServer
from tests.contracts.service import Parts, QuotingGenerator, running_service
from tests.contracts.test_live_server import UNHURRIED

async def main() -> None:
    parts = Parts(writer=QuotingGenerator(claims=0, gets_stuck=True), budget=UNHURRIED)
    async with running_service(Path(sys.argv[1]), parts) as service:
        stop = service.services.stopping.set
        server = CitebookServer(
            service.app, "127.0.0.1", int(sys.argv[2]), ConnectionRules(), stop, lambda _address: print(service.key)
        )
        sys.stdout.reconfigure(line_buffering=True)
        await server.serve()

asyncio.run(main())
"""
STOPPED = ["textbook", "core", "core-stream", "academic", "agent", "ask", "ask-stream"]


async def test_requests_in_flight_get_a_503_of_their_contract_when_the_server_stops(
    ingested: Path, free_port: int
) -> None:
    """Also those whose body has not come, and whose stream has not begun; and the process ends in time."""
    process = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", _SLOW_SERVER, str(ingested), str(free_port)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([".", os.environ.get("PYTHONPATH", "")])},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        key = (await asyncio.to_thread(process.stdout.readline)).decode().strip()
        holder = _Key({"Authorization": f"Bearer {key}"})
        asked = [await connect(free_port, holder, ASKING[name]) for name in STOPPED]  # type: ignore[arg-type]
        reader, writer = await asyncio.open_connection("127.0.0.1", free_port)
        writer.write(
            b"POST /api/ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
        )
        await asyncio.sleep(2)
        process.send_signal(signal.SIGTERM)
        told_at = asyncio.get_running_loop().time()
        replies = [await asyncio.wait_for(one.read(), PATIENCE) for one, _ in [*asked, (reader, writer)]]
        await asyncio.to_thread(process.wait, PATIENCE)
        assert asyncio.get_running_loop().time() - told_at < 12
        for name, reply in zip([*STOPPED, "a body that does not come"], replies, strict=True):
            assert reply.startswith(b"HTTP/1.1 503 "), (name, reply)
            assert b"retry-after: " in reply.lower(), name
            assert b"The server is stopping. Please ask again." in reply, name
        for _, line in [*asked, (reader, writer)]:
            line.close()
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


class _Key:
    """Who asks with a key."""

    def __init__(self, bearer: dict[str, str]) -> None:
        self.bearer = bearer
