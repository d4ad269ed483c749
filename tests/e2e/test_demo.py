"""`citebook demo` as a newcomer meets it: a book, a page, and Ctrl-C; here with a book of four pages."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from socket import socket

import pytest
from pytest_socket import enable_socket

from tests.command_line import PATIENCE
from tests.small_book import write_book

pytestmark = pytest.mark.network


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with a small book where the sample book would be."""
    write_book(tmp_path / "examples/physical-ai/docs")
    return tmp_path


@contextmanager
def demo(checkout: Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    enable_socket()
    command = [sys.executable, "-m", "citebook", "demo", *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=checkout, text=True, **pipes) as running:  # type: ignore[call-overload]
        try:
            yield running
        finally:
            if running.poll() is None:
                running.kill()


def address_of(running: "subprocess.Popen[str]") -> int:
    """The port of the page, as soon as the demo tells it."""
    assert running.stdout is not None
    for line in running.stdout:
        if found := re.search(r"open at http://127\.0\.0\.1:(\d+)", line):
            return int(found[1])
    raise AssertionError("the demo ended without a page")


def status_of(port: int, path: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def test_the_book_can_be_read_and_ctrl_c_ends_it_well(checkout: Path) -> None:
    with demo(checkout, "--no-open", "--port", "0") as running:
        port = address_of(running)
        assert status_of(port, "/book/pages/joints/gears") == 200
        running.send_signal(signal.SIGINT)
        rest, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, rest
    assert rest.endswith("The demo has ended.\n")


def test_another_port_is_taken_where_the_usual_one_is_not_free(checkout: Path) -> None:
    enable_socket()
    with socket() as other:
        try:
            other.bind(("127.0.0.1", 8000))
            other.listen()
        except OSError:
            pass  # somebody else is there, which serves as well
        with demo(checkout, "--no-open") as running:
            port = address_of(running)
            assert port != 8000
            assert status_of(port, "/book/contents") == 200


def test_a_wanted_port_that_is_not_free_is_an_error(checkout: Path) -> None:
    enable_socket()
    with socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with demo(checkout, "--no-open", "--port", str(other.getsockname()[1])) as running:
            out, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 2
    assert "Try --port" in out


def test_three_questions_are_asked_where_there_is_no_terminal(checkout: Path) -> None:
    with demo(checkout, "--ask") as running:
        out, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0
    assert out.count("\n> ") == 3
