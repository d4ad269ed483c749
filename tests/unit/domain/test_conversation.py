"""Conversations: who may say what, and whose a session is."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID, uuid1, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from citebook.domain.callers import Caller
from citebook.domain.conversation import (
    ChatMessage,
    ChatSession,
    Exchange,
    SessionOwner,
    SourceCitation,
    hash_of_session_token,
    new_session_token,
)
from citebook.domain.limits import TokenUsage

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TOKEN = "t" * 64
USER = UUID("550e8400-e29b-41d4-a716-446655440000")
MESSAGE = UUID("7b0f4c1e-6a53-4b43-9d7c-0a8f3c5e2d11")


def session(**changes: Any) -> ChatSession:
    fields: dict[str, Any] = {
        "session_token_hash": hash_of_session_token(TOKEN),
        "created_at": NOON,
        "last_activity_at": NOON,
    }
    return ChatSession(**fields | changes)


def source(**changes: Any) -> SourceCitation:
    fields: dict[str, Any] = {
        "message_id": MESSAGE,
        "chapter_id": "module-1/chapter-2",
        "chapter_title": "Kinematics",
        "relevance_score": 0.9,
        "excerpt": "Robots move.",
        "position": 1,
    }
    return SourceCitation(**fields | changes)


def message(role: str = "assistant", **changes: Any) -> ChatMessage:
    fields: dict[str, Any] = {"id": MESSAGE, "role": role, "content": "Robots move.", "created_at": NOON}
    return ChatMessage(**fields | changes)


class TestSessionToken:
    def test_has_64_characters_that_a_header_can_carry(self) -> None:
        token = new_session_token()
        assert len(token) == 64
        assert token.isascii()
        assert token.replace("-", "").replace("_", "").isalnum()

    def test_is_never_the_same_twice(self) -> None:
        assert len({new_session_token() for _ in range(100)}) == 100

    def test_its_hash_fits_where_the_token_would(self) -> None:
        assert len(hash_of_session_token(TOKEN)) == 64
        assert hash_of_session_token(TOKEN) != TOKEN

    def test_a_session_cannot_hold_the_token_itself(self) -> None:
        with pytest.raises(ValidationError):
            session(session_token_hash=TOKEN)


def shown(token: str | None = None, user_id: UUID | None = None) -> SessionOwner:
    """By a caller."""
    return Caller(kind="anonymous", address="::1", session_token=token, user_id=user_id).owner


class TestWhoseASessionIs:
    def test_whoever_has_the_token(self) -> None:
        assert session().belongs_to(shown(TOKEN))

    def test_the_user_who_started_it_with_or_without_the_token(self) -> None:
        assert session(user_id=USER).belongs_to(shown(user_id=USER))
        assert session(user_id=USER).belongs_to(shown("wrong", USER))

    @given(st.text(alphabet=st.characters(codec="utf-8")).filter(lambda token: token != TOKEN))
    def test_nobody_with_another_token(self, token: str) -> None:
        assert not session().belongs_to(shown(token))

    def test_nobody_who_knows_only_the_stored_hash(self) -> None:
        assert not session().belongs_to(shown(session().session_token_hash))

    def test_no_other_user(self) -> None:
        assert not session(user_id=USER).belongs_to(shown(user_id=uuid4()))
        assert not session().belongs_to(shown(user_id=USER))

    def test_nobody_who_shows_nothing(self) -> None:
        assert not session().belongs_to(shown())
        assert not session(user_id=USER).belongs_to(shown())

    def test_a_session_without_a_token_cannot_be(self) -> None:
        with pytest.raises(ValidationError, match="session_token_hash"):
            ChatSession.model_validate({"user_id": USER, "created_at": NOON, "last_activity_at": NOON})


class TestIdsAndTimes:
    def test_ids_are_made_at_random(self) -> None:
        assert session().id.version == 4
        assert session().id != session().id
        assert source().id.version == 4
        assert ChatMessage(role="user", content="x", created_at=NOON).id.version == 4

    def test_ids_of_another_version_are_rejected(self) -> None:
        with pytest.raises(ValidationError):
            message(id=uuid1())
        with pytest.raises(ValidationError):
            source(id=uuid1())
        with pytest.raises(ValidationError):
            source(message_id=uuid1())

    def test_a_session_may_have_an_id_that_a_client_chose(self) -> None:
        chosen = uuid1()
        assert (session(id=chosen).id, message(session_id=chosen).session_id) == (chosen, chosen)

    def test_the_user_id_is_another_programs_and_taken_as_it_is(self) -> None:
        user_id = uuid1()
        assert session(user_id=user_id).user_id == user_id

    def test_times_without_a_zone_are_rejected(self) -> None:
        naive = datetime(2026, 1, 1, 12)
        with pytest.raises(ValidationError):
            session(created_at=naive)
        with pytest.raises(ValidationError):
            session(last_activity_at=naive)
        with pytest.raises(ValidationError):
            message(created_at=naive)

    def test_times_of_another_zone_become_utc(self) -> None:
        two_in_cairo = NOON.astimezone(timezone(timedelta(hours=2)))
        assert session(created_at=two_in_cairo).created_at.tzinfo is UTC
        assert session(last_activity_at=two_in_cairo).last_activity_at.tzinfo is UTC
        assert message(created_at=two_in_cairo).created_at == NOON

    def test_times_are_written_as_iso_8601(self) -> None:
        assert message().model_dump(mode="json")["created_at"] == "2026-01-01T12:00:00Z"


class TestChatMessage:
    @pytest.mark.parametrize("role", ["user", "assistant"])
    @pytest.mark.parametrize("length", [1, 10_000])
    def test_has_from_1_to_10_000_characters(self, role: str, length: int) -> None:
        assert len(message(role, content="x" * length).content) == length

    @pytest.mark.parametrize("role", ["user", "assistant"])
    @pytest.mark.parametrize("length", [0, 10_001])
    def test_has_neither_fewer_nor_more(self, role: str, length: int) -> None:
        with pytest.raises(ValidationError):
            message(role, content="x" * length)

    @pytest.mark.parametrize("role", ["", "system", "User"])
    def test_nobody_else_speaks(self, role: str) -> None:
        with pytest.raises(ValidationError):
            message(role)

    @pytest.mark.parametrize("confidence", [None, 0.0, 1.0])
    def test_the_assistant_may_be_confident(self, confidence: float | None) -> None:
        assert message(confidence=confidence).confidence == confidence

    @pytest.mark.parametrize("confidence", [-0.001, 1.001, float("nan")])
    def test_confidence_is_a_probability(self, confidence: float) -> None:
        with pytest.raises(ValidationError):
            message(confidence=confidence)

    @pytest.mark.parametrize("confidence", [0.0, 0.5])
    def test_the_reader_has_no_confidence(self, confidence: float) -> None:
        assert message("user").confidence is None
        with pytest.raises(ValidationError, match="confidence"):
            message("user", confidence=confidence)

    def test_the_reader_cites_nothing(self) -> None:
        assert message("user", sources=()).sources == ()
        with pytest.raises(ValidationError, match="sources"):
            message("user", sources=(source(),))

    def test_a_refusal_cites_nothing_either(self) -> None:
        assert message(sources=()).sources == ()

    def test_its_sources_are_its_own(self) -> None:
        assert message(sources=(source(),)).sources
        with pytest.raises(ValidationError, match="id of its message"):
            message(sources=(source(message_id=uuid4()),))

    @pytest.mark.parametrize("positions", [(1, 2, 3), (1, 3)])
    def test_its_sources_stand_in_order(self, positions: tuple[int, ...]) -> None:
        made = message(sources=tuple(source(position=position) for position in positions))
        assert tuple(one.position for one in made.sources) == positions

    @pytest.mark.parametrize("positions", [(2, 1), (1, 1)])
    def test_its_sources_never_stand_out_of_order_or_twice(self, positions: tuple[int, ...]) -> None:
        with pytest.raises(ValidationError, match="order"):
            message(sources=tuple(source(position=position) for position in positions))

    def test_costs_nothing_unless_a_model_was_asked(self) -> None:
        assert message().tokens_used == TokenUsage(input=0, output=0, total=0)

    def test_belongs_to_no_session_where_nothing_is_stored(self) -> None:
        assert message().session_id is None
        assert message(session_id=session().id).session_id is not None

    def test_never_changes(self) -> None:
        with pytest.raises(ValidationError, match="frozen"):
            message().content = "other"  # type: ignore[misc]


class TestSourceCitation:
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("relevance_score", 0.0),
            ("relevance_score", 1.0),
            ("position", 1),
            ("excerpt", "x"),
            ("excerpt", "x" * 1000),
        ],
    )
    def test_accepts_the_edges(self, field: str, value: object) -> None:
        assert getattr(source(**{field: value}), field) == value

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("relevance_score", -0.001),
            ("relevance_score", 1.001),
            ("position", 0),
            ("excerpt", ""),
            ("excerpt", "x" * 1001),
            ("chapter_id", ""),
            ("chapter_title", ""),
        ],
    )
    def test_rejects_what_lies_beyond(self, field: str, value: object) -> None:
        with pytest.raises(ValidationError):
            source(**{field: value})

    @pytest.mark.parametrize("chapter_id", ["module-1/chapter-2", "module-1-ros2/chapter-2-nodes", "intro"])
    def test_takes_chapter_ids_as_the_book_has_them(self, chapter_id: str) -> None:
        assert source(chapter_id=chapter_id).chapter_id == chapter_id


class TestExchange:
    def test_has_a_question(self) -> None:
        assert Exchange(question="x", answer="").answer == ""
        with pytest.raises(ValidationError):
            Exchange(question="", answer="x")
