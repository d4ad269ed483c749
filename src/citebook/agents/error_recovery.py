"""ErrorRecoveryAgent: decides what to do about an error. It decides only; the orchestrator acts."""

from dataclasses import dataclass
from enum import StrEnum

from citebook.domain.errors import (
    CitebookError,
    DeadlineExceeded,
    EmbedderFailed,
    ErrorContext,
    GeneratorCutShort,
    GeneratorFailed,
)

_LEAST_SECONDS_FOR_A_RETRY = 0.5


class Decision(StrEnum):
    RETRY = "retry"
    SEARCH_BY_WORDS = "search_by_words"
    DO_WITHOUT_MODEL = "do_without_model"
    """The book is quoted instead of what the model wrote."""
    KEEP_PART = "keep_part"
    """What the model has told is the answer, and is marked as a part of one."""
    GIVE_UP = "give_up"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the answer had come when the error struck."""

    retries: int = 0
    searched_by_words: bool = False
    has_text: bool = False
    """Whether something proven was written."""
    reader_saw_text: bool = False
    """Whether it is on the reader's screen, as on a stream, and cannot be taken back."""
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
            and not (progress.has_text or progress.reader_saw_text)
            and progress.seconds_left >= _LEAST_SECONDS_FOR_A_RETRY
        )
        if may_retry:
            return Decision.RETRY
        is_model_lost = progress.is_writing and isinstance(error, GeneratorFailed | DeadlineExceeded)
        return self._without_model(error, progress) if is_model_lost else Decision.GIVE_UP

    def _without_model(self, error: BaseException, progress: Progress) -> Decision:
        """A model that was cut short came to an end, and said so. One that broke off left nobody knows what out."""
        if progress.has_text and isinstance(error, GeneratorCutShort):
            return Decision.KEEP_PART
        return Decision.GIVE_UP if progress.reader_saw_text else Decision.DO_WITHOUT_MODEL

    def explain(self, error: BaseException, request_id: str) -> ErrorContext:
        return ErrorContext.of(error, request_id)
