"""How questions are put to the reader of passages in tests."""

from collections.abc import Sequence

from citebook.domain.answer import Claim
from citebook.domain.book import Chunk
from citebook.domain.errors import ExaminerFailed
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Question
from citebook.reading.extractive import ExtractiveReader
from tests.fakes import evidence_of


class PointingExaminer:
    """Is sure of passages with a certain word, and of no others."""

    def __init__(self, word: str = "", points: float = 6.0, error: ExaminerFailed | None = None) -> None:
        self._word, self._points, self._error = word, points, error
        self.read: list[str] = []

    def examine(self, _question: str, passages: Sequence[str]) -> list[float]:
        self.read += passages
        if self._error is not None:
            raise self._error
        return [self._points if self._word in passage else -self._points for passage in passages]


def collect(question: Question, evidence: QueryResult, examiner: PointingExaminer | None = None) -> list[Claim]:
    return ExtractiveReader(examiner).quote(question, evidence)


def answer(question: str, *chunks: Chunk) -> list[Claim]:
    return collect(Question(text=question), evidence_of(*chunks, question=question))


def told(question: str, *chunks: Chunk) -> list[str]:
    return [claim.text for claim in answer(question, *chunks)]
