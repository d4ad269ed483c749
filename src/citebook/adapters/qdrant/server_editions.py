"""Editions of a book as collections of a Qdrant server, and which of them answers.

    ALIAS              points at the collection that answers
    ALIAS--<edition>   the chunks of an edition
    ALIAS--editions    of each edition its name, its description, its vocabulary, its words and its outline

A name stands in ALIAS--editions before its collection is made, so that what a killed ingest leaves behind is known
to be this book's. The collection's name alone does not tell: another book may be called ALIAS--draft.
"""

import base64
import logging
import zlib
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from qdrant_client import AsyncQdrantClient, models

from citebook.adapters.qdrant import points
from citebook.adapters.qdrant.outline import read_outline
from citebook.adapters.qdrant.server_nodes import REQUEST_SECONDS
from citebook.adapters.qdrant.server_requests import any_of, scroll, server_errors
from citebook.adapters.qdrant.server_shape import ServerShape
from citebook.adapters.qdrant.vocabulary import Vocabulary
from citebook.domain.book import Edition
from citebook.domain.errors import VectorStoreUnavailable
from citebook.domain.outline import Outline
from citebook.domain.wording import Wording

log = logging.getLogger(__name__)

_COUNTS = {"vocabulary": "term_parts", "words": "word_parts", "outline": "outline_parts"}
"""Where a description has the number of points that a list takes."""
_PART = 1_000_000
"""Characters of a packed list in one point: a server takes no request of more than 32 MB."""


class ServerEditions:
    def __init__(
        self, client: AsyncQdrantClient, alias: str, shape: ServerShape, request_seconds: int = REQUEST_SECONDS
    ) -> None:
        self._client, self._alias, self._shape = client, alias, shape
        self._settling_seconds = max(1, request_seconds // 2)
        """That a cluster waits for nodes that are gone. It would wait for 20, longer than we do for its answer."""
        self.descriptions = f"{alias}--editions"

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
            lines = await self._unpacked(name, "vocabulary", payload[_COUNTS["vocabulary"]])
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
            records = await self._client.retrieve(self.descriptions, ids, consistency=self._shape.consistency)
        return [record.payload for record in records if record.payload]

    async def is_whole(self, name: str) -> bool:
        """By the number of its points: a server looks after its own files."""
        payloads = await self._payloads([_description_id(name)])
        return await self._points(name) in [payload.get("points") for payload in payloads]

    async def _points(self, name: str) -> int:
        with server_errors():
            return (await self._client.count(self.collection(name), exact=True)).count

    async def prepare(self) -> None:
        """Makes the collection of descriptions, unless another ingest has done so, or does it now."""
        with server_errors():
            if await self._client.collection_exists(self.descriptions):
                return
        try:
            with server_errors():
                await self._make(self.descriptions, self._shape.of_descriptions())
                await self._client.create_payload_index(self.descriptions, "name", models.PayloadSchemaType.KEYWORD)
        except (VectorStoreUnavailable, ValueError):  # the client's local mode raises the latter
            with server_errors():
                if not await self._client.collection_exists(self.descriptions):
                    raise

    async def create(self, name: str, dimension: int) -> None:
        collection = self.collection(name)
        await self._note(models.PointStruct(id=_description_id(name), vector={}, payload={"name": name}))
        with server_errors():
            await self._make(collection, self._shape.of_chunks(dimension))
            for field in (*points.KEYWORD_FIELDS, *points.INGEST_FIELDS):
                await self._client.create_payload_index(collection, field, models.PayloadSchemaType.KEYWORD)
            for field in points.INTEGER_FIELDS:
                await self._client.create_payload_index(collection, field, models.PayloadSchemaType.INTEGER)

    async def _make(self, collection: str, shape: Mapping[str, Any]) -> None:
        await self._client.create_collection(collection, **shape, timeout=self._settling_seconds)

    async def describe(self, edition: Edition, lists: Mapping[str, bytes]) -> None:
        count = await self._points(edition.name)
        for point in _description(edition, lists, count):
            await self._note(point)

    async def switch_to(self, name: str) -> str | None:
        """Points the alias at a finished edition; the name of the one that answered before.

        A new target takes the place of the old one. To delete that in the same request would not be one step: a
        server that then finds no such collection has deleted it already.
        """
        previous = await self.current_name()
        target = models.CreateAlias(collection_name=self.collection(name), alias_name=self._alias)
        with server_errors():
            await self._client.update_collection_aliases(
                [models.CreateAliasOperation(create_alias=target)], timeout=self._settling_seconds
            )
        return previous

    async def remove_all_but(self, *kept: str | None) -> None:
        """Those of this book. The new edition answers already: what cannot be removed now goes with the next one."""
        named = models.Filter(must_not=[models.IsEmptyCondition(is_empty=models.PayloadField(key="name"))])
        try:
            records = scroll(self._client, self.descriptions, named, ["name"], False)
            for name in {record.payload["name"] async for record in records}.difference(kept):
                await self.remove(name)
        except VectorStoreUnavailable as error:
            log.warning("editions of before are still on the server: %s", error)

    async def remove(self, name: str) -> None:
        """The name goes last, so that what was removed in part is removed again."""
        with server_errors():
            await self._client.delete_collection(self.collection(name))
            own = models.FilterSelector(filter=any_of("name", [name]))
            await self._client.delete(self.descriptions, own, wait=True)

    async def _note(self, point: models.PointStruct) -> None:
        with server_errors():
            await self._client.upsert(self.descriptions, [point], wait=True)


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
    return str(uuid5(NAMESPACE_URL, f"{name}/{kind}/{number}"))
