"""A cluster whose nodes go and come: requests go to whichever answers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from citebook.adapters.qdrant import server_nodes
from citebook.adapters.qdrant.server import QdrantServer, ServerAddress, ServerShape
from citebook.adapters.qdrant.server_nodes import ClusterTransport
from citebook.domain.errors import VectorStoreUnreachable
from tests.fakes import WORKERS

pytestmark = pytest.mark.network

SEARCH = "/collections/book/points/query/batch"
WRITE = "/collections/book/points/delete"


@dataclass
class Node:
    """A server that tells its own name, and hangs where it is told to."""

    name: str
    hangs: bool = False
    asked: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    url: str = ""
    server: asyncio.Server | None = None
    hanging: list[asyncio.StreamWriter] = field(default_factory=list)

    async def start(self) -> None:
        port = int(self.url.rsplit(":", 1)[1]) if self.url else 0
        self.server = await asyncio.start_server(self._answer, "127.0.0.1", port)
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        if self.server is not None:
            self.server.close()
            self.server = None
        for writer in self.hanging:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next((int(line.split()[1]) for line in head.lower().split("\r\n") if "content-length" in line), 0)
        self.bodies.append(await reader.readexactly(length))
        self.asked.append(next(line for line in head.lower().split("\r\n") if line.startswith("host")))
        if self.hangs:
            self.hanging.append(writer)
        else:
            body = self.name.encode()
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
            writer.close()


@pytest.fixture
async def nodes() -> AsyncIterator[list[Node]]:
    nodes = [Node("a"), Node("b"), Node("c")]
    for node in nodes:
        await node.start()
    yield nodes
    for node in nodes:
        await node.stop()


@pytest.fixture
async def client(nodes: list[Node]) -> AsyncIterator[httpx.AsyncClient]:
    async with AsyncExitStack() as stack:
        transport = ClusterTransport([node.url for node in nodes], reading_seconds=0.3)
        yield await stack.enter_async_context(
            httpx.AsyncClient(transport=transport, base_url=nodes[0].url, timeout=2)
        )


async def told(client: httpx.AsyncClient, path: str = SEARCH) -> str:
    return (await client.post(path, json={"what": "is asked"})).text


async def test_the_first_node_is_asked_by_its_own_name(client: httpx.AsyncClient, nodes: list[Node]) -> None:
    assert await told(client) == "a"
    assert nodes[0].asked == [f"host: {nodes[0].url.removeprefix('http://')}"]


async def test_where_a_node_is_gone_the_next_is_sent_the_whole_request(
    client: httpx.AsyncClient, nodes: list[Node]
) -> None:
    await nodes[0].stop()
    assert [await told(client), await told(client, WRITE)] == ["b", "b"]
    assert set(nodes[1].bodies) == {b'{"what":"is asked"}'}


async def test_a_reader_does_not_wait_for_a_node_that_hangs(client: httpx.AsyncClient, nodes: list[Node]) -> None:
    nodes[0].hangs = True
    assert [await told(client), await told(client)] == ["b", "b"]
    assert len(nodes[0].asked) == 1, "for a while it is asked last"


async def test_what_is_written_to_a_node_that_hangs_is_not_sent_to_another(
    client: httpx.AsyncClient, nodes: list[Node]
) -> None:
    nodes[0].hangs = True
    with pytest.raises(httpx.ReadTimeout):
        await told(client, WRITE)
    assert nodes[1].asked == []


async def test_a_node_that_came_back_is_asked_first_again(
    client: httpx.AsyncClient, nodes: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_nodes, "_SECONDS_AWAY", 0.1)
    await nodes[0].stop()
    assert await told(client) == "b"
    await nodes[0].start()
    await asyncio.sleep(0.15)
    assert await told(client) == "a"


async def test_where_all_are_gone_it_is_said_and_all_were_asked(client: httpx.AsyncClient, nodes: list[Node]) -> None:
    for node in nodes:
        await node.stop()
    with pytest.raises(httpx.ConnectError):
        await told(client)
    await nodes[2].start()
    assert await told(client) == "c", "also while each of them is one that failed just now"


@pytest.mark.parametrize("grpc_port", [None, 9])
async def test_a_server_that_nobody_reaches_is_told_as_such(tmp_path: Path, grpc_port: int | None) -> None:
    address = ServerAddress(("http://127.0.0.1:9", "http://127.0.0.1:10"), grpc_port=grpc_port)
    server = QdrantServer.connect(address, "biology", tmp_path / "locks", WORKERS, ServerShape())
    with pytest.raises(VectorStoreUnreachable):
        await server.edition()
    await server.aclose()
