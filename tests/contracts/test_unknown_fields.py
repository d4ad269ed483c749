"""Fields that a contract does not know are ignored and kept nowhere; those that it knows keep their rules."""

import json
from typing import Any
from uuid import UUID, uuid1, uuid3, uuid4, uuid5

import httpx
import pytest

from tests.contracts.generated_cases import DOCUMENT
from tests.contracts.service import ASKING, QUESTION, Service, token_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

CANARY = "canary-of-an-unknown-field"
SENT_BY_OLDER_CLIENTS: dict[str, dict[str, Any]] = {
    "agent": {"session_id": "0c9fb2b0-6a0f-4b5c-8a51-2f4f6f0b7a10", "history": [{"role": "user", "content": "Hi"}]},
    "academic": {"mode": "full-book", "book_id": "physical-ai", "user_id": 7, "top_k": 5},
    "academic-book": {"mode": "full-book"},
    "academic-restricted": {"mode": "context-restricted", "page": 12},
    "textbook": {"timestamp": "2025-11-30T10:00:00Z", "top_k": 3},
    "core": {"stream": False, "filters": {"module": 1, "chapter": 3, "language": {"code": "en"}}},
    "core-stream": {"stream": True, "filters": {"tags": [], "author": None}},
    "ask": {"session_id": None, "temperature": 0.2, "stream": False},
    "ask-stream": {"conversation": [], "model": "gpt-4o-mini"},
    "ask-selected": {"top_k": 3, "chapter": "intro"},
}
ODD_NAMES = ["unknown", "system_prompt", "", "\ud800", "a" * 10_000, "\r\ndata: x", "é", "__class__", "$where"]


async def post(service: Service, name: str, body: dict[str, Any]) -> httpx.Response:
    asking = ASKING[name]
    headers = {"Content-Type": "application/json", **asking.headers, **(service.bearer if asking.needs_key else {})}
    return await service.client.post(asking.path, content=json.dumps(body), headers=headers)


@pytest.mark.parametrize("name", ASKING)
async def test_what_older_clients_send_is_answered(roomy: Service, name: str) -> None:
    response = await ASKING[name].ask(roomy, **SENT_BY_OLDER_CLIENTS[name])
    assert response.status_code == 200
    assert "harmonic drive" in response.text


@pytest.mark.parametrize("field", ODD_NAMES, ids=range(len(ODD_NAMES)))
@pytest.mark.parametrize("name", ASKING)
async def test_a_field_of_any_name_and_kind_is_ignored(roomy: Service, name: str, field: str) -> None:
    for value in (1, None, CANARY, ["\ud800"], {field: {field: CANARY}}):
        response = await post(roomy, name, ASKING[name].body(**{field: value}))
        assert response.status_code == 200
        assert CANARY not in response.text


async def test_feedback_ignores_them_too(roomy: Service) -> None:
    body = {"answer_id": str(uuid4()), "rating": "up", "note": None, "page": {"url": "/docs"}}
    assert (await roomy.client.post("/api/feedback", json=body)).status_code == 204


async def test_so_do_the_forms_of_uploads(roomy: Service) -> None:
    form = {"chapter_id": "unknown_fields", "language": "en", "metadata": json.dumps({"pages": 12, "by": {"a": 1}})}
    files = {"file": ("a.md", b"# A\n\nText.\n"), "cover": ("a.png", b"png")}
    response = await roomy.client.post("/content/ingest", files=files, data=form, headers=roomy.bearer)
    assert response.status_code == 202


async def test_every_path_that_takes_a_body_is_among_these() -> None:
    paths = json.loads(DOCUMENT.read_text(encoding="utf-8"))["paths"]
    taking = {path for path, methods in paths.items() if any("requestBody" in one for one in methods.values())}
    asked = {asking.path.replace("/another/", "/{book_id}/") for asking in ASKING.values()}
    assert taking == asked | {"/api/feedback", "/content/ingest"}


async def test_every_other_path_ignores_unknown_parameters(roomy: Service) -> None:
    paths = json.loads(DOCUMENT.read_text(encoding="utf-8"))["paths"]
    made = (await ASKING["academic"].ask(roomy)).json()["answer_id"]
    names = {"answer_id": made, "sessionId": str(uuid4()), "ingest_id": str(uuid4()), "chapter_id": "joints/gears"}
    for path in (path.format(**names) for path, methods in paths.items() if "get" in methods):
        headers = bearer_for(roomy, path)
        usual = await roomy.client.get(path, headers=headers)
        more = await roomy.client.get(f"{path}?unknown={CANARY}&mode=full-book", headers=headers)
        assert (path, more.status_code) == (path, usual.status_code)
        assert CANARY not in more.text


def bearer_for(service: Service, path: str) -> dict[str, str]:
    if path == "/api/v1/chat/sessions":
        return {"Authorization": f"Bearer {token_of(uuid4())}"}
    return service.bearer if path.startswith(("/chat", "/books", "/content")) else {}


async def test_nothing_of_them_is_kept(roomy: Service) -> None:
    for name in ASKING:
        await ASKING[name].ask(roomy, note=CANARY, filters={"author": CANARY})
    assert CANARY not in json.dumps(await roomy.audit_texts())


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("core", {"filters": {"module": [1], "chapter": 3}}),
        ("core", {"filters": {"difficulty": "expert", "chapter": 3}}),
        ("core", {"filters": {"tags": [1], "chapter": 3}}),
        ("core", {"filters": [], "chapter": 3}),
        ("core", {"topK": "5", "chapter": 3}),
        ("ask", {"top_k": 21, "chapter": 3}),
        ("ask-selected", {"selected_text": 1, "chapter": 3}),
        ("textbook", {"selected_text": [], "chapter": 3}),
        ("academic", {"conversation_id": "mine", "mode": "full-book"}),
        ("agent", {"question": 1, "session_id": None}),
    ],
)
async def test_beside_them_the_rules_hold(roomy: Service, name: str, broken: dict[str, Any]) -> None:
    response = await post(roomy, name, {**ASKING[name].body(), **broken})
    assert response.status_code == (422 if name == "textbook" else 400)


CONVERSATIONS = [uuid1(), uuid3(uuid4(), "mine"), UUID("018f3a2e-7b1c-7c3d-8e4f-5a6b7c8d9e0f"), UUID(int=7), uuid4()]


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=["1", "3", "7", "none", "4"])
async def test_a_conversation_has_any_uuid(roomy: Service, conversation: UUID) -> None:
    asked = {"conversation_id": str(conversation)}
    assert (await ASKING["academic"].ask(roomy, QUESTION, **asked)).status_code == 200
    again = await ASKING["academic"].ask(roomy, "How much backlash does it have?", **asked)
    assert again.status_code == 200
    key = await roomy.keys.find(roomy.key)
    assert key is not None
    (last, _) = await roomy.conversations.last_exchanges(uuid5(key.id, str(conversation)), 5)
    assert last.question == QUESTION
