"""What the `academic` contract looks like on the wire: answers with their citations written out."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from citebook.api.sources import suggestion_of
from citebook.api.uploads import UploadState
from citebook.api.wire import WireRequest, WireResponse
from citebook.domain.answer import Answer, Citation, Outcome, level_of
from citebook.domain.audit import AuditRecord
from citebook.writing.inline_markdown import markdown_of_text
from citebook.writing.replies import markdown_of_claims

EXCERPT_WORDS = 50
_OPENING = "Based on the selected passage: "

_QUESTION = {"query": "What is a harmonic drive?"}
_ANSWER = {
    "answer_id": "0c9fb2b0-6a0f-4b5c-8a51-2f4f6f0b7a10",
    "answer": "A harmonic drive is a gear that bends a thin steel cup. [Source: Harmonic drives "
    '(/docs/joints/gears#harmonic-drives) - "A harmonic drive is a gear that bends a thin steel cup."]',
    "sources": [
        {
            "id": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "excerpt": "A harmonic drive is a gear that bends a thin steel cup.",
            "page": None,
            "section": "Harmonic drives",
        }
    ],
    "confidence": 0.87,
    "confidence_level": "high",
    "status": "success",
    "measured_confidence": None,
    "suggestions": [],
}
_INGEST_ID = "6f1b0f0a-93c5-4c0e-9d61-0f6d8b0a7c22"


def _example(value: dict[str, Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [value]})


class AcademicQuery(WireRequest):
    model_config = _example(_QUESTION)

    query: Annotated[
        str, Field(description="1 to 1000 characters.", json_schema_extra={"minLength": 1, "maxLength": 1000})
    ]
    conversation_id: Annotated[
        UUID | None,
        Field(strict=False, description="A UUID of yours; questions with the same one belong together."),
    ] = None


class RestrictedQuery(AcademicQuery):
    model_config = _example(
        {
            "query": "What bends the cup?",
            "selected_passage": "A harmonic drive is a gear that bends a thin steel cup. It has almost no backlash.",
        }
    )

    selected_passage: Annotated[
        str,
        Field(
            description="50 to 5000 characters; the answer rests on it alone.",
            json_schema_extra={"minLength": 50, "maxLength": 5000},
        ),
    ]


class AcademicSource(WireResponse):
    id: str
    excerpt: str
    page: int | None
    section: str


class AcademicSuggestion(WireResponse):
    """A part of the book that the reader may have meant."""

    title: str
    url: str
    snippet: Annotated[str, Field(description="How the passage there begins that is most like the question.")] = ""


class AcademicAnswer(WireResponse):
    model_config = _example(_ANSWER)

    answer_id: UUID
    answer: Annotated[str, Field(description="Markdown; the book's own text in it is escaped.")]
    sources: list[AcademicSource]
    confidence: Annotated[float, Field(ge=0, le=1)]
    confidence_level: Literal["high", "medium", "low"]
    status: Literal["success", "partial", "error", "out_of_scope"]
    measured_confidence: Annotated[
        float | None,
        Field(ge=0, le=1, description="Of a refusal, whose confidence is 0: what was measured before it."),
    ] = None
    suggestions: Annotated[
        list[AcademicSuggestion],
        Field(description="Of a refusal, or an answer that may be none: the nearest sections."),
    ]


class RestrictedAnswer(AcademicAnswer):
    model_config = _example({**_ANSWER, "source_mode": "context-restricted"})

    source_mode: Literal["context-restricted"] = "context-restricted"


class BookEntry(WireResponse):
    id: Annotated[str, Field(description="What `/chat/book/{book_id}/query` takes.")]
    title: Annotated[str | None, Field(description="Null where the book cannot be asked right now.")]
    chapters: Annotated[int, Field(ge=0, description="How many it has.")]
    is_default: Annotated[bool, Field(description="Whether `/chat/query` asks it.")]


class Books(WireResponse):
    model_config = _example(
        {
            "books": [{"id": "default", "title": "About joints", "chapters": 12, "is_default": True}],
            "total_count": 1,
        }
    )

    books: list[BookEntry]
    total_count: int


class IngestAccepted(WireResponse):
    model_config = _example(
        {"ingest_id": _INGEST_ID, "status": "queued", "message": "The chapter will be taken in shortly."}
    )

    ingest_id: UUID
    status: Literal["queued"]
    message: str


class IngestStatus(WireResponse):
    model_config = _example({"ingest_id": _INGEST_ID, "status": "running", "progress": 0.5})

    ingest_id: UUID
    status: Literal["queued", "running", "done", "failed"]
    progress: Annotated[float | None, Field(ge=0, le=1)] = None
    chunks_created: int | None = None
    document_id: str | None = None
    reason: str | None = None


class AcademicErrorDetail(WireResponse):
    code: Literal[
        "INVALID_QUERY",
        "PASSAGE_INSUFFICIENT",
        "UNAUTHORIZED",
        "NOT_FOUND",
        "RATE_LIMITED",
        "TIMEOUT",
        "SERVER_ERROR",
    ]
    message: str
    details: Annotated[str | None, Field(description="Field and rule where one is broken, or what to do instead.")]


class AcademicError(WireResponse):
    error: AcademicErrorDetail


def answer_of(answer: Answer) -> AcademicAnswer:
    return AcademicAnswer(**_fields(answer), answer=text_of(answer))


def restricted_answer_of(answer: Answer) -> RestrictedAnswer:
    return RestrictedAnswer(**_fields(answer), answer=restricted_text_of(answer))


def _fields(answer: Answer) -> dict[str, Any]:
    return {
        "answer_id": answer.id,
        "sources": [_source(citation) for citation in answer.citations],
        "confidence": answer.confidence,
        "confidence_level": answer.confidence_level,
        "status": _status(is_answered=answer.outcome is Outcome.ANSWERED, is_partial=answer.is_partial),
        "measured_confidence": answer.measured_confidence or None,
        "suggestions": [AcademicSuggestion(**suggestion_of(part)) for part in answer.suggestions],
    }


def _status(*, is_answered: bool, is_partial: bool) -> Literal["success", "partial", "out_of_scope"]:
    if not is_answered:
        return "out_of_scope"
    return "partial" if is_partial else "success"


def text_of(answer: Answer) -> str:
    """Each claim followed by `[Source: Section (Page X) - "excerpt"]`; without pages, the section's URL."""
    citations = {citation.position: citation for citation in answer.citations}
    marked = markdown_of_claims(answer.claims, lambda claim: _inline(citations[claim.citation]), answer.introduction)
    return marked or answer.text


def restricted_text_of(answer: Answer) -> str:
    """The same, and first of all what it rests on."""
    return _OPENING + text_of(answer)


def _inline(citation: Citation) -> str:
    """On one line, as a blank one within it would end the paragraph; Markdown that says what the book says."""
    where = f"Page {citation.page}" if citation.page is not None else citation.url or "selected passage"
    excerpt = " ".join(_excerpt(citation).split())
    return f'[Source: {markdown_of_text(citation.section_title)} ({where}) - "{markdown_of_text(excerpt)}"]'


def _source(citation: Citation) -> AcademicSource:
    return AcademicSource(
        id=citation.chunk_id, excerpt=_excerpt(citation), page=citation.page, section=citation.section_title
    )


def _excerpt(citation: Citation) -> str:
    """30 to 50 words, to the letter; fewer only where the section has no more."""
    text = citation.passage or citation.excerpt
    position = 0
    for word in text.split()[:EXCERPT_WORDS]:
        position = text.index(word, position) + len(word)
    return text[:position]


def recorded(record: AuditRecord) -> AcademicAnswer:
    """An answer as it was given."""
    citations = [Citation.model_validate(citation) for citation in record.citations]
    status: Literal["success", "partial", "out_of_scope", "error"] = "error"
    if record.success:
        status = _status(is_answered=record.outcome == Outcome.ANSWERED, is_partial=bool(record.is_partial))
    confidence = record.confidence_score or 0.0 if status in ("success", "partial") else 0.0
    kind = RestrictedAnswer if record.source_mode == "context-restricted" else AcademicAnswer
    return kind(
        answer_id=record.answer_id or record.query_id,
        answer=record.answer_text or "",
        sources=[_source(citation) for citation in citations],
        confidence=confidence,
        confidence_level=level_of(confidence),
        status=status,
        measured_confidence=(record.confidence_score or None) if status == "out_of_scope" else None,
        suggestions=[
            AcademicSuggestion(**one["suggestion"]) for one in record.chunks_returned if "suggestion" in one
        ],
    )


def ingest_status_of(ingest_id: UUID, state: UploadState) -> IngestStatus:
    return IngestStatus(
        ingest_id=ingest_id,
        status=state.status,
        progress=state.progress,
        chunks_created=state.chunks_created,
        document_id=state.document_id,
        reason=state.reason,
    )
