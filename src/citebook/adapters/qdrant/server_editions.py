"""Editions of a book as collections of a Qdrant server, and which of them answers.

    ALIAS              points at the collection that answers
    ALIAS--<edition>   the chunks of an edition
    ALIAS--editions    of each edition its name, its description, its vocabulary, its words and its outline

A name stands in ALIAS--editions before its collection is made, so that what a killed ingest leaves behind is known
to be this book's. The collection's name alone does not tell: another book may be called ALIAS--draft.
"""

import base64
import zlib
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from qdrant_client import AsyncQdrantClient, models

from citebook.adapters.qdrant import points
from citebook.adapters.qdrant.outline import read_outline
from citebook.adapters.qdrant.server_requests import any_of, scroll, server_errors
from citebook.adapters.qdrant.vocabulary import Vocabulary
from citebook.domain.book import Edition
from citebook.domain.errors import VectorStoreUnavailable
from citebook.domain.outline import Outline
from citebook.domain.wording import Wording

_COUNTS = {"vocabulary": "parts", "words": "word_parts", "outline": "outline_parts"}
"""Where a description has the number of points that a list takes."""
_PART = 1_000_000
"""Characters of a packed list in one point: a server takes no request of more than 32 MB."""


class ServerEditions:
    def __init__(self, client: AsyncQdrantClient, alias: str) -> None:
        self._client, self._alias = client, alias
        self._descriptions = f"{alias}--editions"

    def collection(self, name: str) -> str:
        return f"{self._alias}--{name}"

    async def current_name(self) -> str | None:
        with server_errors():
            aliases = (await self._client.get_aliases()).aliases
        target = next((a.collection_name for a in aliases if a.alias_name == self._alias), None)
        return target and target.removeprefix(f"{self._alias}--")

    async def read(self, name: str) -> tuple[Edition, Vocabulary]:
        try:
            (payload,) = await self._payloads([_description_id(name)])
            edition = Edition.model_validate_json(payload["edition"])
            lines = await self._unpacked(name, "vocabulary", payload["parts"])
            return edition, Vocabulary(lines, edition.chunk_count)
        except (KeyError, ValueError, zlib.error) as error:
            raise self._unusable(name, error) from error

    async def read_wording(self, name: str, language: str) -> Wording:
        try:
            return Wording(name, await self._read_list(name, "words"), language)
        except (KeyError, ValueError, zlib.error) as error:
            raise self._unusable(name, error) from error

    async def read_outline(self, name: str) -> Outline:
        try:
            return read_outline(await self._read_list(name, "outline"), name)
        except (KeyError, ValueError, zlib.error) as error:
            raise self._unusable(name, error) from error

    async def _read_list(self, name: str, kind: str) -> bytes:
        """Empty where the edition was made before there were such lists."""
        (payload,) = await self._payloads([_description_id(name)])
        count = payload.get(_COUNTS[kind], 0)
        return await self._unpacked(name, kind, count) if count else b""

    async def _unpacked(self, name: str, kind: str, count: int) -> bytes:
        parts = await self._payloads([_part_id(name, kind, number) for number in range(count)])
        packed = "".join(part[kind] for part in sorted(parts, key=lambda part: part["part"]))
        return zlib.decompress(base64.b85decode(packed))

    def _unusable(self, name: str, error: Exception) -> VectorStoreUnavailable:
        return VectorStoreUnavailable(
            f"The edition {name} is not described on the server as it should be ({type(error).__name__}). "
            f"Delete the alias {self._alias} there and run: citebook ingest PATH"
        )

    async def _payloads(self, ids: list[str]) -> list[dict[str, Any]]:
        with server_errors():
            records = await self._client.retrieve(self._descriptions, ids)
        return [record.payload for record in records if record.payload]

    async def is_whole(self, name: str) -> bool:
        """By the number of its points: a server looks after its own files."""
        payloads = await self._payloads([_description_id(name)])
        return await self._points(name) in [payload.get("points") for payload in payloads]

    async def _points(self, name: str) -> int:
        with server_errors():
            return (await self._client.count(self.collection(name), exact=True)).count

    async def create(self, name: str, dimension: int) -> None:
        collection = self.collection(name)
        await self._note(models.PointStruct(id=_description_id(name), vector={}, payload={"name": name}))
        with server_errors():
            await self._client.create_collection(
                collection,
                vectors_config={
                    points.UNITS: models.VectorParams(
                        size=dimension,
                        distance=models.Distance.COSINE,
                        multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM),
                        datatype=models.Datatype.FLOAT16,
                    )
                },
                sparse_vectors_config={points.SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            )
            for field in (*points.KEYWORD_FIELDS, *points.INGEST_FIELDS):
                await self._client.create_payload_index(collection, field, models.PayloadSchemaType.KEYWORD)
            for field in points.INTEGER_FIELDS:
                await self._client.create_payload_index(collection, field, models.PayloadSchemaType.INTEGER)

    async def publish(self, edition: Edition, lists: Mapping[str, bytes]) -> None:
        """Points the alias at a finished edition; keeps the one before, and drops all others of this book."""
        count = await self._points(edition.name)
        for point in _description(edition, lists, count):
            await self._note(point)
        previous = await self.current_name()
        switch: list[Any] = [_create_alias(self._alias, self.collection(edition.name))]
        if previous is not None:
            switch.insert(0, _delete_alias(self._alias))
        with server_errors():
            await self._client.update_collection_aliases(switch)
        kept = {edition.name, previous}
        records = scroll(self._client, self._descriptions, None, ["name"], False)
        for name in {record.payload["name"] async for record in records} - kept:
            await self.remove(name)

    async def remove(self, name: str) -> None:
        """The name goes last, so that what was removed in part is removed again."""
        with server_errors():
            await self._client.delete_collection(self.collection(name))
            own = models.FilterSelector(filter=any_of("name", [name]))
            await self._client.delete(self._descriptions, own, wait=True)

    async def _note(self, point: models.PointStruct) -> None:
        with server_errors():
            if not await self._client.collection_exists(self._descriptions):
                await self._client.create_collection(self._descriptions, vectors_config={})
                await self._client.create_payload_index(self._descriptions, "name", models.PayloadSchemaType.KEYWORD)
            await self._client.upsert(self._descriptions, [point], wait=True)


def _description(edition: Edition, lists: Mapping[str, bytes], count: int) -> Iterator[models.PointStruct]:
    """Its parts first, so that what is described is there."""
    counts: dict[str, int] = {}
    for kind, lines in lists.items():
        parts = list(_packed(edition.name, kind, lines))
        counts[_COUNTS[kind]] = len(parts)
        yield from parts
    whole = {"name": edition.name, "edition": edition.model_dump_json(), **counts, "points": count}
    yield models.PointStruct(id=_description_id(edition.name), vector={}, payload=whole)


def _packed(name: str, kind: str, lines: bytes) -> Iterator[models.PointStruct]:
    packed = base64.b85encode(zlib.compress(lines)).decode()
    for number, start in enumerate(range(0, len(packed), _PART)):
        payload = {"name": name, "part": number, kind: packed[start : start + _PART]}
        yield models.PointStruct(id=_part_id(name, kind, number), vector={}, payload=payload)


def _description_id(name: str) -> str:
    return str(uuid5(NAMESPACE_URL, name))


def _part_id(name: str, kind: str, number: int) -> str:
    """Parts of vocabularies were the first, and have numbers alone."""
    return str(uuid5(NAMESPACE_URL, f"{name}/{number}" if kind == "vocabulary" else f"{name}/{kind}/{number}"))


def _create_alias(alias: str, collection: str) -> models.CreateAliasOperation:
    return models.CreateAliasOperation(create_alias=models.CreateAlias(collection_name=collection, alias_name=alias))


def _delete_alias(alias: str) -> models.DeleteAliasOperation:
    return models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias))
