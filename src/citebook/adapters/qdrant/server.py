"""A Qdrant server or cluster as the book's index."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from citebook.adapters.qdrant import points
from citebook.adapters.qdrant.outline import OutlineInTheMaking
from citebook.adapters.qdrant.strangers import NearestUnits
from citebook.adapters.qdrant.vocabulary import Vocabulary, VocabularyInTheMaking
from citebook.adapters.qdrant.wording import WordingInTheMaking
from citebook.domain.book import DEFAULT_LANGUAGE, BookPage, Chunk, Edition, EmbedderStamp
from citebook.domain.errors import BookNotIngested, IngestInProgress, VectorStoreUnavailable
from citebook.domain.evidence import FoundChunk, Hit, SearchHits
from citebook.domain.outline import Outline
from citebook.domain.question import Filters
from citebook.domain.wording import Wording
from citebook.extras import brought_by
from citebook.language.languages import Language, language_of
from citebook.pacing.workers import Workers
from citebook.ports import EditionBuilder, KnownVectors, Vector, Vectors

with brought_by("qdrant"):
    from qdrant_client import AsyncQdrantClient, models

    from citebook.adapters.qdrant.server_editions import ServerEditions
    from citebook.adapters.qdrant.server_requests import PAGE, any_of, scroll, server_errors

_SECONDS = 10


class QdrantServer:
    """A book's index on a Qdrant server: `ChunkIndex` and `EditionStore` in one."""

    def __init__(self, client: AsyncQdrantClient, alias: str, lock_dir: Path, workers: Workers) -> None:
        self._client, self._lock_file, self._workers = client, lock_dir / f"{alias}.lock", workers
        self._editions = ServerEditions(client, alias)
        self._known: tuple[Edition, Vocabulary] | None = None
        self._wording: Wording | None = None
        self._outline: Outline | None = None

    @classmethod
    def connect(cls, url: str, api_key: str | None, alias: str, lock_dir: Path, workers: Workers) -> "QdrantServer":
        client = AsyncQdrantClient(url=url, api_key=api_key, timeout=_SECONDS, check_compatibility=False)
        return cls(client, alias, lock_dir, workers)

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
            records = await self._client.retrieve(collection, list(keys), with_payload=True, with_vectors=vectors)
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
        self, collection: str, term_numbers: list[int], vector: Vector | None, filters: Filters, depth: int
    ) -> list[Hit]:
        """Finds by each method, then scores by each what only the other found."""
        queries: dict[str, Any] = {}
        if vector is not None:
            queries[points.UNITS] = [vector.tolist()]
        if term_numbers:
            queries[points.SPARSE] = models.SparseVector(indices=term_numbers, values=[1.0] * len(term_numbers))
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
        batch = [
            models.QueryRequest(query=query, using=name, filter=wanted, limit=limit, with_payload=["source_file"])
            for name, query, wanted, limit in requests
        ]
        answers = await self._client.query_batch_points(collection, batch)
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
        return scroll(self._client, self._editions.collection(edition), wanted, payload, vector)

    @asynccontextmanager
    async def build(
        self,
        name: str,
        embedder: EmbedderStamp,
        language: str = DEFAULT_LANGUAGE,
        strangers: Sequence[Vector] = (),
    ) -> AsyncIterator[EditionBuilder]:
        with self._locked():
            await self._editions.create(name, embedder.dimension)
            nearest = NearestUnits(strangers)
            builder = _ServerBuilder(
                self._client, self._editions, name, language_of(language), self._described, nearest
            )
            try:
                yield builder
            finally:
                if not builder.is_published:
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

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._lock_file.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._lock_file, blocking=False)
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
    def __init__(
        self,
        client: AsyncQdrantClient,
        editions: ServerEditions,
        name: str,
        language: Language,
        describe_current: Callable[[], Awaitable[tuple[Edition, Vocabulary]]],
        nearest: NearestUnits,
    ) -> None:
        self._client, self._editions, self._name, self._language = client, editions, name, language
        self._describe_current, self._nearest = describe_current, nearest
        self._source: tuple[str, list[str]] | None = None
        """The collection that chunks are taken over from, and its terms by their numbers."""
        self._vocabulary, self._wording = VocabularyInTheMaking(), WordingInTheMaking(language)
        self._outline = OutlineInTheMaking(language)
        self.is_published = False

    async def add(self, chunks: Sequence[Chunk], vectors: Sequence[Vectors]) -> None:
        weights = await asyncio.to_thread(
            lambda: [points.document_weights(chunk, self._language) for chunk in chunks]
        )
        batch = [
            models.PointStruct(
                id=str(chunk.point_id),
                vector={points.UNITS: of_units.tolist(), points.SPARSE: self._sparse(by_term)},
                payload=points.payload_of(chunk, self._name),
            )
            for chunk, of_units, by_term in zip(chunks, vectors, weights, strict=True)
        ]
        await asyncio.to_thread(self._see, batch)
        await self._upsert(batch)

    async def carry_over(self, source_files: Sequence[str]) -> int:
        if not source_files:
            return 0
        if self._source is None:
            edition, vocabulary = await self._describe_current()
            terms = await asyncio.to_thread(vocabulary.by_number)
            self._source = self._editions.collection(edition.name), terms
        collection, terms = self._source
        count = 0
        batch: list[models.PointStruct] = []
        async for record in scroll(self._client, collection, any_of("source_file", source_files), True, True):
            batch.append(self._carried(record, terms))
            count += 1
            if len(batch) == PAGE:
                self._see(batch)
                await self._upsert(batch)
                batch = []
        self._see(batch)
        await self._upsert(batch)
        return count

    def _see(self, batch: Sequence[models.PointStruct]) -> None:
        for point in batch:
            self._wording.see(point.payload or {})
            self._nearest.see(points.unit_vectors(point))
            self._outline.see(point.payload or {})

    def _carried(self, record: Any, terms: Sequence[str]) -> models.PointStruct:
        """A number means another term in each edition."""
        old = record.vector[points.SPARSE]
        weights = dict(zip((terms[number] for number in old.indices), old.values, strict=True))
        return models.PointStruct(
            id=record.id,
            vector={**record.vector, points.SPARSE: self._sparse(weights)},
            payload={**record.payload, "edition": self._name},
        )

    def _sparse(self, weights: Mapping[str, float]) -> models.SparseVector:
        numbered = self._vocabulary.of_chunk(weights)
        return models.SparseVector(indices=list(numbered), values=list(numbered.values()))

    async def _upsert(self, batch: list[models.PointStruct]) -> None:
        for start in range(0, len(batch), PAGE):
            with server_errors():
                await self._client.upsert(
                    self._editions.collection(self._name), batch[start : start + PAGE], wait=True
                )

    def likeness_of_strangers(self) -> Sequence[float]:
        return self._nearest.cosines()

    async def publish(self, edition: Edition) -> None:
        await self._editions.publish(edition, await asyncio.to_thread(self._lists, edition))
        self.is_published = True

    def _lists(self, edition: Edition) -> dict[str, bytes]:
        return {
            "vocabulary": self._vocabulary.lines(),
            "words": self._wording.words(),
            "outline": self._outline.of(edition),
        }


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
