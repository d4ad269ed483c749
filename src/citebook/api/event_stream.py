"""Server-sent events: one JSON line a frame, heartbeats, and an end that is always said."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from citebook.agents.answer_in_progress import Tell
from citebook.api.answering import ClientGone, until_gone
from citebook.api.problems import ProblemRaised, problem_of_failure
from citebook.api.stopping import WORDS, Stopping
from citebook.domain.errors import CitebookError
from citebook.domain.events import AnswerCompleted, AnswerFailed, Event, EvidenceFound

log = logging.getLogger(__name__)

_HEARTBEAT = b": still at work\n\n"

Frame = Mapping[str, Any]
Telling = Callable[[Tell], Coroutine[Any, Any, object]]
"""Makes an answer, and tells of each event as it happens."""


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


class _AnswerTask:
    """An answer in the making, in a task of its own, whose events can be waited for."""

    def __init__(self, telling: Telling) -> None:
        self._told: asyncio.Queue[Event | Exception] = asyncio.Queue()
        self._task = asyncio.create_task(self._run(telling))

    async def _run(self, telling: Telling) -> None:
        try:
            await telling(self._told.put)
        except Exception as error:  # a door: whoever waits for the next event hears of it
            self._told.put_nowait(error)

    async def next(self) -> Event:
        """Raises what ended the answer, where it did not end by itself."""
        told = await self._told.get()
        if isinstance(told, Exception):
            raise told
        return told

    async def stop(self) -> None:
        await _cancelled(self._task)


def frame(data: Frame) -> bytes:
    """JSON keeps line breaks escaped, so nothing in the data can end the frame."""
    return f"data: {json.dumps(data, ensure_ascii=True, separators=(',', ':'))}\n\n".encode()


async def open_stream(
    request: Request,
    telling: Telling,
    frames: Frames,
    stopping: Stopping,
    times: StreamTimes,
    headers: Mapping[str, str],
) -> "EventStream":
    """Waits for the first words: until then a failure has a status of its own. Raises `ProblemRaised` for it."""
    answer = _AnswerTask(telling)
    try:
        first = await _first_of(request, answer)
        if isinstance(first, AnswerFailed):
            raise ProblemRaised(problem_of_failure(first))
    except BaseException:
        await answer.stop()
        raise
    return EventStream(answer, first, frames, stopping, times, headers)


class EventStream(Response):
    """Sends frames until they end, the client leaves, or the server stops."""

    media_type = "text/event-stream"

    def __init__(
        self,
        answer: _AnswerTask,
        first: Event,
        frames: Frames,
        stopping: Stopping,
        times: StreamTimes,
        headers: Mapping[str, str],
    ) -> None:
        self._answer, self._first, self._frames = answer, first, frames
        self._stopping, self._times = stopping, times
        self.status_code = 200
        self.background = None
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no", **headers})

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send_all(send))
        gone = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            (sent, _) = await _cancelled(sending, gone)
            await self._answer.stop()
        if isinstance(sent, Exception) and not isinstance(sent, TimeoutError | OSError):
            raise sent

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
        event: Event | None = self._first
        stop = asyncio.ensure_future(self._stopping.wait())
        try:
            while True:
                for chunk in self._chunks_of(event):
                    yield chunk
                if isinstance(event, AnswerCompleted | AnswerFailed):
                    return
                event = await self._following(stop)
        except _Stopping:
            yield frame(self._frames.error(WORDS))
        except Exception:  # a door: the client gets a last frame, the log the rest
            log.exception("a stream failed")
            yield frame(self._frames.error(CitebookError.user_message))
        finally:
            await _cancelled(stop)

    def _chunks_of(self, event: Event | None) -> Iterator[bytes]:
        return iter((_HEARTBEAT,)) if event is None else map(frame, self._frames.of(event))

    async def _following(self, stop: "asyncio.Future[Any]") -> Event | None:
        """The next event; None where nothing happened for a while."""
        waiting = asyncio.ensure_future(self._answer.next())
        try:
            both: set[asyncio.Future[Any]] = {waiting, stop}
            await asyncio.wait(both, timeout=self._times.heartbeat_seconds, return_when="FIRST_COMPLETED")
            if waiting.done():
                return waiting.result()
            if stop.done():
                raise _Stopping
            return None
        finally:
            await _cancelled(waiting)


class _Stopping(Exception):
    """The server is about to end."""


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _first_of(request: Request, answer: _AnswerTask) -> Event:
    """The first event that a reader sees."""
    gone = asyncio.ensure_future(until_gone(request))
    following: asyncio.Future[Event] | None = None
    try:
        while True:
            following = asyncio.ensure_future(answer.next())
            await asyncio.wait({following, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                raise ClientGone
            event = following.result()
            if not isinstance(event, EvidenceFound):
                return event
    finally:
        await _cancelled(gone, following)


async def _cancelled(*tasks: "asyncio.Future[Any] | None") -> list[Any]:
    """Ends tasks, waits until they have ended, and says what came of each."""
    left = [task for task in tasks if task is not None]
    for task in left:
        task.cancel()
    return await asyncio.gather(*left, return_exceptions=True)
