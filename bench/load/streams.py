"""Readers of streams: what each asked, when it saw the first words, and how the stream ended."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from time import monotonic
from typing import Any

from bench.http import Client, connected

Asked = tuple[str, dict[str, Any]]
"""A path, and the body that is posted to it."""


@dataclass(frozen=True, slots=True)
class Stream:
    """One answer as its reader met it; times are of the monotonic clock."""

    reader: int
    asked_at: float
    first_at: float
    ended_at: float
    is_answer: bool
    """Whether it has sources."""
    problem: str | None = None
    come_again_after: float = 0.0
    """Seconds that the server asked to wait for, where it turned the reader away."""

    @property
    def was_turned_away(self) -> bool:
        """As it should be where there is no room: at once, and with word of when to come again."""
        return self.problem == "HTTP 503" and self.come_again_after > 0


@dataclass(slots=True)
class Crowd:
    """Readers who ask one question after the other, each on a connection of its own."""

    port: int
    questions: Sequence[str]
    streams: list[Stream] = field(default_factory=list)
    when_ended: Callable[[], object] = lambda: None
    _turn: "count[int]" = field(default_factory=count)

    async def ask_until(self, readers: int, goes_on: Callable[[], bool], over_seconds: float = 0.0) -> None:
        """`goes_on` is asked before each question; the readers come one by one within some seconds."""
        async with asyncio.TaskGroup() as group:
            for number in range(readers):
                group.create_task(self._read(goes_on, over_seconds * number / readers))

    async def ask_all(self, readers: int, streams: int) -> None:
        """As many questions as that, all together."""
        left = iter(range(streams))
        await self.ask_until(readers, lambda: next(left, None) is not None)

    async def _read(self, goes_on: Callable[[], bool], begins_after: float) -> None:
        await asyncio.sleep(begins_after)
        may_ask = goes_on()
        while may_ask:
            try:
                async with connected(self.port) as client:
                    while may_ask:
                        number = next(self._turn)
                        asked = asked_of(number, self.questions[number % len(self.questions)])
                        stream = await read_stream(client, number, asked)
                        self._ended(stream)
                        await asyncio.sleep(stream.come_again_after)
                        may_ask = goes_on()
            except (OSError, EOFError, TimeoutError) as error:
                now = monotonic()
                self._ended(Stream(-1, now, now, now, is_answer=False, problem=type(error).__name__))
                await asyncio.sleep(0.1)
                may_ask = goes_on()

    def _ended(self, stream: Stream) -> None:
        self.streams.append(stream)
        self.when_ended()

    @property
    def errors(self) -> Counter[str]:
        """What no reader should meet with."""
        return Counter(stream.problem for stream in self.streams if stream.problem and not stream.was_turned_away)

    @property
    def turned_away(self) -> int:
        return sum(stream.was_turned_away for stream in self.streams)

    @property
    def answers(self) -> list[Stream]:
        return [stream for stream in self.streams if stream.problem is None]


async def written_questions(port: int, questions: Sequence[str], called: Callable[[], set[int]]) -> list[str]:
    """Those of the questions that the language model answers: what is refused at once would flatter the figures."""
    crowd = Crowd(port, questions)
    await crowd.ask_all(8, len(questions))
    readers = called()
    return [questions[one.reader] for one in crowd.answers if one.is_answer and one.reader in readers]


def asked_of(number: int, question: str) -> Asked:
    """The two contracts that stream, by turns; the number goes with the question, so that its call can be found."""
    marked = f"{question} #{number}"
    if number % 2:
        return "/api/v1/query", {"query": marked}
    return "/api/ask/stream", {"question": marked}


async def read_stream(client: Client, number: int, asked: Asked) -> Stream:
    asked_at = monotonic()
    status, headers = await client.begin(*asked)
    if headers.get("transfer-encoding") != "chunked":
        body = await client.rest(headers)
        now, again = monotonic(), float(headers.get("retry-after", "0"))
        refusal = f"HTTP {status}" if again else f"HTTP {status} {body[:80].decode(errors='replace')}"
        return Stream(number, asked_at, now, now, is_answer=False, problem=refusal, come_again_after=again)
    chunks = [await client.next_chunk()]
    first_at = monotonic()
    while chunks[-1]:
        chunks.append(await client.next_chunk())
    last = _last_frame(b"".join(chunks))
    problem = None if last.get("done") is True else str(last.get("error", "no end"))[:80]
    is_answer = bool(last.get("sources") or last.get("citations"))
    return Stream(number, asked_at, first_at, monotonic(), is_answer=is_answer, problem=problem)


def _last_frame(body: bytes) -> dict[str, Any]:
    frames = [line for line in body.split(b"\n\n") if line.startswith(b"data: ")]
    last: dict[str, Any] = json.loads(frames[-1].removeprefix(b"data: ")) if frames else {}
    return last
