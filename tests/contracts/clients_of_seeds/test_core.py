"""What seed `core` promises its client."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import AwareDatetime, TypeAdapter

from tests.contracts.clients_of_seeds.core import CoreClient, error_of
from tests.contracts.clients_of_seeds.wire import Wire, characters

pytestmark = pytest.mark.network

QUESTION = "Why is the zero moment point kept inside the foot?"


@pytest.fixture
def client(wire: Wire) -> CoreClient:
    return CoreClient(wire)


class TestAnswers:
    def test_an_answer_has_sources_confidence_session_and_tokens(self, client: CoreClient) -> None:
        response = client.ask(QUESTION)
        assert response.confidence > 0
        assert [source.position for source in response.sources] == list(range(1, len(response.sources) + 1))
        assert response.tokens_used.total == response.tokens_used.input + response.tokens_used.output

    @pytest.mark.parametrize("question", ["Do I need to own a robot for this book?", "What is an enabling device?"])
    def test_what_stands_outside_the_modules_has_a_chapter_id_too(self, client: CoreClient, question: str) -> None:
        assert client.ask(question).sources[0].chapter_id.startswith("module-0-")

    def test_names_are_taken_in_both_spellings(self, client: CoreClient) -> None:
        for body in ({"topK": 1}, {"top_k": 1}):
            assert len(client.send({"query": QUESTION, **body}).json()["sources"]) <= 1
        for name in ("topK", "top_k"):
            assert client.send({"query": QUESTION, name: 11}).status_code == 400

    @pytest.mark.parametrize("top_k", [1, 10])
    def test_top_k_bounds_the_sources(self, client: CoreClient, top_k: int) -> None:
        assert len(client.ask(QUESTION, topK=top_k).sources) <= top_k

    def test_a_filter_keeps_to_its_module_or_says_that_it_did_not(self, client: CoreClient) -> None:
        inside = client.ask(QUESTION, filters={"module": 4})
        assert inside.sources
        assert all(source.chapter_id.startswith("module-4") for source in inside.sources)
        elsewhere = client.ask(QUESTION, filters={"module": 1})
        outside = [source for source in elsewhere.sources if not source.chapter_id.startswith("module-1")]
        assert not outside or elsewhere.filter_message

    def test_difficulty_and_tags_are_filters_too(self, client: CoreClient) -> None:
        client.ask("What is a ROS 2 node?", filters={"difficulty": "beginner", "tags": ["ros2"]})

    def test_tags_in_a_question_do_no_harm(self, client: CoreClient) -> None:
        answer = client.ask("<b>What is a ROS 2 node?</b><script>alert(1)</script>").answer
        assert "<script>" not in answer

    def test_fields_that_the_seed_does_not_know_are_ignored(self, client: CoreClient) -> None:
        assert client.send({"query": QUESTION, "mode": "full-book", "stream": False}).status_code == 200

    def test_a_question_outside_the_book_is_refused_with_confidence_0(self, client: CoreClient) -> None:
        refusal = client.ask("How do I file my income tax return?")
        assert (refusal.confidence, refusal.sources) == (0, [])


class TestStreams:
    def test_a_stream_is_chunks_and_one_end(self, client: CoreClient) -> None:
        *chunks, last = client.stream(QUESTION)
        assert chunks
        assert all(frame.chunk and not frame.done and frame.sources is None for frame in chunks)
        assert last.done
        assert last.sources
        assert last.confidence is not None
        assert last.tokens_used is not None
        assert last.session_id is not None

    def test_a_stream_says_what_the_whole_answer_says(self, client: CoreClient) -> None:
        *chunks, last = client.stream(QUESTION)
        whole = client.ask(QUESTION)
        assert "".join(frame.chunk or "" for frame in chunks).strip() == whole.answer.strip()
        assert last.confidence == whole.confidence
        assert [source.excerpt for source in last.sources or ()] == [source.excerpt for source in whole.sources]


class TestSessions:
    def test_history_is_the_messages_of_the_session(self, client: CoreClient) -> None:
        first = client.ask(QUESTION)
        client.ask("and why is that?")
        history = client.history()
        assert history.session_id == first.session_id
        assert [message.role for message in history.messages] == ["user", "assistant"] * 2
        assert {message.session_id for message in history.messages} == {first.session_id}
        asked, answered, *_ = history.messages
        assert (asked.content, asked.confidence) == (QUESTION, None)
        assert answered.content == first.answer
        assert answered.confidence == pytest.approx(first.confidence)
        assert [source.excerpt for source in answered.sources or ()] == [one.excerpt for one in first.sources]

    def test_history_is_limited_and_goes_back(self, client: CoreClient) -> None:
        for _ in range(2):
            client.ask(QUESTION)
        newest = client.history("?limit=2").messages
        assert len(newest) == 2
        before = newest[0].created_at.isoformat().replace("+00:00", "Z")
        older = client.history(f"?limit=2&before={before}").messages
        assert older
        assert {message.id for message in older}.isdisjoint(message.id for message in newest)

    @pytest.mark.parametrize("limit", [0, 51])
    def test_a_history_has_1_to_50_messages(self, client: CoreClient, limit: int) -> None:
        client.ask(QUESTION)
        assert client.read_session(f"?limit={limit}").status_code == 400

    def test_a_session_is_its_owners(self, client: CoreClient) -> None:
        client.ask(QUESTION)
        stranger = client.without_token()
        for reply in (stranger.read_session(), stranger.delete_session()):
            assert reply.status_code == 404
            assert error_of(reply).code == "SESSION_NOT_FOUND"

    def test_a_deleted_session_is_gone(self, client: CoreClient) -> None:
        client.ask(QUESTION)
        assert client.delete_session().status_code == 204
        assert client.read_session().status_code == 404

    def test_an_unknown_session_is_not_found(self, client: CoreClient) -> None:
        client.session = uuid4()
        assert error_of(client.read_session()).code == "SESSION_NOT_FOUND"


class TestErrors:
    @pytest.mark.parametrize(
        ("body", "code"),
        [
            ({}, "INVALID_QUERY"),
            ({"query": ""}, "INVALID_QUERY"),
            ({"query": "  "}, "INVALID_QUERY"),
            ({"query": 3}, "INVALID_QUERY"),
            ({"query": characters(501)}, "QUERY_TOO_LONG"),
            ({"query": QUESTION, "topK": 0}, "INVALID_QUERY"),
            ({"query": QUESTION, "topK": 11}, "INVALID_QUERY"),
            ({"query": QUESTION, "filters": {"module": 0}}, "INVALID_QUERY"),
            ({"query": QUESTION, "filters": {"module": 11}}, "INVALID_QUERY"),
            ({"query": QUESTION, "filters": {"difficulty": "easy"}}, "INVALID_QUERY"),
            ({"query": QUESTION, "filters": {"tags": "ros2"}}, "INVALID_QUERY"),
            ({"query": QUESTION, "sessionId": "no uuid"}, "INVALID_QUERY"),
            ({"query": QUESTION, "userId": "no uuid"}, "INVALID_QUERY"),
        ],
    )
    def test_a_field_that_breaks_its_rule_is_a_400(self, client: CoreClient, body: Any, code: str) -> None:
        refused = client.send(body)
        assert refused.status_code == 400
        error = error_of(refused)
        assert error.code == code
        assert error.correlation_id == refused.headers["x-request-id"]

    def test_500_characters_are_taken(self, client: CoreClient) -> None:
        assert client.send({"query": characters(500)}).status_code == 200

    def test_a_session_that_is_not_there_is_a_404(self, client: CoreClient) -> None:
        refused = client.send({"query": QUESTION, "sessionId": str(uuid4())})
        assert refused.status_code == 404
        assert error_of(refused).code == "SESSION_NOT_FOUND"

    def test_a_token_that_is_not_valid_is_a_401(self, client: CoreClient) -> None:
        refused = client.send({"query": QUESTION}, Authorization="Bearer nobody.signed.this")
        assert refused.status_code == 401
        assert error_of(refused).code == "UNAUTHORIZED"

    def test_an_error_of_a_stream_comes_before_it_as_json(self, client: CoreClient) -> None:
        refused = client.send({"query": ""}, Accept="text/event-stream")
        assert refused.status_code == 400
        assert error_of(refused).code == "INVALID_QUERY"


def test_health(client: CoreClient) -> None:
    health = client.health()
    assert health.status_code == 200
    body = health.json()
    assert body["status"] == "healthy"
    assert body["version"]
    assert body["dependencies"]
    TypeAdapter(AwareDatetime).validate_python(body["timestamp"])


def test_session_ids_are_random_uuids(client: CoreClient) -> None:
    session = client.ask(QUESTION).session_id
    assert isinstance(session, UUID)
    assert session.version == 4
