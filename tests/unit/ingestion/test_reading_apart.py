"""Pages are read in a process of their own, within limits."""

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from time import monotonic

import pytest

from citebook.domain.errors import PageUnreadable
from citebook.ingestion import reading_child
from citebook.ingestion.book_source import find_pages
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.page_reading import read_page
from citebook.ingestion.reading_apart import OUT_OF_MEMORY, PagesApart, ReadingLimits, receive, send
from citebook.ingestion.source_page import SourcePage

RULES = ChunkingRules(target_tokens=64, max_tokens=128)
SHARED = ReadingLimits(seconds=60.0, megabytes=256)
A_GAP = "A robot moves.\n\n"


def count_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def page(folder: Path, text: str = A_GAP, name: str = "a.md") -> SourcePage:
    (folder / name).write_text(text, encoding="utf-8")
    return next(page for page in find_pages(folder).pages if page.source_file == name)


@asynccontextmanager
async def pages_apart(limits: ReadingLimits = SHARED) -> AsyncIterator[PagesApart]:
    async with PagesApart(RULES, count_words, limits) as pages:
        yield pages


def child_of(pages: PagesApart) -> int:
    assert pages._child is not None
    return pages._child._process.pid


async def test_a_page_is_read_as_it_would_be_here(tmp_path: Path) -> None:
    source = page(tmp_path, "# Gears\n\n| a | b |\n|---|---|\n| **1** | `2` |\n\n" + "One. Two three. " * 50)
    async with pages_apart() as pages:
        assert await pages.read(source) == read_page(source, RULES, count_words)


async def test_what_is_wrong_with_a_page_is_told_and_the_child_goes_on(tmp_path: Path) -> None:
    broken, whole = page(tmp_path, "<Unclosed>\n", "b.mdx"), page(tmp_path)
    async with pages_apart() as pages:
        child = child_of(pages)
        with pytest.raises(PageUnreadable, match=r"b\.mdx: line 1"):
            await pages.read(broken)
        assert (await pages.read(whole)).chunks
        assert child_of(pages) == child


async def test_a_page_that_takes_too_long_is_given_up_and_the_next_is_read(tmp_path: Path) -> None:
    source = page(tmp_path)
    async with pages_apart(ReadingLimits(seconds=1.0)) as pages:
        await pages.read(source)
        os.kill(child_of(pages), signal.SIGSTOP)
        began = monotonic()
        with pytest.raises(PageUnreadable, match=r"a\.md: it takes more than 1 s to read"):
            await pages.read(source)
        assert monotonic() - began < 30
    async with pages_apart() as pages:
        os.kill(child_of(pages), signal.SIGKILL)
        with pytest.raises(PageUnreadable, match=r"the process that read it ended \(SIGKILL\)"):
            await pages.read(source)
        assert (await pages.read(source)).chunks


async def test_a_page_that_needs_too_much_memory_is_given_up(tmp_path: Path) -> None:
    source = page(tmp_path, "| a | b |\n|---|---|\n" + "| c | d |\n" * 60_000)
    async with pages_apart(ReadingLimits(megabytes=64)) as pages:
        with pytest.raises(PageUnreadable, match="it takes more than 64 MB of memory to read"):
            await pages.read(source)
        assert (await pages.read(page(tmp_path))).chunks


async def test_a_fault_of_ours_costs_one_page_and_is_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = page(tmp_path)
    async with PagesApart(RULES, lambda texts: [0] * (len(texts) + 1), SHARED) as pages:
        with pytest.raises(PageUnreadable, match="a fault on our side"):
            await pages.read(source)
    assert "ValueError" in caplog.text


def environment_of(process: int) -> bytes:
    return Path(f"/proc/{process}/environ").read_bytes()


async def test_the_child_knows_none_of_our_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    async with pages_apart() as pages:
        await pages.read(page(tmp_path))
        assert b"canary" not in environment_of(child_of(pages))


class _Program:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


@pytest.mark.parametrize("hostile", [_Program(), ("read", [_Program()]), eval, subprocess.Popen, receive])
def test_no_program_comes_out_of_the_child(hostile: object) -> None:
    pipe = BytesIO()
    send(pipe, hostile)
    pipe.seek(0)
    with pytest.raises(EOFError):
        receive(pipe)


async def test_who_stops_waiting_ends_the_child_at_once(tmp_path: Path) -> None:
    source = page(tmp_path)
    async with pages_apart() as pages:
        child = child_of(pages)
        os.kill(child, signal.SIGSTOP)
        reading = asyncio.create_task(pages.read(source))
        await asyncio.sleep(0.2)
        reading.cancel()
        began = monotonic()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert monotonic() - began < 5
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


async def test_a_child_without_a_parent_ends(tmp_path: Path) -> None:
    async with pages_apart() as pages:
        await pages.read(page(tmp_path))
        assert pages._child is not None
        process = pages._child._process
        assert process.stdin is not None
        process.stdin.close()
        assert await asyncio.to_thread(process.wait, 30) == 0


def test_where_the_system_has_no_limit_of_memory_a_look_at_it_ends_the_child() -> None:
    ended: list[int] = []
    sizes = iter([10, 20, 31])
    reading_child.end_over(30, lambda: next(sizes), ended.append)
    assert ended == [OUT_OF_MEMORY]
