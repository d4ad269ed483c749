"""Qdrant's engine inside this process: the book's index when no server is configured."""

import asyncio
import logging
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import qdrant_edge as engine

from citebook.adapters.qdrant import points
from citebook.adapters.qdrant.editions import EditionFolders, OpenEdition
from citebook.adapters.qdrant.engine import (
    PAGE,
    any_of,
    configuration,
    engine_errors,
    find_hits,
    scroll,
)
from citebook.adapters.qdrant.outline import OutlineInTheMaking
from citebook.adapters.qdrant.strangers import NearestUnits
from citebook.adapters.qdrant.vocabulary import VocabularyInTheMaking
from citebook.adapters.qdrant.wording import WordingInTheMaking
from citebook.domain.book import DEFAULT_LANGUAGE, BookPage, Chunk, Edition, EmbedderStamp
from citebook.domain.errors import BookNotIngested, VectorStoreUnavailable
from citebook.domain.evidence import FoundChunk, SearchHits
from citebook.domain.outline import Outline
from citebook.domain.question import Filters
from citebook.domain.wording import Wording
from citebook.language.languages import Language, language_of
from citebook.pacing.workers import Workers
from citebook.ports import EditionBuilder, KnownVectors, Vector, Vectors

log = logging.getLogger(__name__)

_BYTES_PER_CHUNK = 24 * 1024


class EmbeddedQdrant:
    """A book's index on this machine's disk: `ChunkIndex` and `EditionStore` in one."""

    def __init__(self, root: Path, workers: Workers) -> None:
        self._folders = EditionFolders(root)
        self._workers = workers
        self._open: OpenEdition | None = None
        self._outline: Outline | None = None
        self._opening = threading.Lock()

    async def edition(self) -> Edition:
        return (await asyncio.to_thread(self._opened)).edition

    async def current(self) -> Edition | None:
        name = self._folders.current_name()
        return None if name is None else await asyncio.to_thread(self._folders.read, name)

    async def all_chunks(self) -> AsyncIterator[Sequence[Chunk]]:
        opened = await asyncio.to_thread(self._opened)
        found = points.intact_chunks(scroll(opened.shard, None, True, False))
        while some := await asyncio.to_thread(lambda: [chunk for _, chunk in islice(found, PAGE)]):
            yield some

    async def is_whole(self) -> bool:
        return await asyncio.to_thread(self._is_whole)

    def _is_whole(self) -> bool:
        try:
            return self._opened().is_whole()
        except VectorStoreUnavailable as error:
            log.warning("%s", error)
            return False

    async def search(self, terms: Sequence[str], vector: Vector | None, filters: Filters, depth: int) -> SearchHits:
        return await self._workers.run(self._search, terms, vector, filters, depth)

    def _search(self, terms: Sequence[str], vector: Vector | None, filters: Filters, depth: int) -> SearchHits:
        opened = self._opened()
        asked = opened.vocabulary.look_up(terms)
        with engine_errors():
            hits = find_hits(opened.shard, opened.pages, list(asked.numbers), vector, filters, depth)
        edition = opened.edition
        return SearchHits(
            *(edition.name, tuple(hits), asked.weights, asked.missing, edition.recipe),
            likeness_of_strangers=edition.likeness_of_strangers,
        )

    async def chunks(
        self, edition: str, keys: Sequence[str], vector: Vector | None = None
    ) -> Mapping[str, FoundChunk]:
        return await self._workers.run(self._chunks, edition, keys, vector)

    def _chunks(self, edition: str, keys: Sequence[str], vector: Vector | None) -> Mapping[str, FoundChunk]:
        opened = self._open
        if opened is None or opened.edition.name != edition:  # a newer one was published since the search
            opened = self._folders.open(edition)
        return opened.chunks(keys, vector)

    async def wording(self) -> Wording:
        return (await asyncio.to_thread(self._opened)).wording

    async def outline(self) -> Outline:
        return await asyncio.to_thread(self._read_outline)

    def _read_outline(self) -> Outline:
        name = self._opened().edition.name
        if self._outline is None or self._outline.edition != name:
            self._outline = self._folders.read_outline(name)
        return self._outline

    async def aclose(self) -> None:
        """Lets go of the engine's files, some 70 MB of mapped memory, once nobody is at work in them."""
        self._open = None

    async def page(self, chapter_id: str) -> BookPage | None:
        return await asyncio.to_thread(self._page, chapter_id)

    def _page(self, chapter_id: str) -> BookPage | None:
        opened = self._opened()
        files = opened.edition.files_of(chapter_id)
        keys = [key for key, file in opened.pages.items() if file in files]
        with engine_errors():
            records = opened.shard.retrieve(list(keys), with_payload=list(points.READING_FIELDS), with_vector=False)
        return opened.edition.page(files, points.sections_of(records))

    @asynccontextmanager
    async def known_vectors(self) -> AsyncIterator[KnownVectors]:
        known = None if self._folders.current_name() is None else _EmbeddedVectors(self._opened)

        async def look_up(chunks: Sequence[Chunk]) -> Mapping[str, Vectors]:
            return {} if known is None else await asyncio.to_thread(known.of, chunks)

        yield look_up

    @asynccontextmanager
    async def build(
        self,
        name: str,
        embedder: EmbedderStamp,
        language: str = DEFAULT_LANGUAGE,
        strangers: Sequence[Vector] = (),
    ) -> AsyncIterator[EditionBuilder]:
        with self._folders.locked():
            self._folders.check_space(0)
            nearest = NearestUnits(strangers)
            builder = _EmbeddedBuilder(self._folders, name, embedder, language_of(language), self._opened, nearest)
            try:
                yield builder
            finally:
                await asyncio.to_thread(builder.discard)

    def _opened(self) -> OpenEdition:
        """The current edition; moves over when a newer one was published."""
        name = self._folders.current_name()
        if name is None:
            raise BookNotIngested("This book has no index yet. Run: citebook ingest PATH")
        if self._open is None or self._open.edition.name != name:
            with self._opening:
                if self._open is None or self._open.edition.name != self._folders.current_name():
                    self._open = self._folders.open_current()
        return self._open


class _EmbeddedVectors:
    """The vectors of an edition by what they were made of."""

    def __init__(self, open_edition: Callable[[], OpenEdition]) -> None:
        self._open_edition = open_edition

    def of(self, chunks: Sequence[Chunk]) -> dict[str, Vectors]:
        keys = {chunk.id: key for chunk in chunks if (key := self._keys.get(points.embedded_hash(chunk)))}
        with engine_errors():
            records: list[Any] = self._edition.shard.retrieve(
                list(set(keys.values())), with_payload=False, with_vector=[points.UNITS]
            )
        vectors = {str(record.id): points.unit_vectors(record) for record in records}
        return {chunk: vectors[key] for chunk, key in keys.items() if key in vectors}

    @cached_property
    def _edition(self) -> OpenEdition:
        return self._open_edition()

    @cached_property
    def _keys(self) -> dict[str, str]:
        """By the hash of the units: one pass over all chunks is cheaper than an index for it."""
        records = scroll(self._edition.shard, None, ["embedded_hash"], False)
        return {record.payload["embedded_hash"]: str(record.id) for record in records}


class _EmbeddedBuilder:
    def __init__(
        self,
        folders: EditionFolders,
        name: str,
        embedder: EmbedderStamp,
        language: Language,
        open_current: Callable[[], OpenEdition],
        nearest: NearestUnits,
    ) -> None:
        self._folders, self._name, self._language, self._open_current = folders, name, language, open_current
        self._nearest = nearest
        self._folder = folders.new(name)
        self._vocabulary, self._wording = VocabularyInTheMaking(), WordingInTheMaking(language)
        self._outline = OutlineInTheMaking(language)
        self._pages: dict[str, list[str]] = {}
        self._chunk_count = 0
        with engine_errors():
            self._shard: engine.EdgeShard = engine.EdgeShard.create(
                str(self._folder / "shard"), configuration(embedder.dimension)
            )

    async def add(self, chunks: Sequence[Chunk], vectors: Sequence[Vectors]) -> None:
        await asyncio.to_thread(self._add, chunks, vectors)

    def _add(self, chunks: Sequence[Chunk], vectors: Sequence[Vectors]) -> None:
        batch = []
        for chunk, of_units in zip(chunks, vectors, strict=True):
            named: dict[str, Any] = {
                points.UNITS: of_units.tolist(),
                points.SPARSE: self._sparse(points.document_weights(chunk, self._language)),
            }
            payload = points.payload_of(chunk, self._name)
            self._wording.see(payload)
            self._nearest.see(of_units)
            self._outline.see(payload)
            batch.append(engine.Point(chunk.point_id, named, payload))
            self._pages.setdefault(chunk.place.source_file, []).append(str(chunk.point_id))
        self._upsert(batch)

    async def carry_over(self, source_files: Sequence[str]) -> int:
        return await asyncio.to_thread(self._carry_over, source_files)

    def _carry_over(self, source_files: Sequence[str]) -> int:
        before = self._chunk_count
        for start in range(0, len(source_files), PAGE):
            same_files = any_of("source_file", source_files[start : start + PAGE])
            self._copy(same_files)
        return self._chunk_count - before

    def _copy(self, wanted: engine.Filter) -> None:
        batch: list[engine.Point] = []
        for record in scroll(self._current.shard, wanted, True, True):
            old = record.vector[points.SPARSE]
            weights = dict(zip((self._old_terms[number] for number in old.indices), old.values, strict=True))
            named: dict[str, Any] = {**record.vector, points.SPARSE: self._sparse(weights)}
            self._pages.setdefault(record.payload["source_file"], []).append(str(record.id))
            self._wording.see(record.payload)
            self._nearest.see(points.unit_vectors(record))
            self._outline.see(record.payload)
            batch.append(engine.Point(record.id, named, {**record.payload, "edition": self._name}))
            if len(batch) == PAGE:
                self._upsert(batch)
                batch = []
        self._upsert(batch)

    @cached_property
    def _current(self) -> OpenEdition:
        return self._open_current()

    @cached_property
    def _old_terms(self) -> list[str]:
        """Those of the current edition: a number means another term in each edition."""
        return self._current.vocabulary.by_number()

    def _sparse(self, weights: Mapping[str, float]) -> engine.SparseVector:
        numbered = self._vocabulary.of_chunk(weights)
        return engine.SparseVector(list(numbered), list(numbered.values()))

    def _upsert(self, batch: list[engine.Point]) -> None:
        if not batch:
            return
        self._folders.check_space(len(batch) * _BYTES_PER_CHUNK)
        with engine_errors():
            self._shard.update(engine.UpdateOperation.upsert_points(batch))
        self._chunk_count += len(batch)

    def likeness_of_strangers(self) -> Sequence[float]:
        return self._nearest.cosines()

    async def publish(self, edition: Edition) -> None:
        await asyncio.to_thread(self._publish, edition)

    def _publish(self, edition: Edition) -> None:
        self._folders.check_space(self._chunk_count * _BYTES_PER_CHUNK // 2)
        with engine_errors():
            for field in points.KEYWORD_FIELDS:
                self._index_field(field, engine.PayloadSchemaType.Keyword)
            for field in points.INTEGER_FIELDS:
                self._index_field(field, engine.PayloadSchemaType.Integer)
            self._shard.optimize()
            self._shard.flush()
            self._shard.close()
        lists = {
            "vocabulary.tsv": self._vocabulary.lines(),
            "words.tsv": self._wording.words(),
            "outline.json": self._outline.of(edition),
        }
        self._folders.publish(self._folder, edition, lists, self._pages)

    def _index_field(self, field: str, schema: engine.PayloadSchemaType) -> None:
        self._shard.update(engine.UpdateOperation.create_field_index(field, schema))

    def discard(self) -> None:
        """Closes and removes what was not published; after `publish` there is nothing left to remove."""
        self._shard.close()
        shutil.rmtree(self._folder, ignore_errors=True)
