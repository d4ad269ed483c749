"""What seed `textbook` promises its client."""

import json
from pathlib import Path

import httpx
import pytest
from pydantic import TypeAdapter

from tests.command_line import citebook
from tests.contracts.clients_of_seeds.textbook import IngestResult, RefusedResponse, TextbookClient
from tests.contracts.clients_of_seeds.wire import Wire, words
from tests.small_book import write_book

pytestmark = pytest.mark.network

QUESTION = "What is inverse kinematics?"


@pytest.fixture
def client(wire: Wire) -> TextbookClient:
    return TextbookClient(wire)


def detail_of(reply: httpx.Response) -> str:
    detail = reply.json()["detail"]
    assert isinstance(detail, str)
    return detail


def test_an_answer_has_one_to_five_sources(client: TextbookClient) -> None:
    response = client.ask(QUESTION)
    assert "joint angles" in response.answer
    assert "02-chapter-2-kinematics.mdx" in {source.filename for source in response.sources}
    assert all("/" not in source.filename for source in response.sources)


def test_the_same_question_has_the_same_sources(client: TextbookClient) -> None:
    assert client.ask(QUESTION).sources == client.ask(QUESTION).sources


def test_selected_text_steers_the_search(client: TextbookClient) -> None:
    response = client.ask("Why are there several solutions?", selected_text="inverse kinematics of an arm")
    assert {source.filename for source in response.sources} == {"02-chapter-2-kinematics.mdx"}


def test_500_words_are_taken_and_501_are_not(client: TextbookClient) -> None:
    assert client.send({"query": words(500)}).status_code == 200
    refused = client.send({"query": words(501)})
    assert refused.status_code == 400
    assert "exceeds 500 words (has 501)" in detail_of(refused)


def test_200_selected_words_are_taken_and_201_are_not(client: TextbookClient) -> None:
    assert client.send({"query": QUESTION, "selected_text": words(200)}).status_code == 200
    refused = client.send({"query": QUESTION, "selected_text": words(201)})
    assert refused.status_code in (400, 422)
    assert "exceeds 200 words (has 201)" in json.dumps(refused.json())


@pytest.mark.parametrize("query", ["", "   "])
def test_an_empty_question_is_a_400(client: TextbookClient, query: str) -> None:
    refused = client.send({"query": query})
    assert refused.status_code == 400
    assert detail_of(refused)


@pytest.mark.parametrize("body", [{}, {"query": 3}, {"query": None}, {"query": QUESTION, "selected_text": ["x"]}])
def test_a_malformed_body_is_a_422_with_the_frameworks_list(client: TextbookClient, body: dict[str, object]) -> None:
    refused = client.send(body)
    assert refused.status_code == 422
    fault = TypeAdapter(list[dict[str, object]]).validate_python(refused.json()["detail"])[0]
    assert {"loc", "msg", "type"} <= fault.keys()


def test_what_is_no_json_is_a_422(client: TextbookClient) -> None:
    assert client.send_bytes(b'{"query": ').status_code == 422


def test_fields_that_the_seed_does_not_know_are_ignored(client: TextbookClient) -> None:
    assert client.send({"query": QUESTION, "session_id": "abc", "top_k": 3}).status_code == 200


def test_a_question_outside_the_book_is_refused_in_words(client: TextbookClient) -> None:
    refused = client.send({"query": "How do I file my income tax return?"})
    assert refused.status_code == 200
    RefusedResponse.model_validate_json(refused.content, strict=True)


def test_health_has_the_words_that_the_client_compares_with(client: TextbookClient) -> None:
    health = client.health()
    assert health.status_code == 200
    assert health.json()["status"] == "healthy"
    services = health.json()["services"]
    assert services["qdrant"] == "connected"
    assert services["llm"] in ("connected", "disconnected")


class TestIngestByCommandLine:
    def test_the_result_counts_files_and_chunks(self, tmp_path: Path) -> None:
        book = write_book(tmp_path / "book")
        run = citebook("ingest", book, "--data-dir", tmp_path / "data", "--json")
        result = IngestResult.model_validate_json(run.out, strict=True)
        assert result.files_processed == 4
        assert result.chunks_created >= 4
        assert run.exit_code == result.exit_code == 0

    def test_a_second_run_makes_nothing_anew(self, tmp_path: Path) -> None:
        book = write_book(tmp_path / "book")
        for expected in (False, True):
            run = citebook("ingest", book, "--data-dir", tmp_path / "data", "--json")
            assert (run.json["counts"]["chunks_embedded"] == 0) is expected

    def test_a_file_that_cannot_be_read_makes_the_exit_code_tell(self, tmp_path: Path) -> None:
        book = write_book(tmp_path / "book")
        (book / "broken.mdx").write_bytes(b"\xff\xfe not UTF-8 \xff")
        run = citebook("ingest", book, "--data-dir", tmp_path / "data", "--json")
        result = IngestResult.model_validate_json(run.out, strict=True)
        assert result.errors
        assert run.exit_code == result.exit_code != 0
        assert result.chunks_created >= 4
