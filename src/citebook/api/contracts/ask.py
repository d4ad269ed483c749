"""The `ask` contract: answers with excerpts, whole or as a stream, also about a selected text alone."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field
from starlette.responses import JSONResponse, Response

from citebook.api.event_stream import Frame, open_stream
from citebook.api.keeping import record_of
from citebook.api.problems import Problem, ProblemKind, problem_of_failure
from citebook.api.query_filters import QueryFilters, QueryScope, filters_of
from citebook.api.routes import contract_router, described_errors, own_headers, stream_response
from citebook.api.said_before import WithHistory
from citebook.api.services import Services
from citebook.api.sources import EXAMPLE_PARTS, EXAMPLE_PLACE, CitedPlace, parts_of, source_of, suggestion_of
from citebook.api.wire import WireRequest, WireResponse
from citebook.domain import answer as core
from citebook.domain.blocks import AnswerPart
from citebook.domain.errors import ErrorType
from citebook.domain.events import AnswerCompleted, AnswerFailed, Event, SentenceVerified
from citebook.domain.policy import ContractPolicy
from citebook.domain.question import Question, TextRule
from citebook.domain.support import Support
from citebook.records.recording import Record

POLICY = ContractPolicy(
    name="ask",
    question=TextRule(min_characters=3, max_characters=1000),
    selection=TextRule(min_characters=10, max_characters=10_000),
    max_top_k=20,
)
MAX_EXCERPT = 200

_STATUS_AND_CODE = {
    ProblemKind.MALFORMED: (400, "INVALID_REQUEST"),
    ProblemKind.INVALID: (400, "INVALID_REQUEST"),
    ProblemKind.TOO_LONG: (400, "INVALID_REQUEST"),
    ProblemKind.NOT_FOUND: (404, "INVALID_REQUEST"),
    ProblemKind.RATE_LIMITED: (429, "RATE_LIMIT_EXCEEDED"),
    ProblemKind.OVERLOADED: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.TIMEOUT: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.GENERATOR: (500, "OPENAI_ERROR"),
    ProblemKind.VECTOR_STORE: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.EMBEDDER: (500, "EMBEDDING_ERROR"),
}


_PROBLEMS = (
    ProblemKind.INVALID,
    ProblemKind.RATE_LIMITED,
    ProblemKind.GENERATOR,
    ProblemKind.EMBEDDER,
    ProblemKind.INTERNAL,
    ProblemKind.TIMEOUT,
    ProblemKind.OVERLOADED,
)


class AskRequest(WithHistory):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "question": "And a stepper motor?",
                    "top_k": 5,
                    "filters": {"difficulty": "beginner"},
                    "history": [{"question": "What is a harmonic drive?", "answer": "A gear that bends a cup. [1]"}],
                }
            ]
        }
    )

    question: Annotated[
        str,
        Field(
            description="3 to 1000 characters, after trimming.", json_schema_extra={"minLength": 3, "maxLength": 1000}
        ),
    ]
    top_k: Annotated[
        int,
        Field(
            description="Passages that are searched for, and the most sources that an answer shows.",
            json_schema_extra={"minimum": 1, "maximum": 20},
        ),
    ] = 5
    filters: QueryFilters | None = None
    scope: QueryScope | None = None


class AskSelectedRequest(WireRequest):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "question": "What bends the cup?",
                    "selected_text": "A harmonic drive is a gear that bends a thin steel cup.",
                }
            ]
        }
    )

    question: Annotated[
        str,
        Field(
            description="3 to 1000 characters, after trimming.", json_schema_extra={"minLength": 3, "maxLength": 1000}
        ),
    ]
    selected_text: Annotated[
        str,
        Field(
            description="10 to 10,000 characters; the answer rests on it alone.",
            json_schema_extra={"minLength": 10, "maxLength": 10000},
        ),
    ]
    scope: Annotated[
        QueryScope | None,
        Field(description="Must be a part of the book; the selected text is less than any."),
    ] = None


class AskCitation(WireResponse):
    chapter: str
    chapter_title: str
    source_file: str
    excerpt: Annotated[str, Field(max_length=MAX_EXCERPT)]
    url: str
    chapter_id: Annotated[str, Field(description="The same as `chapter`.")]
    section_title: str
    page: Annotated[int | None, Field(description="Where the source has pages.")] = None
    place: Annotated[CitedPlace | None, Field(description="Whole, with what stands beside it.")] = None


class AskSuggestion(WireResponse):
    """A part of the book that the reader may have meant."""

    title: str
    url: str
    snippet: Annotated[str, Field(description="How the passage there begins that is most like the question.")] = ""


class AskTokens(WireResponse):
    """What a language model read and wrote for an answer; nothing where the answer is quoted."""

    input: int
    output: int
    total: int


class AskAnswer(WireResponse):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "answer": "A harmonic drive is a gear that bends a thin steel cup. [1]",
                    "citations": [
                        {
                            "chapter": "joints/gears",
                            "chapter_title": "Gears",
                            "source_file": "01-joints/gears.mdx",
                            "excerpt": "A harmonic drive is a gear that bends a thin steel cup.",
                            "url": "/docs/joints/gears#harmonic-drives",
                            "chapter_id": "joints/gears",
                            "section_title": "Harmonic drives",
                            "page": None,
                            "place": EXAMPLE_PLACE,
                        }
                    ],
                    "confidence": 0.87,
                    "answer_id": "4be0643f-1d98-473b-97cd-ca98a65347dd",
                    "outcome": "answered",
                    "low_confidence": False,
                    "support": "likely",
                    "support_text": "Likely answers your question",
                    "calibrated": True,
                    "suggestions": [],
                    "parts": EXAMPLE_PARTS,
                    "tokens_used": {"input": 0, "output": 0, "total": 0},
                    "filter_message": None,
                    "corrected": None,
                    "measured_confidence": None,
                    "edition": "20260105T093000-3f2b8c1e",
                }
            ]
        }
    )

    answer: Annotated[str, Field(description="Markdown; the book's own text in it is escaped.")]
    citations: list[AskCitation]
    confidence: Annotated[float, Field(ge=0, le=1)]
    answer_id: Annotated[UUID, Field(description="What feedback on this answer is given with.")]
    outcome: Literal["answered", "refused"]
    low_confidence: Annotated[bool, Field(description="Whether the reader should be warned.")]
    support: Annotated[Support | None, Field(description="Whether it answers; none of a refusal.")] = None
    support_text: Annotated[str | None, Field(description="The same in words for a reader.")] = None
    calibrated: Annotated[bool, Field(description="Whether the confidence is a measured probability.")]
    suggestions: Annotated[
        list[AskSuggestion],
        Field(description="Of a refusal, or an answer that may be none: other parts that come near.", max_length=3),
    ]
    parts: Annotated[list[AnswerPart], Field(description="The answer as blocks, in the order of its text.")]
    tokens_used: AskTokens
    filter_message: Annotated[
        str | None, Field(description="What became of the filters, where they were not simply kept.")
    ] = None
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


class AskError(WireResponse):
    error: Literal[
        "INVALID_REQUEST",
        "RATE_LIMIT_EXCEEDED",
        "SERVICE_UNAVAILABLE",
        "OPENAI_ERROR",
        "EMBEDDING_ERROR",
        "SEARCH_ERROR",
    ]
    message: str
    details: dict[str, Any]


_STREAM_EXAMPLE = """\
data: {"content":"A harmonic drive is a gear that bends a thin steel cup. [1]","done":false}

data: {"content":"","done":true,"citations":[{"chapter":"joints/gears","chapter_title":"Gears","source_file":\
"01-joints/gears.mdx","excerpt":"A harmonic drive is a gear that bends a thin steel cup.","url":\
"/docs/joints/gears#harmonic-drives","chapter_id":"joints/gears","section_title":"Harmonic drives","page":null}],\
"confidence":0.87,"answer_id":"4be0643f-1d98-473b-97cd-ca98a65347dd","outcome":"answered","low_confidence":false,\
"calibrated":true,"suggestions":[],"edition":"20260105T093000-3f2b8c1e"}

"""


def router(services: Services) -> APIRouter:
    policy = services.policy(POLICY)
    told = partial(_error_response, services)
    routes = contract_router(told, policy.body, "ask")
    errors = described_errors(AskError, told, *_PROBLEMS)

    @routes.post("/api/ask", response_model=AskAnswer, responses=errors)
    async def ask(request: Request, response: Response, body: AskRequest) -> AskAnswer:
        """Answer a question from the book."""
        question = await _question(body)
        record = await _admit(request, response, question)
        return _answer(await services.answering.answer(request, services.book().agent, question, record))

    @routes.post("/api/ask-selected", response_model=AskAnswer, responses=errors)
    async def ask_selected(request: Request, response: Response, body: AskSelectedRequest) -> AskAnswer:
        """Answer a question from the selected text alone."""
        question = Question(
            text=body.question,
            selected_text=body.selected_text,
            only_selected_text=True,
            policy=policy.policy(),
        )
        await filters_of(None, body.scope, services.book())
        record = await _admit(request, response, question)
        return _answer(await services.answering.answer(request, services.book().agent, question, record))

    @routes.post("/api/ask/stream", response_model=None, responses={**errors, 200: stream_response(_STREAM_EXAMPLE)})
    async def ask_stream(request: Request, response: Response, body: AskRequest) -> Response:
        """Answer as a stream of `data: {content, done, …}`, each sentence proven before it is sent.

        The last frame has `citations` and `confidence`, or `error` where the answer could not be finished.
        """
        question = (await _question(body)).model_copy(update={"streamed": True})
        record = await _admit(request, response, question)
        telling = partial(services.answering.tell, request, services.book().agent, question, record)
        return await open_stream(
            request, telling, _AskFrames(), services.stopping, services.stream_times, own_headers(response)
        )

    async def _question(body: AskRequest) -> Question:
        top_k = body.top_k if "top_k" in body.model_fields_set else None
        return Question(
            text=body.question,
            filters=await filters_of(body.filters, body.scope, services.book()),
            history=body.exchanges,
            policy=policy.policy(top_k),
        )

    async def _admit(request: Request, response: Response, question: Question) -> Record:
        caller, book = services.doorkeeper.anonymous(request), services.book()
        await services.admit(request, response, caller, question, policy, book)
        return record_of(request, policy, caller, book)

    return routes


class _AskFrames:
    def __init__(self) -> None:
        self._said_something = False

    def of(self, event: Event) -> Sequence[Frame]:
        match event:
            case SentenceVerified():
                self._said_something = True
                return [{"content": event.text, "done": False, "parts": parts_of(event)}]
            case AnswerCompleted(answer=answer):
                whole = {"content": answer.text, "done": False, "parts": parts_of(answer)}
                unsaid = [] if self._said_something else [whole]
                end = {"content": "", "done": True, **_answer(answer).model_dump(mode="json", exclude={"answer"})}
                return [*unsaid, end]
            case AnswerFailed():
                return [self.error(problem_of_failure(event).message)]
            case _:
                return []

    def error(self, message: str) -> Frame:
        return {"content": "", "done": False, "error": message}


def _answer(answer: core.Answer) -> AskAnswer:
    return AskAnswer(
        answer=answer.text,
        citations=[_citation(citation) for citation in answer.citations],
        confidence=answer.confidence,
        answer_id=answer.id,
        outcome="answered" if answer.outcome is core.Outcome.ANSWERED else "refused",
        low_confidence=answer.low_confidence,
        support=answer.support,
        support_text=answer.support.words if answer.support else None,
        calibrated=answer.calibrated,
        suggestions=[AskSuggestion(**suggestion_of(part)) for part in answer.suggestions],
        parts=list(answer.parts),
        tokens_used=AskTokens(**answer.tokens_used.model_dump()),
        filter_message=answer.filter_message,
        corrected=answer.corrected,
        measured_confidence=answer.measured_confidence,
        edition=answer.edition,
    )


def _citation(citation: core.Citation) -> AskCitation:
    return AskCitation(
        chapter=citation.chapter_id, source_file=citation.source_file, **source_of(citation, MAX_EXCERPT)
    )


def _error_response(services: Services, _request: Request, problem: Problem) -> Response:
    """A model that answered with an error is told apart from one that nobody reaches."""
    status, code = _STATUS_AND_CODE.get(problem.kind, (500, "SEARCH_ERROR"))
    if problem.error_type is ErrorType.NETWORK_ERROR:
        status, code = 503, "SERVICE_UNAVAILABLE"
    details: dict[str, Any] = {"field": problem.field, "rule": problem.rule} if problem.field else {}
    if problem.kind is ProblemKind.VECTOR_STORE:
        details["fallback_faq"] = list(services.faq())
    return JSONResponse({"error": code, "message": problem.message, "details": details}, status)
