"""Sockets are closed to every test; the few that need one say so with a marker."""

import asyncio
import ctypes
import gc
import logging
import os
import resource
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from filelock import FileLock
from pytest_socket import disable_socket

from citebook.pacing.workers import cores
from citebook.root.citebook import Citebook
from citebook.settings import Settings, read_settings
from tests.qdrant_servers import qdrant_cluster, qdrant_node, qdrant_url
from tests.servers import database, database_url, postgres, postgres_url, s3

__all__ = [
    "database",
    "database_url",
    "postgres",
    "postgres_url",
    "qdrant_cluster",
    "qdrant_node",
    "qdrant_url",
    "s3",
]

_MEMORY = Path("/dev/shm")
_ROOM = 6 * 2**30
_MUCH_MEGABYTES = 50
_kept_megabytes = 0
_MOST_MEGABYTES = 1_500

# Indexes are flushed to disk often; memory makes that free, where there is enough of it.
if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

SHARED_DATA = Path(os.environ.get("CITEBOOK_TEST_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
"""Public books and question sets, which are too large to lie here. What needs them is skipped without them."""
SAMPLE_BOOK = Path(__file__).resolve().parents[1] / "examples" / "physical-ai"

for _name in Settings.model_fields:  # whoever runs the tests may have a book of their own
    if _name != "citebook_cache_dir":
        os.environ.pop(_name.upper(), None)
# A busy machine is no fault of ours.
for _name in ("DEADLINE_SECONDS", "RETRIEVAL_SECONDS", "GENERATION_SECONDS", "RECORDING_SECONDS"):
    os.environ[_name] = "60"
# The workers of the tests start with this: freed memory of one thread is then of use to the others.
os.environ.setdefault("MALLOC_ARENA_MAX", "2")
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def pytest_xdist_auto_num_workers() -> int:
    """One more than cores: many tests wait for servers, and a process that runs fewer tests stays smaller."""
    return cores() + 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says why tests were skipped, once for each reason."""
    skipped = terminalreporter.stats.get("skipped", ())
    for reason, count in Counter(str(report.longrepr[2]) for report in skipped).items():
        terminalreporter.write_line(f"{count} × {reason}")


@pytest.fixture(autouse=True)
def _log_level_as_before() -> Iterator[None]:
    """A service that a test starts in this process sets it, and others count log lines."""
    ours = logging.getLogger("citebook")
    level = ours.level
    yield
    ours.setLevel(level)


@pytest.fixture(autouse=True)
def _no_network(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("network") is None:
        disable_socket(allow_unix_socket=True)


@pytest.fixture(scope="session", autouse=True)
def _moderation() -> Iterator[None]:
    """A test process grows by what tests leave behind, and the tests of a small machine end with it."""
    yield
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    assert most < _MOST_MEGABYTES, f"this test process needed {most} MB"


def pytest_runtest_teardown() -> None:
    """Models and indexes are large and hang in circles with small things, of which the collector sees too few."""
    global _kept_megabytes
    if _resident_megabytes() > _kept_megabytes + _MUCH_MEGABYTES:
        gc.collect()
        if sys.platform == "linux":
            ctypes.CDLL(None).malloc_trim(0)
        _kept_megabytes = _resident_megabytes()


def _resident_megabytes() -> int:
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * resource.getpagesize() // 2**20 if status.exists() else 0


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the sample book, ingested once for all workers. Nobody may change it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    data_dir = folder / "sample-index"
    with FileLock(folder / "sample-index.lock"):
        if not (data_dir / "READY").exists():
            asyncio.run(_ingest_sample(data_dir))
            (data_dir / "READY").touch()
    return data_dir


async def _ingest_sample(data_dir: Path) -> None:
    async with Citebook(read_settings(citebook_data_dir=data_dir)) as citebook:
        result = await citebook.ingest.run(SAMPLE_BOOK / "docs", progress=lambda _report: None)
        assert result.errors == ()
