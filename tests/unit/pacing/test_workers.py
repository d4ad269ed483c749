"""Work of answers runs off the event loop, and never more of it at a time than there are workers."""

import asyncio
import threading
from contextvars import ContextVar

import pytest

from citebook.pacing.workers import Workers

REQUEST: ContextVar[str] = ContextVar("REQUEST", default="none")


async def test_work_runs_in_another_thread_with_the_context_of_its_caller() -> None:
    workers = Workers(1)
    REQUEST.set("seven")
    assert await workers.run(lambda: (threading.current_thread() is threading.main_thread(), REQUEST.get())) == (
        False,
        "seven",
    )


async def test_what_the_work_raises_is_raised_to_whoever_waits() -> None:
    def fail() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await Workers(1).run(fail)


async def test_no_more_run_at_a_time_than_there_are_workers() -> None:
    workers, lock = Workers(2), threading.Lock()
    running, most = 0, 0
    barrier = threading.Barrier(2)

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        barrier.wait(30)
        with lock:
            running -= 1

    await asyncio.gather(*(workers.run(work) for _ in range(8)))
    assert most == 2


async def test_work_that_nobody_waits_for_any_more_is_never_begun() -> None:
    workers, go_on = Workers(1), threading.Event()
    begun: list[str] = []
    first = asyncio.create_task(workers.run(go_on.wait, 30))
    second = asyncio.create_task(workers.run(begun.append, "second"))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    go_on.set()
    await first
    await workers.run(begun.append, "third")
    assert begun == ["third"]
