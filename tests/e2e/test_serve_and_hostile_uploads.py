"""A chapter that takes hours to read: the service answers meanwhile, and stops when it is told to."""

import json
import signal
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pytest_socket import enable_socket

from tests.command_line import PATIENCE, citebook, started
from tests.e2e.test_serve import free_port, wait_for

pytestmark = pytest.mark.network

ENDLESS = b"![a" * 2_000_000
MOST_SECONDS_TO_STOP = 12.0


def sent(port: int, key: str, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> Any:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, {"Authorization": f"Bearer {key}", "Content-Type": kind})
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def upload(port: int, key: str) -> str:
    boundary = uuid4().hex
    parts = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="chapter_id"\r\n\r\nendless\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n'
    )
    body = parts.encode() + ENDLESS + f"\r\n--{boundary}--\r\n".encode()
    accepted = sent(port, key, "POST", "/content/ingest", body, f"multipart/form-data; boundary={boundary}")
    return str(accepted["ingest_id"])


def wait_until_running(port: int, key: str, job: str) -> None:
    end = time.monotonic() + PATIENCE
    while sent(port, key, "GET", f"/content/ingest/{job}")["status"] != "running":
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_page_that_is_being_read_holds_up_neither_readers_nor_the_end(tmp_path: Path) -> None:
    enable_socket()
    port = free_port()
    key = citebook("keys", "create", "e2e", "--data-dir", tmp_path).out.strip()
    with started("serve", "--port", str(port), "--data-dir", tmp_path) as running:
        wait_for(running, port)
        job = upload(port, key)
        wait_until_running(port, key, job)
        time.sleep(3.0)  # by now the page is being read
        assert sent(port, key, "GET", "/health")["status"]
        assert sent(port, key, "GET", f"/content/ingest/{job}")["status"] == "running"
        began = time.monotonic()
        running.send_signal(signal.SIGTERM)
        running.wait(timeout=PATIENCE)
        assert time.monotonic() - began < MOST_SECONDS_TO_STOP
    kept = json.loads(next((tmp_path / "uploads").glob("*/.jobs/*/job.json")).read_text())
    assert (kept["state"]["status"], kept["attempts"]) == ("queued", 0)
