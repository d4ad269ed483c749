"""What is in the outbox is found again, in order, whatever happens to the process or to a file."""

import asyncio
import errno
import logging
import stat
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from citebook.domain.conversation import new_session
from citebook.domain.entries import Entry
from citebook.domain.errors import DatabaseUnavailable
from citebook.records import outbox_folder
from citebook.records.outbox import Outbox
from citebook.whole_files import write_whole
from tests.conversing import question_in
from tests.records import NOON, full_record

SESSION = UUID("6f2c1a34-16cb-4cb5-8f6d-0c1e3a1c9d11")

Open = Callable[[], Outbox]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "outbox"


@pytest.fixture
async def opened(root: Path) -> AsyncIterator[Open]:
    """Opens the outbox; more than one is like more than one process."""
    async with AsyncExitStack() as stack:

        def open_one() -> Outbox:
            outbox = Outbox(root)
            stack.push_async_callback(outbox.aclose)
            return outbox

        yield open_one


def asked(number: int) -> Entry:
    return Entry(message=question_in(SESSION, f"Question {number}", NOON))


async def emptied(outbox: Outbox) -> list[Entry]:
    """All entries, taken out two by two."""
    found: list[Entry] = []
    while oldest := await outbox.oldest(2):
        found += oldest.values()
        await outbox.remove(oldest)
    return found


async def filled(root: Path, count: int) -> list[Entry]:
    """An outbox that was left with so many entries."""
    entries = [asked(number) for number in range(count)]
    async with aclosing(Outbox(root)) as outbox:
        for entry in entries:
            await outbox.put(entry)
    return entries


def files_in(root: Path) -> list[Path]:
    return sorted(root.glob("*/*.entry"))


def aside_in(root: Path) -> list[str]:
    return sorted(file.name for file in root.glob("1/aside/*"))


async def test_what_is_put_comes_out_in_order_and_once(opened: Open, root: Path) -> None:
    outbox = opened()
    session, _ = new_session(NOON)
    entries = [Entry(session=session), *map(asked, range(12)), Entry(record=full_record())]
    for entry in entries:
        await outbox.put(entry)
    assert len(outbox) == len(files_in(root)) == 14
    assert await emptied(outbox) == entries
    assert len(outbox) == len(files_in(root)) == 0


async def test_many_at_once(opened: Open) -> None:
    outbox = opened()
    entries = [asked(number) for number in range(50)]
    await asyncio.gather(*map(outbox.put, entries))
    assert await emptied(outbox) == entries


async def test_it_is_all_there_after_a_restart(opened: Open, root: Path) -> None:
    before = await filled(root, 3)
    outbox = opened()
    assert len(outbox) == 3
    after = asked(3)
    await outbox.put(after)
    assert await emptied(outbox) == [*before, after]


async def test_whoever_waits_for_an_entry_is_told(opened: Open) -> None:
    outbox = opened()
    waiting = asyncio.create_task(outbox.until_filled())
    await asyncio.sleep(0)
    assert not waiting.done()
    await outbox.put(asked(1))
    await waiting
    await emptied(outbox)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(outbox.until_filled(), 0.01)


async def test_a_session_is_known_while_it_waits(opened: Open, root: Path) -> None:
    session, _ = new_session(NOON)
    async with aclosing(Outbox(root)) as first:
        await first.put(Entry(session=session))
    outbox = opened()
    assert outbox.session(session.id) == session
    assert outbox.session(uuid4()) is None
    await emptied(outbox)
    assert outbox.session(session.id) is None


async def test_text_that_no_file_takes(opened: Open) -> None:
    outbox = opened()
    await outbox.put(Entry(record=full_record(user_query_text="a\x00b\ud800c")))
    (entry,) = await emptied(outbox)
    assert entry.record is not None
    assert entry.record.user_query_text == "a\ufffdb\ufffdc"


async def test_it_is_for_its_owner_alone(opened: Open, root: Path) -> None:
    await opened().put(asked(1))
    assert stat.S_IMODE((root / "1").stat().st_mode) == 0o700


# --- damage


def cut(content: bytes) -> bytes:
    return content[:-20]


def changed(content: bytes) -> bytes:
    return content.replace(b"Question 1", b"Question 7")


def emptied_file(_: bytes) -> bytes:
    return b""


def noise(_: bytes) -> bytes:
    return b"\xff\x00" * 99


@pytest.mark.parametrize("damage", [cut, changed, emptied_file, noise])
async def test_a_damaged_entry_costs_only_itself(
    opened: Open, root: Path, damage: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    entries = await filled(root, 3)
    damaged = files_in(root)[1]
    damaged.write_bytes(damage(damaged.read_bytes()))
    assert await emptied(opened()) == [entries[0], entries[2]]
    assert aside_in(root) == [damaged.name]
    assert f"aside/{damaged.name}: it is damaged" in caplog.text


async def test_one_that_is_damaged_while_it_waits(opened: Open, root: Path) -> None:
    outbox = opened()
    entries = [asked(number) for number in range(3)]
    for entry in entries:
        await outbox.put(entry)
    files_in(root)[0].write_bytes(b"damaged")
    assert await emptied(outbox) == entries[1:]
    assert len(outbox) == 0


async def test_one_that_somebody_removed(opened: Open, root: Path, caplog: pytest.LogCaptureFixture) -> None:
    outbox = opened()
    await outbox.put(asked(1))
    await outbox.put(asked(2))
    files_in(root)[0].unlink()
    assert len(await emptied(outbox)) == 1
    assert "removed by somebody else" in caplog.text


async def test_one_of_another_version(opened: Open, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Entry, "model_dump", lambda *_, **__: {"message": {"of": "the future"}})
        await filled(root, 1)
    assert await emptied(opened()) == []
    assert len(aside_in(root)) == 1


async def test_what_was_put_aside_is_never_overwritten(opened: Open, root: Path) -> None:
    for _ in range(3):
        async with aclosing(Outbox(root)) as outbox:
            await outbox.put(asked(1))
            (number,) = await outbox.oldest(1)
            await outbox.put_aside(number, "SQL refused it")
    assert len(aside_in(root)) == 3
    assert await emptied(opened()) == []


async def test_a_half_written_file_is_cleared_away(opened: Open, root: Path) -> None:
    await filled(root, 1)
    half = root / "1" / ".000000000002.entry.4711.unfinished"
    half.write_bytes(b"half")
    assert len(await emptied(opened())) == 1
    assert not half.exists()


# --- several processes


async def test_each_process_has_an_outbox_of_its_own(opened: Open, root: Path) -> None:
    mine, other = opened(), opened()
    await mine.put(asked(1))
    await other.put(asked(2))
    assert sorted(file.parent.name for file in files_in(root)) == ["1", "2"]
    assert len(await emptied(mine)) == len(await emptied(other)) == 1


async def test_what_dead_processes_left_is_taken_over(opened: Open, root: Path) -> None:
    alive, dead = opened(), Outbox(root)
    await alive.put(asked(1))
    for number in (2, 3):
        await dead.put(asked(number))
    await dead.aclose()
    heir = opened()
    assert [entry.message.content for entry in await emptied(heir) if entry.message] == ["Question 2", "Question 3"]
    assert len(alive) == 1


async def test_the_next_takes_over_all(opened: Open, root: Path) -> None:
    both = Outbox(root), Outbox(root)
    for number, outbox in enumerate(both):
        await outbox.put(asked(number))
        await outbox.put(asked(number))
    for outbox in both:
        await outbox.aclose()
    assert len(await emptied(opened())) == 4
    assert files_in(root) == []


# --- a disk that fails


def full_disk(*_: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


async def test_a_full_disk_is_told_and_forgiven(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    outbox = opened()
    with monkeypatch.context() as patched:
        patched.setattr(outbox_folder, "write_whole", full_disk)
        with pytest.raises(DatabaseUnavailable, match="No space left on device"):
            await outbox.put(asked(1))
    assert len(outbox) == 0
    await outbox.put(asked(2))
    assert len(await emptied(outbox)) == 1


@pytest.fixture
def in_the_way(root: Path) -> Path:
    """A file where the folder should be."""
    root.write_text("not a folder")
    return root


async def test_a_folder_that_cannot_be_made(opened: Open, in_the_way: Path, caplog: pytest.LogCaptureFixture) -> None:
    outbox = opened()
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    with pytest.raises(DatabaseUnavailable, match=r"The outbox in .* failed"):
        await outbox.put(asked(1))
    await asyncio.to_thread(in_the_way.unlink)
    await outbox.put(asked(2))
    assert len(await emptied(outbox)) == 1


async def test_a_slow_disk_is_not_waited_for(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(path: Path, content: bytes) -> None:
        time.sleep(0.3)
        write_whole(path, content)

    monkeypatch.setattr(outbox_folder, "write_whole", slow)
    async with aclosing(Outbox(root, seconds_to_put=0.05)) as outbox:
        with pytest.raises(DatabaseUnavailable, match="takes too long"):
            await outbox.put(asked(1))
        assert len(outbox) == 1
        await outbox.until_filled()
        assert len(await emptied(outbox)) == 1
