"""Bodies that clients of the five seeds read: where a field stands, and of which type it is."""

from typing import Any

import pytest

from tests.contracts.service import ASKING, Service

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_core_history_names_its_session_at_the_top(roomy: Service) -> None:
    made = await ASKING["core"].ask(roomy)
    headers = {"X-Session-Token": made.headers["X-Session-Token"]}
    session = made.json()["sessionId"]
    history = (await roomy.client.get(f"/api/v1/chat/sessions/{session}", headers=headers)).json()
    assert history["sessionId"] == session
    assert history["createdAt"] == history["session"]["createdAt"]
    assert history["createdAt"] <= history["messages"][0]["createdAt"]
    assert [message["role"] for message in history["messages"]] == ["user", "assistant"]


@pytest.mark.parametrize(
    ("asked", "details"),
    [
        ({"query": ""}, "query: must not be empty"),
        ({"query": "a" * 1001}, "query: must have at most 1000 characters"),
        ({"query": 1}, "query: Input should be a valid string"),
        ({"query": "What?", "selected_passage": "short"}, "selected_passage: must have at least 50 characters"),
        ({"query": "What is the capital of France?"}, "Send the same question to /chat/query"),
    ],
)
async def test_details_of_an_academic_error_are_a_text(roomy: Service, asked: dict[str, Any], details: str) -> None:
    question = asked.pop("query")
    response = await ASKING["academic-restricted"].ask(roomy, question, **asked)
    assert response.status_code == 400
    assert response.json()["error"]["details"].startswith(details)


async def test_they_are_null_where_there_is_nothing_to_add(roomy: Service) -> None:
    response = await ASKING["academic"].ask(roomy, headers={"Authorization": "Bearer wrong"})
    assert response.json()["error"]["details"] is None


@pytest.mark.parametrize(
    ("body", "loc", "kind"),
    [
        ({}, ["body", "query"], "missing"),
        ({"query": 1}, ["body", "query"], "string_type"),
        ({"query": "What?", "selected_text": ["canary"]}, ["body", "selected_text"], "string_type"),
        ([], ["body"], "model_attributes_type"),
    ],
)
async def test_a_malformed_body_of_textbook_gets_the_framework_s_list(
    roomy: Service, body: Any, loc: list[str], kind: str
) -> None:
    response = await roomy.client.post("/api/query", json=body)
    (broken,) = response.json()["detail"]
    assert (response.status_code, broken["loc"], broken["type"]) == (422, loc, kind)
    assert broken.keys() == {"loc", "msg", "type"}
    assert "canary" not in response.text


async def test_all_that_is_wrong_is_in_the_list(roomy: Service) -> None:
    response = await roomy.client.post("/api/query", json={"query": None, "selected_text": 1})
    assert [broken["loc"][1] for broken in response.json()["detail"]] == ["query", "selected_text"]


async def test_what_is_no_json_is_in_the_list_too(roomy: Service) -> None:
    headers = {"Content-Type": "application/json"}
    response = await roomy.client.post("/api/query", content=b"{canary", headers=headers)
    assert (response.status_code, response.json()["detail"][0]["type"]) == (422, "json_invalid")
    assert "canary" not in response.text


async def test_a_rule_of_textbook_is_broken_in_a_sentence(roomy: Service) -> None:
    response = await ASKING["textbook"].ask(roomy, "")
    assert (response.status_code, response.json()) == (400, {"detail": "query: must not be empty"})
