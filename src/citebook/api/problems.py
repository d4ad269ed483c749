"""What can go wrong with a request, before a contract gives it its own words and status."""

from dataclasses import dataclass
from enum import StrEnum

from fastapi.exceptions import RequestValidationError

from citebook.domain.errors import (
    BookNotIngested,
    CitebookError,
    DatabaseUnavailable,
    DeadlineExceeded,
    EmbedderFailed,
    ErrorType,
    GeneratorFailed,
    IndexUnusable,
    InvalidQuestion,
    VectorStoreUnavailable,
)
from citebook.domain.limits import Allowance


class Kind(StrEnum):
    MALFORMED = "malformed"
    INVALID = "invalid"
    UNAUTHORIZED = "unauthorized"
    NOT_FOUND = "not_found"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    TIMEOUT = "timeout"
    GENERATOR = "generator"
    EMBEDDER = "embedder"
    VECTOR_STORE = "vector_store"
    DATABASE = "database"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Problem:
    kind: Kind
    message: str
    field: str | None = None
    rule: str | None = None
    retryable: bool = False
    error_type: ErrorType = ErrorType.UNKNOWN_ERROR
    allowance: Allowance | None = None
    retry_after: int | None = None


class ProblemRaised(Exception):
    """Carries a problem from wherever it was found to the contract that words it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.kind.value)
        self.problem = problem


_KINDS: tuple[tuple[type[CitebookError], Kind], ...] = (
    (InvalidQuestion, Kind.INVALID),
    (DeadlineExceeded, Kind.TIMEOUT),
    (GeneratorFailed, Kind.GENERATOR),
    (EmbedderFailed, Kind.EMBEDDER),
    (VectorStoreUnavailable, Kind.VECTOR_STORE),
    (BookNotIngested, Kind.VECTOR_STORE),
    (IndexUnusable, Kind.VECTOR_STORE),
    (DatabaseUnavailable, Kind.DATABASE),
)
_BY_CODE = {error.code: (error, kind) for error, kind in reversed(_KINDS)}


def problem_of(error: Exception) -> Problem:
    if isinstance(error, ProblemRaised):
        return error.problem
    if isinstance(error, RequestValidationError):
        return _malformed(error)
    if isinstance(error, InvalidQuestion):
        return Problem(Kind.INVALID, error.user_message, error.field, error.rule, error_type=error.error_type)
    known = error if isinstance(error, CitebookError) else CitebookError()
    kind = next((kind for cls, kind in _KINDS if isinstance(known, cls)), Kind.INTERNAL)
    return Problem(kind, known.user_message, retryable=known.retryable, error_type=known.error_type)


def problem_of_code(code: str) -> Problem:
    """The problem behind an answer that failed."""
    error, kind = _BY_CODE.get(code, (CitebookError, Kind.INTERNAL))
    message = error.user_message
    return Problem(kind, message, retryable=error.retryable, error_type=error.error_type)


def _malformed(error: RequestValidationError) -> Problem:
    """Names the field and the rule; what was sent is not repeated."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"][1:]) or "body"
    rule = str(first["msg"])
    return Problem(Kind.MALFORMED, f"{field}: {rule}", field, rule, error_type=ErrorType.VALIDATION_ERROR)


def unauthorized(message: str) -> ProblemRaised:
    return ProblemRaised(Problem(Kind.UNAUTHORIZED, message, error_type=ErrorType.VALIDATION_ERROR))


def not_found(message: str) -> ProblemRaised:
    return ProblemRaised(Problem(Kind.NOT_FOUND, message, error_type=ErrorType.VALIDATION_ERROR))


def invalid(field: str, rule: str) -> ProblemRaised:
    return ProblemRaised(
        Problem(Kind.INVALID, f"The {field} {rule}.", field, rule, error_type=ErrorType.VALIDATION_ERROR)
    )
