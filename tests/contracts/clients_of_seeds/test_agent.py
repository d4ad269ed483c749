"""What seed `agent` promises its client."""

import json
from pathlib import Path

import pytest
from pydantic import AwareDatetime, TypeAdapter

from tests.contracts.clients_of_seeds.agent import AgentClient, error_of
from tests.contracts.clients_of_seeds.wire import Wire, characters

pytestmark = pytest.mark.network

QUESTION = "What does an IMU measure?"


@pytest.fixture
def client(wire: Wire) -> AgentClient:
    return AgentClient(wire)


def test_an_answer_becomes_a_message_with_sources(client: AgentClient) -> None:
    client.ask(QUESTION)
    asked, answered = client.messages
    assert (asked.role, asked.sources) == ("user", None)
    assert answered.role == "assistant"
    assert answered.sources


def test_an_answer_is_plain_text(client: AgentClient) -> None:
    answer = client.ask(QUESTION).answer
    assert "[Source" not in answer
    assert "[1]" not in answer


def test_sources_lead_to_chapters_that_are_listed(client: AgentClient) -> None:
    chapters = [chapter.id for chapter in client.chapters().chapters]
    sources = client.ask(QUESTION).sources
    assert sources
    assert all(any(source.startswith(chapter) for chapter in chapters) for source in sources)


def test_an_answer_that_is_not_grounded_has_no_sources(client: AgentClient) -> None:
    refusal = client.ask("How do I file my income tax return?")
    assert refusal.sources == []
    assert refusal.confidence == 0


@pytest.mark.parametrize("question", ["", "   ", characters(10_001)])
def test_a_question_that_breaks_a_rule_is_a_validation_error(client: AgentClient, question: str) -> None:
    refused = client.send({"question": question})
    assert refused.status_code == 400
    error = error_of(refused)
    assert (error.error, error.retryable) == ("validation", False)
    assert error.request_id == refused.headers["x-request-id"]


def test_10000_characters_are_taken(client: AgentClient) -> None:
    assert client.send({"question": characters(10_000)}).status_code == 200


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b'{"question": null}', b'{"question": 3}'])
def test_a_malformed_body_is_a_validation_error(client: AgentClient, body: bytes) -> None:
    refused = client.send_bytes(body)
    assert refused.status_code == 400
    assert error_of(refused).error == "validation"
    assert "Traceback" not in refused.text
    assert 'File "' not in refused.text


def test_fields_that_the_seed_does_not_know_are_ignored(client: AgentClient) -> None:
    assert client.send({"question": QUESTION, "session_id": "x", "stream": False}).status_code == 200


def test_the_chapters_are_counted(client: AgentClient) -> None:
    listed = client.chapters()
    assert listed.total_count == len(listed.chapters) > 10
    assert all(chapter.sections for chapter in listed.chapters)


def test_health_has_the_words_that_the_client_compares_with(client: AgentClient) -> None:
    health = client.health()
    assert health.status_code == 200
    body = health.json()
    assert body["status"] == "healthy"
    assert body["qdrant_status"] == "connected"
    assert body["llm_status"] in ("connected", "disconnected")
    assert body["qdrant_collection_count"] == 1
    TypeAdapter(AwareDatetime).validate_json(json.dumps(body["timestamp"]))


def test_nothing_of_the_chat_is_kept(client: AgentClient, data_dir: Path) -> None:
    marked = "zanzibarmarmalade"
    client.ask(f"What does an IMU measure, dear {marked}?")
    files = [file for file in data_dir.rglob("*") if file.is_file()]
    assert files
    assert [file for file in files if marked.encode() in file.read_bytes()] == []
