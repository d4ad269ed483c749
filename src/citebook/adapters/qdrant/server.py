"""A Qdrant server or cluster as the book's index."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from citebook.adapters.qdrant import points
from citebook.adapters.qdrant.strangers import NearestUnits
from citebook.adapters.qdrant.vocabulary import Vocabulary
from citebook.domain.book import DEFAULT_LANGUAGE, BookPage, Chunk, Edition, EmbedderStamp
from citebook.domain.errors import BookNotIngested, VectorStoreUnavailable
from citebook.domain.evidence import FoundChunk, Hit, SearchHits
from citebook.domain.outline import Outline
from citebook.domain.question import Filters
from citebook.domain.wording import Wording
from citebook.extras import brought_by
from citebook.language.languages import language_of
from citebook.pacing.workers import Workers
from citebook.ports import EditionBuilder, KnownVectors, Vector, Vectors

with brought_by("qdrant"):
    from qdrant_client import AsyncQdrantClient, models

    from citebook.adapters.qdrant.server_building import ServerBuilder
    from citebook.adapters.qdrant.server_editions import ServerEditions
    from citebook.adapters.qdrant.server_lease import BookLease
    from citebook.adapters.qdrant.server_nodes import REQUEST_SECONDS
    from citebook.adapters.qdrant.server_nodes import ServerAddress as ServerAddress
    from citebook.adapters.qdrant.server_requests import PAGE, any_of, scroll, server_errors
    from citebook.adapters.qdrant.server_shape import ServerShape as ServerShape


class QdrantServer:
    """A book's index on a Qdrant server: `ChunkIndex` and `EditionStore` in one."""

    def __init__(
        self,
        client: AsyncQdrantClient,
        alias: str,
        lock_dir: Path,
        workers: Workers,
        shape: ServerShape | None = None,
        request_seconds: int = REQUEST_SECONDS,
    ) -> None:
        self._client, self._workers, self._shape = client, workers, shape or ServerShape()
        self._editions = ServerEditions(client, alias, self._shape, request_seconds)
        self._lease = BookLease(client, self._editions.descriptions, lock_dir / f"{alias}.lock")
        self._known: tuple[Edition, Vocabulary] | None = None
        self._wording: Wording | None = None
        self._outline: Outline | None = None

    @classmethod
    def connect(
        cls, address: ServerAddress, alias: str, lock_dir: Path, workers: Workers, shape: ServerShape
    ) -> "QdrantServer":
        return cls(address.client(), alias, lock_dir, workers, shape, address.request_seconds)

    async def edition(self) -> Edition:
        return (await self._described())[0]

    async def current(self) -> Edition | None:
        try:
            return (await self._described_as_it_is())[0]
        except BookNotIngested:
            return None

    async def all_chunks(self) -> AsyncIterator[Sequence[Chunk]]:
        edition = await self.edition()
        waiting: list[Any] = []
        async for record in self._scroll(edition.name, None, True, False):
            waiting.append(record)
            if len(waiting) == PAGE:
                yield await asyncio.to_thread(_intact, waiting)
                waiting = []
        yield await asyncio.to_thread(_intact, waiting)

    async def is_whole(self) -> bool:
        return await self._editions.is_whole((await self.edition()).name)

    async def search(self, terms: Sequence[str], vector: Vector | None, filters: Filters, depth: int) -> SearchHits:
        edition, vocabulary = await self._described()
        asked = vocabulary.look_up(terms)
        collection = self._editions.collection(edition.name)
        with server_errors():
            hits = await self._hits(collection, asked.numbers, vector, filters, depth)
        return SearchHits(
            *(edition.name, tuple(hits), asked.weights, asked.missing, edition.recipe),
            likeness_of_strangers=edition.likeness_of_strangers,
        )

    async def chunks(
        self, edition: str, keys: Sequence[str], vector: Vector | None = None
    ) -> Mapping[str, FoundChunk]:
        if not keys:
            return {}
        with server_errors():
            collection = self._editions.collection(edition)
            vectors: list[str] | bool = [points.UNITS] if vector is not None else False
            records = await self._client.retrieve(
                *(collection, list(keys)),
                with_payload=True,
                with_vectors=vectors,
                consistency=self._shape.consistency,
            )
        found = await self._workers.run(points.found_chunks, records, vector)
        return {key: found[key] for key in keys if key in found}

    async def wording(self) -> Wording:
        edition = await self.edition()
        if self._wording is None or self._wording.edition != edition.name:
            self._wording = await self._editions.read_wording(edition.name, edition.language)
        return self._wording

    async def outline(self) -> Outline:
        name = (await self.edition()).name
        if self._outline is None or self._outline.edition != name:
            self._outline = await self._editions.read_outline(name)
        return self._outline

    async def _hits(
        self, collection: str, terms: Mapping[int, float], vector: Vector | None, filters: Filters, depth: int
    ) -> list[Hit]:
        """Finds by each method, then scores by each what only the other found."""
        queries: dict[str, Any] = {}
        if vector is not None:
            queries[points.UNITS] = [vector.tolist()]
        if terms:
            queries[points.SPARSE] = models.SparseVector(indices=list(terms), values=list(terms.values()))
        wanted = _filter(filters)
        pages: dict[str, str] = {}
        found = await self._run(collection, [(n, q, wanted, depth) for n, q in queries.items()], pages)
        scores = dict(zip(queries, found, strict=True))
        lacking = {name: [key for key in pages if key not in scores[name]] for name in queries}
        requests = [
            (name, queries[name], models.Filter(must=[models.HasIdCondition(has_id=list(keys))]), len(keys))
            for name, keys in lacking.items()
            if keys
        ]
        for (name, *_), more in zip(requests, await self._run(collection, requests, pages), strict=True):
            scores[name].update(more)
        dense, sparse = scores.get(points.UNITS, {}), scores.get(points.SPARSE, {})
        return [Hit(key, page, dense.get(key), sparse.get(key, 0.0)) for key, page in pages.items()]

    async def _run(
        self,
        collection: str,
        requests: Sequence[tuple[str, Any, models.Filter | None, int]],
        pages: dict[str, str],
    ) -> list[dict[str, float]]:
        """The scores of each request by key; notes the page of every point it sees. One without a page is none."""
        if not requests:
            return []
        how = {points.UNITS: self._shape.of_vector_search()}
        batch = [
            models.QueryRequest(
                query=query,
                using=name,
                filter=wanted,
                limit=limit,
                with_payload=["source_file"],
                params=how.get(name),
            )
            for name, query, wanted, limit in requests
        ]
        answers = await self._client.query_batch_points(collection, batch, consistency=self._shape.consistency)
        if len(answers) != len(batch):
            raise VectorStoreUnavailable(f"The Qdrant server gave {len(answers)} answers to {len(batch)} searches")
        for answer in answers:
            pages.update({key: page for key, page, _ in _with_pages(answer.points)})
        return [{key: score for key, _, score in _with_pages(answer.points)} for answer in answers]

    async def aclose(self) -> None:
        await self._client.close()

    async def page(self, chapter_id: str) -> BookPage | None:
        edition, _ = await self._described()
        files = edition.files_of(chapter_id)
        records = self._scroll(edition.name, any_of("source_file", files), list(points.READING_FIELDS), False)
        return edition.page(files, points.sections_of([record async for record in records] if files else []))

    @asynccontextmanager
    async def known_vectors(self) -> AsyncIterator[KnownVectors]:
        yield self._vectors_of

    async def _vectors_of(self, chunks: Sequence[Chunk]) -> Mapping[str, Vectors]:
        edition = await self.current()
        if edition is None:
            return {}
        hashes = {chunk.id: points.embedded_hash(chunk) for chunk in chunks}
        same = any_of("embedded_hash", list(set(hashes.values())))
        known = {
            record.payload["embedded_hash"]: points.unit_vectors(record)
            async for record in self._scroll(edition.name, same, ["embedded_hash"], [points.UNITS])
        }
        return {chunk: known[embedded] for chunk, embedded in hashes.items() if embedded in known}

    def _scroll(
        self, edition: str, wanted: models.Filter | None, payload: bool | list[str], vector: bool | list[str]
    ) -> AsyncIterator[Any]:
        collection = self._editions.collection(edition)
        return scroll(self._client, collection, wanted, payload, vector, self._shape.consistency)

    @asynccontextmanager
    async def build(
        self,
        name: str,
        embedder: EmbedderStamp,
        language: str = DEFAULT_LANGUAGE,
        strangers: Sequence[Vector] = (),
    ) -> AsyncIterator[EditionBuilder]:
        await self._editions.prepare()
        async with self._lease.held():
            await self._editions.create(name, embedder.dimension)
            builder = ServerBuilder(
                *(self._client, self._editions, name, language_of(language), self._described, self._lease.renew),
                nearest=NearestUnits(strangers),
            )
            try:
                yield builder
            finally:
                if not builder.may_be_published:
                    await self._editions.remove(name)

    async def _described(self) -> tuple[Edition, Vocabulary]:
        described = await self._described_as_it_is()
        described[0].check_searchable()
        return described

    async def _described_as_it_is(self) -> tuple[Edition, Vocabulary]:
        name = await self._editions.current_name()
        if name is None:
            raise BookNotIngested("This book has no index yet. Run: citebook ingest PATH")
        if self._known is None or self._known[0].name != name:
            self._known = await self._editions.read(name)
        return self._known


def _with_pages(found: Sequence[Any]) -> Iterator[tuple[str, str, float]]:
    """Key, page and score of each point that has a page."""
    for point in found:
        page = (point.payload or {}).get("source_file")
        if isinstance(page, str):
            yield str(point.id), page, point.score


def _intact(records: Sequence[Any]) -> list[Chunk]:
    return [chunk for _, chunk in points.intact_chunks(records)]


def _filter(filters: Filters) -> models.Filter | None:
    if filters.is_empty:
        return None
    conditions: list[models.Condition] = []
    if filters.module is not None:
        conditions.append(models.FieldCondition(key="module", match=models.MatchValue(value=filters.module)))
    if filters.difficulty is not None:
        match = models.MatchValue(value=filters.difficulty)
        conditions.append(models.FieldCondition(key="difficulty", match=match))
    if filters.tags:
        conditions.append(models.FieldCondition(key="tags", match=models.MatchAny(any=list(filters.tags))))
    if filters.chapter_id is not None:
        match_file = models.MatchAny(any=list(filters.source_files))
        conditions.append(models.FieldCondition(key="source_file", match=match_file))
    return models.Filter(must=conditions)
