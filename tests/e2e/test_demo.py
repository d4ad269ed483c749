"""`citebook demo` as a newcomer meets it: a book, a page, and Ctrl-C; here with a book of four pages."""

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from http.client import HTTPConnection
from pathlib import Path
from socket import socket

import pytest
from pytest_socket import enable_socket

from citebook.cli.demo import sample_book
from tests.command_line import PATIENCE, started
from tests.conftest import SAMPLE_BOOK
from tests.small_book import write_book

pytestmark = pytest.mark.network

Demo = subprocess.Popen[str]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the book's index is; only the first demo has to make it."""
    return tmp_path_factory.mktemp("demo")


def demo(data: Path, *options: str) -> AbstractContextManager[Demo]:
    enable_socket()
    book = write_book(data / "book")
    return started(book, "demo", "--data-dir", data / "data", *options, module="tests.e2e.small_demo")


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """As a shell starts what it puts into the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def address_of(running: Demo) -> int:
    """The port of the page, as soon as the demo tells it."""
    assert running.stdout is not None
    for line in running.stdout:
        if found := re.search(r"open at http://127\.0\.0\.1:(\d+)", line):
            return int(found[1])
    raise AssertionError(f"the demo ended without a page: {running.communicate()}")


def status_of(port: int, path: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def test_the_book_of_a_checkout_is_the_one_beside_it() -> None:
    assert sample_book().samefile(SAMPLE_BOOK / "docs")


@pytest.mark.parametrize(
    ("surroundings", "told"),
    [(nullcontext, signal.SIGINT), (deaf_to_ctrl_c, signal.SIGINT), (deaf_to_ctrl_c, signal.SIGTERM)],
    ids=["Ctrl-C", "Ctrl-C in the background", "told to stop"],
)
def test_the_book_can_be_read_until_the_demo_is_ended(
    data: Path, surroundings: type[AbstractContextManager[None]], told: signal.Signals
) -> None:
    with surroundings(), demo(data, "--no-open", "--port", "0") as running:
        port = address_of(running)
        assert status_of(port, "/book/pages/joints/gears") == 200
        running.send_signal(told)
        rest, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, errors
    assert rest.endswith("The demo has ended.\n")


def test_another_port_is_taken_where_the_usual_one_is_not_free(data: Path) -> None:
    enable_socket()
    with socket() as other:
        try:
            other.bind(("127.0.0.1", 8000))
            other.listen()
        except OSError:
            pass  # somebody else is there, which serves as well
        with demo(data, "--no-open") as running:
            port = address_of(running)
            assert port != 8000
            assert status_of(port, "/book/contents") == 200


def test_a_wanted_port_that_is_not_free_is_an_error(data: Path) -> None:
    enable_socket()
    with socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with demo(data, "--no-open", "--port", str(other.getsockname()[1])) as running:
            _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 2
    assert "Try --port" in errors


def test_three_questions_are_asked_where_there_is_no_terminal(data: Path) -> None:
    with demo(data, "--ask") as running:
        out, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, errors
    assert out.count("\n> ") == 3
