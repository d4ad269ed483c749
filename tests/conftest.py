"""Sockets are closed to every test; the few that need one say so with a marker."""

import os
from pathlib import Path

import pytest
from pytest_socket import disable_socket

if os.access("/dev/shm", os.W_OK):  # indexes are flushed to disk often; memory makes that free
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", "/dev/shm")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(autouse=True)
def _no_network(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("network") is None:
        disable_socket(allow_unix_socket=True)
