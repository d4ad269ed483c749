"""Every error that Citebook raises on purpose.

CitebookError
├── InvalidQuestion        a field of the question breaks its rule
├── InvalidSettings        a setting is missing or wrong
│   └── MissingVariable
├── InvalidQuestionSet     an evaluation file cannot be used
├── KeyNameTaken           another API key has that name
├── BookError              something the author can mend
│   ├── BookNotFound
│   ├── BookIsEmpty
│   ├── PageUnreadable     one file; the others are ingested
│   ├── TooManyPagesGone
│   ├── IngestInProgress
│   └── NoSpaceLeft
├── IndexUnusable          the index exists and cannot answer
│   ├── BookNotIngested
│   └── EmbedderMismatch
├── DependencyError        another program failed us
│   ├── EmbedderFailed
│   ├── RerankerFailed
│   ├── ExaminerFailed
│   ├── VectorStoreUnavailable
│   │   └── VectorStoreUnreachable
│   ├── DatabaseUnavailable
│   │   └── RecordRefused  the database answers, and does not take what it was given
│   └── GeneratorFailed
│       ├── GeneratorUnreachable
│       ├── GeneratorCutShort
│       └── GeneratorOverBudget
├── Overloaded             more is asked than can be answered in time
└── DeadlineExceeded
"""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar, Self

from pydantic import field_validator

from citebook.domain.value import Value


class ErrorType(StrEnum):
    NETWORK_ERROR = "network"
    DATABASE_ERROR = "database"
    LLM_ERROR = "llm"
    VALIDATION_ERROR = "validation"
    AGENT_ERROR = "agent"
    UNKNOWN_ERROR = "unknown"


class CitebookError(Exception):
    """An error whose class says what a client may be told about it; its text is for the operator's eyes."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    error_type: ClassVar[ErrorType] = ErrorType.UNKNOWN_ERROR
    retryable: ClassVar[bool] = False
    user_message: str = "Something went wrong on our side. Please try again later."


class InvalidQuestion(CitebookError):
    code = "INVALID_QUERY"
    error_type = ErrorType.VALIDATION_ERROR
    user_message = "The question cannot be used as it is. Please change it and ask again."

    def __init__(self, field: str, rule: str, *, is_too_long: bool = False) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule
        self.is_too_long = is_too_long
        self.user_message = f"The {field} {rule}."


class InvalidSettings(CitebookError):
    code = "INVALID_SETTINGS"
    error_type = ErrorType.VALIDATION_ERROR


class MissingVariable(InvalidSettings):
    code = "MISSING_VARIABLE"

    def __init__(self, name: str) -> None:
        super().__init__(f"Required environment variable {name} not set.")


class InvalidQuestionSet(CitebookError):
    code = "INVALID_QUESTION_SET"
    error_type = ErrorType.VALIDATION_ERROR


class KeyNameTaken(CitebookError):
    code = "KEY_NAME_TAKEN"
    error_type = ErrorType.VALIDATION_ERROR


class BookError(CitebookError):
    code = "BOOK_ERROR"
    error_type = ErrorType.VALIDATION_ERROR


class BookNotFound(BookError):
    code = "BOOK_NOT_FOUND"


class BookIsEmpty(BookError):
    code = "BOOK_IS_EMPTY"


class PageUnreadable(BookError):
    code = "PAGE_UNREADABLE"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class TooManyPagesGone(BookError):
    code = "TOO_MANY_PAGES_GONE"


class IngestInProgress(BookError):
    code = "INGEST_IN_PROGRESS"
    retryable = True


class NoSpaceLeft(BookError):
    code = "NO_SPACE_LEFT"


class IndexUnusable(CitebookError):
    code = "INDEX_UNUSABLE"
    error_type = ErrorType.DATABASE_ERROR


class BookNotIngested(IndexUnusable):
    code = "BOOK_NOT_INGESTED"
    user_message = "This book has not been prepared for questions yet. The command citebook ingest PATH prepares it."


class EmbedderMismatch(IndexUnusable):
    code = "EMBEDDER_MISMATCH"


class DependencyError(CitebookError):
    code = "SERVICE_UNAVAILABLE"
    retryable = True
    user_message = "The assistant is temporarily unavailable. Please try again in a moment."


class EmbedderFailed(DependencyError):
    code = "EMBEDDING_ERROR"
    error_type = ErrorType.AGENT_ERROR


class RerankerFailed(DependencyError):
    code = "RERANKER_ERROR"
    error_type = ErrorType.AGENT_ERROR


class ExaminerFailed(DependencyError):
    code = "EXAMINER_ERROR"
    error_type = ErrorType.AGENT_ERROR


class VectorStoreUnavailable(DependencyError):
    code = "VECTOR_STORE_UNAVAILABLE"
    error_type = ErrorType.DATABASE_ERROR
    user_message = "The book's index cannot be reached right now. Please try again in a moment."


class VectorStoreUnreachable(VectorStoreUnavailable):
    """Nobody answers at its address."""

    code = "VECTOR_STORE_UNREACHABLE"
    error_type = ErrorType.NETWORK_ERROR


class DatabaseUnavailable(DependencyError):
    code = "DATABASE_ERROR"
    error_type = ErrorType.DATABASE_ERROR
    user_message = "The conversation cannot be kept right now. Please try again in a moment."


class RecordRefused(DatabaseUnavailable):
    """To try again would not help."""

    code = "RECORD_REFUSED"
    retryable = False


class GeneratorFailed(DependencyError):
    code = "LLM_ERROR"
    error_type = ErrorType.LLM_ERROR


class GeneratorUnreachable(GeneratorFailed):
    """Nobody answers at the address of the language model, or the connection broke."""

    code = "LLM_UNREACHABLE"
    error_type = ErrorType.NETWORK_ERROR


class GeneratorCutShort(GeneratorFailed):
    """A model that used up its tokens, or whose vendor withheld the rest: asking once more would end the same way."""

    code = "LLM_CUT_SHORT"
    retryable = False


class GeneratorOverBudget(GeneratorFailed):
    """The tokens of the day are used up: the model is not asked."""

    code = "LLM_OVER_BUDGET"
    retryable = False


class Overloaded(CitebookError):
    code = "OVERLOADED"
    error_type = ErrorType.NETWORK_ERROR
    retryable = True
    user_message = "Too many questions are being answered right now. Please try again in a moment."

    def __init__(self, retry_after: int = 5) -> None:
        super().__init__(f"a turn would come too late; try again after {retry_after} s")
        self.retry_after = retry_after


class DeadlineExceeded(CitebookError):
    code = "TIMEOUT"
    error_type = ErrorType.LLM_ERROR
    retryable = True
    user_message = "Query processing timed out. Try a simpler question."


class ErrorContext(Value):
    """What went wrong, in two languages: the operator's and the reader's."""

    error_type: ErrorType
    original_error: str
    user_safe_message: str
    retry_able: bool
    log_details: dict[str, Any]

    @field_validator("user_safe_message")
    @classmethod
    def _has_no_stack_trace(cls, message: str) -> str:
        if "Traceback" in message or 'File "' in message:
            raise ValueError("a message for the reader must not contain a stack trace")
        return message

    @field_validator("log_details")
    @classmethod
    def _can_be_found_in_the_log(cls, details: dict[str, Any]) -> dict[str, Any]:
        if not {"timestamp", "request_id"} <= details.keys():
            raise ValueError("log_details must have a timestamp and a request_id")
        return details

    @classmethod
    def of(cls, error: BaseException, request_id: str) -> Self:
        known = error if isinstance(error, CitebookError) else CitebookError()
        return cls(
            error_type=known.error_type,
            original_error=f"{type(error).__name__}: {error}",
            user_safe_message=known.user_message,
            retry_able=known.retryable,
            log_details={"request_id": request_id, "timestamp": datetime.now(UTC).isoformat()},
        )
