"""What every store of books' chunks must do, on SQLite and on a real PostgreSQL."""

from datetime import datetime, timedelta

import pytest

from citebook.adapters.sql.chunk_store import SqlChunkStore
from citebook.adapters.sql.database import Database
from citebook.domain.kept_chunks import KeptChunk
from tests.fakes import make_chunk
from tests.records import NOON

GEARS = KeptChunk.of(make_chunk("A harmonic drive is a gear.", "gears.mdx", tags=("gears",), module=1))
BELTS = KeptChunk.of(make_chunk("A belt is cheap.", "belts.mdx"))
PAGED = KeptChunk.of(make_chunk("On paper.", "manual.pdf").model_copy(update={"page_start": 3, "page_end": 4}))


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(database: Database, clock: Clock) -> SqlChunkStore:
    return SqlChunkStore(database, clock)


async def publish(store: SqlChunkStore, edition: str, *chunks: KeptChunk, book: str = "robots") -> None:
    await store.add(book, chunks)
    await store.finish(book, edition, frozenset(chunk.chunk_id for chunk in chunks))


async def test_a_chunk_comes_back_as_it_was_ingested(store: SqlChunkStore) -> None:
    await publish(store, "first", GEARS, PAGED)
    found = await store.find([GEARS.chunk_id, PAGED.chunk_id, BELTS.chunk_id])
    assert found == {GEARS.chunk_id: GEARS, PAGED.chunk_id: PAGED}
    assert all(chunk.is_intact() for chunk in found.values())
    assert (found[PAGED.chunk_id].start_page, found[PAGED.chunk_id].end_page) == (3, 4)
    assert found[GEARS.chunk_id].parent_document_id == "gears"


async def test_it_says_which_edition_of_a_book_it_holds(store: SqlChunkStore) -> None:
    assert await store.edition("robots") is None
    await store.add("robots", [GEARS])
    assert await store.edition("robots") is None, "one that was cut short is not held"
    await publish(store, "first", GEARS)
    await publish(store, "second", GEARS, BELTS)
    assert (await store.edition("robots"), await store.edition("plants")) == ("second", None)


async def test_what_left_the_book_is_still_found(store: SqlChunkStore) -> None:
    await publish(store, "first", GEARS, BELTS)
    await publish(store, "second", BELTS)
    assert GEARS.chunk_id in await store.find([GEARS.chunk_id])


async def test_the_same_text_in_another_place_is_told_there(store: SqlChunkStore) -> None:
    moved = GEARS.model_copy(update={"metadata": {**GEARS.metadata, "url": "/docs/elsewhere"}, "start_sentence": 7})
    moved = moved.model_copy(update={"end_sentence": 8})
    await publish(store, "first", GEARS)
    await publish(store, "second", moved)
    assert await store.find([GEARS.chunk_id]) == {GEARS.chunk_id: moved}


async def test_what_left_its_book_long_ago_is_deleted(store: SqlChunkStore, clock: Clock) -> None:
    await publish(store, "first", GEARS, BELTS)
    clock.now += timedelta(days=10)
    await publish(store, "second", BELTS)
    assert await store.purge(clock.now) == 0
    assert await store.purge(clock.now + timedelta(days=1)) == 1
    assert await store.find([GEARS.chunk_id, BELTS.chunk_id]) == {BELTS.chunk_id: BELTS}


async def test_what_came_back_is_not_deleted(store: SqlChunkStore, clock: Clock) -> None:
    await publish(store, "first", GEARS)
    await publish(store, "second", BELTS)
    await publish(store, "third", GEARS, BELTS)
    assert await store.purge(clock.now + timedelta(days=1)) == 0


async def test_books_are_kept_apart(store: SqlChunkStore, clock: Clock) -> None:
    await publish(store, "first", GEARS)
    await publish(store, "first", BELTS, book="plants")
    await publish(store, "second", GEARS, book="plants")
    assert await store.purge(clock.now + timedelta(days=1)) == 1
    assert GEARS.chunk_id in await store.find([GEARS.chunk_id])


async def test_texts_that_no_database_takes_are_kept_as_they_can_be(store: SqlChunkStore) -> None:
    odd = KeptChunk.of(make_chunk("A\x00B \U0001f916.", "odd.mdx"))
    await publish(store, "first", odd)
    assert (await store.find([odd.chunk_id]))[odd.chunk_id].text == "A\ufffdB \U0001f916."
