"""What seed `ask` promises its client."""

import pytest

from tests.contracts.clients_of_seeds.ask import AskClient, error_of
from tests.contracts.clients_of_seeds.wire import Wire, characters

pytestmark = pytest.mark.network

QUESTION = "What is SLAM?"
PASSAGE = "A toothed belt is cheap and quiet, but it stretches under load."


@pytest.fixture
def client(wire: Wire) -> AskClient:
    return AskClient(wire)


def test_an_answer_is_cited_with_excerpts_of_200_characters(client: AskClient) -> None:
    response = client.ask(QUESTION)
    assert response.confidence > 0
    assert any("slam" in citation.source_file for citation in response.citations)
    assert all(citation.excerpt for citation in response.citations)


def test_a_stream_ends_in_one_chunk_with_citations_and_confidence(client: AskClient) -> None:
    *chunks, last = client.stream(QUESTION)
    assert chunks
    assert all(not chunk.done and chunk.content for chunk in chunks)
    assert all(chunk.citations is None and chunk.confidence is None for chunk in chunks)
    assert (last.done, last.content, last.error) == (True, "", None)
    assert last.citations
    assert last.confidence is not None
    assert last.confidence > 0


def test_a_stream_says_what_the_whole_answer_says(client: AskClient) -> None:
    whole = client.ask(QUESTION)
    *chunks, last = client.stream(QUESTION)
    assert "".join(chunk.content for chunk in chunks).strip() == whole.answer.strip()
    assert last.citations == whole.citations
    assert last.confidence == whole.confidence


@pytest.mark.parametrize("question", ["", "ab", "  a  ", "      ", characters(1001)])
@pytest.mark.parametrize("path", ["/api/ask", "/api/ask/stream"])
def test_a_question_has_3_to_1000_characters_after_trimming(client: AskClient, path: str, question: str) -> None:
    refused = client.send(path, {"question": question})
    assert refused.status_code == 400
    assert error_of(refused).error == "INVALID_REQUEST"


@pytest.mark.parametrize("question", ["IMU", "  IMU  ", characters(1000)])
def test_questions_at_the_edges_are_taken(client: AskClient, question: str) -> None:
    client.ask(question)


def test_top_k_bounds_the_citations(client: AskClient) -> None:
    assert len(client.ask("How do SLAM and localisation differ?", top_k=1).citations) <= 1
    assert len(client.ask("How do SLAM and localisation differ?", top_k=20).citations) <= 20


@pytest.mark.parametrize("top_k", [0, 21, -1, "many", 2.5])
def test_top_k_is_1_to_20(client: AskClient, top_k: object) -> None:
    refused = client.send("/api/ask", {"question": QUESTION, "top_k": top_k})
    assert refused.status_code == 400
    assert error_of(refused).error == "INVALID_REQUEST"


@pytest.mark.parametrize("body", [b"{", b"[]", b"{}", b'{"question": 3}'])
def test_a_malformed_body_is_an_invalid_request(client: AskClient, body: bytes) -> None:
    refused = client.send_bytes(body)
    assert refused.status_code == 400
    assert error_of(refused).error == "INVALID_REQUEST"


def test_a_question_outside_the_book_is_refused_without_confidence(client: AskClient) -> None:
    refusal = client.ask("How do I file my income tax return?")
    assert (refusal.confidence, refusal.citations) == (0, [])
    *_, last = client.stream("How do I file my income tax return?")
    assert (last.done, last.confidence, last.citations) == (True, 0, [])


def test_selected_text_is_the_only_context(client: AskClient) -> None:
    response = client.ask_selected("What does a belt do under load?", PASSAGE)
    assert "stretches under load" in response.answer
    assert all(citation.excerpt in PASSAGE for citation in response.citations)
    assert client.ask_selected(QUESTION, PASSAGE).confidence == 0


@pytest.mark.parametrize("selected", ["too short", characters(10_001)])
def test_selected_text_has_10_to_10000_characters(client: AskClient, selected: str) -> None:
    refused = client.send("/api/ask-selected", {"question": QUESTION, "selected_text": selected})
    assert refused.status_code == 400
    assert error_of(refused).error == "INVALID_REQUEST"


def test_fields_that_the_seed_does_not_know_are_ignored(client: AskClient) -> None:
    client.ask(QUESTION, session_id="abc", mode="full-book")


def test_health(client: AskClient) -> None:
    health = client.health()
    assert health.status_code == 200
    assert health.json()["status"] == "healthy"
