"""Readers who ask without pause, go on when their server is gone, and remember what they were told."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal
from uuid import UUID

import httpx

Kind = Literal["core", "core-stream", "academic"]
KINDS: tuple[Kind, ...] = ("core", "core-stream", "academic")
QUESTIONS = ("What is a harmonic drive?", "What is a stepper motor?", "What is the zero moment point?")
PATIENCE = 300.0
"""Seconds after which a server counts as hung, on a machine with much else to do."""
_numbers = count()


@dataclass(frozen=True, slots=True)
class Told:
    """An answer that a reader was told to be whole."""

    kind: Kind
    question: str
    subject: str
    """The question without what makes it the only one of its kind."""
    answer: str
    session: UUID | None = None
    answer_id: UUID | None = None


@dataclass(slots=True)
class Reader:
    kind: Kind
    key: str
    told: list[Told] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    unworded: list[str] = field(default_factory=list)
    """Server errors without the words of a contract."""
    session: str | None = None
    token: str = ""

    async def read_on(self, url: str) -> None:
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
            while True:
                try:
                    await self.ask(client)
                except (httpx.TransportError, ValueError) as error:  # gone, or gone in the middle of a reply
                    self.statuses[type(error).__name__] += 1
                    await asyncio.sleep(0.25)

    async def ask(self, client: httpx.AsyncClient) -> int:
        """The status; notes the answer where the whole of it was told."""
        subject = QUESTIONS[next(_numbers) % len(QUESTIONS)]
        question = f"{subject} ({next(_numbers)})"
        if self.kind == "academic":
            reply = await client.post("/chat/query", json={"query": question}, headers=self._bearer)
        else:
            reply = await client.post("/api/v1/query", json=self._body(question), headers=self._session_headers)
        self.statuses[str(reply.status_code)] += 1
        if reply.status_code == httpx.codes.OK:
            self._note(reply, question, subject)
        elif reply.is_server_error and not _has_words(reply):
            self.unworded.append(f"{reply.status_code} {reply.text[:200]}")
        return reply.status_code

    @property
    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    @property
    def _session_headers(self) -> dict[str, str]:
        accept = "text/event-stream" if self.kind == "core-stream" else "application/json"
        return {"Accept": accept} | ({"X-Session-Token": self.token} if self.token else {})

    def _body(self, question: str) -> dict[str, Any]:
        return {"query": question} | ({"sessionId": self.session} if self.session else {})

    def _note(self, reply: httpx.Response, question: str, subject: str) -> None:
        body = _streamed(reply.text) if self.kind == "core-stream" else reply.json()
        if self.kind == "academic":
            self.told.append(Told(self.kind, question, subject, body["answer"], answer_id=UUID(body["answer_id"])))
        elif body.get("kept", True):
            self.session = body["sessionId"]
            self.token = reply.headers.get("X-Session-Token", self.token)
            self.told.append(Told(self.kind, question, subject, body["answer"], UUID(self.session)))


def _streamed(text: str) -> dict[str, Any]:
    """The last frame, with the text of all. Raises `ValueError` where the stream does not say that it is whole."""
    frames = [json.loads(line.removeprefix("data: ")) for line in text.split("\n\n") if line.startswith("data: ")]
    if not frames or frames[-1].get("done") is not True:
        raise ValueError("the stream has no end")
    said: Mapping[str, Any] = frames[-1]
    return {**said, "answer": "".join(frame.get("chunk", "") for frame in frames)}


def _has_words(reply: httpx.Response) -> bool:
    try:
        body = reply.json()
    except ValueError:
        return False
    return bool(isinstance(body, dict) and (body.get("error") or body.get("detail")))


@asynccontextmanager
async def reading(readers: list[Reader], url: str) -> AsyncIterator[None]:
    """While this lasts, all of them ask. Raises what none of them expected."""
    tasks = [asyncio.create_task(reader.read_on(url)) for reader in readers]
    try:
        yield
    finally:
        ended = [task for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in ended:
            task.result()


async def until_each_was_told(readers: list[Reader]) -> None:
    """Until each has had one more answer, however slow the machine is."""
    before = [len(reader.told) for reader in readers]
    async with asyncio.timeout(PATIENCE):
        while any(len(reader.told) == had for reader, had in zip(readers, before, strict=True)):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
