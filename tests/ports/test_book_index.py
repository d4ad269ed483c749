"""What every index of a book must do, whichever engine is behind it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient

from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.adapters.qdrant.server import QdrantServer, ServerAddress, ServerShape
from citebook.domain.blocks import Block
from citebook.domain.book import Chapter, Chunk, Edition, IndexedFile, Part, SectionText
from citebook.domain.errors import BookNotIngested, IndexUnusable, IngestInProgress
from citebook.domain.evidence import Hit, SearchHits
from citebook.domain.outline import Outline, Place
from citebook.domain.question import Filters
from citebook.domain.units import unit_texts
from citebook.ports import BookIndex, Vectors
from tests.block_texts import listed, said, table
from tests.fakes import ENGLISH, WORKERS, WordEmbedder, chunks_of_page, make_chunk
from tests.qdrant_servers import Node

EMBEDDER = WordEmbedder()

pytestmark = [
    pytest.mark.network,
    # qdrant-client warns that its local mode ignores payload indexes, and of its own deprecations.
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning"),
]

KINEMATICS = make_chunk("Inverse kinematics finds joint angles for a wanted pose.", "kinematics.mdx", module=1)
BALANCE = make_chunk("A biped keeps its zero moment point inside the foot.", "balance.mdx", module=4, tags=("gait",))
VISION = make_chunk("A stereo camera measures depth by disparity.", "vision.mdx", module=3, difficulty="beginner")
TWO_UNITS = make_chunk("A stereo camera measures depth.\n\nA biped keeps its balance on one foot.", "two.mdx")


CLUSTERED = ServerShape(shards=3, replication_factor=2, write_consistency_factor=2, read_consistency="majority")
SQUEEZED = ServerShape(vectors_on_disk=True, quantization="int8", hnsw_m=8, hnsw_ef_construct=64, hnsw_ef=64)


def server_of(kind: str, request: pytest.FixtureRequest) -> tuple[ServerAddress, ServerShape]:
    if kind == "cluster":
        return ServerAddress(request.getfixturevalue("qdrant_cluster").urls), CLUSTERED
    if kind == "grpc":
        node: Node = request.getfixturevalue("qdrant_node")
        return ServerAddress((node.url,), grpc_port=node.grpc_port), ServerShape()
    shape = SQUEEZED if kind == "squeezed" else ServerShape()
    return ServerAddress(tuple(request.getfixturevalue("qdrant_url").split(","))), shape


@pytest.fixture(params=["embedded", "client-local", "server", "squeezed", "grpc", "cluster"])
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[BookIndex]:
    match request.param:
        case "embedded":
            yield EmbeddedQdrant(tmp_path / "index", WORKERS)
        case "client-local":
            client = AsyncQdrantClient(":memory:")
            yield QdrantServer(client, "book", tmp_path, WORKERS)
            await client.close()
        case kind:
            address, shape = server_of(kind, request)
            server = QdrantServer.connect(address, f"test-{uuid4().hex}", tmp_path, WORKERS, shape)
            yield server
            for collection in (await server._client.get_collections()).collections:
                if collection.name.startswith(f"{server._editions._alias}--"):
                    await server._client.delete_collection(collection.name)
            await server.aclose()


def edition_of(name: str, chunks: Sequence[Chunk]) -> Edition:
    files = {chunk.place.source_file: IndexedFile(sha256="0" * 64, chunks=1) for chunk in chunks}
    return Edition(
        name=name,
        embedder=EMBEDDER.stamp,
        recipe="test",
        created_at=datetime.now(UTC),
        files=files,
        chunk_count=len(chunks),
        vectors_of="units",
    )


async def vectors(chunks: Sequence[Chunk]) -> list[Vectors]:
    """Those of the units of each chunk."""
    return [await EMBEDDER.embed_passages(unit_texts(chunk)) for chunk in chunks]


async def publish(index: BookIndex, name: str, chunks: Sequence[Chunk]) -> None:
    async with index.build(name, EMBEDDER.stamp) as builder:
        await builder.add(chunks, await vectors(chunks))
        await builder.publish(edition_of(name, chunks))


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, with its chunks, best first."""

    hits: SearchHits
    ranked: list[Hit]
    chunks: tuple[Chunk, ...]

    @property
    def best(self) -> Hit:
        return self.ranked[0]


async def search(index: BookIndex, text: str, filters: Filters = Filters(), *, by_words: bool = False) -> Found:
    vector = None if by_words else await EMBEDDER.embed_question(text)
    found = await index.search(ENGLISH.terms(text), vector, filters, 10)
    ranked = sorted(found.hits, key=lambda hit: -(hit.cosine or 0) - (hit.bm25 or 0))
    chunks = await index.chunks(found.edition, [hit.key for hit in ranked])
    return Found(found, ranked, tuple(one.chunk for one in chunks.values()))


def files(found: Found) -> list[str]:
    return [chunk.place.source_file for chunk in found.chunks]


async def test_a_book_that_was_never_ingested_says_so(index: BookIndex) -> None:
    assert await index.current() is None
    with pytest.raises(BookNotIngested, match="citebook ingest"):
        await search(index, "anything")


async def test_the_best_chunk_comes_back_as_it_was_added(index: BookIndex) -> None:
    await publish(index, "first", [KINEMATICS, BALANCE, VISION])
    found = (await search(index, "inverse kinematics")).chunks[0]
    assert found == KINEMATICS.model_copy(update={"edition": "first"})


async def test_every_hit_has_both_scores(index: BookIndex) -> None:
    await publish(index, "first", [KINEMATICS, BALANCE, VISION])
    findings = await search(index, "inverse kinematics")
    assert all(hit.cosine is not None and hit.bm25 is not None for hit in findings.hits.hits)


async def test_a_term_weighs_as_much_as_its_rarity(index: BookIndex) -> None:
    await publish(index, "first", [KINEMATICS, BALANCE, VISION])
    rare, twice = (await search(index, "disparity")).best, "disparity"
    weights = (await search(index, "disparity camera")).hits.term_weights
    both = (await search(index, "disparity camera")).best
    assert both.bm25 == pytest.approx(
        (rare.bm25 or 0) * sum(weights.values()) / weights[ENGLISH.terms(twice)[0]], rel=1e-3
    )


async def test_words_alone_find_without_a_vector(index: BookIndex) -> None:
    await publish(index, "first", [KINEMATICS, BALANCE, VISION])
    findings = await search(index, "stereo depth", by_words=True)
    assert files(findings) == ["vision.mdx"]
    assert findings.best.cosine is None


async def test_the_words_of_an_edition_are_kept_as_they_are_written(index: BookIndex) -> None:
    await publish(index, "first", [KINEMATICS, BALANCE, VISION])
    wording = await index.wording()
    assert wording.edition == "first"
    assert b"\nkinematics\t1\n" in wording.words
    assert b"\na\t3\n" in b"\n" + wording.words


async def test_the_words_of_carried_over_chunks_are_kept_and_those_of_others_are_not(index: BookIndex) -> None:
    await publish(index, "first", [KINEMATICS, BALANCE])
    async with index.build("second", EMBEDDER.stamp) as builder:
        await builder.carry_over([BALANCE.place.source_file])
        await builder.publish(edition_of("second", [BALANCE]))
    wording = await index.wording()
    assert wording.edition == "second"
    assert b"\nmoment\t1\n" in wording.words
    assert b"kinematics" not in wording.words


def page_of(source: str, file: str) -> list[Chunk]:
    return [
        chunk.model_copy(update={"place": chunk.place.model_copy(update={"source_file": file})})
        for chunk in chunks_of_page(source)
    ]


def outlined_edition(name: str, pages: Sequence[str]) -> Edition:
    files = {
        f"{title.lower()}.md": IndexedFile(
            sha256="0" * 64,
            chunks=1,
            order=order,
            chapter=Chapter(id=title.lower(), title=title, sections=(), url="/", parts=(Part(name="Machines"),)),
        )
        for order, title in enumerate(pages)
    }
    return edition_of(name, []).model_copy(update={"files": files})


GEARS_PAGE = """\
By the end of this chapter, you will be able to:

- choose a gear

This chapter covers gears. A gear turns another one by the force of its teeth.

## Summary

Gears trade speed for torque, and belts do so without any noise.
"""


async def test_the_outline_says_where_each_page_tells_what_it_is_about(index: BookIndex) -> None:
    gears, motors = page_of(GEARS_PAGE, "gears.md"), page_of("Motors turn electric power into torque.", "motors.md")
    chunks = [*gears, *motors]
    async with index.build("first", EMBEDDER.stamp) as builder:
        await builder.add(chunks, await vectors(chunks))
        await builder.publish(outlined_edition("first", ["Motors", "Gears"]))
    outline = await index.outline()
    assert [page.title for page in outline.pages] == ["Motors", "Gears"]
    page = outline.pages[1]
    assert page.parts == (Part(name="Machines"),)
    assert page.objectives == Place(gears[0].id, 0, 1)
    assert page.announcement == Place(gears[0].id, 2, 2)
    assert page.opening == Place(gears[0].id, 3, 3)
    assert page.summary == Place(gears[1].id, 0, 0)


SENSORS_PAGE = """\
# Sensors

## Cameras

### Depth from two cameras

Two cameras see the same point in two places, which tells how far it is.

## Further reading
"""


async def test_sections_of_a_heading_alone_are_outlined_and_read_in_their_place(index: BookIndex) -> None:
    chunks = page_of(SENSORS_PAGE, "sensors.md")
    async with index.build("first", EMBEDDER.stamp) as builder:
        await builder.add(chunks, await vectors(chunks))
        await builder.publish(outlined_edition("first", ["Sensors"]))
    titles = ["Sensors", "Cameras", "Depth from two cameras", "Further reading"]
    (outlined,) = (await index.outline()).pages
    assert [(one.title, one.depth) for one in outlined.sections] == list(zip(titles, (0, 1, 2, 1), strict=True))
    assert [one.opening for one in outlined.sections] == [None, None, Place(chunks[0].id, 0, 0), None]
    page = await index.page("sensors")
    assert page is not None
    assert [one.title for one in page.sections] == titles
    assert [one.id for one in page.sections][1:] == ["cameras", "depth-from-two-cameras", "further-reading"]


async def test_the_outline_of_carried_over_pages_is_kept_and_that_of_others_is_not(index: BookIndex) -> None:
    chunks = [*page_of(GEARS_PAGE, "gears.md"), *page_of("Motors turn electric power into torque.", "motors.md")]
    async with index.build("first", EMBEDDER.stamp) as builder:
        await builder.add(chunks, await vectors(chunks))
        await builder.publish(outlined_edition("first", ["Gears", "Motors"]))
    before = await index.outline()
    async with index.build("second", EMBEDDER.stamp) as builder:
        await builder.carry_over(["gears.md"])
        await builder.publish(outlined_edition("second", ["Gears"]))
    assert await index.outline() == Outline("second", before.pages[:1])


async def test_rare_terms_weigh_more_and_absent_ones_are_named(index: BookIndex) -> None:
    await publish(index, "first", [KINEMATICS, BALANCE, VISION])
    findings = await search(index, "foot inside unicorn")
    assert findings.hits.missing_terms == {"unicorn"}
    assert findings.hits.term_weights["unicorn"] > findings.hits.term_weights["foot"] > 0


async def test_words_with_the_same_checksum_are_not_taken_for_each_other(index: BookIndex) -> None:
    plum, buck = make_chunk("A plumless cake.", "cake.mdx"), make_chunk("A buckeroo rides.", "ride.mdx")
    await publish(index, "first", [plum, buck, VISION])
    found = await search(index, "plumless", by_words=True)
    assert files(found) == ["cake.mdx"]
    await publish(index, "second", [buck, VISION])
    assert (await search(index, "plumless", by_words=True)).hits.missing_terms == {"plumless"}


async def test_chunks_that_were_carried_over_are_found_by_their_own_words(index: BookIndex) -> None:
    await publish(index, "first", [VISION, BALANCE, KINEMATICS])
    async with index.build("second", EMBEDDER.stamp) as builder:
        extra = make_chunk("Torque turns a wheel, and friction stops it.", "wheel.mdx")
        await builder.add([extra], await vectors([extra]))
        await builder.carry_over(["kinematics.mdx"])
        await builder.carry_over(["balance.mdx"])
        await builder.publish(edition_of("second", [extra, KINEMATICS, BALANCE]))
    for chunk in (extra, KINEMATICS, BALANCE):
        found = await search(index, chunk.text, by_words=True)
        assert files(found)[0] == chunk.place.source_file
        assert not found.hits.missing_terms
    assert files(await search(index, "stereo disparity", by_words=True)) == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(module=4), ["balance.mdx"]),
        (Filters(difficulty="beginner"), ["vision.mdx"]),
        (Filters(tags=("gait", "unused")), ["balance.mdx"]),
        (Filters(module=9), []),
        (Filters(chapter_id="vision", source_files=("vision.mdx",)), ["vision.mdx"]),
        (Filters(chapter_id="vision", source_files=("vision.mdx", "_lens.mdx"), module=4), []),
        (Filters(chapter_id="unknown"), []),
    ],
)
async def test_filters_keep_other_parts_out(index: BookIndex, filters: Filters, expected: list[str]) -> None:
    await publish(index, "first", [KINEMATICS, BALANCE, VISION])
    assert files(await search(index, "camera kinematics foot", filters)) == expected


async def test_a_new_edition_replaces_the_old_one_whole(index: BookIndex) -> None:
    await publish(index, "first", [KINEMATICS, BALANCE])
    await publish(index, "second", [VISION])
    assert files(await search(index, "inverse kinematics camera")) == ["vision.mdx"]
    assert (await index.edition()).name == "second"


async def test_an_edition_that_is_not_published_vanishes(index: BookIndex) -> None:
    await publish(index, "first", [KINEMATICS])
    async with index.build("second", EMBEDDER.stamp) as builder:
        await builder.add([VISION], await vectors([VISION]))
    assert files(await search(index, "stereo camera")) == ["kinematics.mdx"]
    await publish(index, "third", [VISION])
    assert files(await search(index, "stereo camera")) == ["vision.mdx"]


async def test_unchanged_files_are_carried_over(index: BookIndex) -> None:
    await publish(index, "first", [KINEMATICS, BALANCE])
    async with index.build("second", EMBEDDER.stamp) as builder:
        assert await builder.carry_over(["kinematics.mdx"]) == 1
        await builder.add([VISION], await vectors([VISION]))
        await builder.publish(edition_of("second", [KINEMATICS, VISION]))
    findings = await search(index, "inverse kinematics foot")
    assert sorted(files(findings)) == ["kinematics.mdx", "vision.mdx"]
    assert {chunk.edition for chunk in findings.chunks} == {"second"}
    assert "foot" in findings.hits.missing_terms


async def test_vectors_of_known_units_are_found_again(index: BookIndex) -> None:
    async with index.known_vectors() as look_up:
        assert await look_up([TWO_UNITS]) == {}
    await publish(index, "first", [TWO_UNITS])
    moved = make_chunk(TWO_UNITS.text, TWO_UNITS.place.source_file, index=7)
    async with index.known_vectors() as look_up:
        known = await look_up([moved, VISION])
    assert list(known) == [moved.id]
    np.testing.assert_allclose(known[moved.id], (await vectors([moved]))[0], atol=1e-3)


async def test_a_chunk_is_as_like_a_question_as_its_best_unit(index: BookIndex) -> None:
    await publish(index, "first", [TWO_UNITS, VISION])
    found = await search(index, "a stereo camera")
    asked = await EMBEDDER.embed_question("a stereo camera")
    expected = (await vectors([TWO_UNITS]))[0] @ asked
    read = await index.chunks(found.hits.edition, [str(TWO_UNITS.point_id)], asked)
    (hit,) = (hit for hit in found.hits.hits if hit.key == str(TWO_UNITS.point_id))
    np.testing.assert_allclose(read[hit.key].unit_cosines, expected, atol=1e-3)
    assert hit.cosine == pytest.approx(max(expected), abs=1e-3)


async def test_an_edition_knows_how_like_it_strangers_are(index: BookIndex) -> None:
    await publish(index, "first", [VISION])
    strangers = [await EMBEDDER.embed_question(text) for text in ("a stereo camera", "an egg")]
    async with index.build("second", EMBEDDER.stamp, strangers=strangers) as builder:
        await builder.carry_over(["vision.mdx"])
        await builder.add([BALANCE], await vectors([BALANCE]))
        found = builder.likeness_of_strangers()
    units = np.concatenate(await vectors([VISION, BALANCE]))
    np.testing.assert_allclose(found, [max(units @ stranger) for stranger in strangers], atol=1e-3)


async def test_chunks_that_are_read_without_a_vector_are_like_nothing(index: BookIndex) -> None:
    await publish(index, "first", [VISION])
    read = await index.chunks("first", [str(VISION.point_id)])
    assert read[str(VISION.point_id)].unit_cosines == ()


async def test_an_index_of_an_older_version_says_what_to_do(index: BookIndex) -> None:
    async with index.build("first", EMBEDDER.stamp) as builder:
        await builder.add([VISION], await vectors([VISION]))
        await builder.publish(edition_of("first", [VISION]).model_copy(update={"vectors_of": "chunks"}))
    with pytest.raises(IndexUnusable, match=r"older version.*citebook ingest"):
        await search(index, "camera")
    current = await index.current()
    assert current is not None
    assert not current.is_searchable


async def test_a_second_build_at_the_same_time_is_turned_away(index: BookIndex) -> None:
    async with index.build("first", EMBEDDER.stamp):
        with pytest.raises(IngestInProgress, match="already in progress"):
            async with index.build("second", EMBEDDER.stamp):
                pass


async def test_text_that_is_not_what_was_ingested_is_never_shown(index: BookIndex) -> None:
    forged = KINEMATICS.model_copy(update={"text": "Inverse kinematics is magic.".ljust(KINEMATICS.end)})
    await publish(index, "first", [forged, BALANCE])
    assert "kinematics.mdx" not in files(await search(index, "inverse kinematics"))


# --- pages


GEARS = Chapter(id="gears", title="Gears", sections=("Teeth", "Belts"), url="/docs/gears")
MOTORS = Chapter(id="motors", title="Motors", sections=(), url="/docs/motors")


def part(text: str, file: str, number: int, *section: Block) -> Chunk:
    chunk = make_chunk(text, file, index=number)
    read = SectionText(id="part", title="Part", level=2, depth=0, blocks=section)
    return chunk.model_copy(update={"section_texts": (read,) if section else ()})


TEETH = said("Teeth wear. Then they break.")
BELTS = (said("Belts ", ("stretch", "strong")), listed("a", "b"), table(["x"], ["1"]))
PARTS = [
    part("Belts stretch.", "gears.mdx", 2, *BELTS),
    part("Teeth wear.", "gears.mdx", 0, TEETH),
    part("Then they break.", "gears.mdx", 1),
    part("Oil it.", "_oil.mdx", 0, said("Oil it.")),
    part("Motors turn.", "motors.mdx", 0, said("Motors turn.")),
]


async def publish_pages(index: BookIndex, name: str, chunks: Sequence[Chunk]) -> None:
    files = {
        "motors.mdx": IndexedFile(sha256="0" * 64, chunks=1, chapter=MOTORS, order=2),
        "_oil.mdx": IndexedFile(sha256="0" * 64, chunks=1, order=1, part_of="gears.mdx"),
        "gears.mdx": IndexedFile(sha256="0" * 64, chunks=3, chapter=GEARS, order=0),
    }
    async with index.build(name, EMBEDDER.stamp) as builder:
        if await index.current() is not None:
            await builder.carry_over(list(files))
        if chunks:
            await builder.add(chunks, await vectors(chunks))
        await builder.publish(edition_of(name, PARTS).model_copy(update={"files": files}))


async def test_a_page_is_read_in_its_order_with_its_partials(index: BookIndex) -> None:
    await publish_pages(index, "first", PARTS)
    page = await index.page("gears")
    assert page is not None
    assert (page.edition, page.chapter, page.previous, page.next) == ("first", GEARS, None, MOTORS)
    assert [section.blocks for section in page.sections] == [(TEETH,), BELTS, (said("Oil it."),)]
    assert {(section.id, section.title, section.level) for section in page.sections} == {("part", "Part", 2)}


async def test_a_partial_is_read_on_the_page_that_shows_it(index: BookIndex) -> None:
    await publish_pages(index, "first", PARTS)
    assert await index.page("_oil") == await index.page("gears")


async def test_the_last_page_has_none_after_it(index: BookIndex) -> None:
    await publish_pages(index, "first", PARTS)
    page = await index.page("motors")
    assert page is not None
    assert (page.previous, page.next) == (GEARS, None)


@pytest.mark.parametrize("chapter_id", ["", "gear", "gears.mdx", "../gears", "gears/", "\ud800", "x" * 10_000])
async def test_what_is_no_page_is_none(index: BookIndex, chapter_id: str) -> None:
    await publish_pages(index, "first", PARTS)
    assert await index.page(chapter_id) is None


async def test_pages_are_carried_over(index: BookIndex) -> None:
    await publish_pages(index, "first", PARTS)
    before = await index.page("gears")
    await publish_pages(index, "second", [])
    after = await index.page("gears")
    assert before is not None
    assert after == before.model_copy(update={"edition": "second"})


async def test_an_edition_that_holds_no_pages_says_so(index: BookIndex) -> None:
    await publish_pages(index, "first", [part(chunk.text, chunk.place.source_file, 0) for chunk in PARTS[:1]])
    page = await index.page("gears")
    assert page is not None
    assert not page.is_readable


async def test_a_book_that_was_never_ingested_has_no_pages(index: BookIndex) -> None:
    with pytest.raises(BookNotIngested):
        await index.page("gears")


async def test_all_chunks_of_an_edition_can_be_read(index: BookIndex) -> None:
    await publish(index, "first", [KINEMATICS])
    await publish(index, "second", [BALANCE, VISION])
    chunks = [chunk async for some in index.all_chunks() for chunk in some]
    assert {chunk.id: chunk.text for chunk in chunks} == {chunk.id: chunk.text for chunk in (BALANCE, VISION)}
    assert {chunk.edition for chunk in chunks} == {"second"}
