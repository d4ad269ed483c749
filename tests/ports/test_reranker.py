"""What every reranker must do."""

from collections.abc import Iterator

import pytest

from citebook.adapters.cohere import CohereReranker, connect
from citebook.domain.errors import RerankerFailed
from tests.ports.embedding_server import EmbeddingServer, serving

pytestmark = pytest.mark.network


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as running:
        yield running


def reranker(server: EmbeddingServer) -> CohereReranker:
    return CohereReranker(connect("key", server.url, seconds=5.0), "rerank-v3.5")


async def test_scores_come_in_the_order_of_the_passages(server: EmbeddingServer) -> None:
    scores = await reranker(server).rerank("harmonic drive", ["pasta", "a harmonic drive", "a drive"])
    assert scores == [0.0, 1.0, 0.5]


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
