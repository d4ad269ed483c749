"""An embedder under watch: waited for in time, left alone while it keeps failing, and never believed nonsense."""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from citebook.domain.book import EmbedderStamp
from citebook.domain.errors import EmbedderFailed
from citebook.domain.vectors import are_searchable
from citebook.pacing.breaker import Breaker
from citebook.ports import LoadableEmbedder, Vector, Vectors

log = logging.getLogger(__name__)

_PROBE = "Is anyone there?"


class WatchedEmbedder:
    """While it fails, questions are searched by words alone; after five failures in a row it is only probed."""

    def __init__(self, embedder: LoadableEmbedder, seconds: float | None) -> None:
        """`seconds` is what a question may wait for its vector, so that time is left to search without one.

        None where no reader waits.
        """
        self._embedder, self._seconds = embedder, seconds
        self._breaker = Breaker("the embedder")
        self.is_up = True
        """Whether it did what was asked of it last."""
        self.failures = 0
        """Since the start."""

    @property
    def stamp(self) -> EmbedderStamp:
        return self._embedder.stamp

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)

    def load(self) -> None:
        with self._watched():
            self._embedder.load()

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        with self._watched():
            vectors = await self._embedder.embed_passages(texts)
            self._check(vectors, len(texts))
        return vectors

    async def embed_question(self, text: str) -> Vector:
        if not self._breaker.admits():
            raise EmbedderFailed("The embedder failed again and again, and is left alone for a moment")
        return await self._embed_question(text)

    async def ping(self) -> None:
        """Raises `EmbedderFailed` where it gives no vector. Asks also one that is left alone."""
        await self._embed_question(_PROBE)

    async def aclose(self) -> None:
        await self._embedder.aclose()

    async def _embed_question(self, text: str) -> Vector:
        with self._watched():
            try:
                async with asyncio.timeout(self._seconds):
                    vector = await self._embedder.embed_question(text)
            except TimeoutError:
                raise EmbedderFailed(f"The embedder did not answer within {self._seconds} s") from None
            self._check(vector[np.newaxis], 1)
        self._breaker.succeeded()
        return vector

    def _check(self, vectors: Vectors, count: int) -> None:
        if not are_searchable(vectors, count, self.stamp.dimension):
            raise EmbedderFailed(f"{self.stamp.name} gave a vector that cannot be searched with")

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except EmbedderFailed as error:
            self.is_up = False
            self.failures += 1
            self._breaker.failed()
            log.warning("the embedder failed (failure %d since the start): %s", self.failures, error)
            raise
        self.is_up = True
