"""What the `core` contract looks like on the wire: camelCase out, camelCase and snake_case in."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from citebook.api.event_stream import Frame
from citebook.api.problems import problem_of_failure
from citebook.api.query_filters import QueryFilters, QueryScope
from citebook.api.sources import EXAMPLE_PARTS, CitedPlace, parts_of, source_of, suggestion_of
from citebook.api.wire import CamelRequest, CamelResponse
from citebook.domain.answer import Citation, Outcome
from citebook.domain.blocks import AnswerPart
from citebook.domain.conversation import (
    MAX_EXCERPT_CHARACTERS,
    ChatMessage,
    ChatSession,
    ListedSession,
    SourceCitation,
)
from citebook.domain.events import AnswerCompleted, AnswerFailed, Event, SentenceVerified
from citebook.domain.support import Support, support_of

_SOURCE: dict[str, Any] = {
    "chapterId": "joints/gears",
    "chapterTitle": "Gears",
    "relevanceScore": 0.82,
    "excerpt": "A harmonic drive is a gear that bends a thin steel cup.",
    "position": 1,
    "sectionTitle": "Harmonic drives",
    "url": "/docs/joints/gears#harmonic-drives",
}
_ANSWER: dict[str, Any] = {
    "answer": "A harmonic drive is a gear that bends a thin steel cup. [1]",
    "sources": [_SOURCE],
    "confidence": 0.87,
    "sessionId": "9b2d9f4e-0c55-4e07-9c1a-6a3b0c0d9a11",
    "tokensUsed": {"input": 0, "output": 0, "total": 0},
    "answerId": "4be0643f-1d98-473b-97cd-ca98a65347dd",
    "outcome": "answered",
    "lowConfidence": False,
    "support": "likely",
    "supportText": "Likely answers your question",
    "calibrated": True,
    "suggestions": [],
    "parts": EXAMPLE_PARTS,
    "edition": "20260105T093000-3f2b8c1e",
}
_HISTORY: dict[str, Any] = {
    "sessionId": "9b2d9f4e-0c55-4e07-9c1a-6a3b0c0d9a11",
    "createdAt": "2026-01-05T09:30:00Z",
    "session": {
        "id": "9b2d9f4e-0c55-4e07-9c1a-6a3b0c0d9a11",
        "createdAt": "2026-01-05T09:30:00Z",
        "lastActivityAt": "2026-01-05T09:30:01Z",
    },
    "messages": [
        {
            "id": "4be0643f-1d98-473b-97cd-ca98a65347dd",
            "sessionId": "9b2d9f4e-0c55-4e07-9c1a-6a3b0c0d9a11",
            "role": "user",
            "content": "What is a harmonic drive?",
            "createdAt": "2026-01-05T09:30:00Z",
        }
    ],
}
_SESSIONS: dict[str, Any] = {
    "sessions": [
        {
            "sessionId": "9b2d9f4e-0c55-4e07-9c1a-6a3b0c0d9a11",
            "createdAt": "2026-01-05T09:30:00Z",
            "lastActivityAt": "2026-01-05T09:30:01Z",
            "title": "What is a harmonic drive?",
        }
    ],
    "hasMore": False,
}
STREAM_EXAMPLE = """\
data: {"chunk":"A harmonic drive is a gear that bends a thin steel cup. [1]"}

data: {"done":true,"sources":[],"confidence":0.87,"sessionId":"9b2d9f4e-0c55-4e07-9c1a-6a3b0c0d9a11",\
"tokensUsed":{"input":0,"output":0,"total":0},"answerId":"4be0643f-1d98-473b-97cd-ca98a65347dd",\
"outcome":"answered","lowConfidence":false,"calibrated":true,"suggestions":[],\
"edition":"20260105T093000-3f2b8c1e"}

"""


class CoreQuery(CamelRequest):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"query": "What is a harmonic drive?", "filters": {"module": 1, "difficulty": "beginner"}, "topK": 5}
            ]
        }
    )

    query: Annotated[
        str, Field(description="1 to 500 characters.", json_schema_extra={"minLength": 1, "maxLength": 500})
    ]
    user_id: Annotated[UUID | None, Field(strict=False, description="Must be that of the token.")] = None
    session_id: Annotated[UUID | None, Field(strict=False, description="A session to continue.")] = None
    filters: QueryFilters | None = None
    scope: QueryScope | None = None
    top_k: Annotated[
        int,
        Field(
            description="Passages that are searched for, and the most sources that an answer shows.",
            json_schema_extra={"minimum": 1, "maximum": 10},
        ),
    ] = 5


def _is_none(value: object) -> bool:
    """What is not there is left out, but only here: a tree of blocks is given whole."""
    return value is None


class CoreSource(CamelResponse):
    chapter_id: str
    chapter_title: str
    relevance_score: Annotated[float, Field(ge=0, le=1)]
    excerpt: Annotated[str, Field(max_length=MAX_EXCERPT_CHARACTERS)]
    position: Annotated[int, Field(ge=1)]
    section_title: Annotated[str | None, Field(exclude_if=_is_none)] = None
    page: Annotated[int | None, Field(description="Where the source has pages.", exclude_if=_is_none)] = None
    url: Annotated[str | None, Field(exclude_if=_is_none)] = None
    place: Annotated[
        CitedPlace | None,
        Field(description="Whole, with what stands beside it; not in a history.", exclude_if=_is_none),
    ] = None


class Tokens(CamelResponse):
    input: int
    output: int
    total: int


class CoreSuggestion(CamelResponse):
    """A part of the book that the reader may have meant."""

    title: str
    url: str
    snippet: Annotated[str, Field(description="How the passage there begins that is most like the question.")] = ""


class CoreAnswer(CamelResponse):
    model_config = ConfigDict(json_schema_extra={"examples": [_ANSWER]})

    answer: Annotated[str, Field(description="Markdown; the book's own text in it is escaped.")]
    sources: list[CoreSource]
    confidence: Annotated[float, Field(ge=0, le=1)]
    session_id: Annotated[
        UUID | None,
        Field(description="Missing where the conversation cannot be kept right now.", exclude_if=_is_none),
    ] = None
    kept: Annotated[
        bool,
        Field(description="False where the exchange is not in the history; missing where it is.", exclude_if=bool),
    ] = True
    tokens_used: Tokens
    filter_message: Annotated[str | None, Field(exclude_if=_is_none)] = None
    answer_id: Annotated[UUID, Field(description="What feedback on this answer is given with.")]
    outcome: Literal["answered", "refused"]
    low_confidence: Annotated[bool, Field(description="Whether the reader should be warned.")]
    support: Annotated[
        Support | None,
        Field(description="Whether it answers the question; none of a refusal.", exclude_if=_is_none),
    ] = None
    support_text: Annotated[str | None, Field(description="The same in words for a reader.", exclude_if=_is_none)] = (
        None
    )
    calibrated: Annotated[bool, Field(description="Whether the confidence is a measured probability.")]
    suggestions: Annotated[
        list[CoreSuggestion],
        Field(description="Of a refusal, or an answer that may be none: other parts that come near.", max_length=3),
    ]
    parts: Annotated[list[AnswerPart], Field(description="The answer as blocks, in the order of its text.")]
    corrected: Annotated[
        str | None,
        Field(
            description="The question as it was searched for, where words of it were mistyped.", exclude_if=_is_none
        ),
    ] = None
    measured_confidence: Annotated[
        float | None,
        Field(
            ge=0,
            le=1,
            description="Of a refusal, whose confidence is 0: what was measured before it.",
            exclude_if=_is_none,
        ),
    ] = None
    edition: Annotated[
        str | None,
        Field(
            description="Of the book that answered; missing where nothing of it was searched.", exclude_if=_is_none
        ),
    ] = None


class CoreMessage(CamelResponse):
    id: UUID
    session_id: UUID
    role: Literal["user", "assistant"]
    content: str
    tokens_used: Annotated[Tokens | None, Field(exclude_if=_is_none)] = None
    confidence: Annotated[float | None, Field(exclude_if=_is_none)] = None
    sources: Annotated[list[CoreSource] | None, Field(exclude_if=_is_none)] = None
    answer_id: Annotated[UUID | None, Field(exclude_if=_is_none)] = None
    outcome: Annotated[Literal["answered", "refused"] | None, Field(exclude_if=_is_none)] = None
    support: Annotated[Support | None, Field(description="Whether it answers the question.", exclude_if=_is_none)] = (
        None
    )
    support_text: Annotated[str | None, Field(description="The same in words.", exclude_if=_is_none)] = None
    parts: Annotated[
        list[AnswerPart] | None, Field(description="Of an answer: the same as blocks.", exclude_if=_is_none)
    ] = None
    created_at: datetime


class CoreSession(CamelResponse):
    id: UUID
    user_id: Annotated[UUID | None, Field(exclude_if=_is_none)] = None
    created_at: datetime
    last_activity_at: datetime


class CoreHistory(CamelResponse):
    model_config = ConfigDict(json_schema_extra={"examples": [_HISTORY]})

    session_id: UUID
    created_at: datetime
    messages: list[CoreMessage]
    session: Annotated[CoreSession, Field(description="The same and more of the session.")]


class CoreListedSession(CamelResponse):
    session_id: UUID
    created_at: datetime
    last_activity_at: datetime
    title: Annotated[str, Field(description="How its first question begins; empty where it has none.")]


class CoreSessions(CamelResponse):
    model_config = ConfigDict(json_schema_extra={"examples": [_SESSIONS]})

    sessions: Annotated[list[CoreListedSession], Field(description="The last used first.")]
    has_more: Annotated[bool, Field(description="Whether there are older ones: ask with `before` for them.")]


class CoreErrorDetail(CamelResponse):
    code: Literal[
        "INVALID_QUERY",
        "QUERY_TOO_LONG",
        "RATE_LIMIT_EXCEEDED",
        "SESSION_NOT_FOUND",
        "UNAUTHORIZED",
        "LLM_TIMEOUT",
        "VECTOR_STORE_UNAVAILABLE",
        "DATABASE_ERROR",
        "INTERNAL_ERROR",
    ]
    message: str
    correlation_id: str
    retry_after: int | None = None
    fallback_faq: list[dict[str, Any]] | None = None


class CoreError(CamelResponse):
    error: CoreErrorDetail


def answer_of(ended: AnswerCompleted, session_id: UUID | None) -> CoreAnswer:
    """A session is named only where the exchange is kept in it."""
    answer = ended.answer
    return CoreAnswer(
        answer=answer.text,
        sources=[_source(citation) for citation in answer.citations],
        confidence=answer.confidence,
        session_id=session_id if ended.is_kept else None,
        kept=ended.is_kept and session_id is not None,
        tokens_used=Tokens(**answer.tokens_used.model_dump()),
        filter_message=answer.filter_message,
        answer_id=answer.id,
        outcome="answered" if answer.outcome is Outcome.ANSWERED else "refused",
        low_confidence=answer.low_confidence,
        support=answer.support,
        support_text=answer.support.words if answer.support else None,
        calibrated=answer.calibrated,
        suggestions=[CoreSuggestion(**suggestion_of(part)) for part in answer.suggestions],
        parts=list(answer.parts),
        corrected=answer.corrected,
        measured_confidence=answer.measured_confidence,
        edition=answer.edition,
    )


def sessions_of(listed: Sequence[ListedSession], *, has_more: bool) -> CoreSessions:
    return CoreSessions(
        sessions=[
            CoreListedSession(
                session_id=session.id,
                created_at=session.created_at,
                last_activity_at=session.last_activity_at,
                title=session.title,
            )
            for session in listed
        ],
        has_more=has_more,
    )


def history_of(session: ChatSession, messages: Sequence[ChatMessage]) -> CoreHistory:
    return CoreHistory(
        session_id=session.id,
        created_at=session.created_at,
        session=CoreSession(
            id=session.id,
            user_id=session.user_id,
            created_at=session.created_at,
            last_activity_at=session.last_activity_at,
        ),
        messages=[_message(message) for message in messages],
    )


def _message(message: ChatMessage) -> CoreMessage:
    fields: dict[str, Any] = {
        "id": message.id,
        "session_id": message.session_id,
        "role": message.role,
        "content": message.content,
        "created_at": message.created_at,
    }
    if message.role == "assistant":
        fields["tokens_used"] = Tokens(**message.tokens_used.model_dump())
        fields["confidence"] = message.confidence
        fields["sources"] = [_source(source) for source in message.sources]
        fields["answer_id"], fields["outcome"] = message.id, message.outcome
        if message.outcome == "answered" and message.confidence is not None:
            support = support_of(message.confidence)
            fields["support"], fields["support_text"] = support, support.words
        fields["parts"] = message.parts
    return CoreMessage.model_validate(fields)


def _source(citation: Citation | SourceCitation) -> CoreSource:
    return CoreSource(
        relevance_score=citation.relevance_score,
        position=citation.position,
        **source_of(citation, MAX_EXCERPT_CHARACTERS),
    )


class CoreFrames:
    def __init__(self, session_id: UUID | None) -> None:
        self._session_id = session_id
        self._said_something = False

    def of(self, event: Event) -> Sequence[Frame]:
        match event:
            case SentenceVerified():
                self._said_something = True
                return [{"chunk": event.text, "parts": parts_of(event)}]
            case AnswerCompleted():
                whole = answer_of(event, self._session_id).model_dump(mode="json", by_alias=True)
                unsaid = {"chunk": whole.pop("answer"), "parts": whole["parts"]}
                return [*([] if self._said_something else [unsaid]), {"done": True, **whole}]
            case AnswerFailed():
                return [self.error(problem_of_failure(event).message)]
            case _:
                return []

    def error(self, message: str) -> Frame:
        return {"error": message}
