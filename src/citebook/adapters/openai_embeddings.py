"""Vectors from any endpoint that speaks OpenAI's embeddings API: OpenAI, Gemini, Ollama, vLLM, llama.cpp."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from citebook.domain.book import EmbedderStamp
from citebook.domain.errors import EmbedderFailed
from citebook.extras import brought_by
from citebook.ports import Vector, Vectors

with brought_by("openai"):
    from openai import AsyncOpenAI, OpenAIError, omit
    from openai.types import CreateEmbeddingResponse

_BATCH = 96
_RETRIES_WHILE_INGESTING = 4
"""A book takes minutes and its author waits for no single call; a reader's question is never tried twice here."""


class OpenAIEmbedder:
    def __init__(
        self, client: AsyncOpenAI, stamp: EmbedderStamp, count_tokens: Callable[[Sequence[str]], list[int]]
    ) -> None:
        self.stamp = stamp
        self._client, self._count_tokens = client, count_tokens

    @classmethod
    def connect(
        cls,
        stamp: EmbedderStamp,
        api_key: str,
        base_url: str,
        count_tokens: Callable[[Sequence[str]], list[int]],
        seconds: float,
    ) -> "OpenAIEmbedder":
        client = AsyncOpenAI(api_key=api_key, base_url=base_url, timeout=seconds, max_retries=0)
        return cls(client, stamp, count_tokens)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._count_tokens(texts)

    async def embed_question(self, text: str) -> Vector:
        vector: Vector = (await self._embed([text], retries=0))[0]
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        found = [await self._embed(batch, _RETRIES_WHILE_INGESTING) for batch in batches]
        return np.concatenate(found) if found else np.empty((0, self.stamp.dimension), np.float32)

    async def aclose(self) -> None:
        await self._client.close()

    def load(self) -> None:
        """The client is there already."""

    async def _embed(self, texts: Sequence[str], retries: int) -> Vectors:
        client = self._client.with_options(max_retries=retries)
        # Only OpenAI's third generation can shorten its vectors; other models refuse to be asked.
        can_be_shortened = self.stamp.name.startswith("text-embedding-3")
        with _translated():
            answer = await client.embeddings.create(
                model=self.stamp.name,
                input=list(texts),
                encoding_format="float",
                dimensions=self.stamp.dimension if can_be_shortened else omit,
            )
            vectors = _vectors_of(answer)
        if vectors.shape != (len(texts), self.stamp.dimension):
            raise EmbedderFailed(
                f"{self.stamp.name} gave vectors of the shape {vectors.shape} for {len(texts)} texts; "
                f"{self.stamp.dimension} dimensions are set. Check EMBEDDER_DIMENSION."
            )
        return _of_length_one(vectors)


def _vectors_of(answer: CreateEmbeddingResponse) -> Vectors:
    rows = [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
    return np.array(rows, np.float32)


def _of_length_one(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(vectors).all() or not lengths.all():
        raise EmbedderFailed("The embedder gave a vector that cannot be searched with")
    unit: Vectors = vectors / lengths
    return unit


@contextmanager
def _translated() -> Iterator[None]:
    """Around a call and the reading of its body. Errors' texts may hold parts of a key: only their class is named."""
    try:
        yield
    except (OpenAIError, ValueError, TypeError, AttributeError) as error:
        raise EmbedderFailed(f"The embedding service failed: {type(error).__name__}") from error
