"""Requests that schemathesis makes up from our own OpenAPI document, good and bad, and what must hold for each."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from citebook.domain.limits import Limit
from tests.contracts.service import ROOMY, Parts, Service, running_service

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"
CASES = 160
"""Of each operation that takes something."""
CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]

_schema = schemathesis.openapi.from_path(DOCUMENT)
_operations: list[Any] = list(_schema.get_all_operations())
OPERATIONS = {result.ok().label: result.ok() for result in _operations}


class Caller:
    """Calls the service from code that does not wait."""

    def __init__(self, service: Service, loop: asyncio.AbstractEventLoop) -> None:
        self._service, self._loop = service, loop

    def call(self, case: Any) -> httpx.Response:
        wanted = case.as_transport_kwargs(base_url="http://book.test", headers=self._headers(case))
        wanted = {name: value for name, value in wanted.items() if name in _PARTS}
        prepared = requests.Request(**wanted).prepare()
        headers = [
            (_bytes(name), _bytes(value)) for name, value in prepared.headers.items() if name != "Content-Length"
        ]
        content: Any = prepared.body
        sending = self._service.client.request(
            prepared.method or "GET", prepared.url or "", headers=headers, content=content
        )
        return asyncio.run_coroutine_threadsafe(sending, self._loop).result(30)

    def _headers(self, case: Any) -> dict[str, str]:
        return self._service.bearer if case.path.startswith(("/chat", "/content", "/books")) else {}


_PARTS = {"method", "url", "headers", "files", "data", "params", "auth", "cookies", "json"}


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("latin-1", "replace")


@contextmanager
def calling(folder: Path) -> Iterator[Caller]:
    """A service on a loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    running = running_service(folder, Parts(policies=ROOMY))
    service = asyncio.run_coroutine_threadsafe(running.__aenter__(), loop).result(30)
    service.app.state.doorkeeper = replace(service.services.doorkeeper, reads=Limit(questions=10**9, seconds=60))
    try:
        yield Caller(service, loop)
    finally:
        asyncio.run_coroutine_threadsafe(running.__aexit__(None, None, None), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def check(label: str, caller: Caller, cases: int = CASES) -> int:
    """Makes up requests to one operation, half of them wrong; says how many."""
    operation = OPERATIONS[label]
    modes = [GenerationMode.POSITIVE]
    if operation.body or list(operation.iter_parameters()):
        modes.append(GenerationMode.NEGATIVE)
    strategies = [operation.as_strategy(generation_mode=mode) for mode in modes]
    count = 0

    @settings(
        max_examples=cases,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=st.one_of(*strategies))
    def run(case: Any) -> None:
        nonlocal count
        count += 1
        case.validate_response(caller.call(case), checks=CHECKS)

    run()
    return count
