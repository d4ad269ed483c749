"""The text of books' chunks in SQL."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from citebook.adapters.sql.database import Database, uninterrupted
from citebook.adapters.sql.tables import book_chunk_editions, book_chunks
from citebook.domain.kept_chunks import KeptChunk
from citebook.domain.storable import storable, storable_value

_AT_ONCE = 500
"""Ids in one statement."""


class SqlChunkStore:
    def __init__(self, database: Database, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database, self._clock = database, clock

    @uninterrupted
    async def edition(self, book: str) -> str | None:
        query = select(book_chunk_editions.c.edition).where(book_chunk_editions.c.book == book)
        async with self._database.transaction("read") as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    @uninterrupted
    async def add(self, book: str, chunks: Sequence[KeptChunk]) -> None:
        rows = [self._row(book, chunk) for chunk in chunks]
        if not rows:
            return
        async with self._database.transaction("write") as connection:
            insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            adding = insert(book_chunks)
            new = adding.excluded
            same_as_before = adding.on_conflict_do_update(
                index_elements=["book", "chunk_id"],
                set_={name: new[name] for name in _MAY_CHANGE} | {"removed_at": None},
                where=or_(book_chunks.c.removed_at.is_not(None), *(_differs(name, new) for name in _MAY_CHANGE)),
            )
            await connection.execute(same_as_before, rows)

    def _row(self, book: str, chunk: KeptChunk) -> dict[str, Any]:
        values = {**dict(chunk), "text": storable(chunk.text), "metadata": storable_value(chunk.metadata)}
        return {**values, "book": book, "added_at": self._clock(), "removed_at": None}

    @uninterrupted
    async def finish(self, book: str, edition: str, chunk_ids: frozenset[str]) -> None:
        now, has_it = self._clock(), (book_chunks.c.book == book, book_chunks.c.removed_at.is_(None))
        kept = {"book": book, "edition": edition, "kept_at": now}
        async with self._database.transaction("write") as connection:
            known = (await connection.execute(select(book_chunks.c.chunk_id).where(*has_it))).scalars().all()
            gone = [chunk_id for chunk_id in known if chunk_id not in chunk_ids]
            for start in range(0, len(gone), _AT_ONCE):
                some = book_chunks.c.chunk_id.in_(gone[start : start + _AT_ONCE])
                await connection.execute(update(book_chunks).where(*has_it, some).values(removed_at=now))
            insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
            noting = insert(book_chunk_editions).values(kept)
            await connection.execute(noting.on_conflict_do_update(index_elements=["book"], set_=kept))

    @uninterrupted
    async def find(self, chunk_ids: Sequence[str]) -> Mapping[str, KeptChunk]:
        query = select(*(book_chunks.c[name] for name in KeptChunk.model_fields))
        async with self._database.transaction("read") as connection:
            rows = (await connection.execute(query.where(book_chunks.c.chunk_id.in_(chunk_ids)))).mappings().all()
        return {row["chunk_id"]: KeptChunk.model_validate(dict(row)) for row in rows}

    @uninterrupted
    async def purge(self, before: datetime) -> int:
        is_over = book_chunks.c.removed_at < before
        async with self._database.transaction("write") as connection:
            return (await connection.execute(delete(book_chunks).where(is_over))).rowcount


_MAY_CHANGE = ("start_page", "end_page", "start_sentence", "end_sentence", "metadata")
"""Where a chunk stands: the same text may move."""


def _differs(name: str, new: Any) -> Any:
    return book_chunks.c[name].is_distinct_from(new[name])
