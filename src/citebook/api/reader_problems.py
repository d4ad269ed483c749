"""How the addresses of the reader's page word a problem: none of the five contracts has them."""

from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from citebook.api.problems import Problem, ProblemKind
from citebook.api.wire import WireResponse

_STATUS_AND_CODE = {
    ProblemKind.MALFORMED: (400, "INVALID_REQUEST"),
    ProblemKind.INVALID: (400, "INVALID_REQUEST"),
    ProblemKind.NOT_FOUND: (404, "NOT_FOUND"),
    ProblemKind.RATE_LIMITED: (429, "RATE_LIMIT_EXCEEDED"),
    ProblemKind.OVERLOADED: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.VECTOR_STORE: (503, "SERVICE_UNAVAILABLE"),
    ProblemKind.DATABASE: (503, "SERVICE_UNAVAILABLE"),
}


class ReaderError(WireResponse):
    error: Literal["INVALID_REQUEST", "NOT_FOUND", "RATE_LIMIT_EXCEEDED", "SERVICE_UNAVAILABLE", "INTERNAL_ERROR"]
    message: str
    details: dict[str, Any]


def error_response(_request: Request, problem: Problem) -> Response:
    status, code = _STATUS_AND_CODE.get(problem.kind, (500, "INTERNAL_ERROR"))
    details = {"field": problem.field, "rule": problem.rule} if problem.field else {}
    return JSONResponse({"error": code, "message": problem.message, "details": details}, status)
