"""Who is who: sessions, tokens, keys, addresses, and how much each may ask."""

import asyncio
import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import update

from citebook.adapters.sql.tables import chat_sessions
from citebook.domain.callers import Caller
from citebook.domain.limits import Limit
from tests.contracts.conftest import Start
from tests.contracts.service import (
    ASKING,
    ORIGIN,
    PROXY,
    QUESTION,
    READER,
    ROOMY,
    SECRET,
    QuotingGenerator,
    Service,
    token_of,
)

CORE = ASKING["core"]
FEW = {"questions": 3, "seconds": 60}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def new_session(service: Service, **headers: str) -> tuple[str, dict[str, str]]:
    made = await CORE.ask(service, headers=headers)
    return f"/api/v1/chat/sessions/{made.json()['sessionId']}", {"X-Session-Token": made.headers["X-Session-Token"]}


def same_but_for_ids(one: httpx.Response, other: httpx.Response) -> bool:
    def stripped(response: httpx.Response) -> tuple[int, str, dict[str, str]]:
        own = response.headers["X-Request-ID"]
        headers = {k: v for k, v in response.headers.items() if not k.startswith("x-r")}
        return response.status_code, response.text.replace(own, "ID"), headers

    return stripped(one) == stripped(other)


# --- sessions


LIST = "/api/v1/chat/sessions"


async def listed(service: Service, user: UUID, query: str = "") -> dict[str, Any]:
    response = await service.client.get(f"{LIST}{query}", headers=bearer(token_of(user)))
    assert response.status_code == 200
    return dict(response.json())


async def test_a_signed_in_reader_can_list_the_sessions_that_are_theirs(start: Start) -> None:
    service, anna, bo = await start(policies=ROOMY), uuid4(), uuid4()
    asked = ["What is a harmonic drive?", "What is a belt?", "What is a stepper motor?"]
    for question in asked:
        await CORE.ask(service, question, headers=bearer(token_of(anna)))
    await CORE.ask(service, "What is the zero moment point?", headers=bearer(token_of(bo)))
    await CORE.ask(service, "Who am I?")
    body = await listed(service, anna)
    assert [one["title"] for one in body["sessions"]] == asked[::-1]
    assert body["sessions"][0].keys() == {"sessionId", "createdAt", "lastActivityAt", "title"}
    assert body["hasMore"] is False
    assert len((await listed(service, bo))["sessions"]) == 1
    assert (await listed(service, uuid4()))["sessions"] == []
    newest = body["sessions"][0]
    opened = await service.client.get(f"{LIST}/{newest['sessionId']}", headers=bearer(token_of(anna)))
    assert opened.json()["messages"][0]["content"] == asked[-1]


async def test_the_list_has_pages(start: Start) -> None:
    service, anna = await start(policies=ROOMY), uuid4()
    for number in range(3):
        await CORE.ask(service, f"What is gear {number}?", headers=bearer(token_of(anna)))
    first = await listed(service, anna, "?limit=2")
    assert (len(first["sessions"]), first["hasMore"]) == (2, True)
    oldest_so_far = first["sessions"][-1]["lastActivityAt"]
    second = await listed(service, anna, f"?limit=2&before={oldest_so_far.replace('+', '%2B')}")
    assert ([one["title"] for one in second["sessions"]], second["hasMore"]) == (["What is gear 0?"], False)


@pytest.mark.parametrize("query", ["?limit=0", "?limit=51", "?before=yesterday", "?before=2026-01-05T09:30:00"])
async def test_a_page_that_there_cannot_be_is_refused(service: Service, query: str) -> None:
    response = await service.client.get(f"{LIST}{query}", headers=bearer(token_of(uuid4())))
    assert (response.status_code, response.json()["error"]["code"]) == (400, "INVALID_QUERY")


async def test_who_is_not_signed_in_has_no_list(service: Service) -> None:
    _, token = await new_session(service)
    for headers in ({}, token, bearer("wrong"), bearer(token_of(uuid4(), secret="another" * 8))):
        response = await service.client.get(LIST, headers=headers)
        assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHORIZED")


async def test_a_session_holds_the_filters_and_preferences_of_its_last_question(service: Service) -> None:
    body = {"query": QUESTION, "filters": {"module": 1, "tags": ["Gears"]}, "topK": 3}
    made = await service.client.post("/api/v1/query", json=body)
    headers = {"X-Session-Token": made.headers["X-Session-Token"]}
    caller = Caller(kind="session", address="127.0.0.1", session_token=headers["X-Session-Token"])
    session = await service.conversations.find(UUID(made.json()["sessionId"]), caller)
    assert session is not None
    assert session.metadata == {
        "filters": {"module": 1, "tags": ["gears"]},
        "preferences": {"topK": 3, "stream": False},
    }
    streaming = {**headers, "Accept": "text/event-stream"}
    again = {"query": QUESTION, "sessionId": str(session.id)}
    await service.client.post("/api/v1/query", json=again, headers=streaming)
    session = await service.conversations.find(session.id, caller)
    assert session is not None
    assert session.metadata == {"filters": {}, "preferences": {"topK": 5, "stream": True}}


async def test_the_token_is_told_once(service: Service) -> None:
    made = await CORE.ask(service)
    token, session = made.headers["X-Session-Token"], made.json()["sessionId"]
    assert len(token) == 64
    assert token not in made.text
    headers = {"X-Session-Token": token}
    again = await CORE.ask(service, sessionId=session, headers=headers)
    stream = await CORE.ask(service, sessionId=session, headers={**headers, "Accept": "text/event-stream"})
    history = await service.client.get(f"/api/v1/chat/sessions/{session}", headers=headers)
    for response in (again, stream, history):
        assert response.status_code == 200
        assert "X-Session-Token" not in response.headers
        assert token not in response.text


async def test_a_stream_tells_the_token_too(service: Service) -> None:
    stream = await ASKING["core-stream"].ask(service)
    assert len(stream.headers["X-Session-Token"]) == 64


# Made in the test: a token that is made on import has run out where the tests before it take long.
WRONG_CALLERS: dict[str, Callable[[], dict[str, str]]] = {
    "nobody": dict,
    "a made-up token": lambda: {"X-Session-Token": secrets.token_urlsafe(48)},
    "an empty token": lambda: {"X-Session-Token": ""},
    "the hash of a token": lambda: {"X-Session-Token": "0" * 64},
    "another user": lambda: bearer(token_of(uuid4())),
}


@pytest.mark.parametrize("who", WRONG_CALLERS)
@pytest.mark.parametrize("how", ["GET", "DELETE", "POST"])
async def test_foreign_and_absent_sessions_are_the_same(start: Start, who: str, how: str) -> None:
    service, caller = await start(policies=ROOMY), WRONG_CALLERS[who]()
    address, owner = await new_session(service)

    async def try_it(path: str) -> httpx.Response:
        if how == "POST":
            return await CORE.ask(service, sessionId=path.rpartition("/")[2], headers=caller)
        response: httpx.Response = await service.client.request(how, path, headers=caller)
        return response

    foreign, absent = await try_it(address), await try_it(f"/api/v1/chat/sessions/{uuid4()}")
    assert foreign.status_code == 404
    assert same_but_for_ids(foreign, absent)
    assert len((await service.client.get(address, headers=owner)).json()["messages"]) == 2


async def test_an_expired_session_is_gone(start: Start) -> None:
    service = await start(policies=ROOMY)
    address, owner = await new_session(service)
    async with service.database.transaction("write") as connection:
        long_ago = datetime.now(UTC) - timedelta(days=30, seconds=1)
        await connection.execute(update(chat_sessions).values(last_activity_at=long_ago))
    absent = await service.client.get(f"/api/v1/chat/sessions/{uuid4()}", headers=owner)
    assert same_but_for_ids(await service.client.get(address, headers=owner), absent)
    assert (await service.client.delete(address, headers=owner)).status_code == 404
    session = address.rpartition("/")[2]
    assert (await CORE.ask(service, sessionId=session, headers=owner)).status_code == 404


async def test_a_user_finds_the_session_without_its_token(service: Service) -> None:
    user = bearer(token_of(uuid4()))
    address, _ = await new_session(service, **user)
    assert (await service.client.get(address, headers=user)).status_code == 200
    assert (await service.client.delete(address, headers=user)).status_code == 204


async def test_a_session_does_not_open_another(service: Service) -> None:
    one, _ = await new_session(service)
    _, other = await new_session(service)
    assert (await service.client.get(one, headers=other)).status_code == 404


async def test_a_follow_up_uses_what_was_said(start: Start) -> None:
    service = await start(policies=ROOMY)
    alone = await CORE.ask(service, "and why is that?")
    assert alone.json()["sources"] == []
    made = await CORE.ask(service, "Why does a toothed belt stretch?")
    headers = {"X-Session-Token": made.headers["X-Session-Token"]}
    follow_up = await CORE.ask(service, "and why is that?", sessionId=made.json()["sessionId"], headers=headers)
    assert follow_up.json()["sources"][0]["chapterId"] == "joints/gears"


async def test_a_follow_up_sees_the_last_five_exchanges(start: Start) -> None:
    generator = QuotingGenerator(claims=1)
    service = await start(writer=generator, policies=ROOMY)
    made = await CORE.ask(service)
    headers = {"X-Session-Token": made.headers["X-Session-Token"]}
    for number in range(6):
        question = QUESTION + "?" * number
        await CORE.ask(service, question, sessionId=made.json()["sessionId"], headers=headers)
    seen = [exchange.question for exchange in generator.questions[-1].history]
    assert seen == [QUESTION + "?" * number for number in range(5)]


async def test_a_conversation_of_a_key(start: Start) -> None:
    service = await start(policies={"academic": {"refuse_below": 0.2, "warn_below": 0.3}})
    conversation, academic = str(uuid4()), ASKING["academic"]
    await academic.ask(service, "Why does a toothed belt stretch?", conversation_id=conversation)
    follow_up = await academic.ask(service, "and why is that?", conversation_id=conversation)
    assert follow_up.json()["sources"][0]["section"] == "Belts"
    _, other = await service.keys.create("another server")
    foreign = await academic.ask(service, conversation_id=conversation, headers=bearer(other))
    unknown = await academic.ask(service, conversation_id=str(uuid4()), headers=bearer(other))
    assert (foreign.status_code, unknown.status_code) == (200, 200)
    said = [{**reply.json(), "answer_id": None} for reply in (foreign, unknown)]
    assert said[0] == said[1], "nobody learns which conversations others have"
    again = await academic.ask(service, "and why is that?", conversation_id=conversation)
    assert again.json()["sources"][0]["section"] == "Belts", "the other's question is none of it"


@pytest.mark.parametrize("path", ["/books", "/chat/0c9fb2b0-6a0f-4b5c-8a51-2f4f6f0b7a10"])
async def test_who_guesses_keys_is_stopped_before_they_are_looked_at(service: Service, path: str) -> None:
    guesses = [await service.client.get(path, headers=bearer(f"ck_{number}")) for number in range(25)]
    assert [reply.status_code for reply in guesses] == [401] * 20 + [429] * 5
    assert int(guesses[-1].headers["Retry-After"]) > 0
    assert (guesses[-1].headers["X-RateLimit-Limit"], guesses[-1].headers["X-RateLimit-Remaining"]) == ("20", "0")
    assert (await service.client.get(path, headers=service.bearer)).status_code == 429
    async with service.client_at("203.0.113.77") as other:
        assert (await other.get(path, headers=service.bearer)).status_code in (200, 404)


@pytest.mark.parametrize("path", ["/chapters", "/book/contents", f"/api/v1/chat/sessions/{uuid4()}"], ids=[1, 2, 3])
async def test_what_is_only_read_has_a_limit_too(service: Service, path: str) -> None:
    few = replace(service.services.doorkeeper, reads=Limit(questions=3, seconds=60))
    service.app.state.doorkeeper = few
    replies = [await service.client.get(path) for _ in range(5)]
    assert [reply.status_code for reply in replies[3:]] == [429, 429]
    assert int(replies[-1].headers["Retry-After"]) > 0
    assert (await service.client.get("/health")).status_code == 200


# --- users


def unsigned(claims: dict[str, Any]) -> str:
    parts = [json.dumps(part).encode() for part in ({"alg": "none", "typ": "JWT"}, claims)]
    return ".".join([*(urlsafe_b64encode(part).decode().rstrip("=") for part in parts), ""])


FORGED: dict[str, Callable[[], str]] = {
    "alg none": lambda: unsigned({"sub": str(uuid4()), "exp": 4_000_000_000}),
    "another key": lambda: token_of(uuid4(), secret="x" * 40),
    "another algorithm": lambda: token_of(uuid4(), secret=SECRET + "x" * 40, algorithm="HS512"),
    "expired": lambda: token_of(uuid4(), exp=datetime.now(UTC) - timedelta(hours=1)),
    "not yet": lambda: token_of(uuid4(), nbf=datetime.now(UTC) + timedelta(hours=1)),
    "for someone else": lambda: token_of(uuid4(), aud="other"),
    "no user": lambda: token_of(""),
    "nonsense": lambda: "a.b.c",
    "too long": lambda: "a" * 5000,
}


@pytest.mark.parametrize("kind", FORGED)
async def test_forged_tokens(service: Service, kind: str) -> None:
    token = FORGED[kind]()
    for response in (
        await CORE.ask(service, headers=bearer(token)),
        await CORE.ask(service, headers={**bearer(token), "Accept": "text/event-stream"}),
        await service.client.get(f"/api/v1/chat/sessions/{uuid4()}", headers=bearer(token)),
        await service.client.delete(f"/api/v1/chat/sessions/{uuid4()}", headers=bearer(token)),
    ):
        assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHORIZED")
        assert token not in response.text


@pytest.mark.parametrize("header", ["Basic dXNlcjpwYXNz", "Bearer", "Bearer  ", "bearertoken", "Token x"])
async def test_other_authorizations(service: Service, header: str) -> None:
    assert (await CORE.ask(service, headers={"Authorization": header})).status_code == 401
    response = await service.client.post("/chat/query", json={"query": QUESTION}, headers={"Authorization": header})
    assert response.status_code == 401


async def test_a_user_id_must_be_the_callers(service: Service) -> None:
    user = uuid4()
    signed_in = bearer(token_of(user))
    assert (await CORE.ask(service, userId=str(user), headers=signed_in)).status_code == 200
    assert (await CORE.ask(service, user_id=str(user), headers=signed_in)).status_code == 200
    assert (await CORE.ask(service, userId=str(uuid4()), headers=signed_in)).status_code == 401
    assert (await CORE.ask(service, userId=str(user))).status_code == 401


# --- keys


async def test_a_revoked_key_is_of_no_use_at_once(service: Service) -> None:
    academic = ASKING["academic"]
    given = (await academic.ask(service)).json()
    await service.keys.revoke("a server")
    assert (await academic.ask(service)).status_code == 401
    for path in (f"/chat/{given['answer_id']}", f"/content/ingest/{uuid4()}"):
        assert (await service.client.get(path, headers=service.bearer)).status_code == 401


async def test_answers_and_uploads_are_their_keys_own(own_service: Service) -> None:
    service = own_service
    _, other = await service.keys.create("another server")
    given = (await ASKING["academic"].ask(service)).json()["answer_id"]
    form: dict[str, Any] = {
        "files": {"file": ("a.md", b"# A\n\nText.\n")},
        "data": {"chapter_id": "abc"},
        "headers": service.bearer,
    }
    sent = (await service.client.post("/content/ingest", **form)).json()["ingest_id"]
    for path, own in (("/chat/", given), ("/content/ingest/", sent)):
        assert (await service.client.get(path + own, headers=service.bearer)).status_code == 200
        foreign = await service.client.get(path + own, headers=bearer(other))
        absent = await service.client.get(path + str(uuid4()), headers=bearer(other))
        assert foreign.status_code == 404
        assert same_but_for_ids(foreign, absent)


async def test_a_key_is_no_token_and_a_token_is_no_key(service: Service) -> None:
    assert (await CORE.ask(service, headers=service.bearer)).status_code == 401
    assert (await ASKING["academic"].ask(service, headers=bearer(token_of(uuid4())))).status_code == 401


# --- limits

LIMITS = {"textbook": (30, 60), "core": (10, 3600), "academic": (100, 60), "agent": (30, 60), "ask": (30, 60)}


@pytest.mark.parametrize("name", LIMITS)
async def test_the_limit_of_each_contract(service: Service, name: str) -> None:
    most, seconds = LIMITS[name]
    remaining = []
    for _ in range(most):
        response = await ASKING[name].ask(service, "hello")
        assert response.headers["X-RateLimit-Limit"] == str(most)
        remaining.append(int(response.headers["X-RateLimit-Remaining"]))
    assert remaining == list(reversed(range(most)))
    refused = await ASKING[name].ask(service, "hello")
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= seconds
    now = datetime.now(UTC).timestamp()
    assert now - 2 <= int(refused.headers["X-RateLimit-Reset"]) <= now + seconds + 1
    assert refused.headers["X-RateLimit-Remaining"] == "0"
    assert (await service.client.get("/health")).status_code == 200


async def test_signed_in_readers_may_ask_more(service: Service) -> None:
    response = await CORE.ask(service, "hello", headers=bearer(token_of(uuid4())))
    assert response.headers["X-RateLimit-Limit"] == "50"


async def test_a_key_may_have_a_limit_of_its_own(service: Service) -> None:
    _, key = await service.keys.create("a small server", limit_per_minute=1)
    academic = ASKING["academic"]
    assert [(await academic.ask(service, headers=bearer(key))).status_code for _ in range(2)] == [200, 429]
    assert (await academic.ask(service)).status_code == 200


async def test_contracts_count_apart_and_a_bad_question_counts_not(start: Start) -> None:
    service = await start(policies={"ask": {"anonymous": FEW}, "agent": {"anonymous": FEW}})
    for _ in range(10):
        assert (await ASKING["ask"].ask(service, "")).status_code == 400
    statuses = [(await ASKING["ask"].ask(service, "hello")).status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    assert (await ASKING["agent"].ask(service, "hello")).status_code == 200


async def test_a_thousand_forwarded_addresses_are_one_client(start: Start) -> None:
    service, random = await start(policies={"ask": {"anonymous": FEW}}), Random(1)
    statuses = []
    for _ in range(1000):
        hops = ".".join(str(random.randrange(256)) for _ in range(4))
        headers = {"X-Forwarded-For": hops, "X-Real-IP": hops, "Forwarded": f"for={hops}", "CF-Connecting-IP": hops}
        response = await service.client.post("/api/ask", json={"question": "hello"}, headers=headers)
        statuses.append(response.status_code)
    assert statuses == [200] * 3 + [429] * 997


FORWARDED = [
    (["198.51.100.1"], "198.51.100.1"),
    (["6.6.6.6, 198.51.100.1"], "198.51.100.1"),
    (["6.6.6.6", "198.51.100.1"], "198.51.100.1"),
    ([f"6.6.6.6, 198.51.100.1, {PROXY}"], "198.51.100.1"),
    (["nonsense"], PROXY),
    ([], PROXY),
]


@pytest.mark.parametrize(("lines", "address"), FORWARDED)
async def test_behind_a_proxy_the_last_hop_counts(start: Start, lines: list[str], address: str) -> None:
    """The left of the header is what the client wrote itself; a proxy adds to the right, or a line below."""
    service = await start(policies={"ask": {"anonymous": {"questions": 1, "seconds": 60}}})
    body, headers = {"question": "hello"}, [("X-Forwarded-For", line) for line in lines]
    async with service.client_at(PROXY) as proxy, service.client_at(address) as direct:
        assert (await proxy.post("/api/ask", json=body, headers=headers)).status_code == 200
        assert (await direct.post("/api/ask", json=body)).status_code == 429


async def test_one_network_of_ipv6_is_one_client(start: Start) -> None:
    service = await start(policies={"ask": {"anonymous": {"questions": 1, "seconds": 60}}})
    statuses = []
    for address in ("2001:db8::1", "2001:db8::ffff", "2001:db8:0:1::1", "::ffff:203.0.113.7", "203.0.113.7"):
        async with service.client_at(address) as client:
            statuses.append((await client.post("/api/ask", json={"question": "hello"})).status_code)
    assert statuses == [200, 429, 200, 200, 429]


async def test_a_cap_on_answers_at_once(start: Start) -> None:
    generator = QuotingGenerator(claims=1, pause=0.2)
    service = await start(writer=generator, max_at_once=2, policies=ROOMY)
    answers = await asyncio.gather(*(ASKING["ask"].ask(service) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, 200, 503, 503, 503]
    assert {answer.headers.get("Retry-After") for answer in answers} == {None, "5"}
    assert (await ASKING["ask"].ask(service)).status_code == 200


# --- what is on every response


@pytest.mark.parametrize("name", ASKING)
async def test_request_ids(service: Service, name: str) -> None:
    given = await ASKING[name].ask(service, headers={"X-Request-ID": "my-id.7"})
    assert given.headers["X-Request-ID"] == "my-id.7"
    for bad in ("a b", "x" * 65, "a\tb", ""):
        made = await ASKING[name].ask(service, "", headers={"X-Request-ID": bad})
        assert len(made.headers["X-Request-ID"]) == 36


async def test_cors_names_origins_exactly(service: Service) -> None:
    preflight = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-session-token"}
    allowed = await service.client.options("/api/v1/query", headers={"Origin": ORIGIN, **preflight})
    assert allowed.status_code == 200
    assert allowed.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "Access-Control-Allow-Credentials" not in allowed.headers
    for origin in ("https://evil.example.org", f"{ORIGIN}.evil.org", "null", "http://book.example.org"):
        denied = await service.client.options("/api/v1/query", headers={"Origin": origin, **preflight})
        asked = await CORE.ask(service, "hello", headers={"Origin": origin})
        for response in (denied, asked):
            assert "Access-Control-Allow-Origin" not in response.headers


async def test_cors_shows_pages_the_headers_they_need(service: Service) -> None:
    for response in (
        await CORE.ask(service, headers={"Origin": ORIGIN}),
        await ASKING["core-stream"].ask(service, headers={"Origin": ORIGIN}),
        await CORE.ask(service, "", headers={"Origin": ORIGIN}),
    ):
        shown = {name.strip().lower() for name in response.headers["Access-Control-Expose-Headers"].split(",")}
        limits = {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"}
        assert shown == {"x-session-token", "x-request-id", *limits}


def test_the_reader_is_not_a_proxy() -> None:
    assert READER != PROXY
