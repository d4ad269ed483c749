"""Threads for the work of answers: as many as there are cores, apart from whatever waits for disks and networks."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Runs plain functions off the event loop, at most `count` at a time, in the order in which they come."""

    def __init__(self, count: int = 0) -> None:
        """0 for one a core."""
        self.count = count or cores()
        self._pool = ThreadPoolExecutor(self.count, thread_name_prefix="citebook-worker")

    async def run(
        self, work: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """What the function returns. Whoever stops waiting for work that has not begun takes it off the queue."""
        context = copy_context()
        return await asyncio.wrap_future(self._pool.submit(lambda: context.run(work, *args, **kwargs)))

    async def aclose(self) -> None:
        """Drops what has not begun. What runs is not waited for: the process may be on its way out."""
        self._pool.shutdown(wait=False, cancel_futures=True)
