"""One moment for all who wait."""

import asyncio

import pytest

from citebook.pacing.beat import Beat


async def test_who_comes_later_wakes_with_the_first() -> None:
    beat, woken = Beat(0.2), []

    async def wait(name: str) -> None:
        await beat.wait()
        woken.append((name, asyncio.get_running_loop().time()))

    first = asyncio.create_task(wait("first"))
    await asyncio.sleep(0.1)
    await asyncio.gather(first, wait("later"))
    (_, at), (_, also_at) = woken
    assert also_at - at < 0.05


async def test_after_one_beat_there_is_a_next() -> None:
    beat, began = Beat(0.05), asyncio.get_running_loop().time()
    for _ in range(3):
        await beat.wait()
    assert asyncio.get_running_loop().time() - began >= 0.14


async def test_one_who_leaves_takes_the_moment_from_nobody() -> None:
    beat = Beat(0.05)
    leaving = asyncio.create_task(beat.wait())
    staying = asyncio.create_task(beat.wait())
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.wait_for(staying, 1)
    with pytest.raises(asyncio.CancelledError):
        await leaving
