"""A Qdrant server or cluster as the book's index.

The book is searched under one alias. Each edition is a collection of its own, `ALIAS--EDITION`; publishing points the
alias at it. A small collection, `ALIAS--editions`, keeps each edition's description and its table of terms.
"""

import asyncio
import base64
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np
from filelock import FileLock, Timeout
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException

from citebook.adapters.qdrant import points
from citebook.domain.book import BookPage, Chunk, Edition, EmbedderStamp
from citebook.domain.errors import BookNotIngested, IngestInProgress, VectorStoreUnavailable
from citebook.domain.evidence import Hit, SearchHits
from citebook.domain.question import Filters
from citebook.pacing.workers import Workers
from citebook.ports import EditionBuilder, KnownVectors, Vector, Vectors

_PAGE = 256
_SECONDS = 10


class QdrantServer:
    """A book's index on a Qdrant server: `ChunkIndex` and `EditionStore` in one."""

    def __init__(self, client: AsyncQdrantClient, alias: str, lock_dir: Path, workers: Workers) -> None:
        self._client, self._alias, self._lock_dir, self._workers = client, alias, lock_dir, workers
        self._known: tuple[Edition, points.TermTable] | None = None

    @classmethod
    def connect(cls, url: str, api_key: str | None, alias: str, lock_dir: Path, workers: Workers) -> "QdrantServer":
        client = AsyncQdrantClient(url=url, api_key=api_key, timeout=_SECONDS, check_compatibility=False)
        return cls(client, alias, lock_dir, workers)

    async def edition(self) -> Edition:
        return (await self._described())[0]

    async def current(self) -> Edition | None:
        try:
            return (await self._described())[0]
        except BookNotIngested:
            return None

    async def search(self, terms: Sequence[str], vector: Vector | None, filters: Filters, depth: int) -> SearchHits:
        edition, table = await self._described()
        weights = {term: table.weight(term) for term in dict.fromkeys(terms)}
        with _server_errors():
            hits = await self._hits(self._collection(edition.name), list(weights), vector, filters, depth)
        return SearchHits(
            edition=edition.name,
            hits=tuple(hits),
            term_weights=weights,
            missing_terms=frozenset(term for term in weights if not table.count(term)),
        )

    async def chunks(self, edition: str, keys: Sequence[str]) -> Mapping[str, Chunk]:
        if not keys:
            return {}
        with _server_errors():
            records = await self._client.retrieve(self._collection(edition), list(keys), with_payload=True)
        found = await self._workers.run(lambda: dict(points.intact_chunks(records)))
        return {key: found[key] for key in keys if key in found}

    async def _hits(
        self, collection: str, terms: list[str], vector: Vector | None, filters: Filters, depth: int
    ) -> list[Hit]:
        """Finds by each method, then scores by each what only the other found."""
        queries: dict[str, Any] = {}
        if vector is not None:
            queries[points.DENSE] = vector.tolist()
        if terms:
            keys = [points.term_key(term) for term in terms]
            queries[points.SPARSE] = models.SparseVector(indices=keys, values=[1.0] * len(keys))
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
        dense, sparse = scores.get(points.DENSE, {}), scores.get(points.SPARSE, {})
        return [Hit(key, page, dense.get(key), sparse.get(key, 0.0)) for key, page in pages.items()]

    async def _run(
        self,
        collection: str,
        requests: Sequence[tuple[str, Any, models.Filter | None, int]],
        pages: dict[str, str],
    ) -> list[dict[str, float]]:
        """The scores of each request by key; notes the page of every point it sees."""
        if not requests:
            return []
        batch = [
            models.QueryRequest(query=query, using=name, filter=wanted, limit=limit, with_payload=["source_file"])
            for name, query, wanted, limit in requests
        ]
        answers = await self._client.query_batch_points(collection, batch)
        for answer in answers:
            pages.update({str(point.id): (point.payload or {})["source_file"] for point in answer.points})
        return [{str(point.id): point.score for point in answer.points} for answer in answers]

    async def aclose(self) -> None:
        await self._client.close()

    async def page(self, chapter_id: str) -> BookPage | None:
        edition, _ = await self._described()
        files = edition.files_of(chapter_id)
        wanted = _any_of("source_file", files)
        records = self.scroll(edition.name, wanted, list(points.READING_FIELDS), False)
        return edition.page(files, points.sections_of([record async for record in records] if files else []))

    @asynccontextmanager
    async def known_vectors(self) -> AsyncIterator[KnownVectors]:
        yield self._vectors_of

    async def _vectors_of(self, embedded_texts: Sequence[str]) -> Mapping[str, Vector]:
        edition = await self.current()
        if edition is None:
            return {}
        texts = {points.text_hash(text): text for text in embedded_texts}
        same = _any_of("embedded_hash", list(texts))
        return {
            texts[record.payload["embedded_hash"]]: np.array(record.vector[points.DENSE], np.float32)
            async for record in self.scroll(edition.name, same, ["embedded_hash"], [points.DENSE])
        }

    async def scroll(
        self, edition: str, wanted: models.Filter, payload: bool | list[str], vector: bool | list[str]
    ) -> AsyncIterator[Any]:
        offset: Any = None
        while True:
            with _server_errors():
                records, offset = await self._client.scroll(
                    self._collection(edition),
                    scroll_filter=wanted,
                    limit=_PAGE,
                    offset=offset,
                    with_payload=payload,
                    with_vectors=vector,
                )
            for record in records:
                yield record
            if offset is None:
                return

    @asynccontextmanager
    async def build(self, name: str, embedder: EmbedderStamp) -> AsyncIterator[EditionBuilder]:
        with self._locked():
            collection = self._collection(name)
            await self._create(collection, embedder.dimension)
            builder = _ServerBuilder(self, self._client, collection, name)
            try:
                yield builder
            finally:
                if not builder.is_published:
                    with _server_errors():
                        await self._client.delete_collection(collection)

    async def _create(self, collection: str, dimension: int) -> None:
        with _server_errors():
            await self._client.create_collection(
                collection,
                vectors_config={points.DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)},
                sparse_vectors_config={points.SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            )
            for field in (*points.KEYWORD_FIELDS, *points.INGEST_FIELDS):
                await self._client.create_payload_index(collection, field, models.PayloadSchemaType.KEYWORD)
            for field in points.INTEGER_FIELDS:
                await self._client.create_payload_index(collection, field, models.PayloadSchemaType.INTEGER)

    async def swap_to(self, edition: Edition, table: points.TermTable) -> None:
        """Points the alias at a finished edition and drops all others."""
        with _server_errors():
            await self._describe(edition, table)
            previous = await self._target()
            switch: list[Any] = [_create_alias(self._alias, self._collection(edition.name))]
            if previous is not None:
                switch.insert(0, _delete_alias(self._alias))
            await self._client.update_collection_aliases(switch)
            await self._drop_all_but({self._collection(edition.name), previous, self._descriptions})

    async def _describe(self, edition: Edition, table: points.TermTable) -> None:
        if not await self._client.collection_exists(self._descriptions):
            await self._client.create_collection(self._descriptions, vectors_config={})
        payload = {"edition": edition.model_dump_json(), "terms": _packed(table)}
        point = models.PointStruct(id=_description_id(edition.name), vector={}, payload=payload)
        await self._client.upsert(self._descriptions, [point], wait=True)

    async def _drop_all_but(self, kept: set[str | None]) -> None:
        for collection in (await self._client.get_collections()).collections:
            name = collection.name
            if name.startswith(f"{self._alias}--") and name not in kept:
                await self._client.delete_collection(name)

    async def _described(self) -> tuple[Edition, points.TermTable]:
        with _server_errors():
            target = await self._target()
            if target is None:
                raise BookNotIngested("This book has no index yet. Run: citebook ingest PATH")
            name = target.removeprefix(f"{self._alias}--")
            if self._known is None or self._known[0].name != name:
                self._known = await self._read_description(name)
        return self._known

    async def _read_description(self, name: str) -> tuple[Edition, points.TermTable]:
        records = await self._client.retrieve(self._descriptions, [_description_id(name)])
        if not records or records[0].payload is None:
            raise VectorStoreUnavailable(f"The edition {name} has no description on the server")
        payload = records[0].payload
        edition = Edition.model_validate_json(payload["edition"])
        return edition, _unpacked(payload["terms"], edition.chunk_count)

    async def _target(self) -> str | None:
        aliases = (await self._client.get_aliases()).aliases
        return next((a.collection_name for a in aliases if a.alias_name == self._alias), None)

    @property
    def _descriptions(self) -> str:
        return f"{self._alias}--editions"

    def _collection(self, edition: str) -> str:
        return f"{self._alias}--{edition}"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._lock_dir.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._lock_dir / f"{self._alias}.lock", blocking=False)
        try:
            lock.acquire()
        except Timeout:
            raise IngestInProgress(
                "An ingest of this book is already in progress. Wait for it to end, then run this again."
            ) from None
        try:
            yield
        finally:
            lock.release()


class _ServerBuilder:
    def __init__(self, store: QdrantServer, client: AsyncQdrantClient, collection: str, name: str) -> None:
        self._store, self._client, self._collection, self._name = store, client, collection, name
        self._term_counts: Counter[int] = Counter()
        self.is_published = False

    async def add(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        weights = await asyncio.to_thread(lambda: [points.document_weights(chunk) for chunk in chunks])
        batch = [
            models.PointStruct(
                id=str(chunk.point_id),
                vector={
                    points.DENSE: vector.tolist(),
                    points.SPARSE: models.SparseVector(indices=list(sparse), values=list(sparse.values())),
                },
                payload=points.payload_of(chunk, self._name),
            )
            for chunk, vector, sparse in zip(chunks, vectors, weights, strict=True)
        ]
        for sparse in weights:
            self._term_counts.update(sparse.keys())
        await self._upsert(batch)

    async def carry_over(self, source_files: Sequence[str]) -> int:
        current = await self._store.current()
        if current is None or not source_files:
            return 0
        count = 0
        batch: list[models.PointStruct] = []
        async for record in self._store.scroll(current.name, _any_of("source_file", source_files), True, True):
            self._term_counts.update(record.vector[points.SPARSE].indices)
            payload = {**record.payload, "edition": self._name}
            batch.append(models.PointStruct(id=record.id, vector=record.vector, payload=payload))
            count += 1
            if len(batch) == _PAGE:
                await self._upsert(batch)
                batch = []
        await self._upsert(batch)
        return count

    async def _upsert(self, batch: list[models.PointStruct]) -> None:
        for start in range(0, len(batch), _PAGE):
            with _server_errors():
                await self._client.upsert(self._collection, batch[start : start + _PAGE], wait=True)

    async def publish(self, edition: Edition) -> None:
        await self._store.swap_to(edition, points.TermTable.of(self._term_counts, edition.chunk_count))
        self.is_published = True


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
    return models.Filter(must=conditions)


def _any_of(field: str, values: Sequence[str]) -> models.Filter:
    return models.Filter(must=[models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))])


def _create_alias(alias: str, collection: str) -> models.CreateAliasOperation:
    return models.CreateAliasOperation(create_alias=models.CreateAlias(collection_name=collection, alias_name=alias))


def _delete_alias(alias: str) -> models.DeleteAliasOperation:
    return models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias))


def _description_id(edition: str) -> str:
    return str(uuid5(NAMESPACE_URL, edition))


def _packed(table: points.TermTable) -> str:
    return base64.b85encode(zlib.compress(table.rows.tobytes())).decode()


def _unpacked(packed: str, chunk_count: int) -> points.TermTable:
    rows = np.frombuffer(zlib.decompress(base64.b85decode(packed)), np.int64).reshape(2, -1)
    return points.TermTable(rows[0], rows[1], chunk_count)


@contextmanager
def _server_errors() -> Iterator[None]:
    try:
        yield
    except (QdrantException, ApiException, OSError) as error:
        raise VectorStoreUnavailable(f"The Qdrant server failed: {error}") from error
