"""What holds for every request and every reply, whichever contract they belong to."""

from http import HTTPStatus

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_HEAD = 16 * 1024
"""Bytes of a request's address and headers."""
_BETWEEN = 4
"""Bytes between a header's name and its value, and at its end."""
_RETRY_AFTER = 5
"""Seconds, where nobody knows better."""
_ASKS_FOR_PATIENCE = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


class FrontDoor:
    """Refuses heads that are too large. Turns nobody away without a word of when to come again.

    Nothing may be kept by a cache on the way unless its route says so.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Cache-Control", "no-store")  # it may be one reader's own
                headers.setdefault("X-Content-Type-Options", "nosniff")
                if message["status"] in _ASKS_FOR_PATIENCE:
                    headers.setdefault("Retry-After", str(_RETRY_AFTER))
            await send(message)

        if _head_bytes(scope) > LARGEST_HEAD:
            refusal = JSONResponse(
                {"detail": f"The address and the headers must not be larger than {LARGEST_HEAD} bytes."},
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                {"Connection": "close"},
            )
            await refusal(scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)


def _head_bytes(scope: Scope) -> int:
    headers = sum(len(name) + len(value) + _BETWEEN for name, value in scope["headers"])
    return headers + len(scope.get("raw_path") or b"") + len(scope["query_string"])
