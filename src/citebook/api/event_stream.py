"""Server-sent events: one JSON line a frame, heartbeats, and an end that is always said."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from citebook.api.answering import ClientGone, until_gone
from citebook.api.problems import ProblemRaised, problem_of_code
from citebook.domain.answer import ProvenSentence
from citebook.domain.errors import CitebookError
from citebook.domain.events import AnswerCompleted, AnswerFailed, Event, EvidenceFound, SentenceVerified
from citebook.writing.replies import compose

log = logging.getLogger(__name__)

_HEARTBEAT = b": still at work\n\n"
_STOPPING = "The server is stopping. Please ask again."

Events = AsyncGenerator[Event, None]
Frame = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StreamTimes:
    heartbeat_seconds: float = 10.0
    send_seconds: float = 30.0
    """A client that reads nothing for so long is given up on."""


class Frames(Protocol):
    """How a contract words a stream. One object words one stream."""

    def of(self, event: Event) -> Sequence[Frame]: ...

    def error(self, message: str) -> Frame:
        """The last frame of a stream that does not end well."""
        ...


class SpokenText:
    """The text of an answer as it grows: all that was said is the text of the whole answer."""

    def __init__(self) -> None:
        self._sentences: list[ProvenSentence] = []
        self._text = ""
        self._is_full = False

    def __bool__(self) -> bool:
        return bool(self._text)

    def following(self, event: SentenceVerified) -> str:
        """What the sentence adds to what was said before it; nothing where the answer is as long as may be."""
        if self._is_full:
            return ""
        self._sentences.append(ProvenSentence(event.claim, event.citation))
        _, _, text = compose(self._sentences)
        added, self._text = text[len(self._text) :], text
        self._is_full = not added
        return added


def frame(data: Frame) -> bytes:
    """JSON keeps line breaks escaped, so nothing in the data can end the frame."""
    return f"data: {json.dumps(data, ensure_ascii=True, separators=(',', ':'))}\n\n".encode()


async def open_stream(
    request: Request,
    answering: AbstractAsyncContextManager[Events],
    frames: Frames,
    stopping: asyncio.Event,
    times: StreamTimes,
    headers: Mapping[str, str],
) -> "EventStream":
    """Waits for the first words: until then a failure has a status of its own. Raises `ProblemRaised` for it."""
    async with AsyncExitStack() as stack:
        events = await stack.enter_async_context(answering)
        first = await _first_of(request, events)
        if isinstance(first, AnswerFailed):
            raise ProblemRaised(problem_of_code(first.code))
        return EventStream(stack.pop_all(), first, events, frames, stopping, times, headers)


class EventStream(Response):
    """Sends frames until they end, the client leaves, or the server stops."""

    media_type = "text/event-stream"

    def __init__(
        self,
        opened: AsyncExitStack,
        first: Event,
        events: Events,
        frames: Frames,
        stopping: asyncio.Event,
        times: StreamTimes,
        headers: Mapping[str, str],
    ) -> None:
        self._opened, self._first, self._events, self._frames = opened, first, events, frames
        self._stopping, self._times = stopping, times
        self.status_code = 200
        self.background = None
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no", **headers})

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        async with self._opened:
            sending = asyncio.ensure_future(self._send_all(send))
            gone = asyncio.ensure_future(_until_gone(receive))
            try:
                await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (sending, gone):
                    task.cancel()
                results = await asyncio.gather(sending, gone, return_exceptions=True)
        if isinstance(results[0], Exception) and not isinstance(results[0], TimeoutError | OSError):
            raise results[0]

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async with aclosing(self._chunks()) as chunks:
            async for chunk in chunks:
                await self._send(send, chunk)
        await self._send(send, b"", more=False)

    async def _send(self, send: Send, body: bytes, *, more: bool = True) -> None:
        async with asyncio.timeout(self._times.send_seconds):
            await send({"type": "http.response.body", "body": body, "more_body": more})

    async def _chunks(self) -> AsyncGenerator[bytes, None]:
        """After the first byte a failure is one last frame."""
        try:
            for chunk in self._chunks_of(self._first):
                yield chunk
            async with aclosing(self._following()) as following:
                async for event in following:
                    if event is None:
                        yield _HEARTBEAT
                    else:
                        for chunk in self._chunks_of(event):
                            yield chunk
        except _Stopping:
            yield frame(self._frames.error(_STOPPING))
        except Exception:  # a door: the client gets a last frame, the log the rest
            log.exception("a stream failed")
            yield frame(self._frames.error(CitebookError.user_message))

    def _chunks_of(self, event: Event) -> Iterator[bytes]:
        return map(frame, self._frames.of(event))

    async def _following(self) -> AsyncGenerator[Event | None, None]:
        """The events up to the one that ends the answer; None whenever nothing happened for a while."""
        event: Event | None = self._first
        stop = asyncio.ensure_future(self._stopping.wait())
        waiting: asyncio.Future[Event] | None = None
        try:
            while not isinstance(event, AnswerCompleted | AnswerFailed):
                waiting = waiting or asyncio.ensure_future(anext(self._events))
                both: set[asyncio.Future[Any]] = {waiting, stop}
                await asyncio.wait(both, timeout=self._times.heartbeat_seconds, return_when="FIRST_COMPLETED")
                if waiting.done():
                    event, waiting = waiting.result(), None
                elif stop.done():
                    raise _Stopping
                else:
                    event = None
                yield event
        finally:
            await _cancelled(stop, waiting)


class _Stopping(Exception):
    """The server is about to end."""


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _first_of(request: Request, events: Events) -> Event:
    """The first event that a reader sees."""
    gone = asyncio.ensure_future(until_gone(request))
    following: asyncio.Future[Event] | None = None
    try:
        while True:
            following = asyncio.ensure_future(anext(events))
            await asyncio.wait({following, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                raise ClientGone
            event = following.result()
            if not isinstance(event, EvidenceFound):
                return event
    finally:
        await _cancelled(gone, following)


async def _cancelled(*tasks: asyncio.Future[Any] | None) -> None:
    """Ends tasks, and waits until they have ended."""
    left = [task for task in tasks if task is not None]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
