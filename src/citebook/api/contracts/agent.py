"""The `agent` contract: nothing of the chat is stored anywhere."""

from time import perf_counter
from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field
from starlette.responses import JSONResponse, Response

from citebook.api.keeping import record_of
from citebook.api.problems import Problem, ProblemKind
from citebook.api.request_ids import request_id
from citebook.api.routes import contract_router, described_errors
from citebook.api.said_before import WithHistory
from citebook.api.services import Services
from citebook.api.sources import suggestion_of
from citebook.api.wire import WireResponse
from citebook.domain.answer import Answer
from citebook.domain.errors import ErrorType
from citebook.domain.policy import ContractPolicy
from citebook.domain.question import Question, TextRule
from citebook.writing.replies import plain_text_of

POLICY = ContractPolicy(name="agent", question=TextRule(max_characters=10_000), audit="none")

_ERROR_TYPES = {
    ProblemKind.TIMEOUT: ErrorType.LLM_ERROR,
    ProblemKind.GENERATOR: ErrorType.LLM_ERROR,
    ProblemKind.VECTOR_STORE: ErrorType.DATABASE_ERROR,
    ProblemKind.EMBEDDER: ErrorType.AGENT_ERROR,
    ProblemKind.RATE_LIMITED: ErrorType.VALIDATION_ERROR,
    ProblemKind.OVERLOADED: ErrorType.NETWORK_ERROR,
    ProblemKind.MALFORMED: ErrorType.VALIDATION_ERROR,
    ProblemKind.INVALID: ErrorType.VALIDATION_ERROR,
    ProblemKind.TOO_LONG: ErrorType.VALIDATION_ERROR,
}
_PROBLEMS = (
    ProblemKind.INVALID,
    ProblemKind.RATE_LIMITED,
    ProblemKind.TIMEOUT,
    ProblemKind.VECTOR_STORE,
    ProblemKind.INTERNAL,
    ProblemKind.OVERLOADED,
)
_STATUS = {
    ProblemKind.MALFORMED: 400,
    ProblemKind.INVALID: 400,
    ProblemKind.TOO_LONG: 400,
    ProblemKind.RATE_LIMITED: 429,
    ProblemKind.NOT_FOUND: 404,
    ProblemKind.OVERLOADED: 503,
}


class AgentQuery(WithHistory):
    model_config = ConfigDict(json_schema_extra={"examples": [{"question": "What is a harmonic drive?"}]})

    question: Annotated[
        str, Field(description="1 to 10,000 characters.", json_schema_extra={"minLength": 1, "maxLength": 10000})
    ]


class AgentSuggestion(WireResponse):
    """A part of the book that the reader may have meant."""

    title: str
    url: str
    snippet: Annotated[str, Field(description="How the passage there begins that is most like the question.")] = ""


class AgentAnswer(WireResponse):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "answer": "A harmonic drive is a gear that bends a thin steel cup.",
                    "sources": ["joints/gears#harmonic-drives"],
                    "confidence": 0.87,
                    "processing_time_ms": 41.5,
                    "suggestions": [],
                    "measured_confidence": None,
                    "edition": "20260105T093000-3f2b8c1e",
                }
            ]
        }
    )

    answer: Annotated[str, Field(description="Plain text: show it as text, never as HTML or Markdown.")]
    sources: list[str]
    confidence: Annotated[float, Field(ge=0, le=1)]
    processing_time_ms: Annotated[float, Field(ge=0)]
    suggestions: Annotated[
        list[AgentSuggestion], Field(description="Of a refusal, or an answer that may be none: the nearest sections.")
    ]
    measured_confidence: Annotated[
        float | None,
        Field(ge=0, le=1, description="Of a refusal, whose confidence is 0: what was measured before it."),
    ] = None
    edition: Annotated[
        str | None, Field(description="Of the book that answered; none where nothing of it was searched.")
    ] = None


class AgentError(WireResponse):
    error: Literal["network", "database", "llm", "validation", "agent", "unknown"]
    message: str
    retryable: bool
    request_id: str


class ChapterEntry(WireResponse):
    id: str
    title: str
    sections: list[str]
    url: str


class Chapters(WireResponse):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "chapters": [
                        {
                            "id": "joints/gears",
                            "title": "Gears",
                            "sections": ["Harmonic drives", "Belts"],
                            "url": "/docs/joints/gears",
                        }
                    ],
                    "total_count": 1,
                }
            ]
        }
    )

    chapters: list[ChapterEntry]
    total_count: int


def router(services: Services) -> APIRouter:
    policy = services.policy(POLICY)
    routes = contract_router(error_response, policy.body, "agent")
    errors = described_errors(AgentError, error_response, *_PROBLEMS)

    @routes.post("/query", response_model=AgentAnswer, responses=errors)
    async def query(request: Request, response: Response, body: AgentQuery) -> AgentAnswer:
        """Answer a question from the book; nothing of it is kept."""
        started = perf_counter()
        caller = services.doorkeeper.anonymous(request)
        question = Question(text=body.question, history=body.exchanges, policy=policy.policy())
        book = services.book()
        await services.admit(request, response, caller, question, policy, book)
        record = record_of(request, policy, caller, book)
        answer = await services.answering.answer(request, book.agent, question, record)
        return _response(answer, (perf_counter() - started) * 1e3)

    @routes.get(
        "/chapters",
        response_model=Chapters,
        responses=described_errors(AgentError, error_response, ProblemKind.RATE_LIMITED, ProblemKind.VECTOR_STORE),
    )
    async def chapters() -> Chapters:
        """The book's chapters in reading order."""
        found = (await services.book().index.edition()).chapters
        entries = [ChapterEntry(id=c.id, title=c.title, sections=list(c.sections), url=c.url) for c in found]
        return Chapters(chapters=entries, total_count=len(entries))

    return routes


def _response(answer: Answer, milliseconds: float) -> AgentAnswer:
    """Plain text: the markers of citations belong to contracts that number their sources."""
    text = plain_text_of(answer.claims, answer.introduction) or answer.text
    sources = dict.fromkeys(f"{citation.chapter_id}#{citation.section}" for citation in answer.citations)
    return AgentAnswer(
        answer=text,
        sources=list(sources),
        confidence=answer.confidence,
        processing_time_ms=round(milliseconds, 1),
        suggestions=[AgentSuggestion(**suggestion_of(part)) for part in answer.suggestions],
        measured_confidence=answer.measured_confidence,
        edition=answer.edition,
    )


def error_response(request: Request, problem: Problem) -> Response:
    body = {
        "error": _ERROR_TYPES.get(problem.kind, ErrorType.UNKNOWN_ERROR).value,
        "message": problem.message,
        "retryable": problem.retryable,
        "request_id": request_id(request),
    }
    return JSONResponse(body, _STATUS.get(problem.kind, 500))
