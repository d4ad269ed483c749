"""What an expert says of a recorded answer, having held it against the book."""

from enum import StrEnum
from uuid import UUID, uuid4

from pydantic import Field

from citebook.domain.answer import ConfidenceLevel
from citebook.domain.value import UtcTime, Value

MAX_NOTE_CHARACTERS = 1_000


class Verdict(StrEnum):
    PASS = "PASS"
    """What it says is right, and answers the question."""
    FAIL = "FAIL"
    """It stands in the book, but does not answer the question, or leaves out what matters."""
    HALLUCINATION = "HALLUCINATION"
    """It says something that the book does not say."""


class AnswerGrade(Value):
    """One expert's verdict on one answer."""

    id: UUID = Field(default_factory=uuid4)
    answer_id: UUID
    verdict: Verdict
    note: str | None = Field(default=None, min_length=1, max_length=MAX_NOTE_CHARACTERS)
    grader: str = Field(min_length=1, max_length=100)
    confidence: float = Field(ge=0.0, le=1.0)
    """Of the answer: the audit record may be gone before its grade."""
    created_at: UtcTime


class LevelFigures(Value):
    """How the answers of one level of confidence fared."""

    level: ConfidenceLevel
    graded: int = Field(ge=0)
    passed: int = Field(ge=0)
    hallucinated: int = Field(ge=0)

    @property
    def share_passed(self) -> float | None:
        return self.passed / self.graded if self.graded else None
