"""Who comes in: by SQL in a header (row 3), by Host and path (4), by a revoked key (5), by timing (6)."""

import asyncio
import hashlib
import hmac
import re
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from citebook.api.callers import Doorkeeper
from tests.contracts.conftest import Start
from tests.contracts.service import ASKING, ROOMY, SSE, QuotingGenerator, Service, token_of

API = Path(__file__).parents[2] / "src" / "citebook" / "api"
PATIENCE = 60


@contextmanager
def watched_sql() -> Iterator[list[tuple[str, str]]]:
    """Each statement that goes to a database, and what goes with it."""
    seen: list[tuple[str, str]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        seen.append((statement, repr(parameters)))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


# --- row 3

SQL = (
    "' OR '1'='1",
    "'; DROP TABLE api_keys; --",
    '" OR ""="',
    "') UNION SELECT key_hash FROM api_keys --",
    "1; SELECT pg_sleep(9)",
    "%' OR 1=1 --",
    "x\\' OR 1=1 --",
    "$1 OR TRUE",
    ":key_hash",
    "?",
)


async def send_everywhere(service: Service, hostile: str) -> list[httpx.Response]:
    """Wherever a client may write something that is looked up or kept."""
    client, bearer = service.client, {"Authorization": f"Bearer {hostile}"}
    session, header = f"/api/v1/chat/sessions/{uuid4()}", {"X-Session-Token": hostile}
    feedback = {"answer_id": str(uuid4()), "rating": "up", "note": hostile}
    return [
        await client.get("/books", headers=bearer),
        await client.get(f"/chat/{uuid4()}", headers=bearer),
        await client.get(session, headers=bearer),
        await client.get(session, headers=header),
        await client.delete(session, headers=header),
        await ASKING["core"].ask(service, hostile * 3, sessionId=str(uuid4()), headers=header),
        await ASKING["core"].ask(service, hostile * 3, headers={"X-Request-ID": hostile}),
        await ASKING["academic"].ask(service, hostile * 3, conversation_id=str(uuid4())),
        await ASKING["ask"].ask(service, hostile * 3, filters={"part": hostile, "tags": [hostile]}),
        await client.get(f"/book/pages/{hostile}"),
        await client.get("/api/v1/chat/sessions", params={"before": hostile}, headers=bearer),
        await client.post("/api/feedback", json=feedback, headers={"User-Agent": hostile}),
    ]


@pytest.mark.parametrize("hostile", SQL)
async def test_sql_in_a_header_or_a_key_is_a_value_and_never_a_statement(start: Start, hostile: str) -> None:
    service = await start(policies=ROOMY)
    marked = f"{hostile} zq9marker"
    with watched_sql() as seen:
        replies = await send_everywhere(service, marked)
    assert all(reply.status_code < 500 for reply in replies), [reply.status_code for reply in replies]
    assert [reply.status_code for reply in replies[:3]] == [401] * 3
    assert [reply.status_code for reply in replies[3:5]] == [404] * 2
    assert any("zq9marker" in parameters for _, parameters in seen), "it came as far as the database"
    assert [statement for statement, _ in seen if "zq9marker" in statement] == []
    assert len(await service.keys.keys()) == 1


# --- row 4

TRICKS = {
    "a path in the host": {"Host": "book.test/health?"},
    "another host": {"Host": "localhost"},
    "a host with a user": {"Host": "admin@127.0.0.1"},
    "two names of the host": {"X-Forwarded-Host": "127.0.0.1", "Forwarded": "host=127.0.0.1;proto=https"},
    "a rewritten address": {"X-Original-URL": "/health", "X-Rewrite-URL": "/health"},
    "another prefix": {"X-Forwarded-Prefix": "/health", "X-Script-Name": "/content"},
    "another method": {"X-HTTP-Method-Override": "OPTIONS", "X-Method-Override": "HEAD"},
    "an inner address": {"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1", "True-Client-IP": "::1"},
    "a user of the proxy": {"X-Remote-User": "admin", "X-Forwarded-User": "admin", "Remote-User": "admin"},
}
NEEDS_A_KEY = ["/books", f"/chat/{uuid4()}", f"/content/ingest/{uuid4()}"]


@pytest.mark.parametrize("path", NEEDS_A_KEY, ids=["books", "chat", "ingest"])
@pytest.mark.parametrize("trick", TRICKS)
async def test_no_header_about_the_address_lets_anyone_in(roomy_service: Service, trick: str, path: str) -> None:
    reply = await roomy_service.client.get(path, headers=TRICKS[trick])
    assert reply.status_code == 401, reply.text


SPELLINGS = [
    "/x//books",
    "/./books",
    "/health/../books",
    "/health/%2e%2e/books",
    "/books/",
    "/books;x=1",
    "/books%00",
    "/BOOKS",
    "/books%2f",
    "/%62ooks",
    "/books?/health",
    "/books#/health",
    "/health?x=/books",
    "/health;/../books",
]


@pytest.mark.parametrize("path", SPELLINGS)
async def test_no_spelling_of_a_path_leads_around_the_key(roomy_service: Service, path: str) -> None:
    reply = await roomy_service.client.get(path)
    assert reply.status_code in (401, 404) or path.startswith("/health")
    assert "chapters" not in reply.text


def test_who_is_who_is_never_read_from_the_address() -> None:
    """`request.url` is made from the Host header, which anyone can write; only the path that was routed counts."""
    uses = [
        f"{file.name}: {line.strip()}"
        for file in sorted(API.rglob("*.py"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.search(r"(request|connection)\.(url|base_url)\b", line)
    ]
    assert uses == []


# --- row 5


def test_one_class_alone_decides_who_a_caller_is() -> None:
    """A second way in would read these headers too."""
    reading = re.compile(r"request\.headers\S*\W(Authorization|SESSION_HEADER|X-Session-Token|X-Forwarded-For)\W")
    readers = {str(file.relative_to(API)) for file in API.rglob("*.py") if reading.search(file.read_text())}
    assert readers == {"callers.py"}


@pytest.mark.parametrize("name", ["academic", "academic-book", "academic-restricted"])
async def test_a_key_that_is_revoked_while_its_answer_is_made_gets_none(start: Start, name: str) -> None:
    writer = QuotingGenerator(claims=1, gets_stuck=True)
    service = await start(writer=writer, policies=ROOMY)
    asking = asyncio.create_task(ASKING[name].ask(service))
    await asyncio.wait_for(writer.was_asked.wait(), PATIENCE)
    await service.keys.revoke("a server")
    reply = await asyncio.wait_for(asking, PATIENCE)
    assert reply.status_code == 401
    assert "harmonic" not in reply.text
    await asyncio.wait_for(writer.was_closed.wait(), PATIENCE)


def test_a_revoked_key_is_noticed_within_a_second() -> None:
    assert signature(Doorkeeper).parameters["key_check_seconds"].default <= 0.5


async def test_a_key_that_holds_has_its_answer_however_long_that_takes(start: Start) -> None:
    service = await start(writer=QuotingGenerator(claims=1, pause=1.2), policies=ROOMY)
    assert (await ASKING["academic"].ask(service)).status_code == 200


async def test_a_session_that_is_deleted_while_it_streams_opens_nothing_more(start: Start) -> None:
    writer = QuotingGenerator(claims=3, pause=0.2)
    service = await start(writer=writer, policies=ROOMY)
    made = await ASKING["core"].ask(service)
    session, headers = made.json()["sessionId"], {"X-Session-Token": made.headers["X-Session-Token"]}
    streaming = asyncio.create_task(ASKING["core"].ask(service, sessionId=session, headers={**headers, **SSE}))
    while len(writer.questions) < 2:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    path = f"/api/v1/chat/sessions/{session}"
    assert (await service.client.delete(path, headers=headers)).status_code == 204
    assert (await service.client.get(path, headers=headers)).status_code == 404
    assert (await ASKING["core"].ask(service, sessionId=session, headers=headers)).status_code == 404
    await streaming
    assert (await service.client.get(path, headers=headers)).status_code == 404, "the stream did not bring it back"


async def test_a_user_s_token_that_runs_out_is_of_no_use(start: Start) -> None:
    service = await start(policies=ROOMY)
    late = {"Authorization": f"Bearer {token_of(uuid4(), exp=1_600_000_000)}"}
    for headers in (late, {**late, **SSE}):
        assert (await ASKING["core"].ask(service, headers=headers)).status_code == 401


# --- row 6


async def test_a_key_is_looked_up_by_its_hash_and_compared_in_constant_time(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = await start(policies=ROOMY)
    compared: list[tuple[str, str]] = []
    honest = hmac.compare_digest

    def compare(one: Any, other: Any) -> bool:
        compared.append((one, other))
        return honest(one, other)

    monkeypatch.setattr("hmac.compare_digest", compare)
    with watched_sql() as seen:
        assert (await service.client.get("/books", headers=service.bearer)).status_code == 200
    hashed = hashlib.sha256(service.key.encode()).hexdigest()
    assert (hashed, hashed) in compared
    assert all(service.key not in statement + parameters for statement, parameters in seen)
    assert any(hashed in parameters for _, parameters in seen)


async def test_a_key_that_is_nearly_right_is_as_wrong_as_any(start: Start) -> None:
    """A wrong key takes the same steps whatever it is: one statement, and nothing is compared letter by letter."""
    service = await start(policies=ROOMY)
    steps = []
    for wrong in (service.key[:-1], service.key[:-1] + "x", "x", service.key.upper()):
        with watched_sql() as seen:
            reply = await service.client.get("/books", headers={"Authorization": f"Bearer {wrong}"})
        assert reply.status_code == 401
        steps.append([statement for statement, _ in seen if "api_keys" in statement])
    assert all(step == steps[0] for step in steps)
    assert len(steps[0]) == 1


@pytest.fixture
async def roomy_service(start: Start) -> Service:
    service: Service = await start(policies=ROOMY)
    return service
