"""A language model that costs nothing: an OpenAI-compatible server that quotes what it is shown, at a set pace.

python -m bench.load.paced_model PORT [--first-token-seconds 0.3] [--tokens-per-second 50] …
"""

import argparse
import asyncio
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from time import monotonic
from typing import Any, Literal

from citebook.language.languages import language_of

HOST = "127.0.0.1"
_READER = re.compile(r"=== \w+ question\n.*?#(\d+)", re.DOTALL)
"""A question may name its reader by a number, so that its call can be told from others."""
_PLAIN = re.compile(r"[A-Z][\w ,;'’-]{30,300}\.")
"""A sentence that can be a claim as it is."""
_CHARACTERS = 4
"""Of a token, about as many as in English."""
_KEPT_CALLS = 20_000
_Fate = Literal["answered", "fails", "hangs", "ends early", "falls silent"]


@dataclass(frozen=True, slots=True)
class Knobs:
    first_token_seconds: float = 0.3
    tokens_per_second: float = 50.0
    """0 for as fast as it can."""
    burst: int = 1
    """Tokens that come together; the pace stays the same on average."""
    claims: int = 3
    fails: float = 0.0
    """Share of the calls that are answered by status 500."""
    hangs: float = 0.0
    """Share that say nothing at all until the client leaves."""
    ends_early: float = 0.0
    """Share whose stream ends in the middle, without an end marker."""
    falls_silent: float = 0.0
    """Share that say nothing more after their first line, until the client leaves."""


@dataclass(slots=True)
class Call:
    reader: int | None
    opened_at: float
    first_token_at: float | None = None
    first_line_at: float | None = None
    """When the first whole line was sent. All times are of the monotonic clock, which processes share."""
    closed_at: float | None = None
    left: bool = False
    """Whether the client closed it before its end."""
    tokens: int = 0


class PacedModel:
    def __init__(self, knobs: Knobs) -> None:
        self.knobs = knobs
        self.calls: list[Call] = []
        self._chance = random.Random(11)

    async def serve(self, port: int) -> None:
        server = await asyncio.start_server(self._connected, HOST, port, backlog=1024)
        async with server:
            await server.serve_forever()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers one request after the other, as a real endpoint does."""
        with suppress(ConnectionError, asyncio.IncompleteReadError, TimeoutError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = re.search(r"(?i)content-length: *(\d+)", head)
                body = json.loads(await reader.readexactly(int(length[1]))) if length else {}
                if not await self._answer(head.split()[0], head.split()[1], body, reader, writer):
                    break
        writer.close()

    async def _answer(
        self, method: str, path: str, body: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Whether the connection may go on."""
        if method == "POST" and path.endswith("/chat/completions"):
            return await self._complete(body, reader, writer)
        if path == "/knobs":
            self.knobs = replace(self.knobs, **body)
        elif path == "/forget":
            self.calls = [call for call in self.calls if call.closed_at is None]
        told: dict[str, Any] = self._counted() if path.startswith("/calls") else {"data": [], "object": "list"}
        if path == "/calls?each":
            told["calls"] = [asdict(call) for call in self.calls[-_KEPT_CALLS:]]
        writer.write(_reply(200, json.dumps(told).encode()))
        await writer.drain()
        return True

    def _counted(self) -> dict[str, Any]:
        closed = [call for call in self.calls if call.closed_at is not None]
        return {
            "open": len(self.calls) - len(closed),
            "opened": len(self.calls),
            "closed_by_client": sum(call.left for call in closed),
            "tokens": sum(call.tokens for call in self.calls),
        }

    async def _complete(self, body: Mapping[str, Any], reader: asyncio.StreamReader, writer: Any) -> bool:
        prompt = str(body["messages"][-1]["content"])
        named = _READER.search(prompt)
        call = Call(int(named[1]) if named else None, monotonic())
        self.calls.append(call)
        left = asyncio.create_task(reader.read(1))  # a client that waits sends nothing: this ends when it leaves
        speaking = asyncio.create_task(self._speak(call, prompt, self._fate(), writer))
        try:
            await asyncio.wait({left, speaking}, return_when=asyncio.FIRST_COMPLETED)
            call.left = not speaking.done()
            return not call.left and speaking.exception() is None and speaking.result()
        finally:
            call.closed_at = monotonic()
            for task in (left, speaking):
                task.cancel()
            await asyncio.gather(left, speaking, return_exceptions=True)

    def _fate(self) -> _Fate:
        drawn, knobs = self._chance.random(), self.knobs
        shares: dict[_Fate, float] = {
            "fails": knobs.fails,
            "hangs": knobs.hangs,
            "ends early": knobs.ends_early,
            "falls silent": knobs.falls_silent,
        }
        for fate, share in shares.items():
            if drawn < share:
                return fate
            drawn -= share
        return "answered"

    async def _speak(self, call: Call, prompt: str, fate: _Fate, writer: asyncio.StreamWriter) -> bool:
        if fate == "hangs":
            await asyncio.Event().wait()
        if fate == "fails":
            writer.write(_reply(500, b'{"error": {"message": "no", "type": "server_error"}}'))
            return True
        writer.write(_STREAM_HEAD + _chunk(_delta({"role": "assistant", "content": ""})))
        tokens = list(_tokens(prompt, self.knobs.claims))
        await self._stream(call, tokens[: len(tokens) // 2] if fate == "ends early" else tokens, fate, writer)
        if fate == "ends early":
            return False
        ending = (_delta({}, "stop"), _usage(len(tokens)), b"data: [DONE]\n\n")
        writer.write(b"".join(map(_chunk, ending)) + b"0\r\n\r\n")
        return True

    async def _stream(self, call: Call, tokens: Sequence[str], fate: _Fate, writer: asyncio.StreamWriter) -> None:
        knobs, begins_at = self.knobs, monotonic() + self.knobs.first_token_seconds
        for start in range(0, len(tokens), knobs.burst):
            pace = (start / knobs.tokens_per_second) if knobs.tokens_per_second else 0.0
            await asyncio.sleep(max(0.0, begins_at + pace - monotonic()))
            together = tokens[start : start + knobs.burst]
            writer.write(b"".join(_chunk(_delta({"content": token})) for token in together))
            await writer.drain()
            call.tokens += len(together)
            call.first_token_at = call.first_token_at or monotonic()
            if call.first_line_at is None and any("\n" in token for token in together):
                call.first_line_at = monotonic()
                if fate == "falls silent":
                    await asyncio.Event().wait()


def _tokens(prompt: str, claims: int) -> Iterator[str]:
    """The first sentences of the first excerpt as claims that are their own quotes, which can be proven."""
    shown = re.search(r" excerpt 1\n[^\n]*\n\n(.*?)\n=== ", prompt, re.DOTALL)
    text = shown[1] if shown else ""
    sentences = [" ".join(text[start:end].split()) for start, end in language_of("en").sentence_spans(text)]
    plain = [sentence for sentence in sentences if _PLAIN.fullmatch(sentence)] or sentences
    lines = [json.dumps({"claim": quote, "excerpt": 1, "quote": quote}) + "\n" for quote in plain[:claims]]
    for line in lines or ['{"not_covered": true}\n']:
        yield from (line[start : start + _CHARACTERS] for start in range(0, len(line), _CHARACTERS))


_STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def _reply(status: int, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _delta(delta: Mapping[str, Any], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return _event({**_COMPLETION, "choices": [choice]})


def _usage(tokens: int) -> bytes:
    usage = {"prompt_tokens": 1000, "completion_tokens": tokens, "total_tokens": 1000 + tokens}
    return _event({**_COMPLETION, "choices": [], "usage": usage})


_COMPLETION = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "paced"}


def _event(data: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()


def add_knobs(parser: argparse.ArgumentParser) -> None:
    """One option for each knob."""
    group = parser.add_argument_group("the language model")
    for knob in fields(Knobs):
        kind = type(knob.default)
        group.add_argument(f"--{knob.name.replace('_', '-')}", type=kind, default=knob.default, metavar=kind.__name__)


def knobs_of(options: argparse.Namespace) -> Knobs:
    return Knobs(**{knob.name: getattr(options, knob.name) for knob in fields(Knobs)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    add_knobs(parser)
    options = parser.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(PacedModel(knobs_of(options)).serve(options.port))


if __name__ == "__main__":
    main()
