"""How a contract's routes are made: bodies of limited size, and every problem in the contract's own words."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message

from citebook.api.answering import ClientGone
from citebook.api.no_room import check_room
from citebook.api.problems import EXAMPLES, Problem, ProblemKind, ProblemRaised, invalid, problem_of
from citebook.api.request_ids import REQUEST_ID
from citebook.api.stopping import Stopping
from citebook.domain.errors import CitebookError, InvalidQuestion, Overloaded
from citebook.domain.limits import Allowance
from citebook.domain.policy import BodyRule

log = logging.getLogger(__name__)

ErrorResponse = Callable[[Request, Problem], Response]
Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Admit = Callable[[Request], Awaitable[None]]
"""Raises `ProblemRaised` where a caller may not come in."""

_CLIENT_CLOSED_REQUEST = 499
_LIMIT_HEADERS = {
    "Retry-After": "Seconds until the next question may be asked.",
    "X-RateLimit-Limit": "Questions that are allowed in a window.",
    "X-RateLimit-Remaining": "Questions that are left.",
    "X-RateLimit-Reset": "When all of them are allowed again, in Unix seconds.",
}


def contract_router(error_response: ErrorResponse, rule: BodyRule, tag: str, admit: Admit | None = None) -> APIRouter:
    """`admit` runs before anything of the body is read."""

    class ContractRoute(APIRoute):
        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()

            async def handle_in_own_words(request: Request) -> Response:
                stopping: Stopping = request.app.state.stopping
                try:
                    check_room(request)
                    async with stopping.limited():
                        if request.method != "POST":  # questions have limits of their own
                            await request.app.state.doorkeeper.count_read(request)
                        if admit is not None:
                            await admit(request)
                        return await handle(Request(request.scope, _limited(request, rule)))
                except ClientGone:
                    return Response(status_code=_CLIENT_CLOSED_REQUEST)
                except Exception as error:  # a door: the client gets the contract's words, the log the rest
                    return worded(error_response, request, _problem(error))

            return handle_in_own_words

    return APIRouter(route_class=ContractRoute, tags=[tag])


def _problem(error: Exception) -> Problem:
    if isinstance(error, HTTPException):  # the framework could not read the body, maybe because we stopped it
        found = error.__cause__ if isinstance(error.__cause__, ProblemRaised) else invalid("body", "cannot be read")
        return problem_of(found)
    if not isinstance(error, ProblemRaised | RequestValidationError | CitebookError):
        log.error("a request failed", exc_info=error)
    elif isinstance(error, CitebookError) and not isinstance(error, InvalidQuestion | Overloaded):
        log.warning("a request failed (%s): %s", error.code, error)
    return problem_of(error)


def worded(error_response: ErrorResponse, request: Request, problem: Problem) -> Response:
    response = error_response(request, problem)
    if problem.allowance is not None:
        response.headers.update(limit_headers(problem.allowance))
    if problem.retry_after is not None:
        response.headers["Retry-After"] = str(problem.retry_after)
    return response


def described_errors(
    model: type[BaseModel], error_response: ErrorResponse, *kinds: ProblemKind
) -> dict[int | str, dict[str, Any]]:
    """A contract's errors for the OpenAPI document, with examples in the contract's own words."""
    request = Request({"type": "http", "headers": [], REQUEST_ID: "3f2b8c1e-5d0a-4c62-9b7e-2a41f0d9c615"})
    described: dict[int | str, dict[str, Any]] = {}
    for kind in kinds:
        response = error_response(request, EXAMPLES[kind])
        status = response.status_code
        entry = described.setdefault(status, _described(model, status))
        example = {"value": json.loads(bytes(response.body))}
        entry["content"]["application/json"]["examples"][kind.value] = example
    return described


def _described(model: type[BaseModel], status: int) -> dict[str, Any]:
    headers: Mapping[str, str] = _LIMIT_HEADERS if status == HTTPStatus.TOO_MANY_REQUESTS else {}
    return {
        "model": model,
        "description": HTTPStatus(status).phrase,
        "headers": {
            name: {"description": text, "required": True, "schema": {"type": "integer", "minimum": 0}}
            for name, text in headers.items()
        },
        "content": {"application/json": {"examples": {}}},
    }


def stream_response(example: str) -> dict[str, Any]:
    """How a stream is described in the OpenAPI document: each event has one line of JSON."""
    event = {
        "type": "object",
        "properties": {"data": {"type": "string", "contentMediaType": "application/json"}},
        "required": ["data"],
    }
    content = {"text/event-stream": {"schema": event, "example": example}}
    return {"description": "The answer, frame by frame.", "content": content}


def own_headers(response: Response) -> dict[str, str]:
    """The headers that we set on a response, without those that describe its body."""
    return {name: value for name, value in response.headers.items() if name.startswith("x-")}


def limit_headers(allowance: Allowance) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(allowance.limit),
        "X-RateLimit-Remaining": str(allowance.remaining),
        "X-RateLimit-Reset": str(int(allowance.resets_at.timestamp())),
    }


def _limited(request: Request, rule: BodyRule) -> Callable[[], Coroutine[Any, Any, Message]]:
    """Reads at most so many bytes of a body, for at most so long, whatever its headers say."""
    received, is_whole = 0, False
    ends_at = asyncio.get_running_loop().time() + rule.seconds

    async def receive() -> Message:
        nonlocal received, is_whole
        if is_whole:
            return await request.receive()
        try:
            async with asyncio.timeout_at(ends_at):
                message = await request.receive()
        except TimeoutError:
            raise invalid("body", f"must arrive within {rule.seconds:g} seconds") from None
        received += len(message.get("body", b""))
        is_whole = not message.get("more_body", False)
        if received > rule.bytes:
            raise invalid("body", f"must be smaller than {rule.bytes} bytes")
        return message

    return receive
