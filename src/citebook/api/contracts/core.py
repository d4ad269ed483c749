"""The `core` contract: sessions, filters, token usage; JSON or a stream, as the client accepts."""

from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request
from pydantic import AwareDatetime
from starlette.responses import JSONResponse, Response

from citebook.api.callers import SESSION_HEADER
from citebook.api.contracts.core_wire import (
    STREAM_EXAMPLE,
    CoreAnswer,
    CoreError,
    CoreFrames,
    CoreHistory,
    CoreQuery,
    CoreSessions,
    answer_of,
    history_of,
    sessions_of,
)
from citebook.api.event_stream import open_stream
from citebook.api.problems import Problem, ProblemKind, not_found, unauthorized
from citebook.api.query_filters import filters_of
from citebook.api.request_ids import request_id
from citebook.api.routes import contract_router, described_errors, own_headers, stream_response
from citebook.api.services import Services
from citebook.domain.callers import Caller
from citebook.domain.conversation import Exchange
from citebook.domain.errors import DatabaseUnavailable
from citebook.domain.limits import Limit
from citebook.domain.policy import HOUR, ContractPolicy
from citebook.domain.question import Question, TextRule
from citebook.records.recording import Record
from citebook.root.citebook import Book

POLICY = ContractPolicy(
    name="core",
    question=TextRule(max_characters=500),
    max_top_k=10,
    anonymous=Limit(questions=10, seconds=HOUR),
    signed_in=Limit(questions=50, seconds=HOUR),
)
_EXCHANGES = 5
_FIELDS = {"question": "query", "top_k": "topK", "scope.chapter_id": "scope.chapterId"}
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)

_STATUS_AND_CODE = {
    ProblemKind.MALFORMED: (400, "INVALID_QUERY"),
    ProblemKind.INVALID: (400, "INVALID_QUERY"),
    ProblemKind.TOO_LONG: (400, "QUERY_TOO_LONG"),
    ProblemKind.UNAUTHORIZED: (401, "UNAUTHORIZED"),
    ProblemKind.NOT_FOUND: (404, "SESSION_NOT_FOUND"),
    ProblemKind.RATE_LIMITED: (429, "RATE_LIMIT_EXCEEDED"),
    ProblemKind.OVERLOADED: (503, "LLM_TIMEOUT"),
    ProblemKind.TIMEOUT: (503, "LLM_TIMEOUT"),
    ProblemKind.GENERATOR: (503, "LLM_TIMEOUT"),
    ProblemKind.VECTOR_STORE: (503, "VECTOR_STORE_UNAVAILABLE"),
    ProblemKind.DATABASE: (500, "DATABASE_ERROR"),
}
_PROBLEMS = (
    ProblemKind.INVALID,
    ProblemKind.TOO_LONG,
    ProblemKind.UNAUTHORIZED,
    ProblemKind.NOT_FOUND,
    ProblemKind.RATE_LIMITED,
    ProblemKind.TIMEOUT,
    ProblemKind.OVERLOADED,
    ProblemKind.VECTOR_STORE,
    ProblemKind.INTERNAL,
)


SessionId = Annotated[UUID, Path(alias="sessionId", examples=["9b2d9f4e-0c55-4e07-9c1a-6a3b0c0d9a11"])]


Before = Annotated[
    AwareDatetime | None,
    Query(ge=_EARLIEST, le=_LATEST, description="Only what is older.", examples=["2026-01-05T09:30:00Z"]),
]


def router(services: Services) -> APIRouter:
    return _CoreContract(services).router()


class _CoreContract:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._policy = services.policy(POLICY)

    def router(self) -> APIRouter:
        routes = contract_router(self._error_response, self._policy.body, "core")
        add, sessions = routes.add_api_route, "/api/v1/chat/sessions/{sessionId}"
        add(
            "/api/v1/query",
            self.query,
            methods=["POST"],
            response_model=CoreAnswer,
            responses={**self._errors(*_PROBLEMS), 200: stream_response(STREAM_EXAMPLE)},
        )
        errors = self._errors(
            ProblemKind.INVALID,
            ProblemKind.UNAUTHORIZED,
            ProblemKind.NOT_FOUND,
            ProblemKind.RATE_LIMITED,
            ProblemKind.DATABASE,
        )
        add(
            "/api/v1/chat/sessions",
            self.sessions,
            methods=["GET"],
            response_model=CoreSessions,
            responses=self._errors(
                ProblemKind.INVALID, ProblemKind.UNAUTHORIZED, ProblemKind.RATE_LIMITED, ProblemKind.DATABASE
            ),
        )
        add(
            sessions,
            self.history,
            methods=["GET"],
            response_model=CoreHistory,
            responses=errors,
        )
        add(sessions, self.delete, methods=["DELETE"], status_code=204, response_class=Response, responses=errors)
        return routes

    def _errors(self, *kinds: ProblemKind) -> dict[int | str, dict[str, Any]]:
        return described_errors(CoreError, self._error_response, *kinds)

    async def query(self, request: Request, response: Response, body: CoreQuery) -> Any:
        """Answer a question; `Accept: text/event-stream` gives the answer as a stream."""
        caller = await self._services.doorkeeper.reader(request)
        if body.user_id is not None and body.user_id != caller.user_id:
            raise unauthorized("The userId is not that of the caller.")
        book = self._services.book()
        asked = await self._question(body, book)
        await self._services.admit(request, response, caller, asked, self._policy, book)
        session_id, history = await self._session(caller, body.session_id, response)
        question = asked.model_copy(update={"history": history})
        owner = caller.owner if body.session_id is not None else None
        streams = "text/event-stream" in request.headers.get("Accept", "").lower()
        wishes = _wishes_of(asked, streams=streams)
        record = Record(self._policy.name, caller.client_id, book.id, self._policy.audit, session_id, owner, wishes)
        if streams:
            streamed = question.model_copy(update={"streamed": True})
            return await self._stream(request, response, streamed, record)
        ended = await self._services.answering.completed(request, book.agent, question, record)
        if not ended.is_kept and SESSION_HEADER in response.headers:
            del response.headers[SESSION_HEADER]
        return answer_of(ended, session_id)

    async def _question(self, body: CoreQuery, book: Book) -> Question:
        return Question(
            text=body.query,
            filters=await filters_of(body.filters, body.scope, book),
            policy=self._policy.policy(body.top_k if "top_k" in body.model_fields_set else None),
        )

    async def _session(
        self, caller: Caller, wanted: UUID | None, response: Response
    ) -> tuple[UUID | None, tuple[Exchange, ...]]:
        """The session to go on with, or a new one; none where a new one cannot be kept."""
        store = self._services.conversations
        try:
            if wanted is None:
                session, token = await store.start(caller.user_id)
                response.headers[SESSION_HEADER] = token
                return session.id, ()
            if await store.find(wanted, caller) is None:
                raise not_found("There is no such session.")
            return wanted, await store.last_exchanges(wanted, _EXCHANGES)
        except DatabaseUnavailable:  # whose a session is, is then asked when the exchange is written
            return wanted, ()

    async def _stream(self, request: Request, response: Response, question: Question, record: Record) -> Response:
        services, frames = self._services, CoreFrames(record.session_id)
        headers = own_headers(response)
        telling = partial(
            services.answering.tell,
            request,
            services.book().agent,
            question,
            record,
            when_lost=lambda: headers.pop(SESSION_HEADER.lower(), None),
        )
        return await open_stream(request, telling, frames, services.stopping, services.stream_times, headers)

    async def sessions(
        self,
        request: Request,
        limit: Annotated[int, Query(ge=1, le=50, description="At most so many sessions.")] = 20,
        before: Before = None,
    ) -> CoreSessions:
        """The sessions of a signed-in reader, the last used first."""
        caller = await self._services.doorkeeper.reader(request)
        if caller.user_id is None:
            raise unauthorized("Sign in to see your conversations.")
        found = await self._services.conversations.sessions(caller.user_id, limit + 1, before)
        return sessions_of(found[:limit], has_more=len(found) > limit)

    async def history(
        self,
        request: Request,
        session_id: SessionId,
        limit: Annotated[int, Query(ge=1, le=50, description="At most so many messages.")] = 20,
        before: Before = None,
    ) -> CoreHistory:
        """The newest messages of a session, oldest of them first."""
        caller = await self._services.doorkeeper.reader(request)
        session = await self._services.conversations.find(session_id, caller)
        if session is None:
            raise not_found("There is no such session.")
        messages = await self._services.conversations.history(session_id, limit, before)
        return history_of(session, messages)

    async def delete(self, request: Request, session_id: SessionId) -> Response:
        """Delete a session with all its messages."""
        caller = await self._services.doorkeeper.reader(request)
        if not await self._services.conversations.delete(session_id, caller):
            raise not_found("There is no such session.")
        return Response(status_code=204)

    def _error_response(self, request: Request, problem: Problem) -> Response:
        status, code = _STATUS_AND_CODE.get(problem.kind, (500, "INTERNAL_ERROR"))
        message = problem.message
        if problem.field and problem.rule:
            message = f"{_FIELDS.get(problem.field, problem.field)}: {problem.rule}"
        error: dict[str, Any] = {"code": code, "message": message, "correlationId": request_id(request)}
        if problem.retry_after is not None:
            error["retryAfter"] = problem.retry_after
        if problem.kind is ProblemKind.VECTOR_STORE:
            error["fallbackFaq"] = list(self._services.faq())
        return JSONResponse({"error": error}, status)


def _wishes_of(question: Question, *, streams: bool) -> dict[str, Any]:
    """What a session holds of its reader's last question: the filters, and how it was to be answered."""
    return {
        "filters": question.filters.model_dump(mode="json", exclude_defaults=True),
        "preferences": {"topK": question.policy.top_k, "stream": streams},
    }
