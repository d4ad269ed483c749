"""Builds an edition on a Qdrant server, beside the one that answers."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from qdrant_client import AsyncQdrantClient, models

from citebook.adapters.qdrant import points
from citebook.adapters.qdrant.outline import OutlineInTheMaking
from citebook.adapters.qdrant.server_editions import ServerEditions
from citebook.adapters.qdrant.server_requests import PAGE, any_of, scroll, server_errors
from citebook.adapters.qdrant.strangers import NearestUnits
from citebook.adapters.qdrant.vocabulary import Vocabulary, VocabularyInTheMaking
from citebook.adapters.qdrant.wording import WordingInTheMaking
from citebook.domain.book import Chunk, Edition
from citebook.language.languages import Language
from citebook.ports import Vectors

_MOST_NUMBERS = 500_000
"""Of vectors in one request. As JSON, each takes some 20 bytes."""


class ServerBuilder:
    """An edition in the making on a Qdrant server."""

    def __init__(
        self,
        client: AsyncQdrantClient,
        editions: ServerEditions,
        name: str,
        language: Language,
        describe_current: Callable[[], Awaitable[tuple[Edition, Vocabulary]]],
        check_lease: Callable[[], Awaitable[None]],
        *,
        nearest: NearestUnits,
    ) -> None:
        self._client, self._editions, self._name, self._language = client, editions, name, language
        self._describe_current, self._check_lease, self._nearest = describe_current, check_lease, nearest
        self._source: tuple[str, list[str]] | None = None
        """The collection that chunks are taken over from, and its terms by their numbers."""
        self._vocabulary, self._wording = VocabularyInTheMaking(), WordingInTheMaking(language)
        self._outline = OutlineInTheMaking(language)
        self.may_be_published = False
        """Also where the server was asked and nobody heard what it said: such an edition must not be removed."""

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

    async def _upsert(self, batch: Sequence[models.PointStruct]) -> None:
        for request in _requests_of(batch):
            with server_errors():
                await self._client.upsert(self._editions.collection(self._name), request, wait=True)

    def likeness_of_strangers(self) -> Sequence[float]:
        return self._nearest.cosines()

    async def publish(self, edition: Edition) -> None:
        lists = await asyncio.to_thread(self._lists, edition)
        await self._editions.describe(edition, lists)
        await self._check_lease()
        self.may_be_published = True
        previous = await self._editions.switch_to(edition.name)
        await self._editions.remove_all_but(edition.name, previous)

    def _lists(self, edition: Edition) -> dict[str, bytes]:
        return {
            "vocabulary": self._vocabulary.lines(),
            "words": self._wording.words(),
            "outline": self._outline.of(edition),
        }


def _requests_of(batch: Sequence[models.PointStruct]) -> Iterator[list[models.PointStruct]]:
    """As many points at once as a server takes: it refuses a request of more than 32 MB."""
    request: list[models.PointStruct] = []
    size = 0
    for point in batch:
        numbers = points.unit_vectors(point).size
        if request and (len(request) == PAGE or size + numbers > _MOST_NUMBERS):
            yield request
            request, size = [], 0
        request.append(point)
        size += numbers
    if request:
        yield request
