"""`ask` and `ingest` open no connection, from Python or from a library underneath it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import PATIENCE, ROOT, process
from tests.small_book import write_book

WATCHMAN = """
import os, sys

def write_down(what):
    with open(os.environ["PYTHON_WATCH_LOG"], "a") as log:
        print(what, file=log)

def watch(event, arguments):
    if event.startswith("socket.") and event not in ("socket.__new__", "socket.gethostname"):
        write_down(event)
        raise ConnectionRefusedError(event)

sys.addaudithook(watch)
write_down("on watch")
"""


@pytest.fixture
def watched(tmp_path: Path) -> dict[str, str]:
    """An environment in which each use of a socket by Python is written down and refused."""
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch" / "sitecustomize.py").write_text(WATCHMAN)
    return {"PYTHONPATH": str(tmp_path / "watch"), "PYTHON_WATCH_LOG": str(tmp_path / "watch.log")}


def test_the_watchman_would_notice(watched: dict[str, str], tmp_path: Path) -> None:
    code = "import socket; socket.create_connection(('127.0.0.1', 9))"
    subprocess.run([sys.executable, "-c", code], env=watched, capture_output=True, check=False)
    noticed = (tmp_path / "watch.log").read_text()
    assert "socket.connect" in noticed or "socket.getaddrinfo" in noticed


def test_a_book_is_ingested_and_asked_without_a_connection(watched: dict[str, str], tmp_path: Path) -> None:
    book, data = write_book(tmp_path / "book"), tmp_path / "data"
    ingested = process("ingest", book, "--data-dir", data, **watched)
    asked = process("ask", "What is a harmonic drive?", "--data-dir", data, "--json", **watched)
    assert (ingested.exit_code, asked.exit_code) == (0, 0), ingested.err + asked.err
    assert asked.json["outcome"] == "answered"
    of_ingest_its_reader_and_ask = ["on watch"] * 3
    assert (tmp_path / "watch.log").read_text().splitlines() == of_ingest_its_reader_and_ask


def strace(*command: str | Path, log: Path) -> list[str]:
    """The internet sockets that a command opens, as the kernel sees them."""
    traced = ["strace", "-f", "-qq", "-e", "trace=socket,connect", "-o", str(log), *map(str, command)]
    done = subprocess.run(traced, cwd=ROOT, capture_output=True, check=False, timeout=PATIENCE, text=True)
    if not log.exists() or "ptrace" in done.stderr:
        pytest.skip("this machine does not let strace look")
    assert done.returncode == 0, done.stderr
    return [line for line in log.read_text().splitlines() if re.search(r"AF_INET6?\b", line)]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_the_kernel_sees_no_internet_socket_either(tmp_path: Path) -> None:
    book, data = write_book(tmp_path / "book"), tmp_path / "data"
    citebook = (sys.executable, "-m", "citebook")
    assert strace(*citebook, "ingest", book, "--data-dir", data, log=tmp_path / "ingest") == []
    assert strace(*citebook, "ask", "What is a harmonic drive?", "--data-dir", data, log=tmp_path / "ask") == []
