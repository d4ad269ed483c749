"""ErrorRecoveryAgent: decides what to do about an error. It decides only; the orchestrator acts."""

from dataclasses import dataclass
from enum import StrEnum

from citebook.domain.errors import CitebookError, DeadlineExceeded, EmbedderFailed, ErrorContext, GeneratorFailed

_LEAST_SECONDS_FOR_A_RETRY = 0.5


class Decision(StrEnum):
    RETRY = "retry"
    SEARCH_BY_WORDS = "search_by_words"
    DO_WITHOUT_MODEL = "do_without_model"
    """What the model has told stays; where that is nothing, the book is quoted."""
    GIVE_UP = "give_up"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the answer had come when the error struck."""

    retries: int = 0
    searched_by_words: bool = False
    reader_saw_text: bool = False
    is_writing: bool = False
    """Whether a language model was at work."""
    seconds_left: float = 0.0


class ErrorRecoveryAgent:
    def decide(self, error: BaseException, progress: Progress) -> Decision:
        if isinstance(error, EmbedderFailed) and not progress.searched_by_words:
            return Decision.SEARCH_BY_WORDS
        may_retry = (
            isinstance(error, CitebookError)
            and error.retryable
            and not isinstance(error, DeadlineExceeded)
            and progress.retries == 0
            and not progress.reader_saw_text
            and progress.seconds_left >= _LEAST_SECONDS_FOR_A_RETRY
        )
        if may_retry:
            return Decision.RETRY
        is_model_lost = progress.is_writing and isinstance(error, GeneratorFailed | DeadlineExceeded)
        return Decision.DO_WITHOUT_MODEL if is_model_lost else Decision.GIVE_UP

    def explain(self, error: BaseException, request_id: str) -> ErrorContext:
        return ErrorContext.of(error, request_id)
