"""How a second reading reorders what was found."""

import logging
from collections.abc import Sequence
from typing import Any

import pytest

from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.domain.errors import RerankerFailed
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Filters
from citebook.searching.ranking import Weights
from citebook.searching.reranking import LikestUnits, Reranking
from tests.fakes import WORKERS, ListIndex, WordEmbedder, make_chunk

CHUNKS = [make_chunk(f"Text of page {number}.", f"{number}.mdx") for number in range(12)]
BLENDED_ORDER = [f"{number}.mdx" for number in range(12)]
COSINES = {file: 0.9 - place / 20 for place, file in enumerate(BLENDED_ORDER)}


class ReverseReranker:
    """Likes best what was found last."""

    name = "reverse"

    def __init__(self, error: RerankerFailed | None = None) -> None:
        self._error = error
        self.read = 0

    async def rerank(self, question: str, passages: Sequence[str]) -> list[float]:  # noqa: ARG002
        if self._error is not None:
            raise self._error
        self.read = len(passages)
        return [place / len(passages) for place in range(len(passages))]

    async def aclose(self) -> None:
        """There is nothing to close."""


async def retrieve(reranker: ReverseReranker, keep: int = 3, **reading: Any) -> QueryResult:
    reranking = Reranking(reranker, candidates=10, keep=5, **reading)
    cosine_only = Weights(dense=1.0, lexical=0.0).without_bonuses()
    index = ListIndex(COSINES, CHUNKS)
    agent = QdrantRetrievalAgent(WordEmbedder(), index, cosine_only, WORKERS, reranking=reranking)
    return await agent.retrieve("a question", Filters(), keep)


def files(result: QueryResult) -> list[str]:
    return [found.chunk.place.source_file for found in result.retrieved_chunks]


async def test_ten_are_read_and_the_best_kept_in_the_reranker_s_order() -> None:
    reranker = ReverseReranker()
    result = await retrieve(reranker)
    assert reranker.read == 10
    assert files(result) == ["9.mdx", "8.mdx", "7.mdx"]
    assert [found.relevance_score for found in result.retrieved_chunks] == [0.9, 0.8, 0.7]


async def test_what_was_not_kept_may_be_quoted_with_the_search_s_score() -> None:
    nearby = (await retrieve(ReverseReranker())).nearby
    assert [found.chunk.place.source_file for found in nearby] == BLENDED_ORDER[:7]
    assert [found.relevance_score for found in nearby] == [found.score for found in nearby]


async def test_no_more_are_read_than_are_set_however_many_are_wanted() -> None:
    reranker = ReverseReranker()
    assert len(files(await retrieve(reranker, keep=12))) == 5
    assert reranker.read == 10


async def test_no_more_are_kept_than_the_reranker_is_set_to_keep() -> None:
    assert len(files(await retrieve(ReverseReranker(), keep=8))) == 5


async def test_the_blended_score_stays_beside_the_reranker_s() -> None:
    result = await retrieve(ReverseReranker())
    assert [round(found.score, 3) for found in result.retrieved_chunks] == [0.725, 0.75, 0.775]


async def test_a_failed_reranker_costs_the_order_not_the_answer(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        result = await retrieve(ReverseReranker(RerankerFailed("Cohere failed: TooManyRequestsError")))
    assert files(result) == BLENDED_ORDER[:3]
    assert "not reranked" in caplog.text
    assert result.searched_with is not None
    assert result.searched_with.reranker == "none"


async def test_while_others_wait_nothing_is_read_again() -> None:
    reranker = ReverseReranker()
    result = await retrieve(reranker, is_hurried=lambda: True)
    assert reranker.read == 0
    assert files(result) == BLENDED_ORDER[:3]
    assert result.searched_with is not None
    assert result.searched_with.reranker == "none"


async def test_what_is_blended_is_blended_for_what_may_be_quoted_too() -> None:
    result = await retrieve(ReverseReranker(), reading=LikestUnits())
    found = (*result.retrieved_chunks, *result.nearby)
    assert [one.rank for one in found] == list(range(1, 9))
    assert all(one.deciding_score <= one.score for one in found)
    assert result.searched_with is not None
    assert result.searched_with.reranker == "reverse (10 read, 5 kept)"
