"""Server-sent events: one JSON line a frame, heartbeats, and an end that is always said."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from citebook.api.answering import ClientGone, until_gone
from citebook.domain.events import Event, EvidenceFound

_HEARTBEAT_SECONDS = 15.0
_SEND_SECONDS = 30.0
_HEARTBEAT = b": still at work\n\n"

Frames = AsyncGenerator[Mapping[str, Any], None]


def frame(data: Mapping[str, Any]) -> bytes:
    """JSON keeps line breaks escaped, so nothing in the data can end the frame."""
    return f"data: {json.dumps(data, ensure_ascii=True, separators=(',', ':'))}\n\n".encode()


class EventStream(Response):
    """Sends frames until they end, the client leaves, or the server stops."""

    media_type = "text/event-stream"

    def __init__(
        self,
        frames: AbstractAsyncContextManager[Frames],
        stopping: asyncio.Event,
        when_stopped: Mapping[str, Any],
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._frames, self._stopping, self._when_stopped = frames, stopping, when_stopped
        self.status_code = 200
        self.background = None
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no", **(headers or {})})

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        sending = asyncio.ensure_future(self._send_frames(send))
        gone = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, gone):
                task.cancel()
            results = await asyncio.gather(sending, gone, return_exceptions=True)
        if isinstance(results[0], Exception) and not isinstance(results[0], TimeoutError | OSError):
            raise results[0]

    async def _send_frames(self, send: Send) -> None:
        async with self._frames as frames, aclosing(_with_heartbeats(frames, self._stopping)) as chunks:
            async for chunk in chunks:
                await _send(send, chunk)
            if self._stopping.is_set():
                await _send(send, frame(self._when_stopped))
        await _send(send, b"", more=False)


async def _with_heartbeats(frames: Frames, stopping: asyncio.Event) -> AsyncGenerator[bytes, None]:
    stop = asyncio.ensure_future(stopping.wait())
    following: asyncio.Future[Mapping[str, Any]] | None = None
    try:
        while True:
            following = following or asyncio.ensure_future(anext(frames))
            waits: set[asyncio.Future[Any]] = {following, stop}
            await asyncio.wait(waits, timeout=_HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if following.done():
                try:
                    yield frame(following.result())
                except StopAsyncIteration:
                    return
                following = None
            elif stop.done():
                return
            else:
                yield _HEARTBEAT
    finally:
        stop.cancel()
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)


async def _send(send: Send, body: bytes, *, more: bool = True) -> None:
    """A client that does not read is given up on."""
    async with asyncio.timeout(_SEND_SECONDS):
        await send({"type": "http.response.body", "body": body, "more_body": more})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def first_of(
    request: Request, events: AsyncGenerator[Event, None]
) -> tuple[Event, AsyncGenerator[Event, None]]:
    """The first event that a reader sees, and those after it: before it, a failure still has its own status."""
    gone = asyncio.ensure_future(until_gone(request))
    try:
        while True:
            following = asyncio.ensure_future(anext(events))
            await asyncio.wait({following, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)
                raise ClientGone
            event = following.result()
            if not isinstance(event, EvidenceFound):
                return event, events
    finally:
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
