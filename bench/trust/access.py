"""`python -m bench.trust.access`: every operation of our OpenAPI document, asked by five wrong callers (figure 6)."""

import argparse
import asyncio
import json
import secrets
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

import httpx
from tests.contracts.generated_cases import DOCUMENT
from tests.contracts.service import (
    ASKING,
    PASSAGE,
    QUESTION,
    ROOMY,
    RULES,
    Parts,
    Service,
    running_service,
    token_of,
)
from tests.fakes import WORKERS, WordEmbedder
from tests.small_book import write_book

from bench.trust.reporting import Report
from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.ingestion.indexing import Ingest

CANARY = "qzvictim" + secrets.token_hex(8)
"""Stands in all that the victim asked, sent and said."""
NEEDS_KEY = ("/chat", "/content", "/books")
OPEN = {"/chapters", "/book/contents", "/book/pages/{chapter_id}", "/health", "/api/v1/health", "/api/health"}
"""For everyone: there is nothing of anyone in it."""


@dataclass(frozen=True, slots=True)
class Victim:
    """What belongs to someone, and how they show that it does."""

    ids: Mapping[str, str]
    readers: Mapping[str, str]
    server: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Attempt:
    operation: str
    caller: str
    status: int
    problem: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="nothing more: all of it is tried anyway")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    started = monotonic()
    with tempfile.TemporaryDirectory(prefix="citebook-access-") as folder:
        attempts = asyncio.run(measure(Path(folder)))
    operations = list(dict.fromkeys(attempt.operation for attempt in attempts))
    callers = list(dict.fromkeys(attempt.caller for attempt in attempts))
    statuses = {(attempt.operation, attempt.caller): attempt.status for attempt in attempts}
    rows = [(operation, *(statuses.get((operation, caller), "") for caller in callers)) for operation in operations]
    failures = [f"{one.operation}, {one.caller}: {one.problem}" for one in attempts if one.problem]
    measured = f"{len(operations)} operations × {len(callers)} wrong callers, {len(attempts)} cells"
    Report(6, ("operation", *callers), rows, measured, failures, started).tell(options.json)


async def measure(folder: Path) -> list[Attempt]:
    ingest = Ingest(EmbeddedQdrant(folder / "index", WORKERS), WordEmbedder(), RULES, "/docs", folder / "uploads")
    await ingest.run(write_book(folder / "book"), progress=lambda _report: None)
    async with running_service(folder, Parts(policies=ROOMY)) as service:
        victim = await _victim(service)
        attempts = [
            await _attempt(service, method.upper(), path, name, await headers(), victim)
            for path, methods in json.loads(DOCUMENT.read_text(encoding="utf-8"))["paths"].items()
            for method in methods
            for name, headers in _wrong_callers(service).items()
        ]
        return [*attempts, await _what_is_left(service, victim)]


async def _victim(service: Service) -> Victim:
    made, conversation = await ASKING["core"].ask(service, f"{QUESTION} {CANARY}"), str(uuid4())
    answered = await ASKING["academic"].ask(service, f"{QUESTION} {CANARY}", conversation_id=conversation)
    form: dict[str, Any] = {"files": {"file": (f"{CANARY}.md", b"# A\n\nText.\n")}, "data": {"chapter_id": "abc"}}
    sent = await service.client.post("/content/ingest", headers=service.bearer, **form)
    ids = {
        "sessionId": made.json()["sessionId"],
        "answer_id": answered.json()["answer_id"],
        "ingest_id": sent.json()["ingest_id"],
        "conversation_id": conversation,
        "book_id": "default",
        "chapter_id": "intro",
    }
    return Victim(ids, {"X-Session-Token": made.headers["X-Session-Token"]}, service.bearer)


def _wrong_callers(service: Service) -> dict[str, Callable[[], Awaitable[dict[str, str]]]]:
    async def nobody() -> dict[str, str]:
        return {}

    async def wrong_token() -> dict[str, str]:
        return {"X-Session-Token": secrets.token_hex(32)}

    async def another_reader() -> dict[str, str]:
        made = await ASKING["core"].ask(service, "hello")
        _, key = await service.keys.create(secrets.token_hex(8))
        return {"X-Session-Token": made.headers["X-Session-Token"], "key": key}

    async def revoked_key() -> dict[str, str]:
        name = secrets.token_hex(8)
        _, key = await service.keys.create(name)
        await service.keys.revoke(name)
        return {"Authorization": f"Bearer {key}"}

    async def another_user() -> dict[str, str]:
        return {"Authorization": f"Bearer {token_of(uuid4())}"}

    return {
        "nobody": nobody,
        "wrong token": wrong_token,
        "another's token": another_reader,
        "revoked key": revoked_key,
        "another user": another_user,
    }


async def _attempt(
    service: Service, method: str, path: str, name: str, headers: dict[str, str], victim: Victim
) -> Attempt:
    key = headers.pop("key", None)
    if key and path.startswith(NEEDS_KEY):
        headers = {"Authorization": f"Bearer {key}"}
    # Each caller has an address of its own: whoever guesses keys is soon not heard any more.
    async with service.client_at(f"198.51.{secrets.randbelow(256)}.{secrets.randbelow(256)}") as client:
        foreign = await _send(client, method, path, headers, victim.ids)
        absent = await _send(client, method, path, headers, {**victim.ids, **_absent(path)})
    problem = _problem(path, foreign, absent, has_own_key=key is not None)
    return Attempt(f"{method} {path}", name, foreign.status_code, problem)


def _absent(path: str) -> dict[str, str]:
    """Ids that nobody has, in place of those that the operation is about."""
    return {
        name: str(uuid4()) for name in ("sessionId", "answer_id", "ingest_id") if "{" in path or name == "sessionId"
    }


async def _send(
    client: httpx.AsyncClient, method: str, path: str, headers: Mapping[str, str], ids: Mapping[str, str]
) -> httpx.Response:
    """A request that would be right for its owner."""
    address = path.format(**ids)
    if method != "POST":
        return await client.request(method, address, headers=headers)
    if path == "/content/ingest":
        files = {"file": ("a.md", b"# A\n\nText.\n")}
        return await client.post(address, headers=headers, files=files, data={"chapter_id": "abc"})
    return await client.post(address, headers=headers, json=_body(path, ids))


def _body(path: str, ids: Mapping[str, str]) -> dict[str, Any]:
    if path == "/api/feedback":
        return {"answer_id": ids["answer_id"], "rating": "up"}
    body = {"query": QUESTION, "question": QUESTION, "selected_text": PASSAGE, "selected_passage": PASSAGE}
    if path == "/api/v1/query":
        return {**body, "sessionId": ids["sessionId"]}
    return {**body, "conversation_id": ids["conversation_id"]} if path.startswith("/chat") else body


def _problem(path: str, foreign: httpx.Response, absent: httpx.Response, *, has_own_key: bool) -> str:
    if CANARY in foreign.text or CANARY in str(foreign.headers):
        return "the victim's words are in the reply"
    if foreign.status_code >= 500:
        return f"a fault of ours: {foreign.status_code}"
    if path.startswith(NEEDS_KEY) and not has_own_key and foreign.status_code != 401:
        return f"let in without a key: {foreign.status_code}"
    if path.startswith(NEEDS_KEY) or path in OPEN:
        ids_apart = "{" in path and path not in OPEN and "book_id" not in path
        return _difference(foreign, absent) if ids_apart else ""
    if "session" in path.lower() or path == "/api/v1/query":
        refused = foreign.status_code in (401, 404) or (
            path.endswith("/sessions") and '"sessions":[]' in foreign.text
        )
        return _difference(foreign, absent) if refused else f"let in: {foreign.status_code}"
    return ""


def _difference(foreign: httpx.Response, absent: httpx.Response) -> str:
    def stripped(response: httpx.Response) -> tuple[int, str]:
        return response.status_code, response.text.replace(response.headers["X-Request-ID"], "ID")

    return "" if stripped(foreign) == stripped(absent) else "foreign and absent differ"


async def _what_is_left(service: Service, victim: Victim) -> Attempt:
    """After all of it the owner finds what was theirs."""
    paths: Sequence[tuple[str, Mapping[str, str]]] = (
        ("/api/v1/chat/sessions/{sessionId}", victim.readers),
        ("/chat/{answer_id}", victim.server),
        ("/content/ingest/{ingest_id}", victim.server),
    )
    found = [await service.client.get(path.format(**victim.ids), headers=headers) for path, headers in paths]
    history = found[0].json().get("messages", ())
    is_whole = all(reply.status_code == 200 for reply in found) and len(history) == 2 and CANARY in found[0].text
    return Attempt("what the victim has left", "nobody", found[0].status_code, "" if is_whole else "it was changed")


if __name__ == "__main__":
    main()
