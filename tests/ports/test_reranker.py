"""What every reranker must do, and what a vendor's answers must not do to it.

The local one is run as it is, on this machine.
"""

from collections.abc import Iterator

import pytest

from citebook.adapters.cohere import CohereReranker, connect
from citebook.adapters.local_model.examiner import LocalExaminer
from citebook.adapters.local_model.reranker import LocalReranker
from citebook.domain.errors import RerankerFailed
from citebook.ports import Reranker
from tests.fakes import WORKERS
from tests.ports.embedding_server import EmbeddingServer, serving

pytestmark = pytest.mark.network


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as running:
        yield running


def reranker(server: EmbeddingServer) -> CohereReranker:
    return CohereReranker(connect("key", server.url, seconds=5.0), "rerank-v3.5")


@pytest.fixture(params=["cohere", "local"])
def any_reranker(request: pytest.FixtureRequest, server: EmbeddingServer) -> Reranker:
    return reranker(server) if request.param == "cohere" else LocalReranker(LocalExaminer(), WORKERS, seconds=60.0)


QUESTION = "What is a harmonic drive?"
PASSAGES = [
    "The cafeteria serves soup on Sunday.",
    "A harmonic drive is a gear that bends a thin steel cup.",
    "Choose the right drive for your car.",
]


async def test_the_passage_that_answers_has_the_highest_score(any_reranker: Reranker) -> None:
    soup, answer, car = await any_reranker.rerank(QUESTION, PASSAGES)
    assert answer > max(soup, car)


async def test_scores_come_in_the_order_of_the_passages(any_reranker: Reranker) -> None:
    scores = await any_reranker.rerank(QUESTION, PASSAGES)
    assert await any_reranker.rerank(QUESTION, PASSAGES[::-1]) == pytest.approx(scores[::-1], abs=0.05)


async def test_scores_lie_between_0_and_1(any_reranker: Reranker) -> None:
    scores = await any_reranker.rerank(QUESTION, [*PASSAGES * 7, "", QUESTION])
    assert len(scores) == 23
    assert all(0.0 <= score <= 1.0 for score in scores)


async def test_it_has_a_name_and_can_be_closed(any_reranker: Reranker) -> None:
    assert any_reranker.name
    await any_reranker.rerank(QUESTION, PASSAGES)
    await any_reranker.aclose()


@pytest.mark.parametrize("status", [401, 429, 500])
async def test_a_vendor_s_refusal_is_a_failed_reranker(server: EmbeddingServer, status: int) -> None:
    server.failures = [status] * 5
    with pytest.raises(RerankerFailed):
        await reranker(server).rerank("drive", ["a drive"])
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "results",
    [
        pytest.param([], id="a passage without a score"),
        pytest.param(None, id="no results"),
        pytest.param([{"index": 0, "relevance_score": "high"}], id="a score that is no number"),
        pytest.param([{"index": 7, "relevance_score": 0.5}], id="a passage that was not sent"),
        pytest.param([{"index": 0, "relevance_score": 7.0}], id="a score above 1"),
    ],
)
async def test_nonsense_is_a_failed_reranker(
    server: EmbeddingServer, results: list[dict[str, object]] | None
) -> None:
    server.reply = {"id": "1", "results": results}
    with pytest.raises(RerankerFailed):
        await reranker(server).rerank("drive", ["a drive"])
