"""Work that goes on beside whoever hands it out."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from citebook.pacing.one_at_a_time import OneAtATime


class Diary:
    def __init__(self) -> None:
        self.said: list[str] = []
        self.go_on = asyncio.Event()

    async def write(self, name: str) -> None:
        self.said.append(f"{name} begins")
        await self.go_on.wait()
        self.said.append(f"{name} ends")


async def test_whoever_begins_work_does_not_wait_for_it() -> None:
    diary = Diary()
    async with OneAtATime() as working:
        await working.begin(diary.write("one"))
        await asyncio.sleep(0)
        assert diary.said == ["one begins"]
        diary.go_on.set()


async def test_a_piece_begins_when_the_one_before_it_is_over() -> None:
    diary = Diary()
    diary.go_on.set()
    async with OneAtATime() as working:
        await working.begin(diary.write("one"))
        await working.begin(diary.write("two"))
    assert diary.said == ["one begins", "one ends", "two begins", "two ends"]


async def fail() -> None:
    raise ValueError("the disk is full")


async def work_on(*pieces: Coroutine[Any, Any, None]) -> None:
    async with OneAtATime() as working:
        for piece in pieces:
            await working.begin(piece)


async def test_what_went_wrong_is_raised_where_the_next_piece_begins() -> None:
    diary = Diary()
    with pytest.raises(ValueError, match="disk"):
        await work_on(fail(), diary.write("two"))
    assert not diary.said


async def test_what_went_wrong_last_is_raised_at_the_end() -> None:
    with pytest.raises(ValueError, match="disk"):
        await work_on(fail())


async def test_what_fails_beside_an_error_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def go_wrong_twice() -> None:
        async with OneAtATime() as working:
            await working.begin(fail())
            await asyncio.sleep(0)
            raise KeyError

    with pytest.raises(KeyError):
        await go_wrong_twice()
    assert "the disk is full" in caplog.text


async def test_nothing_is_at_work_after_an_error_led_out() -> None:
    diary = Diary()
    working = asyncio.create_task(work_on(diary.write("one"), diary.write("two")))
    await asyncio.sleep(0.01)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    diary.go_on.set()
    await asyncio.sleep(0)
    assert diary.said == ["one begins"]
