"""A moment that many wait for together, so that the event loop wakes once for all of them."""

import asyncio


class Beat:
    """Comes a set time after the first began to wait for it; whoever joins them meanwhile waits for less."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next: asyncio.Event | None = None

    async def wait(self) -> None:
        if self._next is None:
            self._next = asyncio.Event()
            asyncio.get_running_loop().call_later(self._seconds, self._come, self._next)
        await self._next.wait()

    def _come(self, moment: asyncio.Event) -> None:
        self._next = None
        moment.set()
