"""Clients that connect and say nothing, speak slowly or do not listen: nobody else is shut out by them."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from citebook.api.front_door import FrontDoor
from citebook.api.listening.connections import SPARE, ConnectionRules
from citebook.api.listening.server import CitebookServer, FewComplaints

pytestmark = pytest.mark.network

PATIENCE = 30.0
SOON = 0.2
NEVER = 600.0
LARGE = 4_000_000


@dataclass
class Application:
    """Answers as the path says: at once, with much, or not before it is told to."""

    is_told: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        no_room = scope.get("citebook.no_room", False) and scope["path"] != "/health"
        if scope["path"] == "/body":
            while (await receive()).get("more_body"):
                pass
        if scope["path"] == "/wait" and not no_room:
            self.waiting += 1
            await self.is_told.wait()
        body = b"x" * LARGE if scope["path"] == "/large" else b"there is no room" if no_room else b"here you are"
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 503 if no_room else 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def serving(app: Any = None, **rules: Any) -> AsyncIterator[int]:
    """The server with an application of its own; gives its port."""
    given = {"header_seconds": NEVER, "send_seconds": NEVER} | rules
    server = CitebookServer(
        app or Application(),
        "127.0.0.1",
        0,
        ConnectionRules(**given),
        lambda: None,
        lambda _address: None,
    )
    server.config.lifespan = "off"
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        running = asyncio.create_task(server.serve([door]))
        while not server.started:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        yield door.getsockname()[1]
        server.should_exit = server.force_exit = True
        await running


@dataclass
class Client:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def say(self, words: bytes) -> None:
        self.writer.write(words)
        with suppress(ConnectionResetError):  # who is let go may still be speaking
            await self.writer.drain()

    async def hear_all(self) -> bytes:
        """Until the server ends the connection."""
        try:
            return await asyncio.wait_for(self.reader.read(), PATIENCE)
        except ConnectionResetError:
            return b""

    async def ask(self, path: str) -> bytes:
        await self.say(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        return await self.hear_all()


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Client]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()


async def asked(port: int, path: str) -> bytes:
    async with connected(port) as client:
        return await client.ask(path)


async def test_who_takes_too_long_for_the_headers_is_told_so_and_let_go() -> None:
    async with serving(header_seconds=SOON) as port, connected(port) as client:
        await client.say(b"GET /health HTTP/1.1\r\nHost")
        assert (await client.hear_all()).startswith(b"HTTP/1.1 408 ")


async def test_a_byte_now_and_then_does_not_buy_more_time() -> None:
    async with serving(header_seconds=3 * SOON) as port, connected(port) as client:

        async def trickle() -> None:
            while True:
                await client.say(b"G")
                await asyncio.sleep(SOON / 4)

        trickling = asyncio.create_task(trickle())
        await client.hear_all()
        trickling.cancel()
        await asyncio.gather(trickling, return_exceptions=True)


async def test_who_says_nothing_is_let_go() -> None:
    async with serving(header_seconds=SOON) as port, connected(port) as client:
        assert await client.hear_all() == b""


async def test_the_time_for_headers_runs_anew_for_the_next_request() -> None:
    async with serving(header_seconds=SOON) as port, connected(port) as client:
        await client.say(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /health")
        heard = await client.hear_all()
        assert heard.startswith(b"HTTP/1.1 200 ")
        assert b"HTTP/1.1 408 " in heard


async def test_the_time_for_headers_is_no_time_for_answers() -> None:
    app = Application()
    async with serving(app, header_seconds=SOON) as port, connected(port) as client:
        asking = asyncio.create_task(client.ask("/wait"))
        await asyncio.sleep(3 * SOON)
        app.is_told.set()
        assert (await asking).endswith(b"here you are")


async def test_1100_who_trickle_shut_nobody_out(caplog: pytest.LogCaptureFixture) -> None:
    """From one address, and from the same that the others come from."""
    caplog.set_level(logging.INFO)
    async with serving(most=100, most_per_address=50) as port, AsyncExitStack() as held:
        for group in range(11):
            clients = [await held.enter_async_context(connected(port)) for _ in range(100)]
            for client in clients:
                await client.say(b"GET / HTTP/1.1\r\nX-A: b\r\n")
            assert (await asked(port, "/health")).endswith(b"here you are"), group
            assert (await asked(port, "/anything")).endswith(b"here you are"), group
    assert len(caplog.records) < 20


async def test_1100_bodies_that_trickle_shut_nobody_out() -> None:
    async with serving(most=100, most_per_address=50) as port, AsyncExitStack() as held:
        for _ in range(1100):
            client = await held.enter_async_context(connected(port))
            await client.say(b"POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        assert (await asked(port, "/health")).endswith(b"here you are")


async def test_where_all_places_are_at_work_health_still_answers() -> None:
    app = Application()
    async with serving(app, most=5, most_per_address=5) as port, AsyncExitStack() as held:
        clients = [await held.enter_async_context(connected(port)) for _ in range(5)]
        asking = [asyncio.create_task(client.ask("/wait")) for client in clients]
        while app.waiting < 5:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        for _ in range(SPARE + 4):
            await (await held.enter_async_context(connected(port))).say(b"GET")
        assert (await asked(port, "/health")).endswith(b"here you are")
        assert (await asked(port, "/anything")).startswith(b"HTTP/1.1 503 ")
        app.is_told.set()
        assert all(answer.endswith(b"here you are") for answer in await asyncio.gather(*asking))


async def test_who_does_not_read_a_large_answer_is_given_up_on() -> None:
    async with serving(send_seconds=SOON) as port, AsyncExitStack() as held:
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.setblocking(False)
        await asyncio.get_running_loop().sock_connect(line, ("127.0.0.1", port))
        reader, writer = await asyncio.open_connection(sock=line, limit=1024)
        held.callback(writer.close)
        writer.write(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.sleep(5 * SOON)
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await asyncio.wait_for(reader.readexactly(LARGE), PATIENCE)


@pytest.mark.parametrize("pieces", [1, 17], ids=["at once", "piece by piece"])
async def test_headers_over_16_kb_are_refused(pieces: int) -> None:
    head = b"GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ".ljust(17_000, b"a") + b"\r\n\r\n"
    async with serving(FrontDoor(Application())) as port, connected(port) as client:
        for start in range(0, 17_000, 17_000 // pieces):
            await client.say(head[start : start + 17_000 // pieces] if pieces > 1 else head)
            await asyncio.sleep(0.01)
        assert (await client.hear_all()).startswith(b"HTTP/1.1 431 ")


async def test_headers_of_usual_size_are_taken() -> None:
    async with serving(FrontDoor(Application())) as port, connected(port) as client:
        await client.say(
            b"GET /health HTTP/1.1\r\nConnection: close\r\nHost: x\r\nX-Long: " + b"a" * 15_000 + b"\r\n\r\n"
        )
        assert (await client.hear_all()).startswith(b"HTTP/1.1 200 ")


async def test_no_line_is_logged_for_each_connection_that_cannot_be_taken(caplog: pytest.LogCaptureFixture) -> None:
    complain, loop = FewComplaints(), asyncio.get_running_loop()
    for _ in range(1000):
        complain(loop, {"message": "socket.accept() out of system resource", "exception": OSError(24, "Too many")})
    assert len(caplog.records) == 1
    complain(loop, {"message": "something else"})
    assert "something else" in caplog.text
