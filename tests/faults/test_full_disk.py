"""A disk that is really full under the database and the outbox: what is read goes on, what is written says so."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from citebook.cli import exit_codes
from tests.command_line import citebook
from tests.faults.conftest import Shelf
from tests.faults.test_outages_under_load import (
    ALL_WELL,
    has_history,
    is_healthy,
    settings_of,
    started,
    statuses,
    token_of,
    until,
)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def data_dir(shelf: Shelf, small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All but the index, which is larger and only read, is on the small disk."""
    monkeypatch.setenv("EXAMINER", "none")
    (small_disk / "data").mkdir()
    (small_disk / "data" / "index").symlink_to(shelf.data / "index")
    return small_disk / "data"


def fill(disk: Path) -> None:
    with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(b"x" * 4096)


async def test_reads_go_on_and_writes_say_so(
    data_dir: Path, small_disk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with started(settings_of(data_dir)) as service:
        before = await service.ask_all()
        assert statuses(before) == ALL_WELL
        key = {"Authorization": f"Bearer {service.key}"}
        fill(small_disk)
        asked = await service.ask_all()
        assert statuses(asked) == ALL_WELL | {"academic": 503}
        assert asked["core"].json()["kept"] is False
        assert "sessionId" not in asked["core"].json()
        assert "the exchange was not kept" in caplog.text
        assert await has_history(service, before["core"], 2), "what was kept can be read"
        path = f"/chat/{before['academic'].json()['answer_id']}"
        assert (await service.client.get(path, headers=key)).status_code == 200
        assert (await service.health())[1]["status"] == "degraded"
        (small_disk / "filler").unlink()
        await until(lambda: is_healthy(service))
        after = await service.ask_all()
        assert statuses(after) == ALL_WELL
        session = f"/api/v1/chat/sessions/{after['core'].json()['sessionId']}"
        assert (await service.client.get(session, headers=token_of(after["core"]))).status_code == 200


async def test_a_service_that_starts_on_a_full_disk_answers_and_says_that_it_keeps_nothing(
    data_dir: Path, small_disk: Path
) -> None:
    async with started(settings_of(data_dir)):
        """There is a database now."""
    fill(small_disk)
    async with started(settings_of(data_dir), has_database=False) as service:
        assert (await service.health())[1]["status"] == "degraded"
        reply = await service.ask("core")
        assert (reply.status_code, reply.json()["kept"]) == (200, False)


def test_a_command_that_cannot_write_says_so_in_one_line(data_dir: Path, small_disk: Path) -> None:
    fill(small_disk)
    failed = citebook("keys", "create", "a-server", "--data-dir", data_dir)
    assert failed.exit_code == exit_codes.DEPENDENCY_FAILED
    assert "full" in failed.err
    assert "Traceback" not in failed.err
