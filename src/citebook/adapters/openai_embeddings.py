"""Vectors from any endpoint that speaks OpenAI's embeddings API: OpenAI, Gemini, Ollama, vLLM, llama.cpp."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from citebook.domain.book import EmbedderStamp
from citebook.domain.errors import EmbedderFailed
from citebook.ports import Vector, Vectors

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_BATCH = 96
_RETRIES_WHILE_INGESTING = 4
"""A book takes minutes and its author waits for no single call; a reader's question is never tried twice here."""


class OpenAIEmbedder:
    def __init__(
        self,
        stamp: EmbedderStamp,
        api_key: str,
        base_url: str | None,
        count_tokens: Callable[[Sequence[str]], list[int]],
        seconds: float,
    ) -> None:
        self.stamp = stamp
        self._api_key, self._base_url, self._seconds = api_key, base_url, seconds
        self._count_tokens = count_tokens

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
        """Does now what the first call would do: makes the client."""
        _ = self._client

    async def _embed(self, texts: Sequence[str], retries: int) -> Vectors:
        from openai import omit

        # Only OpenAI's third generation can shorten its vectors; other models refuse to be asked.
        can_be_shortened = self.stamp.name.startswith("text-embedding-3")
        with _translated():
            client = self._client.with_options(max_retries=retries)
            answer = await client.embeddings.create(
                model=self.stamp.name,
                input=list(texts),
                encoding_format="float",
                dimensions=self.stamp.dimension if can_be_shortened else omit,
            )
        rows = [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
        if len(rows) != len(texts) or any(len(row) != self.stamp.dimension for row in rows):
            raise EmbedderFailed(
                f"{self.stamp.name} gave {len(rows)} vectors of {len(rows[0]) if rows else 0} dimensions "
                f"for {len(texts)} texts; {self.stamp.dimension} dimensions are set. Check EMBEDDER_DIMENSION."
            )
        return _of_length_one(np.asarray(rows, np.float32))

    @cached_property
    def _client(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI

        return AsyncOpenAI(api_key=self._api_key, base_url=self._base_url, timeout=self._seconds, max_retries=0)


def _of_length_one(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(vectors).all() or not lengths.all():
        raise EmbedderFailed("The embedder gave a vector that cannot be searched with")
    unit: Vectors = vectors / lengths
    return unit


@contextmanager
def _translated() -> Iterator[None]:
    """Errors of the SDK as ours; their texts may hold parts of a key, so only their class is named."""
    from openai import OpenAIError

    try:
        yield
    except (OpenAIError, ValueError) as error:  # ValueError: a body that is not JSON
        raise EmbedderFailed(f"The embedding service failed: {type(error).__name__}") from error
