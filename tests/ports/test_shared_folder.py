"""A folder that machines share, on SQLite and on a real PostgreSQL."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from citebook.adapters.sql.database import Database
from citebook.adapters.sql.job_leases import SqlJobLeases
from citebook.adapters.sql.shared_folder import SqlSharedFolder

MINUTE = timedelta(minutes=1)


@pytest.fixture
def copies(tmp_path: Path) -> tuple[Path, Path]:
    """The folders of two machines."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    return tmp_path / "one", tmp_path / "two"


@pytest.fixture
def folders(database: Database, copies: tuple[Path, Path]) -> tuple[SqlSharedFolder, SqlSharedFolder]:
    one, two = copies
    return SqlSharedFolder(database, "uploads/a", one), SqlSharedFolder(database, "uploads/a", two)


Folders = tuple[SqlSharedFolder, SqlSharedFolder]


async def test_what_one_machine_pushes_another_pulls(folders: Folders, copies: tuple[Path, Path]) -> None:
    (copies[0] / ".jobs" / "7" / "new").mkdir(parents=True)
    (copies[0] / ".jobs" / "7" / "new" / "hips.md").write_bytes(b"\x00hips")
    (copies[0] / "gears.md").write_text("gears")
    await folders[0].push()
    await folders[1].pull()
    assert (copies[1] / ".jobs/7/new/hips.md").read_bytes() == b"\x00hips"
    assert (copies[1] / "gears.md").read_text() == "gears"


async def test_what_one_removes_is_removed_everywhere_with_its_folders(
    folders: Folders, copies: tuple[Path, Path]
) -> None:
    await folders[0].add({".jobs/7/new/hips.md": b"hips", "gears.md": b"gears"})
    for folder in folders:
        await folder.pull()
    (copies[0] / ".jobs/7/new/hips.md").unlink()
    await folders[0].push()
    await folders[1].pull()
    assert not (copies[1] / ".jobs").exists()
    assert await folders[1].read(".jobs/7/new/hips.md") is None
    assert await folders[1].read("gears.md") == b"gears"


async def test_what_was_not_pushed_is_undone_by_a_pull(folders: Folders, copies: tuple[Path, Path]) -> None:
    await folders[0].add({"gears.md": b"old"})
    await folders[0].pull()
    (copies[0] / "gears.md").write_text("half done")
    (copies[0] / "other.md").write_text("half done")
    (copies[0] / ".jobs/7/previous").mkdir(parents=True)
    await folders[0].pull()
    assert sorted(path.name for path in copies[0].rglob("*")) == [".shared", "gears.md"]
    assert (copies[0] / "gears.md").read_text() == "old"


async def test_what_others_added_meanwhile_is_not_removed_by_a_push(
    folders: Folders, copies: tuple[Path, Path]
) -> None:
    await folders[0].add({"gears.md": b"gears"})
    await folders[0].pull()
    await folders[1].add({"hips.md": b"hips"})
    (copies[0] / "gears.md").unlink()
    await folders[0].push()
    assert (await folders[1].read("gears.md"), await folders[1].read("hips.md")) == (None, b"hips")


async def test_only_what_is_under_a_path_is_pushed(folders: Folders, copies: tuple[Path, Path]) -> None:
    (copies[0] / ".jobs").mkdir()
    (copies[0] / ".jobs" / "job.json").write_text("{}")
    (copies[0] / "gears.md").write_text("half done")
    await folders[0].push(".jobs/")
    assert await folders[1].read(".jobs/job.json") == b"{}"
    assert await folders[1].read("gears.md") is None


async def test_a_folder_that_was_never_shared_gives_what_it_has(folders: Folders, copies: tuple[Path, Path]) -> None:
    await folders[1].add({"gears.md": b"of all"})
    (copies[0] / "gears.md").write_text("of one")
    (copies[0] / "hips.md").write_text("of one")
    await folders[0].pull()
    assert (copies[0] / "gears.md").read_text() == "of all"
    assert await folders[1].read("hips.md") == b"of one"


async def test_folders_of_other_names_are_others(database: Database, folders: Folders, tmp_path: Path) -> None:
    await folders[0].add({"gears.md": b"gears"})
    other = SqlSharedFolder(database, "uploads/b", tmp_path / "three")
    await other.pull()
    assert await other.read("gears.md") is None
    assert not (tmp_path / "three").exists()


async def test_of_many_who_ask_at_once_one_has_the_lease(database: Database) -> None:
    leases = SqlJobLeases(database)
    taken = await asyncio.gather(*(leases.take("uploads", f"process {one}", MINUTE) for one in range(8)))
    assert sorted(taken) == [False] * 7 + [True]


async def test_its_owner_keeps_a_lease_and_another_has_it_once_it_has_run_out(database: Database) -> None:
    now = datetime.now(UTC)
    early, late = SqlJobLeases(database, lambda: now), SqlJobLeases(database, lambda: now + 2 * MINUTE)
    assert await early.take("uploads", "one", MINUTE)
    assert await early.take("uploads", "one", MINUTE)
    assert not await early.take("uploads", "two", MINUTE)
    assert await early.take("other", "two", MINUTE)
    assert await late.take("uploads", "two", MINUTE)
    assert not await late.take("uploads", "one", MINUTE)
