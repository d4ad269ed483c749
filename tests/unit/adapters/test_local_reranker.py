"""Where the local reranker works, for how long, and what becomes of it where the model fails."""

import asyncio
import threading
from collections.abc import Sequence
from time import sleep

import pytest

from citebook.adapters.local_model.examiner import LocalExaminer
from citebook.adapters.local_model.reranker import LocalReranker
from citebook.domain.errors import ExaminerFailed, RerankerFailed
from tests.fakes import WORKERS


class StandIn(LocalExaminer):
    """Takes its time, or fails, and notes what it read and where."""

    def __init__(self, seconds: float = 0.0, error: ExaminerFailed | None = None) -> None:
        self._seconds, self._error = seconds, error
        self.read: list[str] = []
        self.threads: set[str] = set()

    def examine(self, question: str, passages: Sequence[str]) -> list[float]:  # noqa: ARG002
        self.threads.add(threading.current_thread().name)
        sleep(self._seconds)
        if self._error is not None:
            raise self._error
        self.read += passages
        return [float(passage) for passage in passages]


async def test_it_reads_in_the_pool_for_the_work_of_answers() -> None:
    examiner = StandIn()
    scores = await LocalReranker(examiner, WORKERS, 5.0).rerank("?", [str(number - 9) for number in range(20)])
    assert scores == sorted(scores)
    assert scores[9] == 0.5
    assert all(thread.startswith("citebook-worker") for thread in examiner.threads)


async def test_an_examiner_that_fails_is_a_failed_reranker() -> None:
    broken = StandIn(error=ExaminerFailed("The local examiner failed: out of memory"))
    with pytest.raises(RerankerFailed, match="out of memory"):
        await LocalReranker(broken, WORKERS, 5.0).rerank("?", ["1"])


async def test_what_takes_too_long_fails_and_is_not_read_to_its_end() -> None:
    slow = StandIn(seconds=0.2)
    with pytest.raises(RerankerFailed, match=r"longer than 0\.1 seconds"):
        await LocalReranker(slow, WORKERS, 0.1).rerank("?", ["1"] * 100)
    await asyncio.sleep(0.4)
    assert len(slow.read) < 10


async def test_points_beyond_all_measure_are_scores_all_the_same() -> None:
    assert await LocalReranker(StandIn(), WORKERS, 5.0).rerank("?", ["-900", "900"]) == pytest.approx([0.0, 1.0])
