"""The `textbook` contract: one question, one answer, `{detail}` on error."""

from dataclasses import asdict
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field
from starlette.responses import JSONResponse, Response

from citebook.api.keeping import record_of
from citebook.api.problems import Problem, ProblemKind
from citebook.api.routes import contract_router, described_errors
from citebook.api.services import Services
from citebook.api.sources import EXAMPLE_PARTS, EXAMPLE_PLACE, CitedPlace, source_of, suggestion_of
from citebook.api.wire import WireRequest, WireResponse
from citebook.domain.answer import Answer, Citation, NearPlace, Outcome
from citebook.domain.blocks import AnswerPart
from citebook.domain.policy import ContractPolicy
from citebook.domain.question import Question, TextRule
from citebook.domain.support import Support
from citebook.writing.replies import markdown_of_claims

POLICY = ContractPolicy(
    name="textbook",
    question=TextRule(max_characters=None, max_words=500),
    selection=TextRule(min_characters=0, max_characters=None, max_words=200),
)

_STATUS = {
    ProblemKind.MALFORMED: 422,
    ProblemKind.INVALID: 400,
    ProblemKind.TOO_LONG: 400,
    ProblemKind.UNAUTHORIZED: 401,
    ProblemKind.NOT_FOUND: 404,
    ProblemKind.RATE_LIMITED: 429,
    ProblemKind.OVERLOADED: 503,
}
_PROBLEMS = (
    ProblemKind.INVALID,
    ProblemKind.RATE_LIMITED,
    ProblemKind.TIMEOUT,
    ProblemKind.VECTOR_STORE,
    ProblemKind.OVERLOADED,
)
_FIELDS = {"question": "query"}
_MOST_SOURCES = 5
_MAX_EXCERPT = 1000


class QueryRequest(WireRequest):
    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "What is a harmonic drive?"}]})

    query: Annotated[str, Field(description="The question, 1 to 500 words.")]
    selected_text: Annotated[
        str | None, Field(description="Text of the book that the question is about, at most 200 words.")
    ] = None


class Source(WireResponse):
    chapter: str
    section: str
    filename: str
    score: Annotated[float, Field(ge=0, le=1)]
    chapter_id: str
    section_title: str
    page: Annotated[int | None, Field(description="Where the source has pages.")] = None
    excerpt: Annotated[str, Field(max_length=_MAX_EXCERPT)]
    url: str
    place: Annotated[CitedPlace | None, Field(description="Whole, with what stands beside it.")] = None


class Suggestion(WireResponse):
    """A part of the book that the reader may have meant."""

    title: str
    url: str
    snippet: Annotated[str, Field(description="How the passage there begins that is most like the question.")] = ""


class QueryResponse(WireResponse):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "answer": "A harmonic drive is a gear that bends a thin steel cup. [1]",
                    "sources": [
                        {
                            "chapter": "Gears",
                            "section": "harmonic-drives",
                            "filename": "gears.mdx",
                            "score": 0.82,
                            "chapter_id": "joints/gears",
                            "section_title": "Harmonic drives",
                            "page": None,
                            "place": EXAMPLE_PLACE,
                            "excerpt": "A harmonic drive is a gear that bends a thin steel cup.",
                            "url": "/docs/joints/gears#harmonic-drives",
                        }
                    ],
                    "answer_id": "4be0643f-1d98-473b-97cd-ca98a65347dd",
                    "outcome": "answered",
                    "confidence": 0.87,
                    "low_confidence": False,
                    "support": "likely",
                    "support_text": "Likely answers your question",
                    "calibrated": True,
                    "suggestions": [],
                    "parts": EXAMPLE_PARTS,
                    "corrected": None,
                    "measured_confidence": None,
                    "edition": "20260105T093000-3f2b8c1e",
                }
            ]
        }
    )

    answer: Annotated[str, Field(description="Markdown; the book's own text in it is escaped.")]
    sources: Annotated[
        list[Source],
        Field(
            max_length=_MOST_SOURCES,
            description="Of a refusal: the nearest sections, which prove nothing; none where none is near enough.",
        ),
    ]
    answer_id: Annotated[UUID, Field(description="What feedback on this answer is given with.")]
    outcome: Literal["answered", "refused"]
    confidence: Annotated[float, Field(ge=0, le=1)]
    low_confidence: Annotated[bool, Field(description="Whether the reader should be warned.")]
    support: Annotated[Support | None, Field(description="Whether it answers; none of a refusal.")] = None
    support_text: Annotated[str | None, Field(description="The same in words for a reader.")] = None
    calibrated: Annotated[bool, Field(description="Whether the confidence is a measured probability.")]
    suggestions: Annotated[
        list[Suggestion],
        Field(description="Of a refusal, or an answer that may be none: other parts that come near."),
    ]
    parts: Annotated[list[AnswerPart], Field(description="The answer as blocks, in the order of its text.")]
    corrected: Annotated[
        str | None, Field(description="The question as it was searched for, where words of it were mistyped.")
    ] = None
    measured_confidence: Annotated[
        float | None,
        Field(ge=0, le=1, description="Of a refusal, whose confidence is 0: what was measured before it."),
    ] = None
    edition: Annotated[
        str | None, Field(description="Of the book that answered; none where nothing of it was searched.")
    ] = None


class ErrorBody(WireResponse):
    detail: str


class BrokenRule(WireResponse):
    """As the framework lists it, without what was sent."""

    loc: list[str | int]
    msg: str
    type: str


class MalformedBody(WireResponse):
    detail: list[BrokenRule]


def router(services: Services) -> APIRouter:
    policy = services.policy(POLICY)
    routes = contract_router(error_response, policy.body, "textbook")

    @routes.post(
        "/api/query",
        response_model=QueryResponse,
        responses={
            **described_errors(ErrorBody, error_response, *_PROBLEMS),
            **described_errors(MalformedBody, error_response, ProblemKind.MALFORMED),
        },
    )
    async def query(request: Request, response: Response, body: QueryRequest) -> QueryResponse:
        """Answer a question from the book."""
        caller = services.doorkeeper.anonymous(request)
        selected = (body.selected_text or "").strip() or None
        question = Question(text=body.query, selected_text=selected, policy=policy.policy())
        book = services.book()
        await services.admit(request, response, caller, question, policy, book)
        record = record_of(request, policy, caller, book)
        return _response(await services.answering.answer(request, book.agent, question, record))

    return routes


def _response(answer: Answer) -> QueryResponse:
    """A sentence whose source is not among those that are shown is left out: its marker would lead nowhere."""
    text, parts = answer.text, answer.parts
    if len(answer.citations) > _MOST_SOURCES:
        shown = (claim for claim in answer.claims if claim.citation <= _MOST_SOURCES)
        text = markdown_of_claims(shown, introduction=answer.introduction)
        parts = tuple(part for part in parts if part.citation is None or part.citation <= _MOST_SOURCES)
    near = [suggestion.place for suggestion in answer.suggestions if suggestion.place is not None]
    sources = [_source(place) for place in (answer.citations or near)[:_MOST_SOURCES]]
    return QueryResponse(
        answer=text,
        sources=sources,
        answer_id=answer.id,
        outcome="answered" if answer.outcome is Outcome.ANSWERED else "refused",
        confidence=answer.confidence,
        low_confidence=answer.low_confidence,
        support=answer.support,
        support_text=answer.support.words if answer.support else None,
        calibrated=answer.calibrated,
        suggestions=[Suggestion(**suggestion_of(part)) for part in answer.suggestions],
        parts=list(parts),
        corrected=answer.corrected,
        measured_confidence=answer.measured_confidence,
        edition=answer.edition,
    )


def _source(citation: Citation | NearPlace) -> Source:
    fields = source_of(citation, _MAX_EXCERPT)
    del fields["chapter_title"]
    return Source(
        chapter=citation.chapter_title,
        section=citation.section,
        filename=citation.filename,
        score=citation.relevance_score,
        **fields,
    )


def error_response(_request: Request, problem: Problem) -> Response:
    """A body that is malformed gets the list that clients of the framework know, all others a sentence."""
    detail: Any = problem.message
    if problem.kind is ProblemKind.MALFORMED:
        detail = [asdict(violation) for violation in problem.violations]
    elif problem.field and problem.rule:
        detail = f"{_FIELDS.get(problem.field, problem.field)}: {problem.rule}"
    return JSONResponse({"detail": detail}, _STATUS.get(problem.kind, 500))
