"""The `core` contract: sessions, filters, token usage; JSON or a stream, as the client accepts."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request
from pydantic import AwareDatetime, Field
from starlette.responses import JSONResponse, Response

from citebook.agents.recording import Record
from citebook.api.callers import SESSION_HEADER
from citebook.api.event_stream import EventStream, first_of
from citebook.api.policies import HOUR, ContractPolicy
from citebook.api.problems import Kind, Problem, not_found, problem_of_code, unauthorized
from citebook.api.request_ids import request_id
from citebook.api.routes import contract_router, error_responses, limit_headers, own_headers
from citebook.api.services import Services
from citebook.api.wire import CamelRequest, CamelResponse
from citebook.domain import answer as domain
from citebook.domain.callers import Caller
from citebook.domain.conversation import MAX_EXCERPT_CHARACTERS, ChatMessage, Exchange
from citebook.domain.errors import DatabaseUnavailable
from citebook.domain.events import AnswerCompleted, AnswerFailed, Event, SentenceVerified
from citebook.domain.language import cut_at_word
from citebook.domain.limits import Limit
from citebook.domain.question import Filters, Question, TextRule

POLICY = ContractPolicy(
    name="core",
    question=TextRule(max_characters=500),
    max_top_k=10,
    anonymous=Limit(questions=10, seconds=HOUR),
    signed_in=Limit(questions=50, seconds=HOUR),
)
_EXCHANGES = 5

_STATUS_AND_CODE = {
    Kind.MALFORMED: (400, "INVALID_QUERY"),
    Kind.INVALID: (400, "INVALID_QUERY"),
    Kind.UNAUTHORIZED: (401, "UNAUTHORIZED"),
    Kind.NOT_FOUND: (404, "SESSION_NOT_FOUND"),
    Kind.RATE_LIMITED: (429, "RATE_LIMIT_EXCEEDED"),
    Kind.OVERLOADED: (503, "LLM_TIMEOUT"),
    Kind.TIMEOUT: (503, "LLM_TIMEOUT"),
    Kind.GENERATOR: (503, "LLM_TIMEOUT"),
    Kind.VECTOR_STORE: (503, "VECTOR_STORE_UNAVAILABLE"),
    Kind.DATABASE: (500, "DATABASE_ERROR"),
}


class QueryFilters(CamelRequest):
    module: Annotated[int | None, Field(ge=1, le=10)] = None
    difficulty: Literal["beginner", "intermediate", "advanced"] | None = None
    tags: list[Annotated[str, Field(min_length=1, max_length=100)]] | None = Field(default=None, max_length=20)


class CoreQuery(CamelRequest):
    query: Annotated[str, Field(description="1 to 500 characters.", examples=["What is inverse kinematics?"])]
    user_id: Annotated[UUID | None, Field(strict=False)] = None
    session_id: Annotated[UUID | None, Field(strict=False, description="A session to continue.")] = None
    filters: QueryFilters | None = None
    top_k: Annotated[int, Field(ge=1, le=10)] = 5


class CoreSource(CamelResponse):
    chapter_id: str
    chapter_title: str
    relevance_score: Annotated[float, Field(ge=0, le=1)]
    excerpt: Annotated[str, Field(max_length=MAX_EXCERPT_CHARACTERS)]
    position: Annotated[int, Field(ge=1)]
    url: str | None = None


class Tokens(CamelResponse):
    input: int
    output: int
    total: int


class CoreAnswer(CamelResponse):
    answer: str
    sources: list[CoreSource]
    confidence: Annotated[float, Field(ge=0, le=1)]
    session_id: UUID | None
    tokens_used: Tokens
    filter_message: str | None = None


class CoreMessage(CamelResponse):
    id: UUID
    session_id: UUID
    role: Literal["user", "assistant"]
    content: str
    tokens_used: Tokens | None = None
    confidence: float | None = None
    sources: list[CoreSource] | None = None
    created_at: datetime


class CoreSession(CamelResponse):
    id: UUID
    user_id: UUID | None = None
    created_at: datetime
    last_activity_at: datetime


class CoreHistory(CamelResponse):
    session: CoreSession
    messages: list[CoreMessage]


class CoreErrorDetail(CamelResponse):
    code: str
    message: str
    correlation_id: str
    retry_after: int | None = None
    fallback_faq: list[dict[str, Any]] | None = None


class CoreError(CamelResponse):
    error: CoreErrorDetail


def router(services: Services) -> APIRouter:
    return _CoreContract(services).router()


class _CoreContract:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._policy = services.policy(POLICY)

    def router(self) -> APIRouter:
        routes = contract_router(self._word_problem, self._policy.max_body_bytes, "core")
        errors = error_responses(CoreError, 400, 401, 404, 429, 500, 503)
        sessions = "/api/v1/chat/sessions/{session_id}"
        add = routes.add_api_route
        add(
            "/api/v1/query",
            self.query,
            methods=["POST"],
            response_model=CoreAnswer,
            response_model_exclude_none=True,
            responses={
                **errors,
                200: {"model": CoreAnswer, "content": {"text/event-stream": {"schema": {"type": "string"}}}},
            },
        )
        add(
            sessions,
            self.history,
            methods=["GET"],
            response_model=CoreHistory,
            response_model_exclude_none=True,
            responses=errors,
        )
        add(sessions, self.delete, methods=["DELETE"], status_code=204, response_class=Response, responses=errors)
        return routes

    async def query(self, request: Request, response: Response, body: CoreQuery) -> Any:
        """Answer a question; `Accept: text/event-stream` gives the answer as a stream."""
        caller = await self._services.doorkeeper.reader(request)
        if body.user_id is not None and body.user_id != caller.user_id:
            raise unauthorized("The userId is not that of the caller.")
        asked = self._question(body)
        asked.check()
        response.headers.update(limit_headers(await self._services.doorkeeper.count(caller, self._policy)))
        session_id, history = await self._session(caller, body.session_id, response)
        question = asked.model_copy(update={"history": history})
        book = self._services.book()
        record = Record(self._policy.name, caller.client_id, book.id, self._policy.audit, session_id)
        if "text/event-stream" in request.headers.get("Accept", ""):
            return await self._stream(request, response, question, record)
        answer = await self._services.answering.answer(request, book.agent, question, record)
        return _answer(answer, session_id)

    def _question(self, body: CoreQuery) -> Question:
        filters = body.filters or QueryFilters()
        return Question(
            text=body.query,
            filters=Filters(module=filters.module, difficulty=filters.difficulty, tags=tuple(filters.tags or ())),
            policy=self._policy.policy(body.top_k),
        )

    async def _session(
        self, caller: Caller, wanted: UUID | None, response: Response
    ) -> tuple[UUID | None, tuple[Exchange, ...]]:
        """The session to go on with, or a new one; none where the database is down."""
        store = self._services.conversations
        try:
            if wanted is None:
                session, token = await store.start(caller.user_id)
                response.headers[SESSION_HEADER] = token
                return session.id, ()
            if await store.find(wanted, caller) is None:
                raise not_found("There is no such session.")
            return wanted, await store.last_exchanges(wanted, _EXCHANGES)
        except DatabaseUnavailable:
            return None, ()

    async def _stream(self, request: Request, headers: Response, question: Question, record: Record) -> Response:
        events = self._services.answering.events(self._services.book().agent, question, record)
        async with AsyncExitStack() as stack:
            first, rest = await first_of(request, await stack.enter_async_context(events))
            kept = stack.pop_all()
        if isinstance(first, AnswerFailed):
            await kept.aclose()
            return self._word_problem(request, problem_of_code(first.code))
        stopped = {"error": "The server is stopping. Please ask again."}
        return EventStream(
            _frames(kept, first, rest, record.session_id), self._services.stopping, stopped, own_headers(headers)
        )

    async def history(
        self,
        request: Request,
        session_id: UUID,
        limit: Annotated[int, Query(ge=1, le=50)] = 20,
        before: Annotated[AwareDatetime | None, Query()] = None,
    ) -> CoreHistory:
        """The newest messages of a session, oldest of them first."""
        caller = await self._services.doorkeeper.reader(request)
        session = await self._services.conversations.find(session_id, caller)
        if session is None:
            raise not_found("There is no such session.")
        messages = await self._services.conversations.history(session_id, limit, before)
        return CoreHistory(
            session=CoreSession(
                id=session.id,
                user_id=session.user_id,
                created_at=session.created_at,
                last_activity_at=session.last_activity_at,
            ),
            messages=[_message(message) for message in messages],
        )

    async def delete(self, request: Request, session_id: UUID) -> Response:
        """Delete a session with all its messages."""
        caller = await self._services.doorkeeper.reader(request)
        if not await self._services.conversations.delete(session_id, caller):
            raise not_found("There is no such session.")
        return Response(status_code=204)

    def _word_problem(self, request: Request, problem: Problem) -> Response:
        status, code = _STATUS_AND_CODE.get(problem.kind, (500, "INTERNAL_ERROR"))
        if problem.field == "question" and "at most" in (problem.rule or ""):
            code = "QUERY_TOO_LONG"
        message = problem.message
        if problem.field and problem.rule:
            message = f"{'query' if problem.field == 'question' else problem.field}: {problem.rule}"
        error: dict[str, Any] = {"code": code, "message": message, "correlationId": request_id(request)}
        if problem.retry_after is not None:
            error["retryAfter"] = problem.retry_after
        if problem.kind is Kind.VECTOR_STORE:
            error["fallbackFaq"] = list(self._services.faq)
        return JSONResponse({"error": error}, status)


@asynccontextmanager
async def _frames(
    kept: AsyncExitStack, first: Event, rest: AsyncGenerator[Event, None], session_id: UUID | None
) -> AsyncIterator[AsyncGenerator[Mapping[str, Any], None]]:
    async def frames() -> AsyncGenerator[Mapping[str, Any], None]:
        spoken = False
        for made in _of_event(first, spoken, session_id):
            spoken = True
            yield made
        async for event in rest:
            for made in _of_event(event, spoken, session_id):
                spoken = True
                yield made

    async with kept:
        yield frames()


def _of_event(event: Event, spoken: bool, session_id: UUID | None) -> list[dict[str, Any]]:
    match event:
        case SentenceVerified(claim=claim):
            return [{"chunk": f"{' ' if spoken else ''}{claim.text} [{claim.citation}]"}]
        case AnswerCompleted(answer=answer):
            whole = _answer(answer, session_id).model_dump(mode="json", by_alias=True, exclude_none=True)
            text = [] if spoken else [{"chunk": whole["answer"]}]
            return [*text, {"done": True, **{name: value for name, value in whole.items() if name != "answer"}}]
        case AnswerFailed(code=code):
            return [{"error": problem_of_code(code).message}]
        case _:
            return []


def _answer(answer: domain.Answer, session_id: UUID | None) -> CoreAnswer:
    return CoreAnswer(
        answer=answer.text,
        sources=[
            CoreSource(
                chapter_id=citation.chapter_id,
                chapter_title=citation.chapter_title,
                relevance_score=citation.relevance_score,
                excerpt=cut_at_word(citation.excerpt, MAX_EXCERPT_CHARACTERS),
                position=citation.position,
                url=citation.url,
            )
            for citation in answer.citations
        ],
        confidence=answer.confidence,
        session_id=session_id,
        tokens_used=Tokens(**answer.tokens_used.model_dump()),
        filter_message=answer.filter_message,
    )


def _message(message: ChatMessage) -> CoreMessage:
    is_answer = message.role == "assistant"
    return CoreMessage.model_validate(
        {
            "id": message.id,
            "session_id": message.session_id,
            "role": message.role,
            "content": message.content,
            "tokens_used": Tokens(**message.tokens_used.model_dump()) if is_answer else None,
            "confidence": message.confidence,
            "sources": [
                CoreSource(
                    chapter_id=source.chapter_id,
                    chapter_title=source.chapter_title,
                    relevance_score=source.relevance_score,
                    excerpt=source.excerpt,
                    position=source.position,
                )
                for source in message.sources
            ]
            if is_answer
            else None,
            "created_at": message.created_at,
        }
    )
