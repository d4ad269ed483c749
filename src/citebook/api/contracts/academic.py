"""The `academic` contract: for servers with a key, answers with full citations, all of it audited."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, File, Form, Request, UploadFile
from pydantic import UUID4, Field
from starlette.responses import JSONResponse, Response

from citebook.agents.recording import Record
from citebook.api.policies import MINUTE, ContractPolicy
from citebook.api.problems import Kind, Problem, not_found
from citebook.api.routes import contract_router, error_responses, limit_headers
from citebook.api.services import Services
from citebook.api.uploads import UploadState
from citebook.api.wire import WireRequest, WireResponse
from citebook.domain.answer import Answer, Citation, Outcome
from citebook.domain.audit import AuditRecord
from citebook.domain.callers import Caller
from citebook.domain.limits import Limit
from citebook.domain.question import Question, TextRule

POLICY = ContractPolicy(
    name="academic",
    question=TextRule(max_characters=1000),
    selection=TextRule(min_characters=50, max_characters=5000),
    refuse_below=0.60,
    warn_below=0.70,
    audit="full",
    anonymous=Limit(questions=100, seconds=MINUTE),
)
_EXCERPT_WORDS = 50
_EXCHANGES = 5
_OPENING = "Based on the selected passage: "

_STATUS_AND_CODE = {
    Kind.MALFORMED: (400, "INVALID_QUERY"),
    Kind.INVALID: (400, "INVALID_QUERY"),
    Kind.UNAUTHORIZED: (401, "UNAUTHORIZED"),
    Kind.NOT_FOUND: (404, "INVALID_QUERY"),
    Kind.RATE_LIMITED: (429, "SERVER_ERROR"),
    Kind.OVERLOADED: (503, "SERVER_ERROR"),
    Kind.TIMEOUT: (504, "TIMEOUT"),
    Kind.GENERATOR: (504, "TIMEOUT"),
    Kind.VECTOR_STORE: (503, "SERVER_ERROR"),
    Kind.DATABASE: (503, "SERVER_ERROR"),
}


class AcademicQuery(WireRequest):
    query: Annotated[str, Field(description="1 to 1000 characters.", examples=["What is inverse kinematics?"])]
    conversation_id: Annotated[
        UUID4 | None,
        Field(strict=False, description="A random UUID of yours; questions with the same one belong together."),
    ] = None


class RestrictedQuery(AcademicQuery):
    selected_passage: Annotated[str, Field(description="50 to 5000 characters; the answer rests on it alone.")]


class AcademicSource(WireResponse):
    id: str
    excerpt: str
    page: int | None
    section: str


class AcademicAnswer(WireResponse):
    answer_id: UUID
    answer: str
    sources: list[AcademicSource]
    confidence: Annotated[float, Field(ge=0, le=1)]
    confidence_level: Literal["high", "medium", "low"]
    status: Literal["success", "partial", "error", "out_of_scope"]


class RestrictedAnswer(AcademicAnswer):
    source_mode: Literal["context-restricted"] = "context-restricted"


class IngestAccepted(WireResponse):
    ingest_id: UUID
    status: Literal["queued"]
    message: str


class IngestStatus(WireResponse):
    ingest_id: UUID
    status: Literal["queued", "running", "done", "failed"]
    progress: Annotated[float | None, Field(ge=0, le=1)] = None
    chunks_created: int | None = None
    document_id: str | None = None
    reason: str | None = None


class AcademicErrorDetail(WireResponse):
    code: Literal["INVALID_QUERY", "PASSAGE_INSUFFICIENT", "UNAUTHORIZED", "TIMEOUT", "SERVER_ERROR"]
    message: str
    details: dict[str, Any]


class AcademicError(WireResponse):
    error: AcademicErrorDetail


def router(services: Services) -> APIRouter:
    return _AcademicContract(services).router()


class _AcademicContract:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._policy = services.policy(POLICY)

    def router(self) -> APIRouter:
        errors = error_responses(AcademicError, 400, 401, 404, 429, 500, 503, 504)
        routes = contract_router(word_problem, self._policy.max_body_bytes, "academic")
        routes.add_api_route(
            "/chat/query", self.query, methods=["POST"], response_model=AcademicAnswer, responses=errors
        )
        routes.add_api_route(
            "/chat/context-restricted",
            self.restricted,
            methods=["POST"],
            response_model=RestrictedAnswer,
            responses=errors,
        )
        routes.add_api_route(
            "/chat/book/{book_id}/query",
            self.book_query,
            methods=["POST"],
            response_model=AcademicAnswer,
            responses=errors,
        )
        routes.add_api_route(
            "/chat/{answer_id}", self.answer, methods=["GET"], response_model=AcademicAnswer, responses=errors
        )
        uploads = contract_router(word_problem, self._policy.max_upload_bytes, "academic")
        uploads.add_api_route(
            "/content/ingest",
            self.ingest,
            methods=["POST"],
            status_code=202,
            response_model=IngestAccepted,
            responses=errors,
        )
        uploads.add_api_route(
            "/content/ingest/{ingest_id}",
            self.ingest_status,
            methods=["GET"],
            response_model=IngestStatus,
            response_model_exclude_none=True,
            responses=errors,
        )
        routes.include_router(uploads)
        return routes

    async def query(self, request: Request, response: Response, body: AcademicQuery) -> AcademicAnswer:
        """Answer a question from the whole book."""
        return await self._ask(request, response, body, None)

    async def book_query(
        self, request: Request, response: Response, book_id: str, body: AcademicQuery
    ) -> AcademicAnswer:
        """Answer a question from one of several books."""
        return await self._ask(request, response, body, book_id)

    async def _ask(
        self, request: Request, response: Response, body: AcademicQuery, book_id: str | None
    ) -> AcademicAnswer:
        caller = await self._services.doorkeeper.key_holder(request)
        question = Question(text=body.query, policy=self._policy.policy())
        record, question = await self._admit(response, caller, question, body.conversation_id, book_id)
        answer = await self._services.answering.answer(request, self._services.book(book_id).agent, question, record)
        return AcademicAnswer(**_fields(answer))

    async def restricted(
        self, request: Request, response: Response, body: RestrictedQuery
    ) -> Response | RestrictedAnswer:
        """Answer a question from the selected passage alone."""
        caller = await self._services.doorkeeper.key_holder(request)
        question = Question(
            text=body.query,
            selected_text=body.selected_passage,
            only_selected_text=True,
            policy=self._policy.policy(),
        )
        record, question = await self._admit(response, caller, question, body.conversation_id, None)
        answer = await self._services.answering.answer(request, self._services.book().agent, question, record)
        if answer.outcome is Outcome.REFUSED:
            return _passage_insufficient()
        fields = _fields(answer)
        return RestrictedAnswer(**{**fields, "answer": _OPENING + fields["answer"]})

    async def _admit(
        self, response: Response, caller: Caller, question: Question, conversation: UUID | None, book_id: str | None
    ) -> tuple[Record, Question]:
        question.check()
        book = self._services.book(book_id)
        response.headers.update(limit_headers(await self._services.doorkeeper.count(caller, self._policy)))
        assert caller.key is not None
        history: tuple[Any, ...] = ()
        if conversation is not None:
            if not await self._services.conversations.resume(conversation, caller.key.id):
                raise not_found("There is no such conversation.")
            history = await self._services.conversations.last_exchanges(conversation, _EXCHANGES)
        record = Record(
            self._policy.name, caller.client_id, book.id, self._policy.audit, conversation, is_promised=True
        )
        return record, question.model_copy(update={"history": history})

    async def answer(self, request: Request, answer_id: UUID) -> AcademicAnswer:
        """An earlier answer to the same key."""
        caller = await self._services.doorkeeper.key_holder(request)
        record = await self._services.audit.find_answer(answer_id, caller.client_id)
        if record is None:
            raise not_found("There is no such answer.")
        return _recorded(record)

    async def ingest(
        self,
        request: Request,
        file: Annotated[UploadFile, File(description="A .md, .mdx or .pdf file.")],
        chapter_id: Annotated[str, Form(pattern=r"^[a-zA-Z0-9_]{3,50}$")],
        metadata: Annotated[str | None, Form(description="A JSON object of text values.")] = None,
    ) -> IngestAccepted:
        """Take a chapter into the book. Poll the returned id to see how far it is."""
        caller = await self._services.doorkeeper.key_holder(request)
        await self._services.doorkeeper.count(caller, self._policy)
        ingest_id = await self._services.uploads.accept(file, chapter_id, metadata, caller.client_id)
        return IngestAccepted(ingest_id=ingest_id, status="queued", message="The chapter will be taken in shortly.")

    async def ingest_status(self, request: Request, ingest_id: UUID) -> IngestStatus:
        """How far an upload is."""
        caller = await self._services.doorkeeper.key_holder(request)
        state = self._services.uploads.state(ingest_id, caller.client_id)
        if state is None:
            raise not_found("There is no such upload.")
        return _status(ingest_id, state)


def _fields(answer: Answer) -> dict[str, Any]:
    return {
        "answer_id": answer.id,
        "answer": _with_citations(answer),
        "sources": [_source(citation) for citation in answer.citations],
        "confidence": answer.confidence,
        "confidence_level": answer.confidence_level,
        "status": "success" if answer.outcome is Outcome.ANSWERED else "out_of_scope",
    }


def _with_citations(answer: Answer) -> str:
    """Each claim followed by `[Source: Section (Page X) - "excerpt"]`; without pages, the section's URL."""
    citations = {citation.position: citation for citation in answer.citations}
    claims = [f"{claim.text} {_inline(citations[claim.citation])}" for claim in answer.claims]
    return " ".join(claims) or answer.text


def _inline(citation: Citation) -> str:
    where = f"Page {citation.page}" if citation.page is not None else citation.url or "selected passage"
    return f'[Source: {citation.section_title} ({where}) - "{_excerpt(citation)}"]'


def _source(citation: Citation) -> AcademicSource:
    return AcademicSource(
        id=citation.chunk_id, excerpt=_excerpt(citation), page=citation.page, section=citation.section_title
    )


def _excerpt(citation: Citation) -> str:
    """At most 50 words, to the letter."""
    text = citation.excerpt
    position = 0
    for word in text.split()[:_EXCERPT_WORDS]:
        position = text.index(word, position) + len(word)
    return text[:position]


def _recorded(record: AuditRecord) -> AcademicAnswer:
    citations = [Citation.model_validate(citation) for citation in record.citations]
    confidence = record.confidence_score or 0.0
    status: Literal["success", "out_of_scope", "error"] = "error"
    if record.success:
        status = "success" if record.outcome == Outcome.ANSWERED else "out_of_scope"
    return AcademicAnswer(
        answer_id=record.answer_id or record.query_id,
        answer=record.answer_text or "",
        sources=[_source(citation) for citation in citations],
        confidence=confidence,
        confidence_level="high" if confidence > 0.85 else "medium" if confidence >= 0.70 else "low",
        status=status,
    )


def _status(ingest_id: UUID, state: UploadState) -> IngestStatus:
    return IngestStatus(
        ingest_id=ingest_id,
        status=state.status,
        progress=state.progress,
        chunks_created=state.chunks_created,
        document_id=state.document_id,
        reason=state.reason,
    )


def _passage_insufficient() -> Response:
    message = "The selected passage does not answer this. Ask again with /chat/query to search the whole book."
    details = {"suggestion": "widen", "endpoint": "/chat/query"}
    return JSONResponse({"error": {"code": "PASSAGE_INSUFFICIENT", "message": message, "details": details}}, 400)


def word_problem(_request: Request, problem: Problem) -> Response:
    status, code = _STATUS_AND_CODE.get(problem.kind, (500, "SERVER_ERROR"))
    names = {"question": "query", "selected_text": "selected_passage"}
    details: dict[str, Any] = {}
    message = problem.message
    if problem.field and problem.rule:
        field = names.get(problem.field, problem.field)
        details, message = {"field": field, "rule": problem.rule}, f"{field}: {problem.rule}"
    return JSONResponse({"error": {"code": code, "message": message, "details": details}}, status)
