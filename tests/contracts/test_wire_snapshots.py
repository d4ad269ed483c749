"""What each endpoint answers, to the letter: success, refusal, and every error of every contract."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from syrupy.assertion import SnapshotAssertion

from citebook.domain.errors import DatabaseUnavailable, GeneratorFailed, VectorStoreUnavailable
from citebook.pacing.deadline import Budget
from tests.contracts.conftest import Start, wire
from tests.contracts.service import (
    ASKING,
    CANARY,
    QUESTION,
    SEARCHING,
    SSE,
    DownIndex,
    QuotingGenerator,
    Service,
)
from tests.fakes import StuckEmbedder

UNKNOWN = "What is the capital of France?"
ONE_QUESTION = {"questions": 1, "seconds": 60}


@pytest.mark.parametrize("name", ASKING)
async def test_an_answer(service: Service, snapshot: SnapshotAssertion, name: str) -> None:
    assert wire(await ASKING[name].ask(service)) == snapshot


@pytest.mark.parametrize("name", ASKING)
async def test_a_refusal(service: Service, snapshot: SnapshotAssertion, name: str) -> None:
    assert wire(await ASKING[name].ask(service, UNKNOWN)) == snapshot


@pytest.mark.parametrize("name", ASKING)
async def test_an_empty_question(service: Service, snapshot: SnapshotAssertion, name: str) -> None:
    assert wire(await ASKING[name].ask(service, " ")) == snapshot


@pytest.mark.parametrize("name", ASKING)
async def test_a_long_question(service: Service, snapshot: SnapshotAssertion, name: str) -> None:
    assert wire(await ASKING[name].ask(service, "why " * 3000)) == snapshot


@pytest.mark.parametrize("name", ASKING)
async def test_an_object_for_a_question(service: Service, snapshot: SnapshotAssertion, name: str) -> None:
    assert wire(await ASKING[name].ask(service, {"$ne": ""})) == snapshot


@pytest.mark.parametrize("name", ASKING)
async def test_one_question_too_many(start: Start, snapshot: SnapshotAssertion, name: str) -> None:
    contract = name.partition("-")[0]
    service = await start(policies={contract: {"anonymous": ONE_QUESTION, "signed_in": ONE_QUESTION}})
    await ASKING[name].ask(service)
    assert wire(await ASKING[name].ask(service)) == snapshot


@pytest.mark.parametrize("name", ASKING)
async def test_too_many_at_once(start: Start, snapshot: SnapshotAssertion, name: str) -> None:
    assert wire(await ASKING[name].ask(await start(max_at_once=0))) == snapshot


@pytest.mark.parametrize("name", SEARCHING)
async def test_the_index_is_down(start: Start, snapshot: SnapshotAssertion, name: str) -> None:
    service = await start(index=DownIndex(VectorStoreUnavailable(CANARY)))
    assert wire(await ASKING[name].ask(service)) == snapshot


@pytest.mark.parametrize("name", ASKING)
async def test_the_generator_fails(start: Start, snapshot: SnapshotAssertion, name: str) -> None:
    service = await start(writer=QuotingGenerator(claims=0, error=GeneratorFailed(CANARY)))
    assert wire(await ASKING[name].ask(service)) == snapshot


@pytest.mark.parametrize("name", ASKING)
async def test_the_deadline_passes(start: Start, snapshot: SnapshotAssertion, name: str) -> None:
    service = await start(embedder=StuckEmbedder(), budget=Budget(30, 0.05, 30))
    assert wire(await ASKING[name].ask(service)) == snapshot


@pytest.mark.parametrize("name", ASKING)
async def test_a_fault_of_our_own(start: Start, snapshot: SnapshotAssertion, name: str) -> None:
    service = await start(writer=QuotingGenerator(claims=0, error=RuntimeError(CANARY)))
    assert wire(await ASKING[name].ask(service)) == snapshot


@pytest.mark.parametrize("name", [name for name in ASKING if ASKING[name].needs_key])
async def test_no_key(service: Service, snapshot: SnapshotAssertion, name: str) -> None:
    assert wire(await ASKING[name].ask(service, headers={"Authorization": "Bearer wrong"})) == snapshot


async def test_a_forged_token(service: Service, snapshot: SnapshotAssertion) -> None:
    headers = {"Authorization": "Bearer wrong"}
    assert wire(await ASKING["core"].ask(service, headers=headers)) == snapshot


async def test_a_book_that_is_not_here(service: Service, snapshot: SnapshotAssertion) -> None:
    response = await service.client.post("/chat/book/none/query", json={"query": QUESTION}, headers=service.bearer)
    assert wire(response) == snapshot


async def test_a_passage_that_does_not_answer(service: Service, snapshot: SnapshotAssertion) -> None:
    assert wire(await ASKING["academic-restricted"].ask(service, UNKNOWN)) == snapshot


# --- sessions of `core`


async def test_a_history_and_its_end(service: Service, snapshot: SnapshotAssertion) -> None:
    made = await ASKING["core"].ask(service)
    headers = {"X-Session-Token": made.headers["X-Session-Token"]}
    address = f"/api/v1/chat/sessions/{made.json()['sessionId']}"
    assert wire(await service.client.get(address, headers=headers)) == snapshot(name="history")
    assert wire(await service.client.delete(address, headers=headers)) == snapshot(name="deletion")
    assert wire(await service.client.get(address, headers=headers)) == snapshot(name="nothing left")
    assert wire(await service.client.delete(address, headers=headers)) == snapshot(name="nothing to delete")


async def test_a_session_that_is_not_there(service: Service, snapshot: SnapshotAssertion) -> None:
    assert wire(await ASKING["core"].ask(service, sessionId=str(uuid4()))) == snapshot


async def test_sessions_without_a_database(start: Start, snapshot: SnapshotAssertion, broken_database: str) -> None:
    service = await start(database_url=broken_database)
    assert wire(await service.client.get(f"/api/v1/chat/sessions/{uuid4()}")) == snapshot


# --- answers and uploads of `academic`


async def test_an_answer_is_found_again_as_it_was(service: Service) -> None:
    for name in ("academic", "academic-restricted", "academic-book"):
        given = (await ASKING[name].ask(service)).json()
        again = await service.client.get(f"/chat/{given['answer_id']}", headers=service.bearer)
        assert (again.status_code, again.json()) == (200, given)


async def test_an_answer_that_is_not_there(service: Service, snapshot: SnapshotAssertion) -> None:
    assert wire(await service.client.get(f"/chat/{uuid4()}", headers=service.bearer)) == snapshot


async def test_an_upload(own_service: Service, snapshot: SnapshotAssertion) -> None:
    sent = await _upload(own_service)
    assert wire(sent) == snapshot(name="accepted")
    address = f"/content/ingest/{sent.json()['ingest_id']}"
    assert wire(await own_service.client.get(address, headers=own_service.bearer)) == snapshot(name="queued")
    working = asyncio.create_task(own_service.services.uploads.run())
    for _ in range(600):
        state = await own_service.client.get(address, headers=own_service.bearer)
        if state.json()["status"] not in ("queued", "running"):
            break
        await asyncio.sleep(0.05)
    working.cancel()
    assert wire(state) == snapshot(name="done")
    answer = await ASKING["academic"].ask(own_service, "Which servo horn weighs two grams?")
    assert answer.json()["sources"][0]["excerpt"] == "A servo horn weighs two grams."


async def _upload(service: Service, **changed: Any) -> Any:
    file = ("horns.md", b"# Horns\n\nA servo horn weighs two grams.\n", "text/markdown")
    form = {"files": {"file": file}, "data": {"chapter_id": "horns"}, "headers": service.bearer, **changed}
    return await service.client.post("/content/ingest", **form)


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"data": {}}, id="no chapter"),
        pytest.param({"data": {"chapter_id": "../etc"}}, id="a path for a chapter"),
        pytest.param({"files": {}}, id="no file"),
        pytest.param({"files": {"file": ("horns.exe", b"MZ")}}, id="a program"),
        pytest.param({"data": {"chapter_id": "horns", "metadata": "{"}}, id="broken metadata"),
        pytest.param({"headers": {}}, id="no key"),
        pytest.param(
            {"files": {}, "content": b"x", "headers": {"Content-Type": "multipart/form-data"}}, id="no key, no form"
        ),
    ],
)
async def test_a_bad_upload(service: Service, snapshot: SnapshotAssertion, changed: dict[str, Any]) -> None:
    if "content" in changed:
        response = await service.client.post("/content/ingest", content=b"x", headers=changed["headers"])
    else:
        response = await _upload(service, **changed)
    assert wire(response) == snapshot


async def test_a_body_that_is_no_form(service: Service, snapshot: SnapshotAssertion) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=b", **service.bearer}
    response = await service.client.post("/content/ingest", content=b"--c\r\nnonsense", headers=headers)
    assert wire(response) == snapshot


async def test_an_upload_that_is_not_there(service: Service, snapshot: SnapshotAssertion) -> None:
    assert wire(await service.client.get(f"/content/ingest/{uuid4()}", headers=service.bearer)) == snapshot


@pytest.mark.parametrize("path", ["/chat/query", "/content/ingest"])
async def test_academic_without_a_database(
    start: Start, snapshot: SnapshotAssertion, broken_database: str, path: str
) -> None:
    """Its audit is a promise, so without it there is no answer."""
    service = await start(database_url=broken_database)
    assert wire(await service.client.post(path, json={"query": QUESTION}, headers=service.bearer)) == snapshot


# --- the rest


async def test_chapters(service: Service, snapshot: SnapshotAssertion) -> None:
    assert wire(await service.client.get("/chapters")) == snapshot


async def test_chapters_without_an_index(start: Start, snapshot: SnapshotAssertion) -> None:
    service = await start(index=DownIndex(VectorStoreUnavailable(CANARY)))
    assert wire(await service.client.get("/chapters")) == snapshot


HEALTH = ["/health", "/api/v1/health", "/api/health"]


@pytest.mark.parametrize("path", HEALTH)
async def test_health(service: Service, snapshot: SnapshotAssertion, path: str) -> None:
    assert wire(await service.client.get(path)) == snapshot


@pytest.mark.parametrize("path", HEALTH)
@pytest.mark.parametrize("error", [VectorStoreUnavailable(CANARY), RuntimeError(CANARY)], ids=["down", "broken"])
async def test_health_without_an_index(
    start: Start, snapshot: SnapshotAssertion, path: str, error: Exception
) -> None:
    assert wire(await (await start(index=DownIndex(error))).client.get(path)) == snapshot


@pytest.mark.parametrize("path", HEALTH)
async def test_health_without_a_database(
    start: Start, snapshot: SnapshotAssertion, broken_database: str, path: str
) -> None:
    assert wire(await (await start(database_url=broken_database)).client.get(path)) == snapshot


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/nowhere"), ("POST", "/api/ask/"), ("PUT", "/api/ask"), ("HEAD", "/health"), ("OPTIONS", "/api/ask")],
)
async def test_addresses_that_nobody_owns(
    service: Service, snapshot: SnapshotAssertion, method: str, path: str
) -> None:
    response = await service.client.request(method, path)
    assert response.headers["X-Request-ID"]
    assert wire(response) == snapshot


async def test_a_stream_that_fails_after_its_first_words(start: Start, snapshot: SnapshotAssertion) -> None:
    for name in ("core-stream", "ask-stream"):
        service = await start(writer=QuotingGenerator(claims=1, error=DatabaseUnavailable(CANARY)))
        assert wire(await ASKING[name].ask(service, headers=SSE)) == snapshot(name=name)
