"""What every embedder must do, whoever makes the vectors."""

from collections.abc import Iterator

import numpy as np
import pytest

from citebook.adapters.cohere import CohereEmbedder, connect
from citebook.adapters.local_model.embedder import LocalEmbedder
from citebook.adapters.openai_embeddings import OpenAIEmbedder
from citebook.adapters.token_counting import count_tokens
from citebook.domain.book import EmbedderStamp
from citebook.domain.errors import EmbedderFailed
from citebook.ports import Embedder
from citebook.settings import read_settings
from tests.fakes import WORKERS
from tests.ports.embedding_server import DIMENSION, EmbeddingServer, serving

pytestmark = pytest.mark.network

STAMP = EmbedderStamp(name="text-embedding-3-small", dimension=DIMENSION, max_tokens=512)
KEY = "sk-canary"
REMOTE = ["openai", "cohere"]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving() as running:
        yield running


@pytest.fixture(params=["local", *REMOTE])
async def embedder(request: pytest.FixtureRequest, server: EmbeddingServer) -> Embedder:
    return embedder_named(request.param, server)


@pytest.fixture(params=REMOTE)
async def remote(request: pytest.FixtureRequest, server: EmbeddingServer) -> Embedder:
    return embedder_named(request.param, server)


def embedder_named(name: str, server: EmbeddingServer) -> Embedder:
    if name == "local":
        return LocalEmbedder(read_settings().citebook_cache_dir, WORKERS)
    if name == "openai":
        return OpenAIEmbedder.connect(STAMP, KEY, f"{server.url}/v1", count_tokens, seconds=5.0)
    return CohereEmbedder(connect(KEY, server.url, seconds=5.0), STAMP, count_tokens)


async def test_a_vector_a_text_in_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = ["the knee bends", "the ankle rolls", "the hip swings"]
    together = await embedder.embed_passages(texts)
    assert together.shape == (3, embedder.stamp.dimension)
    for text, vector in zip(texts, together, strict=True):
        (alone,) = await embedder.embed_passages([text])
        assert float(alone @ vector) > 0.999


async def test_vectors_have_length_one(embedder: Embedder) -> None:
    vectors = await embedder.embed_passages(["torque", "a much longer text about gears and torque"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)
    assert np.linalg.norm(await embedder.embed_question("what is torque?")) == pytest.approx(1.0, abs=1e-4)


async def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert (await embedder.embed_passages([])).shape == (0, embedder.stamp.dimension)


async def test_longer_texts_have_more_tokens(embedder: Embedder) -> None:
    short, long, none = embedder.count_tokens(["gear", "gear " * 50, ""])
    assert 0 == none < short < long


async def test_a_question_is_near_the_passage_of_its_words(embedder: Embedder) -> None:
    question = await embedder.embed_question("how does a harmonic drive work")
    near, far = await embedder.embed_passages(["a harmonic drive works by bending a cup", "pasta needs salted water"])
    assert float(question @ near) > float(question @ far)


async def test_many_texts_go_in_batches(remote: Embedder, server: EmbeddingServer) -> None:
    texts = [f"text {number}" for number in range(200)]
    assert (await remote.embed_passages(texts)).shape == (200, DIMENSION)
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 429, 500, 503])
async def test_a_vendor_s_refusal_is_a_failed_embedder(
    remote: Embedder, server: EmbeddingServer, status: int
) -> None:
    server.failures = [status] * 10
    with pytest.raises(EmbedderFailed) as failure:
        await remote.embed_question("torque")
    assert "secret" not in str(failure.value)
    assert KEY not in str(failure.value)


async def test_a_question_is_sent_once_even_if_it_fails(remote: Embedder, server: EmbeddingServer) -> None:
    server.failures = [500] * 10
    with pytest.raises(EmbedderFailed):
        await remote.embed_question("torque")
    assert len(server.requests) == 1


async def test_passages_are_sent_again_after_a_passing_failure(remote: Embedder, server: EmbeddingServer) -> None:
    server.failures = [503]
    assert (await remote.embed_passages(["torque"])).shape == (1, DIMENSION)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(b"<html>", id="no JSON"),
        pytest.param({"data": None, "embeddings": None, "model": "m", "object": "list"}, id="nothing"),
        pytest.param({"data": [17], "embeddings": {"float": "17"}, "model": "m", "object": "list"}, id="no lists"),
        pytest.param({"data": [], "embeddings": {"float": []}, "model": "m", "object": "list"}, id="no vector"),
        pytest.param(
            {
                "data": [{"index": 0, "embedding": [1.0], "object": "embedding"}],
                "embeddings": {"float": [[1.0]]},
                "id": "1",
                "response_type": "embeddings_by_type",
                "model": "m",
                "object": "list",
            },
            id="another dimension",
        ),
        pytest.param(
            {
                "data": [{"index": 0, "embedding": [0.0] * DIMENSION, "object": "embedding"}],
                "embeddings": {"float": [[0.0] * DIMENSION]},
                "id": "1",
                "response_type": "embeddings_by_type",
                "model": "m",
                "object": "list",
            },
            id="a vector of zeros",
        ),
    ],
)
async def test_nonsense_is_a_failed_embedder(
    remote: Embedder, server: EmbeddingServer, reply: dict[str, object] | bytes
) -> None:
    server.reply = reply
    with pytest.raises(EmbedderFailed):
        await remote.embed_question("torque")


async def test_nobody_listening_is_a_failed_embedder(server: EmbeddingServer) -> None:
    for name in REMOTE:
        lonely = embedder_named(name, server)
        server.server_close()
        with pytest.raises(EmbedderFailed):
            await lonely.embed_question("torque")


async def test_cohere_is_told_what_is_a_question_and_what_a_passage(server: EmbeddingServer) -> None:
    cohere = embedder_named("cohere", server)
    await cohere.embed_question("torque")
    await cohere.embed_passages(["torque"])
    assert [body["input_type"] for _, body, _ in server.requests] == ["search_query", "search_document"]


async def test_the_key_goes_out_as_a_bearer_token(remote: Embedder, server: EmbeddingServer) -> None:
    await remote.embed_question("torque")
    headers = {name.lower(): value for name, value in server.requests[0][2].items()}
    assert headers["authorization"] == f"Bearer {KEY}"
