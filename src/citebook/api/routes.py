"""How a contract's routes are made: bodies of limited size, and every problem in the contract's own words."""

import logging
from collections.abc import Callable, Coroutine
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
from citebook.api.problems import Problem, ProblemRaised, invalid, problem_of
from citebook.domain.errors import CitebookError
from citebook.domain.limits import Allowance

log = logging.getLogger(__name__)

WordProblem = Callable[[Request, Problem], Response]
Handler = Callable[[Request], Coroutine[Any, Any, Response]]
_CLIENT_CLOSED_REQUEST = 499


def contract_router(word_problem: WordProblem, max_body_bytes: int, tag: str) -> APIRouter:
    class ContractRoute(APIRoute):
        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()

            async def handle_in_own_words(request: Request) -> Response:
                try:
                    return await handle(Request(request.scope, _limited(request, max_body_bytes)))
                except ClientGone:
                    return Response(status_code=_CLIENT_CLOSED_REQUEST)
                except (ProblemRaised, RequestValidationError, CitebookError) as error:
                    return _worded(request, problem_of(error))
                except HTTPException as error:
                    return _worded(request, problem_of(invalid("body", str(error.detail).lower())))
                except Exception as error:  # a door: the client gets the contract's words, the log the rest
                    log.exception("a request failed")
                    return _worded(request, problem_of(error))

            def _worded(request: Request, problem: Problem) -> Response:
                response = word_problem(request, problem)
                if problem.allowance is not None:
                    response.headers.update(limit_headers(problem.allowance))
                if problem.retry_after is not None:
                    response.headers["Retry-After"] = str(problem.retry_after)
                return response

            return handle_in_own_words

    return APIRouter(route_class=ContractRoute, tags=[tag])


def error_responses(model: type[BaseModel], *statuses: int) -> dict[int | str, dict[str, Any]]:
    """How a contract's errors are described in the OpenAPI document."""
    return {status: {"model": model} for status in statuses}


def own_headers(response: Response) -> dict[str, str]:
    """The headers that we set on a response, without those that describe its body."""
    return {name: value for name, value in response.headers.items() if name.startswith("x-")}


def limit_headers(allowance: Allowance) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(allowance.limit),
        "X-RateLimit-Remaining": str(allowance.remaining),
        "X-RateLimit-Reset": str(int(allowance.resets_at.timestamp())),
    }


def _limited(request: Request, limit: int) -> Callable[[], Coroutine[Any, Any, Message]]:
    """Reads at most so many bytes of a body, whatever its headers say."""
    received = 0

    async def receive() -> Message:
        nonlocal received
        message = await request.receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise invalid("body", f"must be smaller than {limit} bytes")
        return message

    return receive
