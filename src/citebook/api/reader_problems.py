"""How the addresses of the reader's page word a problem: none of the five contracts has them."""

from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from citebook.api.problems import Kind, Problem
from citebook.api.wire import WireResponse

_STATUS_AND_CODE = {
    Kind.MALFORMED: (400, "INVALID_REQUEST"),
    Kind.INVALID: (400, "INVALID_REQUEST"),
    Kind.NOT_FOUND: (404, "NOT_FOUND"),
    Kind.RATE_LIMITED: (429, "RATE_LIMIT_EXCEEDED"),
    Kind.VECTOR_STORE: (503, "SERVICE_UNAVAILABLE"),
    Kind.DATABASE: (503, "SERVICE_UNAVAILABLE"),
}


class ReaderError(WireResponse):
    error: Literal["INVALID_REQUEST", "NOT_FOUND", "RATE_LIMIT_EXCEEDED", "SERVICE_UNAVAILABLE", "INTERNAL_ERROR"]
    message: str
    details: dict[str, Any]


def word_problem(_request: Request, problem: Problem) -> Response:
    status, code = _STATUS_AND_CODE.get(problem.kind, (500, "INTERNAL_ERROR"))
    details = {"field": problem.field, "rule": problem.rule} if problem.field else {}
    return JSONResponse({"error": code, "message": problem.message, "details": details}, status)
