"""Bodies that no honest client sends get the contract's own error, and never a fault of ours."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.contracts.service import ASKING, Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

ERROR_KEYS = {"textbook": {"detail"}, "core": {"error"}, "academic": {"error"}}
ERROR_KEYS |= {"agent": {"error", "message", "retryable", "request_id"}, "ask": {"error", "message", "details"}}
NAMES = list(ASKING)


def expect_own_error(name: str, response: httpx.Response, *statuses: int) -> None:
    contract = name.partition("-")[0]
    assert response.status_code in (statuses or (422, 400) if contract == "textbook" else statuses or (400,))
    assert response.json().keys() == ERROR_KEYS[contract]
    if contract == "core":
        assert response.json()["error"]["correlationId"] == response.headers["X-Request-ID"]
    if contract == "agent":
        assert response.json()["request_id"] == response.headers["X-Request-ID"]


async def post(service: Service, name: str, content: Any, **headers: str) -> httpx.Response:
    asking = ASKING[name]
    key = service.bearer if asking.needs_key else {}
    headers = {"Content-Type": "application/json", **asking.headers, **key, **headers}
    return await service.client.post(asking.path, content=content, headers=headers)


BODIES = {
    "nothing": b"",
    "no JSON": b"{",
    "a list": b"[]",
    "a text": b'"What is it?"',
    "null": b"null",
    "no UTF-8": b'{"query": "\xff\xfe", "question": "\xff"}',
    "deep nesting": b"[" * 100_000,
    "a long number": b'{"query": ' + b"9" * 10_000 + b', "question": ' + b"9" * 10_000 + b"}",
    "not a number": b'{"query": NaN, "question": NaN}',
    "a byte order mark": b"\xef\xbb\xbf{}",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("name", NAMES)
async def test_bodies_that_cannot_be_read(roomy: Service, name: str, body: bytes) -> None:
    expect_own_error(name, await post(roomy, name, body))


@pytest.mark.parametrize("wrong", [None, 1, True, [], {}, ["What is it?"], {"$gt": ""}], ids=str)
@pytest.mark.parametrize("name", NAMES)
async def test_questions_of_a_wrong_type(roomy: Service, name: str, wrong: Any) -> None:
    response = await post(roomy, name, json.dumps(ASKING[name].body(wrong)))
    expect_own_error(name, response)
    assert ASKING[name].name in response.text


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "\udfff\ud800"], ids=ascii)
@pytest.mark.parametrize("name", NAMES)
async def test_texts_that_are_no_texts(roomy: Service, name: str, text: str) -> None:
    asking = ASKING[name]
    expect_own_error(name, await post(roomy, name, json.dumps(asking.body(f"What is {text}?"))))
    for field in asking.more:
        expect_own_error(name, await post(roomy, name, json.dumps(asking.body(**{field: text * 30}))))


@pytest.mark.parametrize(
    "text", ["<b>a</b>?", "/cmd_vel TF2 a < b", "😀" * 20, "a\u2028\u2029\r\nb?", "%s {0} \\ ' \" ;--"]
)
@pytest.mark.parametrize("name", NAMES)
async def test_odd_texts_are_questions_too(roomy: Service, name: str, text: str) -> None:
    response = await ASKING[name].ask(roomy, text)
    assert response.status_code == 200 or "PASSAGE_INSUFFICIENT" in response.text


@pytest.mark.parametrize("passage", ["." * 60, "\u200b" * 60, "12345 " * 10, "\n\nx" * 30], ids=ascii)
@pytest.mark.parametrize(
    ("name", "field"), [("academic-restricted", "selected_passage"), ("ask-selected", "selected_text")]
)
async def test_passages_without_a_sentence(roomy: Service, name: str, field: str, passage: str) -> None:
    response = await ASKING[name].ask(roomy, **{field: passage})
    assert response.status_code == 200 or "PASSAGE_INSUFFICIENT" in response.text


@pytest.mark.parametrize("has_length", [True, False])
@pytest.mark.parametrize("name", NAMES)
async def test_ten_megabytes(roomy: Service, name: str, has_length: bool) -> None:
    """No more is read than the limit, whether the client says how much comes or not."""
    read = 0

    async def pieces() -> AsyncIterator[bytes]:
        nonlocal read
        yield b'{"question": "'
        for _ in range(160):
            read += 1
            yield b"x" * 65_536

    content = b"x" * 10_485_760 if has_length else pieces()
    response = await post(roomy, name, content)
    expect_own_error(name, response, 400)
    assert "smaller than 262144 bytes" in response.text
    assert has_length or read < 10


async def test_an_upload_that_is_too_large(roomy: Service) -> None:
    files = {"file": ("a.md", b"x" * 22_000_000)}
    response = await roomy.client.post(
        "/content/ingest", files=files, data={"chapter_id": "abc"}, headers=roomy.bearer
    )
    assert response.status_code == 400
    assert response.json()["error"]["details"] == "body: must be smaller than 21000000 bytes"


async def test_who_has_no_key_has_nothing_read(roomy: Service) -> None:
    read = False

    async def pieces() -> AsyncIterator[bytes]:
        nonlocal read
        read = True
        yield b"x"

    for path in ("/chat/query", "/content/ingest"):
        assert (await roomy.client.post(path, content=pieces())).status_code == 401
    assert not read


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/xml", ""])
@pytest.mark.parametrize("name", NAMES)
async def test_bodies_of_another_kind(roomy: Service, name: str, kind: str) -> None:
    """Also a page of another site cannot ask without a preflight: its forms have no JSON."""
    content = json.dumps(ASKING[name].body())
    expect_own_error(name, await post(roomy, name, content, **{"Content-Type": kind}))


BAD_IDS = ["x", "00000000", "' OR 1=1 --", "..%2F..%2Fetc%2Fpasswd", "%00", "é", "1" * 5000]


@pytest.mark.parametrize("bad", BAD_IDS)
@pytest.mark.parametrize("path", ["/api/v1/chat/sessions/", "/chat/", "/content/ingest/"])
async def test_ids_that_are_none(roomy: Service, path: str, bad: str) -> None:
    response = await roomy.client.get(path + bad, headers={} if "v1" in path else roomy.bearer)
    assert response.status_code in (400, 404)
    assert len(response.content) < 1000


@pytest.mark.parametrize("bad", ["x", 1, {}, "9b2d9f4e", ["9b2d9f4e-0c55-4e07-9c1a-6a3b0c0d9a11"]], ids=str)
@pytest.mark.parametrize(
    ("name", "field"), [("core", "sessionId"), ("core", "userId"), ("academic", "conversation_id")]
)
async def test_ids_in_bodies_that_are_none(roomy: Service, name: str, field: str, bad: Any) -> None:
    response = await ASKING[name].ask(roomy, **{field: bad})
    assert response.status_code == 400
    assert field in response.text


@pytest.mark.parametrize("book", ["none", "default%2F..", "%2e%2e%2f", "' OR 1=1", "DEFAULT", "a" * 1000])
async def test_books_that_are_none(roomy: Service, book: str) -> None:
    response = await roomy.client.post(f"/chat/book/{book}/query", json={"query": "What?"}, headers=roomy.bearer)
    assert response.status_code in (404, 405)
