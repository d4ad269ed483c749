"""The local reranker: the examiner that ships, asked about what a search found."""

import asyncio
from collections.abc import Sequence
from math import exp

from citebook.adapters.local_model.examiner import NAME, LocalExaminer
from citebook.domain.errors import ExaminerFailed, RerankerFailed
from citebook.pacing.workers import Workers

_AT_ONCE = 8
"""Passages of one piece of work: what nobody waits for any more ends with the piece that is being read."""
_LEAST = -500.0
"""Points below it are as good as none, and too few to compute with."""


class LocalReranker:
    """Reads in the pool of those who work for answers, so that it never takes more than its turn there."""

    name = NAME

    def __init__(self, examiner: LocalExaminer, workers: Workers, seconds: float) -> None:
        """`seconds` is how long it may take for one question."""
        self._examiner, self._workers, self._seconds = examiner, workers, seconds

    async def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        try:
            async with asyncio.timeout(self._seconds):
                points = await self._points(question, passages)
        except ExaminerFailed as error:
            raise RerankerFailed(str(error)) from error
        except TimeoutError:
            raise RerankerFailed(f"{self.name} took longer than {self._seconds:g} seconds") from None
        return [1.0 / (1.0 + exp(-max(_LEAST, point))) for point in points]

    async def _points(self, question: str, passages: Sequence[str]) -> list[float]:
        points: list[float] = []
        for start in range(0, len(passages), _AT_ONCE):
            piece = passages[start : start + _AT_ONCE]
            points += await self._workers.run(self._examiner.examine, question, piece)
        return points

    async def aclose(self) -> None:
        await self._examiner.aclose()
