"""An index on another machine, under guard: waited for in time, and left alone while it keeps failing."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from citebook.domain.book import BookPage, Edition
from citebook.domain.errors import VectorStoreUnavailable, VectorStoreUnreachable
from citebook.domain.evidence import FoundChunk, SearchHits
from citebook.domain.outline import Outline
from citebook.domain.question import Filters
from citebook.domain.wording import Wording
from citebook.pacing.breaker import Breaker
from citebook.ports import ChunkIndex, Vector

Result = TypeVar("Result")


class GuardedIndex:
    """A `ChunkIndex` that fails at once after five failures in a row, until a probe succeeds."""

    def __init__(self, index: ChunkIndex, seconds: float) -> None:
        """`seconds` is for one call: a server that hangs is one that cannot be reached."""
        self._index, self._seconds = index, seconds
        self._breaker = Breaker("the index")

    async def edition(self) -> Edition:
        return await self._asked(self._index.edition)

    async def search(self, terms: Sequence[str], vector: Vector | None, filters: Filters, depth: int) -> SearchHits:
        return await self._asked(lambda: self._index.search(terms, vector, filters, depth))

    async def chunks(
        self, edition: str, keys: Sequence[str], vector: Vector | None = None
    ) -> Mapping[str, FoundChunk]:
        return await self._asked(lambda: self._index.chunks(edition, keys, vector))

    async def wording(self) -> Wording:
        return await self._asked(self._index.wording)

    async def outline(self) -> Outline:
        return await self._asked(self._index.outline)

    async def page(self, chapter_id: str) -> BookPage | None:
        return await self._asked(lambda: self._index.page(chapter_id))

    async def aclose(self) -> None:
        await self._index.aclose()

    async def _asked(self, ask: Callable[[], Awaitable[Result]]) -> Result:
        if not self._breaker.admits():
            raise VectorStoreUnreachable("The index failed again and again, and is left alone for a moment")
        try:
            async with asyncio.timeout(self._seconds):
                found = await ask()
        except TimeoutError:
            self._breaker.failed()
            raise VectorStoreUnreachable(f"The index did not answer within {self._seconds:g} s") from None
        except VectorStoreUnavailable:
            self._breaker.failed()
            raise
        self._breaker.succeeded()
        return found
