"""How chunks are kept in Qdrant."""

import json
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from citebook.adapters.qdrant.points import (
    chunk_of,
    document_weights,
    embedded_hash,
    intact_chunks,
    payload_of,
    sections_of,
)
from citebook.domain.book import Chunk, Role
from citebook.domain.layout import NodeKind
from tests.fakes import ENGLISH, chunk_of_page, chunks_of_page, make_chunk

CHUNK = make_chunk(
    "Torque turns. Force pushes.", "forces.mdx", index=3, module=2, difficulty="beginner", tags=("a", "b")
)


# --- payload


SOURCE = """\
A **bold** `word` of $x$.

3. one

   ```c++
   two
   ```

   > three

| a | b |
|---|---|
| 4 |   |
"""


@pytest.mark.parametrize(
    "chunk",
    [
        CHUNK,
        make_chunk("One."),
        CHUNK.model_copy(update={"page_start": 4, "page_end": 5}),
        chunk_of_page(SOURCE),
        chunks_of_page("| a | b |\n|---|---|\n" + "| one | two |\n" * 20, tokens=40)[1],
    ],
)
def test_a_chunk_comes_back_as_it_was(chunk: Chunk) -> None:
    stored = json.loads(json.dumps(payload_of(chunk, "second")))
    assert chunk_of(stored) == chunk.model_copy(update={"edition": "second", "section_texts": ()})


def test_a_chunk_of_before_layouts_is_paragraphs() -> None:
    payload = payload_of(make_chunk("One.\n\nTwo."), "first")
    del payload["layout"]
    assert [node.kind for node in chunk_of(payload).layout.nodes] == [NodeKind.PARAGRAPH] * 2


def test_a_section_comes_back_as_it_was() -> None:
    chunk = chunk_of_page(SOURCE)
    (section,) = sections_of([record_of(json.loads(json.dumps(payload_of(chunk, "first"))))])
    (text,) = chunk.section_texts
    assert (section.id, section.title, section.level, section.blocks) == ("page", "Page", 0, text.blocks)


def test_sections_without_chunks_come_back_in_their_order() -> None:
    chunk = chunk_of_page("# Sensors\n\n## Cameras\n\n### Depth\n\nTwo of them see depth.\n\n## Next")
    sections = sections_of([record_of(payload_of(chunk, "first"))])
    expected = [("Sensors", 1, 0), ("Cameras", 2, 0), ("Depth", 3, 1), ("Next", 2, 0)]
    assert [(one.title, one.level, len(one.blocks)) for one in sections] == expected


def test_a_section_of_an_edition_that_kept_one_at_a_time_comes_back() -> None:
    (text,) = chunk_of_page(SOURCE).section_texts
    kept = {"level": 2, "blocks": text.model_dump(mode="json")["blocks"]}
    (section,) = sections_of([record_of({**before_names(payload_of(CHUNK, "first")), "section_text": kept})])
    assert (section.id, section.title, section.level, section.blocks) == ("part", "Part", 2, text.blocks)


def test_a_section_of_before_blocks_is_none() -> None:
    kept = {"level": 2, "markdown": "Torque **turns**."}
    payload = {**before_names(payload_of(CHUNK, "first")), "section_text": kept}
    assert list(sections_of([record_of(payload)])) == []


def record_of(payload: dict[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(id="a", payload=payload)


def before_names(payload: dict[str, Any]) -> dict[str, Any]:
    """As it was when a chunk had at most one section, which did not know its name."""
    return {name: value for name, value in payload.items() if name != "section_texts"}


def test_the_fields_that_readers_filter_by_are_plain_values() -> None:
    payload = payload_of(CHUNK, "first")
    assert (payload["module"], payload["difficulty"], payload["tags"]) == (2, "beginner", ["a", "b"])
    assert (payload["chapter"], payload["section"], payload["filename"]) == ("Chapter", "part", "forces.mdx")


def test_the_same_units_are_known_by_their_hash_wherever_they_stand() -> None:
    moved = make_chunk(CHUNK.text, CHUNK.place.source_file, index=4)
    assert payload_of(CHUNK, "first")["embedded_hash"] == embedded_hash(moved)
    assert embedded_hash(CHUNK) != embedded_hash(make_chunk("Torque turns.", "forces.mdx"))


@pytest.mark.parametrize(
    "damage",
    [
        {"text": "Torque melts. Force pushes."},
        {"chunk_index": 4},
        {"section": "other"},
        {"content_hash": "0" * 64},
        {"content_hash": None},
        {"sentences": None},
        {"sentences": [0, 13, 0]},
        {"start": "ten"},
        {"layout": None},
        {"layout": {"nodes": [0, -1, 1, 0, 999, 0], "marks": [], "languages": {}}},
        {"layout": {"nodes": [999, -1, 1, 0, 9, 0], "marks": [], "languages": {}}},
        {"layout": {"nodes": [0, -1], "marks": [], "languages": {}}},
    ],
)
def test_a_point_that_is_not_what_was_ingested_is_left_out(damage: dict[str, object]) -> None:
    record = SimpleNamespace(id=str(CHUNK.point_id), payload={**payload_of(CHUNK, "first"), **damage})
    assert list(intact_chunks([record])) == []


def test_a_point_without_a_field_is_left_out_and_the_others_are_not() -> None:
    poor = payload_of(CHUNK, "first")
    del poor["tags"]
    records = [SimpleNamespace(id="a", payload=poor), SimpleNamespace(id="b", payload=payload_of(CHUNK, "first"))]
    assert [key for key, _ in intact_chunks(records)] == ["b"]


# --- BM25


def test_a_term_weighs_as_bm25_says() -> None:
    counts = Counter(ENGLISH.terms(CHUNK.embedded_text))
    length = sum(counts.values())
    expected = {term: count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / 256)) for term, count in counts.items()}
    assert document_weights(CHUNK, ENGLISH) == pytest.approx(expected)


def test_repeating_a_word_adds_less_each_time() -> None:
    once, twice, thrice = (document_weights(make_chunk("gear " * n), ENGLISH)["gear"] for n in (1, 2, 3))
    assert 0 < thrice - twice < twice - once


def test_a_word_weighs_less_in_a_longer_chunk() -> None:
    short, long = (document_weights(make_chunk("gear " + filler), ENGLISH)["gear"] for filler in ("", "x1 " * 300))
    assert long < short


def test_words_of_the_heading_count() -> None:
    assert "chapter" in document_weights(make_chunk("Text."), ENGLISH)


def test_the_role_of_a_sentence_is_kept() -> None:
    chunk = chunk_of_page("By the end of this section, you will be able to:\n\n- x\n\n```\ncode\n```")
    assert chunk_of(payload_of(chunk, "e")).sentences == chunk.sentences
    assert chunk.sentences[0].role is Role.OBJECTIVE


def test_sentences_of_older_editions_are_text() -> None:
    payload = payload_of(chunk_of_page("One. Two."), "e")
    assert [sentence.role for sentence in chunk_of(payload).sentences] == [Role.TEXT, Role.TEXT]
    assert payload["sentences"][4::5] == [0, 0]
