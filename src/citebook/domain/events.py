"""What a reader may be told while an answer is made, in the order in which it happens."""

from citebook.domain.answer import Answer, Citation, ProvenClaim, introducing
from citebook.domain.blocks import AnswerPart
from citebook.domain.errors import ErrorContext
from citebook.domain.evidence import QueryResult
from citebook.domain.value import Value
from citebook.domain.wording import Correction


class EvidenceFound(Value):
    result: QueryResult
    corrections: tuple[Correction, ...] = ()
    """What was searched for in place of words of the question."""


class SentenceVerified(Value):
    """One more sentence of the answer; its proof has been checked."""

    claim: ProvenClaim
    citation: Citation
    text: str
    """What it adds to the text of the answer, white space before it included."""
    introduction: str | None = None
    """With the first sentence: what stands before it, in `text` too."""

    @property
    def parts(self) -> tuple[AnswerPart, ...]:
        """The same as `text`, as blocks."""
        return (*introducing(self.introduction), self.claim.part)


class AnswerCompleted(Value):
    answer: Answer
    is_kept: bool = True
    """False where the exchange could be kept neither in SQL nor on the disk, or its session is gone."""


class AnswerFailed(Value):
    error: ErrorContext
    code: str
    answer: Answer
    retry_after: int | None = None
    """Seconds, where it is known when it is worth trying again."""


Event = EvidenceFound | SentenceVerified | AnswerCompleted | AnswerFailed
