"""Adapters that keep everything in memory."""

from collections.abc import Sequence

from citebook.domain.book import EmbedderStamp
from citebook.ports import Embedder, Vector, Vectors


class RememberingEmbedder:
    """Embeds each question once, where the same questions are asked in several ways."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}

    @property
    def stamp(self) -> EmbedderStamp:
        return self._embedder.stamp

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)

    async def aclose(self) -> None:
        await self._embedder.aclose()

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._embedder.embed_passages(texts)

    async def embed_question(self, text: str) -> Vector:
        if text not in self._known:
            self._known[text] = await self._embedder.embed_question(text)
        return self._known[text]
