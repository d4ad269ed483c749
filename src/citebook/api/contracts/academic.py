"""The `academic` contract: for servers with a key, answers with full citations, all of it audited."""

import json
from typing import Annotated, Any
from uuid import UUID, uuid5

from fastapi import APIRouter, File, Form, Path, Request, UploadFile
from starlette.responses import JSONResponse, Response

from citebook.api.book_pages import title_of
from citebook.api.contracts.academic_wire import (
    AcademicAnswer,
    AcademicError,
    AcademicQuery,
    BookEntry,
    Books,
    IngestAccepted,
    IngestStatus,
    RestrictedAnswer,
    RestrictedQuery,
    answer_of,
    ingest_status_of,
    recorded,
    restricted_answer_of,
    restricted_text_of,
    text_of,
)
from citebook.api.problems import Problem, ProblemKind, not_found
from citebook.api.request_ids import arrived_at
from citebook.api.routes import contract_router, described_errors
from citebook.api.services import Services
from citebook.domain.answer import Answer, Outcome
from citebook.domain.book import Edition
from citebook.domain.callers import Caller
from citebook.domain.errors import DeadlineExceeded, IndexUnusable, VectorStoreUnavailable
from citebook.domain.limits import Limit
from citebook.domain.policy import MINUTE, ContractPolicy
from citebook.domain.question import Question, TextRule
from citebook.records.recording import Record
from citebook.root.citebook import Book

POLICY = ContractPolicy(
    name="academic",
    question=TextRule(max_characters=1000),
    selection=TextRule(min_characters=50, max_characters=5000),
    refuse_below=0.60,
    warn_below=0.70,
    audit="full",
    anonymous=Limit(questions=100, seconds=MINUTE),
)
_EXCHANGES = 5
_FIELDS = {"question": "query", "selected_text": "selected_passage"}
_ID = Path(examples=["0c9fb2b0-6a0f-4b5c-8a51-2f4f6f0b7a10"])

_STATUS_AND_CODE = {
    ProblemKind.MALFORMED: (400, "INVALID_QUERY"),
    ProblemKind.INVALID: (400, "INVALID_QUERY"),
    ProblemKind.TOO_LONG: (400, "INVALID_QUERY"),
    ProblemKind.UNAUTHORIZED: (401, "UNAUTHORIZED"),
    ProblemKind.NOT_FOUND: (404, "NOT_FOUND"),
    ProblemKind.RATE_LIMITED: (429, "RATE_LIMITED"),
    ProblemKind.OVERLOADED: (503, "SERVER_ERROR"),
    ProblemKind.TIMEOUT: (504, "TIMEOUT"),
    ProblemKind.GENERATOR: (504, "TIMEOUT"),
    ProblemKind.VECTOR_STORE: (503, "SERVER_ERROR"),
    ProblemKind.DATABASE: (503, "SERVER_ERROR"),
}
_LISTING = (ProblemKind.UNAUTHORIZED, ProblemKind.RATE_LIMITED, ProblemKind.INTERNAL, ProblemKind.DATABASE)
_LOOKING = (
    ProblemKind.INVALID,
    ProblemKind.UNAUTHORIZED,
    ProblemKind.NOT_FOUND,
    ProblemKind.RATE_LIMITED,
    ProblemKind.INTERNAL,
    ProblemKind.DATABASE,
)
_SENDING = (*_LOOKING, ProblemKind.OVERLOADED)
_ASKING = (*_SENDING, ProblemKind.VECTOR_STORE, ProblemKind.TIMEOUT)


def router(services: Services) -> APIRouter:
    return _AcademicContract(services).router()


class _AcademicContract:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._policy = services.policy(POLICY)

    def router(self) -> APIRouter:
        routes = contract_router(error_response, self._policy.body, "academic", self._admit)
        for path, endpoint in (("/chat/query", self.query), ("/chat/book/{book_id}/query", self.book_query)):
            routes.add_api_route(
                path, endpoint, methods=["POST"], response_model=AcademicAnswer, responses=_errors(*_ASKING)
            )
        routes.add_api_route(
            "/chat/context-restricted",
            self.restricted,
            methods=["POST"],
            response_model=RestrictedAnswer,
            responses=_restricted_errors(),
        )
        routes.add_api_route(
            "/chat/{answer_id}",
            self.answer,
            methods=["GET"],
            response_model=RestrictedAnswer | AcademicAnswer,
            responses=_errors(*_LOOKING),
        )
        routes.add_api_route(
            "/books", self.books, methods=["GET"], response_model=Books, responses=_errors(*_LISTING)
        )
        routes.include_router(self._upload_router())
        return routes

    def _upload_router(self) -> APIRouter:
        routes = contract_router(error_response, self._policy.upload, "academic", self._admit)
        routes.add_api_route(
            "/content/ingest",
            self.ingest,
            methods=["POST"],
            status_code=202,
            response_model=IngestAccepted,
            responses=_errors(*_SENDING),
        )
        routes.add_api_route(
            "/content/ingest/{ingest_id}",
            self.ingest_status,
            methods=["GET"],
            response_model=IngestStatus,
            response_model_exclude_none=True,
            responses=_errors(*_LOOKING),
        )
        return routes

    async def _admit(self, request: Request) -> None:
        """Who has no key gets nowhere: not a byte of its body is read."""
        request.state.caller = await self._services.doorkeeper.key_holder(request)

    async def query(self, request: Request, response: Response, body: AcademicQuery) -> AcademicAnswer:
        """Answer a question from the whole book."""
        return await self._ask(request, response, body, None)

    async def book_query(
        self,
        request: Request,
        response: Response,
        book_id: Annotated[str, Path(examples=["default"])],
        body: AcademicQuery,
    ) -> AcademicAnswer:
        """Answer a question from one of several books."""
        return await self._ask(request, response, body, book_id)

    async def _ask(
        self, request: Request, response: Response, body: AcademicQuery, book_id: str | None
    ) -> AcademicAnswer:
        caller: Caller = request.state.caller
        question = Question(text=body.query, policy=self._policy.policy())
        record, question = await self._admitted(request, response, caller, question, body.conversation_id, book_id)
        book = self._services.book(book_id)
        named = question.model_copy(update={"book_title": await self._title_of(request, book)})
        return answer_of(await self._answered(request, book, named, record))

    async def restricted(
        self, request: Request, response: Response, body: RestrictedQuery
    ) -> Response | RestrictedAnswer:
        """Answer a question from the selected passage alone."""
        caller: Caller = request.state.caller
        question = Question(
            text=body.query,
            selected_text=body.selected_passage,
            only_selected_text=True,
            policy=self._policy.policy(),
        )
        record, question = await self._admitted(request, response, caller, question, body.conversation_id, None)
        answer = await self._answered(request, self._services.book(), question, record)
        if answer.outcome is Outcome.REFUSED:
            return _passage_insufficient()
        return restricted_answer_of(answer)

    async def _answered(self, request: Request, book: Book, question: Question, record: Record) -> Answer:
        work = self._services.answering.answer(request, book.agent, question, record)
        return await self._services.doorkeeper.while_key_holds(request, work)

    async def _admitted(
        self,
        request: Request,
        response: Response,
        caller: Caller,
        question: Question,
        conversation: UUID | None,
        book_id: str | None,
    ) -> tuple[Record, Question]:
        book = self._services.book(book_id)
        await self._services.admit(request, response, caller, question, self._policy, book)
        assert caller.key is not None
        history: tuple[Any, ...] = ()
        if conversation is not None:
            conversation = uuid5(caller.key.id, str(conversation))
            if not await self._services.conversations.resume(conversation, caller.key.id):
                raise not_found("There is no such conversation.")  # no caller can bring that about
            history = await self._services.conversations.last_exchanges(conversation, _EXCHANGES)
        record = Record(
            self._policy.name,
            caller.client_id,
            book.id,
            self._policy.audit,
            conversation,
            is_promised=True,
            wording=restricted_text_of if question.only_selected_text else text_of,
        )
        return record, question.model_copy(update={"history": history})

    async def answer(self, request: Request, answer_id: Annotated[UUID, _ID]) -> AcademicAnswer:
        """An earlier answer to the same key."""
        caller: Caller = request.state.caller
        record = await self._services.audit.find_answer(answer_id, caller.client_id)
        if record is None:
            raise not_found("There is no such answer.")
        return recorded(record)

    async def books(self) -> Books:
        """The books of this server, with the ids that they are asked by."""
        books = [await self._book_entry(book_id) for book_id in self._services.books]
        return Books(books=books, total_count=len(books))

    async def _book_entry(self, book_id: str) -> BookEntry:
        edition = await self._edition_of(book_id)
        return BookEntry(
            id=book_id,
            title=self._called(book_id, edition) if edition else None,
            chapters=len(edition.chapters) if edition else 0,
            is_default=book_id == self._services.default_book,
        )

    async def _title_of(self, request: Request, book: Book) -> str | None:
        """None where nobody says it in time: then the question fails too, and is recorded as one that did."""
        try:
            edition = await book.agent.deadline(arrived_at(request)).for_retrieval(self._edition_of(book.id))
        except DeadlineExceeded:
            return None
        return self._called(book.id, edition) if edition else None

    def _called(self, book_id: str, edition: Edition) -> str:
        own = self._services.book_title if book_id == self._services.default_book else None
        return own or title_of(edition)

    async def _edition_of(self, book_id: str) -> Edition | None:
        """None where the book cannot be asked right now."""
        try:
            return await self._services.book(book_id).index.edition()
        except (IndexUnusable, VectorStoreUnavailable):
            return None

    async def ingest(
        self,
        request: Request,
        file: Annotated[UploadFile, File(description="A .md, .mdx, .txt or .pdf file.")],
        chapter_id: Annotated[str, Form(pattern=r"^[a-zA-Z0-9_]{3,50}$", examples=["joints_gears"])],
        metadata: Annotated[
            str | None, Form(description="A JSON object; `title`, `module`, `difficulty` and `tags` are used.")
        ] = None,
    ) -> IngestAccepted:
        """Take a chapter into the book. Poll the returned id to see how far it is."""
        caller: Caller = request.state.caller
        await self._services.doorkeeper.count(caller, self._policy)
        ingest_id = await self._services.uploads.accept(file, chapter_id, metadata, caller.client_id)
        return IngestAccepted(ingest_id=ingest_id, status="queued", message="The chapter will be taken in shortly.")

    async def ingest_status(self, request: Request, ingest_id: Annotated[UUID, _ID]) -> IngestStatus:
        """How far an upload is."""
        caller: Caller = request.state.caller
        state = await self._services.uploads.state(ingest_id, caller.client_id)
        if state is None:
            raise not_found("There is no such upload.")
        return ingest_status_of(ingest_id, state)


def _errors(*kinds: ProblemKind) -> dict[int | str, dict[str, Any]]:
    return described_errors(AcademicError, error_response, *kinds)


def _restricted_errors() -> dict[int | str, dict[str, Any]]:
    errors = _errors(*_ASKING)
    example = {"value": json.loads(bytes(_passage_insufficient().body))}
    errors[400]["content"]["application/json"]["examples"]["passage_insufficient"] = example
    return errors


def _passage_insufficient() -> Response:
    message = "The selected passage does not answer this. The whole book may."
    details = "Send the same question to /chat/query to search the whole book."
    return JSONResponse({"error": {"code": "PASSAGE_INSUFFICIENT", "message": message, "details": details}}, 400)


def error_response(_request: Request, problem: Problem) -> Response:
    status, code = _STATUS_AND_CODE.get(problem.kind, (500, "SERVER_ERROR"))
    details: str | None = None
    if problem.field and problem.rule:
        details = f"{_FIELDS.get(problem.field, problem.field)}: {problem.rule}"
    return JSONResponse({"error": {"code": code, "message": details or problem.message, "details": details}}, status)
