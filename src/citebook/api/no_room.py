"""Requests that come where there is no room for them: health is answered, all others are told to come again."""

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from citebook.domain.errors import Overloaded

HEALTH = frozenset({"/health", "/api/health", "/api/v1/health"})
"""Whoever looks at the server's health never stands in line."""
_NO_ROOM = "citebook.no_room"


def without_room(app: ASGIApp) -> ASGIApp:
    """The same application for a connection that is one too many."""

    async def marked(scope: Scope, receive: Receive, send: Send) -> None:
        scope[_NO_ROOM] = True
        await app(scope, receive, send)

    return marked


def check_room(request: HTTPConnection) -> None:
    """Raises `Overloaded` for what came over such a connection."""
    if request.scope.get(_NO_ROOM):
        raise Overloaded
