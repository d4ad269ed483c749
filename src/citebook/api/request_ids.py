"""Every request has an id, which is on its response and on every log line of it, and a time of arrival."""

import asyncio
import re
from uuid import uuid4

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citebook.telemetry import current_request_id

HEADER = "X-Request-ID"
REQUEST_ID = "citebook.request_id"
"""Where the id of a request stands in its scope."""
_ARRIVED_AT = "citebook.arrived_at"
_USABLE = re.compile(r"[A-Za-z0-9._-]{1,64}")


def request_id(request: HTTPConnection) -> str:
    found: str = request.scope[REQUEST_ID]
    return found


def arrived_at(request: HTTPConnection) -> float:
    """When the request came, by the clock of the running loop: its deadline counts from there."""
    found: float = request.scope[_ARRIVED_AT]
    return found


class RequestIds:
    """Takes the client's id where it is harmless, else makes one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent = HTTPConnection(scope).headers.get(HEADER, "")
        own = sent if _USABLE.fullmatch(sent) else str(uuid4())
        scope[REQUEST_ID], scope[_ARRIVED_AT] = own, asyncio.get_running_loop().time()
        token = current_request_id.set(own)

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = own
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            current_request_id.reset(token)
