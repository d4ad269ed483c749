"""A conversation with the book: who said what, in which order, and how long it is kept."""

import hashlib
import hmac
import secrets
from datetime import datetime, timedelta
from typing import Any, Literal, Self
from uuid import UUID, uuid4

from pydantic import UUID4, Field, model_validator

from citebook.domain.blocks import AnswerPart
from citebook.domain.book import Sha256
from citebook.domain.limits import TokenUsage
from citebook.domain.value import UtcTime, Value

Role = Literal["user", "assistant"]
MessageOutcome = Literal["answered", "refused"]

MAX_MESSAGE_CHARACTERS = 10_000
MAX_TITLE_CHARACTERS = 120
MAX_EXCERPT_CHARACTERS = 1_000
SESSION_LIFETIME = timedelta(days=30)


class Exchange(Value):
    """One question of the reader and the answer to it."""

    question: str = Field(min_length=1)
    answer: str


def new_session_token() -> str:
    """64 random characters, to be told to the reader once and kept nowhere."""
    return secrets.token_urlsafe(48)


def hash_of_session_token(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class SessionOwner(Value):
    """What somebody shows to be the owner of a session. Who shows nothing owns nothing."""

    token_hash: Sha256 | None = None
    user_id: UUID | None = None


class ChatSession(Value):
    """A thread of messages that belongs to whoever holds its token, and to its user where it has one."""

    id: UUID = Field(default_factory=uuid4)
    """Drawn at random, or chosen by a client for its conversation."""
    user_id: UUID | None = None
    session_token_hash: Sha256
    created_at: UtcTime
    last_activity_at: UtcTime
    metadata: dict[str, Any] = Field(default_factory=dict)

    def belongs_to(self, owner: SessionOwner) -> bool:
        """Whether somebody with this token, or signed in as this user, may read, continue or delete it."""
        if owner.user_id is not None and owner.user_id == self.user_id:
            return True
        return owner.token_hash is not None and hmac.compare_digest(owner.token_hash, self.session_token_hash)


class ListedSession(Value):
    """A session in the list of its user's."""

    id: UUID
    created_at: UtcTime
    last_activity_at: UtcTime
    title: str
    """How its first question begins; empty where it has none."""


def new_session(now: datetime, **fields: Any) -> tuple[ChatSession, str]:
    """A session that nobody knows of yet, and its token, which is told only here."""
    token = new_session_token()
    token_hash = hash_of_session_token(token)
    return ChatSession(session_token_hash=token_hash, created_at=now, last_activity_at=now, **fields), token


class SourceCitation(Value):
    """A citation as it is kept with a message: what the reader was shown.

    Its proof (`answer.Citation`: file, offsets, hash) was checked before and holds for one edition only.
    """

    id: UUID4 = Field(default_factory=uuid4)
    message_id: UUID4
    chapter_id: str = Field(min_length=1)
    chapter_title: str = Field(min_length=1)
    relevance_score: float = Field(ge=0.0, le=1.0)
    excerpt: str = Field(min_length=1, max_length=MAX_EXCERPT_CHARACTERS)
    position: int = Field(ge=1)
    section_title: str | None = None
    page: int | None = None
    url: str | None = None
    """These three are None in what was kept before they were."""


class ChatMessage(Value):
    """What one side said."""

    id: UUID4 = Field(default_factory=uuid4)
    session_id: UUID | None = None
    """None in a chat of which nothing is stored."""
    role: Role
    content: str = Field(min_length=1, max_length=MAX_MESSAGE_CHARACTERS)
    tokens_used: TokenUsage = TokenUsage()
    confidence: float | None = Field(default=None, ge=0.0, le=1.0)
    sources: tuple[SourceCitation, ...] = ()
    outcome: MessageOutcome | None = None
    """Of an answer: whether the book had one. None in what was kept before this was."""
    parts: tuple[AnswerPart, ...] | None = None
    """Of an answer: what it says, as blocks. None in what was kept before this was."""
    created_at: UtcTime

    @model_validator(mode="after")
    def _only_the_assistant_is_confident_and_cites(self) -> Self:
        if self.role == "user" and self.confidence is not None:
            raise ValueError("confidence is for assistant messages only")
        if self.role == "user" and (self.sources or self.outcome):
            raise ValueError("sources and an outcome are for assistant messages only")
        return self

    @model_validator(mode="after")
    def _sources_are_its_own_and_in_order(self) -> Self:
        if any(source.message_id != self.id for source in self.sources):
            raise ValueError("each source must carry the id of its message")
        positions = [source.position for source in self.sources]
        if positions != sorted(set(positions)):
            raise ValueError("sources must stand in the order of their positions, each position once")
        return self
