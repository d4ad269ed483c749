"""Editions of a book as collections of a Qdrant server that other books use too."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from qdrant_client import AsyncQdrantClient, models

from citebook.adapters.qdrant import server_building, server_editions
from citebook.adapters.qdrant.server import QdrantServer, ServerAddress, ServerShape
from citebook.domain.errors import VectorStoreUnavailable
from tests.fakes import WORKERS, make_chunk
from tests.ports.test_book_index import EMBEDDER, edition_of, publish, search

CHUNK = make_chunk("Inverse kinematics finds joint angles.", "kinematics.mdx")

pytestmark = [
    pytest.mark.network,
    # qdrant-client warns that its local mode ignores payload indexes.
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning"),
]


@pytest.fixture
async def client() -> AsyncIterator[AsyncQdrantClient]:
    client = AsyncQdrantClient(":memory:")
    yield client
    await client.close()


async def collections(client: AsyncQdrantClient) -> set[str]:
    return {collection.name for collection in (await client.get_collections()).collections}


async def noted(client: AsyncQdrantClient, book: str) -> set[str]:
    """The editions that are told of on the server."""
    records, _ = await client.scroll(f"{book}--editions", limit=1_000)
    return {record.payload["name"] for record in records if record.payload and "name" in record.payload}


async def test_the_edition_before_is_kept_and_older_ones_go_with_their_descriptions(
    client: AsyncQdrantClient, tmp_path: Path
) -> None:
    book = QdrantServer(client, "biology", tmp_path, WORKERS)
    for name in ("1", "2", "3"):
        await publish(book, name, [CHUNK])
    assert await collections(client) == {"biology--editions", "biology--2", "biology--3"}
    assert await noted(client, "biology") == {"2", "3"}


async def test_a_book_whose_name_begins_with_another_s_is_left_alone(
    client: AsyncQdrantClient, tmp_path: Path
) -> None:
    draft, book = (QdrantServer(client, alias, tmp_path, WORKERS) for alias in ("biology--draft", "biology"))
    await publish(draft, "1", [CHUNK])
    for name in ("1", "2", "3"):
        await publish(book, name, [CHUNK])
    assert (await search(draft, "kinematics")).hits.edition == "1"
    assert {"biology--draft--editions", "biology--draft--1"} <= await collections(client)


async def test_what_a_killed_ingest_left_goes_with_the_next_one(client: AsyncQdrantClient, tmp_path: Path) -> None:
    book = QdrantServer(client, "biology", tmp_path, WORKERS)
    await book._editions.prepare()
    await book._editions.create("killed", EMBEDDER.stamp.dimension)
    await publish(book, "1", [CHUNK])
    assert await collections(client) == {"biology--editions", "biology--1"}
    assert await noted(client, "biology") == {"1"}


async def test_an_edition_that_is_not_published_is_told_of_no_more(client: AsyncQdrantClient, tmp_path: Path) -> None:
    book = QdrantServer(client, "biology", tmp_path, WORKERS)
    async with book.build("1", EMBEDDER.stamp):
        assert await noted(client, "biology") == {"1"}
    assert await collections(client) == {"biology--editions"}
    assert await noted(client, "biology") == set()


async def test_a_vocabulary_that_is_too_large_for_one_request_comes_back_whole(
    client: AsyncQdrantClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_editions, "_PART", 10)
    many = [make_chunk(" ".join(f"word{number}" for number in range(200)), "words.mdx")]
    await publish(QdrantServer(client, "biology", tmp_path, WORKERS), "1", many)
    reader = QdrantServer(client, "biology", tmp_path, WORKERS)
    assert not (await search(reader, "word0 word73 word199")).hits.missing_terms
    assert (await reader.edition()) == edition_of("1", many).model_copy(
        update={"created_at": (await reader.edition()).created_at}
    )


async def test_an_edition_that_lost_a_chunk_is_not_whole(client: AsyncQdrantClient, tmp_path: Path) -> None:
    book = QdrantServer(client, "biology", tmp_path, WORKERS)
    other = make_chunk("A biped balances.", "balance.mdx")
    await publish(book, "1", [CHUNK, other])
    assert await book.is_whole()
    await client.delete("biology--1", [str(other.point_id)])
    assert not await book.is_whole()


async def test_an_edition_that_is_not_described_says_what_to_do(client: AsyncQdrantClient, tmp_path: Path) -> None:
    await publish(QdrantServer(client, "biology", tmp_path, WORKERS), "1", [CHUNK])
    await client.delete_collection("biology--editions")
    await client.create_collection("biology--editions", vectors_config={})
    with pytest.raises(VectorStoreUnavailable, match="Delete the alias biology there and run: citebook ingest"):
        await QdrantServer(client, "biology", tmp_path, WORKERS).current()


async def test_no_request_holds_more_vectors_than_a_server_takes(
    client: AsyncQdrantClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors of large models are many times as long as ours."""
    dimension = EMBEDDER.stamp.dimension
    monkeypatch.setattr(server_building, "_MOST_NUMBERS", 3 * dimension)
    sent: list[int] = []
    upsert = client.upsert

    async def counted(collection: str, sent_points: list[Any], **how: Any) -> Any:
        if collection == "biology--1":
            sent.append(len(sent_points))
        return await upsert(collection, sent_points, **how)

    monkeypatch.setattr(client, "upsert", counted)
    chunks = [make_chunk(f"Joint {number} bends.", f"{number}.mdx") for number in range(7)]
    book = QdrantServer(client, "biology", tmp_path, WORKERS)
    await publish(book, "1", chunks)
    assert sent == [3, 3, 1]
    assert await book.is_whole()


async def test_the_alias_is_never_deleted_on_its_way_to_a_new_edition(
    client: AsyncQdrantClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two steps in one request a server does the first, even where the second fails."""
    book = QdrantServer(client, "biology", tmp_path, WORKERS)
    await publish(book, "1", [CHUNK])
    steps: list[Any] = []
    change = client.update_collection_aliases

    async def noted_change(operations: list[Any], **how: Any) -> Any:
        steps.extend(operations)
        return await change(operations, **how)

    monkeypatch.setattr(client, "update_collection_aliases", noted_change)
    await publish(book, "2", [CHUNK])
    assert [type(step) for step in steps] == [models.CreateAliasOperation]
    assert (await book.edition()).name == "2"


async def test_a_cluster_waits_for_its_nodes_for_less_time_than_we_wait_for_its_answer(
    client: AsyncQdrantClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: dict[str, set[int]] = {}

    def noting(step: str) -> Any:
        done = getattr(client, step)

        async def noted_step(*what: Any, **how: Any) -> Any:
            waits.setdefault(step, set()).add(how["timeout"])
            return await done(*what, **how)

        return noted_step

    for step in ("create_collection", "update_collection_aliases"):
        monkeypatch.setattr(client, step, noting(step))
    await publish(QdrantServer(client, "biology", tmp_path, WORKERS, request_seconds=20), "1", [CHUNK])
    assert waits == {"create_collection": {10}, "update_collection_aliases": {10}}


async def test_a_switch_to_what_is_gone_leaves_the_book_on_a_real_server(qdrant_url: str, tmp_path: Path) -> None:
    address = ServerAddress(tuple(qdrant_url.split(",")))
    book = QdrantServer.connect(address, f"test-{uuid4().hex}", tmp_path, WORKERS, ServerShape())
    await publish(book, "1", [CHUNK])
    with pytest.raises(VectorStoreUnavailable):
        await book._editions.switch_to("gone")
    assert (await search(book, "kinematics")).hits.edition == "1"
    await book.aclose()
