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
    GeneratorUnreachable,
    IndexUnusable,
    InvalidQuestion,
    Overloaded,
    VectorStoreUnavailable,
    VectorStoreUnreachable,
)
from citebook.domain.events import AnswerFailed
from citebook.domain.limits import Allowance


class ProblemKind(StrEnum):
    MALFORMED = "malformed"
    INVALID = "invalid"
    TOO_LONG = "too_long"
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
class Violation:
    """One rule that a body breaks: where, which, and in words."""

    loc: tuple[str | int, ...]
    msg: str
    type: str


@dataclass(frozen=True, slots=True)
class Problem:
    kind: ProblemKind
    message: str
    field: str | None = None
    rule: str | None = None
    retryable: bool = False
    error_type: ErrorType = ErrorType.UNKNOWN_ERROR
    """`network` where another program could not be reached, whichever it is."""
    allowance: Allowance | None = None
    retry_after: int | None = None
    violations: tuple[Violation, ...] = ()
    """All that is wrong with a malformed body; `field` and `rule` are the first of it."""


class ProblemRaised(Exception):
    """Carries a problem from wherever it was found to the contract that words it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.kind.value)
        self.problem = problem


_KINDS: tuple[tuple[type[CitebookError], ProblemKind], ...] = (
    (InvalidQuestion, ProblemKind.INVALID),
    (Overloaded, ProblemKind.OVERLOADED),
    (DeadlineExceeded, ProblemKind.TIMEOUT),
    (GeneratorUnreachable, ProblemKind.GENERATOR),
    (GeneratorFailed, ProblemKind.GENERATOR),
    (EmbedderFailed, ProblemKind.EMBEDDER),
    (VectorStoreUnreachable, ProblemKind.VECTOR_STORE),
    (VectorStoreUnavailable, ProblemKind.VECTOR_STORE),
    (BookNotIngested, ProblemKind.VECTOR_STORE),
    (IndexUnusable, ProblemKind.VECTOR_STORE),
    (DatabaseUnavailable, ProblemKind.DATABASE),
)
_BY_CODE = {error.code: (error, kind) for error, kind in reversed(_KINDS)}


def problem_of(error: Exception) -> Problem:
    if isinstance(error, ProblemRaised):
        return error.problem
    if isinstance(error, RequestValidationError):
        return _malformed(error)
    if isinstance(error, InvalidQuestion):
        return Problem(
            ProblemKind.TOO_LONG if error.is_too_long else ProblemKind.INVALID,
            error.user_message,
            error.field,
            error.rule,
            error_type=error.error_type,
        )
    known = error if isinstance(error, CitebookError) else CitebookError()
    kind = next((kind for cls, kind in _KINDS if isinstance(known, cls)), ProblemKind.INTERNAL)
    retry_after = known.retry_after if isinstance(known, Overloaded) else None
    return Problem(
        kind,
        known.user_message,
        retryable=known.retryable,
        error_type=known.error_type,
        retry_after=retry_after,
    )


def problem_of_failure(failed: AnswerFailed) -> Problem:
    """The problem behind an answer that failed."""
    error, kind = _BY_CODE.get(failed.code, (CitebookError, ProblemKind.INTERNAL))
    return Problem(
        kind,
        failed.error.user_safe_message,
        retryable=error.retryable,
        error_type=error.error_type,
        retry_after=failed.retry_after,
    )


_UNION_MEMBERS = frozenset({"int", "str", "constrained-int", "constrained-str"})
"""Which of several types was tried: no part of a field's name."""


def _malformed(error: RequestValidationError) -> Problem:
    """Names the field and the rule; what was sent is not repeated."""
    first = error.errors()[0]
    is_readable = first["type"] != "json_invalid"
    names = [str(part) for part in first["loc"][1:] if part not in _UNION_MEMBERS] if is_readable else []
    field = ".".join(names) or "body"
    rule = str(first["msg"]) if is_readable else "must be valid JSON"
    return Problem(
        ProblemKind.MALFORMED,
        f"{field}: {rule}",
        field,
        rule,
        error_type=ErrorType.VALIDATION_ERROR,
        violations=tuple(Violation(tuple(one["loc"]), str(one["msg"]), one["type"]) for one in error.errors()),
    )


def unauthorized(message: str) -> ProblemRaised:
    return ProblemRaised(Problem(ProblemKind.UNAUTHORIZED, message, error_type=ErrorType.VALIDATION_ERROR))


def not_found(message: str) -> ProblemRaised:
    return ProblemRaised(Problem(ProblemKind.NOT_FOUND, message, error_type=ErrorType.VALIDATION_ERROR))


def invalid(field: str, rule: str) -> ProblemRaised:
    return ProblemRaised(
        Problem(ProblemKind.INVALID, f"The {field} {rule}.", field, rule, error_type=ErrorType.VALIDATION_ERROR)
    )


EXAMPLES: Mapping[ProblemKind, Problem] = {
    ProblemKind.MALFORMED: Problem(
        ProblemKind.MALFORMED,
        "body: must be valid JSON",
        "body",
        "must be valid JSON",
        violations=(Violation(("body", 1), "JSON decode error", "json_invalid"),),
    ),
    ProblemKind.INVALID: problem_of(InvalidQuestion("question", "must not be empty")),
    ProblemKind.TOO_LONG: problem_of(
        InvalidQuestion("question", "must have at most 500 characters", is_too_long=True)
    ),
    ProblemKind.UNAUTHORIZED: unauthorized("The token is not valid. Sign in again.").problem,
    ProblemKind.NOT_FOUND: not_found("There is nothing of this id.").problem,
    ProblemKind.RATE_LIMITED: Problem(
        ProblemKind.RATE_LIMITED,
        "You have asked as many questions as are allowed for now. Please wait a little.",
        retryable=True,
        retry_after=42,
    ),
    ProblemKind.OVERLOADED: problem_of(Overloaded()),
    ProblemKind.TIMEOUT: problem_of(DeadlineExceeded()),
    ProblemKind.GENERATOR: problem_of(GeneratorFailed()),
    ProblemKind.EMBEDDER: problem_of(EmbedderFailed()),
    ProblemKind.VECTOR_STORE: problem_of(VectorStoreUnavailable()),
    ProblemKind.DATABASE: problem_of(DatabaseUnavailable()),
    ProblemKind.INTERNAL: problem_of(CitebookError()),
}
"""One typical problem of each kind, for documentation."""
