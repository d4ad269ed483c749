"""Keeps the text of a book's chunks in the database, so that answers can be checked when the book is gone."""

from citebook.domain.kept_chunks import KeptChunk
from citebook.ports import BookIndex, ChunkStore


class ChunkKeeper:
    def __init__(self, index: BookIndex, store: ChunkStore, book: str) -> None:
        self._index, self._store, self._book = index, store, book

    async def keep(self) -> None:
        """Brings what is kept up to date with the edition that answers; writes nothing where it is.

        Should it be cut short, the edition counts as not kept, and the next ingest begins again.
        """
        edition = (await self._index.edition()).name
        if await self._store.edition(self._book) == edition:
            return
        seen: set[str] = set()
        async for chunks in self._index.all_chunks():
            await self._store.add(self._book, [KeptChunk.of(chunk) for chunk in chunks])
            seen.update(chunk.id for chunk in chunks)
        await self._store.finish(self._book, edition, frozenset(seen))
