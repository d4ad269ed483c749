"""Many requests at one moment are begun a few at a time: who looks at the server's health does not wait for all."""

import asyncio
from collections import deque

from starlette.types import ASGIApp, Receive, Scope, Send

from citebook.api.no_room import HEALTH

_AT_ONCE = 8
"""To read a question and let it in takes about a millisecond of the event loop."""


class Spread:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._begun = 0
        """In this turn of the event loop."""
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in HEALTH:
            await self._turn()
        await self._app(scope, receive, send)

    async def _turn(self) -> None:
        loop = asyncio.get_running_loop()
        if not self._begun:
            loop.call_soon(self._next_turn)
        if self._begun < _AT_ONCE:
            self._begun += 1
            return
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _next_turn(self) -> None:
        self._begun = 0
        while self._waiting and self._begun < _AT_ONCE:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._begun += 1
        if self._begun:
            asyncio.get_running_loop().call_soon(self._next_turn)
