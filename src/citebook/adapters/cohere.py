"""Cohere's embedder and reranker."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

import numpy as np

from citebook.domain.book import EmbedderStamp
from citebook.domain.errors import DependencyError, EmbedderFailed, RerankerFailed
from citebook.extras import brought_by
from citebook.ports import Vector, Vectors

with brought_by("cohere"):
    from cohere import AsyncClientV2
    from cohere.core.api_error import ApiError
    from httpx import HTTPError

_BATCH = 96
"""Texts that Cohere takes in one call."""
_RETRIES_WHILE_INGESTING = 4


def connect(api_key: str, base_url: str, seconds: float) -> AsyncClientV2:
    return AsyncClientV2(
        api_key, base_url=base_url, timeout=seconds, max_retries=0, log_warning_experimental_features=False
    )


class CohereEmbedder:
    """Cohere's models embed a question and a passage in two different ways."""

    def __init__(
        self, client: AsyncClientV2, stamp: EmbedderStamp, count_tokens: Callable[[Sequence[str]], list[int]]
    ) -> None:
        self.stamp = stamp
        self._client, self._count_tokens = client, count_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._count_tokens(texts)

    async def embed_question(self, text: str) -> Vector:
        vector: Vector = (await self._embed([text], "search_query", retries=0))[0]
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        found = [await self._embed(batch, "search_document", _RETRIES_WHILE_INGESTING) for batch in batches]
        return np.concatenate(found) if found else np.empty((0, self.stamp.dimension), np.float32)

    async def aclose(self) -> None:
        await self._client.__aexit__(None, None, None)  # type: ignore[no-untyped-call]

    def load(self) -> None:
        """The client is there already."""

    async def _embed(
        self, texts: Sequence[str], kind: Literal["search_query", "search_document"], retries: int
    ) -> Vectors:
        with _translated(EmbedderFailed):
            answer = await self._client.embed(
                model=self.stamp.name,
                input_type=kind,
                texts=list(texts),
                embedding_types=["float"],
                request_options={"max_retries": retries},
            )
            vectors = np.array(answer.embeddings.float_, np.float32)
        if vectors.shape != (len(texts), self.stamp.dimension):
            raise EmbedderFailed(
                f"{self.stamp.name} gave vectors of the shape {vectors.shape}; "
                f"{self.stamp.dimension} dimensions are set. Check EMBEDDER_DIMENSION."
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or not lengths.all():
            raise EmbedderFailed(f"{self.stamp.name} gave a vector that cannot be searched with")
        unit: Vectors = vectors / lengths
        return unit


class CohereReranker:
    def __init__(self, client: AsyncClientV2, model: str) -> None:
        self.name = model
        self._client = client

    async def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        with _translated(RerankerFailed):
            answer = await self._client.rerank(model=self.name, query=question, documents=list(passages))
            scores = {result.index: float(result.relevance_score) for result in answer.results}
        if scores.keys() != set(range(len(passages))) or not all(0.0 <= score <= 1.0 for score in scores.values()):
            raise RerankerFailed(f"{self.name} did not give each passage a score between 0 and 1")
        return [scores[index] for index in range(len(passages))]

    async def aclose(self) -> None:
        await self._client.__aexit__(None, None, None)  # type: ignore[no-untyped-call]


@contextmanager
def _translated(failure: type[DependencyError]) -> Iterator[None]:
    """Around a call and the reading of its body: errors of the SDK and its HTTP client as ours, by their class."""
    try:
        yield
    except (ApiError, HTTPError, ValueError, TypeError, AttributeError) as error:
        raise failure(f"Cohere failed: {type(error).__name__}") from error
