"""What can go wrong with a request, before a contract gives it its own words and status."""

from collections.abc import Mapping
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
_LONGEST_NAME = 100
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
    is_readable = first["type"] != "json_invalid"
    names = [str(part) for part in first["loc"][1:]] if is_readable else []
    field = _printable(".".join(names)) or "body"
    rule = str(first["msg"]) if is_readable else "must be valid JSON"
    return Problem(Kind.MALFORMED, f"{field}: {rule}", field, rule, error_type=ErrorType.VALIDATION_ERROR)


def _printable(name: str) -> str:
    """A field that we do not know may have any name."""
    return "".join(character if character.isprintable() else "?" for character in name[:_LONGEST_NAME])


def unauthorized(message: str) -> ProblemRaised:
    return ProblemRaised(Problem(Kind.UNAUTHORIZED, message, error_type=ErrorType.VALIDATION_ERROR))


def not_found(message: str) -> ProblemRaised:
    return ProblemRaised(Problem(Kind.NOT_FOUND, message, error_type=ErrorType.VALIDATION_ERROR))


def invalid(field: str, rule: str) -> ProblemRaised:
    return ProblemRaised(
        Problem(Kind.INVALID, f"The {field} {rule}.", field, rule, error_type=ErrorType.VALIDATION_ERROR)
    )


EXAMPLES: Mapping[Kind, Problem] = {
    Kind.MALFORMED: Problem(Kind.MALFORMED, "body: must be valid JSON", "body", "must be valid JSON"),
    Kind.INVALID: problem_of(InvalidQuestion("question", "must not be empty")),
    Kind.UNAUTHORIZED: unauthorized("The token is not valid. Sign in again.").problem,
    Kind.NOT_FOUND: not_found("There is nothing of this id.").problem,
    Kind.RATE_LIMITED: Problem(
        Kind.RATE_LIMITED,
        "You have asked as many questions as are allowed for now. Please wait a little.",
        retryable=True,
        retry_after=42,
    ),
    Kind.OVERLOADED: Problem(
        Kind.OVERLOADED,
        "Too many questions are being answered right now. Please try again in a moment.",
        retryable=True,
        retry_after=5,
    ),
    Kind.TIMEOUT: problem_of(DeadlineExceeded()),
    Kind.GENERATOR: problem_of(GeneratorFailed()),
    Kind.EMBEDDER: problem_of(EmbedderFailed()),
    Kind.VECTOR_STORE: problem_of(VectorStoreUnavailable()),
    Kind.DATABASE: problem_of(DatabaseUnavailable()),
    Kind.INTERNAL: problem_of(CitebookError()),
}
"""One typical problem of each kind, for documentation."""
