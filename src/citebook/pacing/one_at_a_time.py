"""Work that goes on beside whoever hands it out, one piece after the other."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Self

log = logging.getLogger(__name__)


class OneAtATime:
    """What was begun is over when this is left: to its end, or cancelled where an error leads out."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None

    async def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Waits for the piece before it, and raises what went wrong there."""
        try:
            await self.end()
        except BaseException:
            work.close()
            raise
        self._task = asyncio.create_task(work)

    async def end(self) -> None:
        """Nothing is at work when this returns."""
        task, self._task = self._task, None
        if task is not None:
            await task

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, _kind: object, error: BaseException | None, _where: object) -> None:
        task = self._task
        if error is None or task is None:
            await self.end()
            return
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled() and (failure := task.exception()) is not None:
            log.warning("what was at work failed too: %s", failure)
