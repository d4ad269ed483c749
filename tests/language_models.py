"""Language models for tests: an endpoint that says what it is told to say, and a real llama.cpp server."""

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Literal, Self
from urllib.request import urlopen

import pytest

from citebook.adapters.language_models.anthropic_model import AnthropicModel
from citebook.adapters.language_models.openai_agents import OpenAIAgentsModel
from citebook.domain.limits import TokenUsage
from citebook.domain.prompt import Prompt

Wire = Literal["openai", "anthropic"]
WIRES: tuple[Wire, ...] = ("openai", "anthropic")
VendorModel = OpenAIAgentsModel | AnthropicModel
KEY = "sk-canary-4711"
_PATIENCE = 120.0


class SpokenModel:
    """A `LanguageModel` behind the port, for tests of what stands before it."""

    name = "spoken"

    def __init__(self, *pieces: str, usage: TokenUsage | None = None, pace: float = 0.0) -> None:
        self._pieces, self._usage, self._pace = pieces, usage or TokenUsage(), pace
        self.prompts: list[Prompt] = []
        self.read = 0
        """How many pieces were taken."""

    async def write(self, prompt: Prompt) -> AsyncGenerator[str | TokenUsage, None]:
        self.prompts.append(prompt)
        for piece in self._pieces:
            self.read += 1
            await asyncio.sleep(self._pace)
            yield piece
        yield self._usage

    async def aclose(self) -> None:
        """There is nothing to close."""


class ScriptedEndpoint:
    """An HTTP server that speaks both wires, and obeys whoever wrote its script."""

    def __init__(
        self,
        *pieces: str,
        status: int = 200,
        error: str = "no",
        ending: Literal["proper", "silent", "broken", "stuck"] = "proper",
        reason: str | None = None,
        raw: bytes | None = None,
        endless: bool = False,
    ) -> None:
        """`reason` is what a proper ending gives as its reason, in the vendor's words."""
        self._pieces, self._status, self._error = pieces, status, error
        self._ending, self._reason, self._raw, self._endless = ending, reason, raw, endless
        self.pause = 0.0
        """Seconds behind each piece."""
        self.requests: list[dict[str, Any]] = []
        self.headers: list[str] = []
        self._models: list[VendorModel] = []
        self.client_left = asyncio.Event()
        self.is_writing = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._server.close()
        for model in self._models:
            await model.aclose()

    @property
    def url(self) -> str:
        port: int = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    def model(self, wire: Wire) -> VendorModel:
        """Closed with the endpoint."""
        self._models.append(model_at(self.url, wire))
        return self._models[-1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.headers.append(head)
            length = next((int(line[15:]) for line in head.splitlines() if line[:15].lower() == "content-length:"), 0)
            body = json.loads(await reader.readexactly(length)) if length else {}
            self.requests.append(body)
            leaving = asyncio.create_task(self._watch(reader))
            try:
                await self._answer(writer, "anthropic" if "/messages" in head.split()[1] else "openai", body)
            except ConnectionError:
                self.client_left.set()
            finally:
                leaving.cancel()
        writer.close()

    async def _watch(self, reader: asyncio.StreamReader) -> None:
        with suppress(ConnectionError):
            await reader.read(1)
        self.client_left.set()

    async def _answer(self, writer: asyncio.StreamWriter, wire: Wire, body: dict[str, Any]) -> None:
        kind = "text/event-stream" if body.get("stream") and self._status == 200 else "application/json"
        writer.write(f"HTTP/1.1 {self._status} X\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode())
        if self._status != 200:
            writer.write(json.dumps({"error": {"message": self._error, "type": "x"}}).encode())
        elif self._raw is not None:
            writer.write(self._raw)
        elif not body.get("stream"):
            writer.write(b'{"data": [], "has_more": false, "first_id": null, "last_id": null}')
        else:
            await self._stream(writer, wire, body)
        await writer.drain()

    def pieces_of(self, body: dict[str, Any]) -> Sequence[str]:  # noqa: ARG002
        """What is written in reply to a request."""
        return self._pieces

    async def _stream(self, writer: asyncio.StreamWriter, wire: Wire, body: dict[str, Any]) -> None:
        writer.write(_opening(wire))
        for piece in self.pieces_of(body):
            writer.write(_piece(wire, piece))
            await writer.drain()
            await asyncio.sleep(self.pause)
        self.is_writing.set()
        while self._endless and not self.client_left.is_set():
            writer.write(_piece(wire, "endless talk without a line's end "))
            await writer.drain()
            await asyncio.sleep(0)
        match self._ending:
            case "proper":
                writer.write(_closing(wire, self._reason))
            case "broken":
                writer.write(b"data: {\n\nevent: x\ndata: nonsense\n\n")
            case "stuck":
                await self.client_left.wait()


def model_at(url: str, wire: Wire) -> VendorModel:
    if wire == "anthropic":
        return AnthropicModel.connect("small", url, KEY)
    return OpenAIAgentsModel.connect("llamacpp", "small", f"{url}/v1", KEY)


def _event(wire: Wire, name: str, data: dict[str, Any]) -> bytes:
    head = f"event: {name}\n" if wire == "anthropic" else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def _chunk(delta: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **more}


def _opening(wire: Wire) -> bytes:
    if wire == "openai":
        return _event(wire, "", _chunk({"role": "assistant", "content": ""}))
    message: dict[str, Any] = {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "m",
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "cache_read_input_tokens": 4, "output_tokens": 0},
    }
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    return _event(wire, "message_start", {"type": "message_start", "message": message}) + _event(
        wire, "content_block_start", block
    )


def _piece(wire: Wire, text: str) -> bytes:
    if wire == "openai":
        return _event(wire, "", _chunk({"content": text}))
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    return _event(wire, "content_block_delta", delta)


def _closing(wire: Wire, reason: str | None) -> bytes:
    if wire == "openai":
        usage = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}
        last = {**_chunk({}), "choices": [], "usage": usage}
        return _event(wire, "", _chunk({}, reason or "stop")) + _event(wire, "", last) + b"data: [DONE]\n\n"
    stop = {"type": "message_delta", "delta": {"stop_reason": reason or "end_turn"}, "usage": {"output_tokens": 5}}
    return (
        _event(wire, "content_block_stop", {"type": "content_block_stop", "index": 0})
        + _event(wire, "message_delta", stop)
        + _event(wire, "message_stop", {"type": "message_stop"})
    )


async def all_of(model: VendorModel, prompt: Prompt) -> tuple[str, TokenUsage]:
    """What a model writes for a prompt, and the tokens that it took."""
    texts: list[str] = []
    usage = TokenUsage()
    async for piece in model.write(prompt):
        if isinstance(piece, TokenUsage):
            usage = piece
        else:
            texts.append(piece)
    return "".join(texts), usage


@contextmanager
def started_llama_server() -> Iterator["tuple[str, subprocess.Popen[str]]"]:
    """A llama.cpp server in a process of its own, so that it can be killed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    script = (
        "import sys, time; from citebook.adapters.llama_cpp import serve_small_model\n"
        "with serve_small_model(int(sys.argv[1])): time.sleep(3600)"
    )
    command: Sequence[str] = [sys.executable, "-c", script, str(port)]
    url = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(command, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        ends_at = time.monotonic() + _PATIENCE
        while not _is_ready(url):
            assert server.poll() is None
            assert time.monotonic() < ends_at
            time.sleep(0.05)
        yield url, server
    finally:
        server.kill()
        server.wait()


def _is_ready(url: str) -> bool:
    """It listens before it has read its model."""
    try:
        with urlopen(f"{url}/health") as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.fixture(scope="session")
def llama_server() -> Iterator[str]:
    """The address of a real server with a very small model. Whoever uses it is marked `network`."""
    with started_llama_server() as (url, _process):
        yield url
