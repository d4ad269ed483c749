"""Chunks and editions: what a book's index may hold."""

import hashlib
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from citebook.domain.blocks import plain_paragraph
from citebook.domain.book import (
    Chapter,
    Chunk,
    Counts,
    EmbedderStamp,
    IndexedFile,
    IngestResult,
    PagePlace,
    Sentence,
)
from citebook.domain.layout import Layout, Node, NodeKind, plain_layout

SHA256 = "0123456789abcdef" * 4
PLACE = PagePlace(
    source_file="01-module-1-ros2/03-chapter-3-ros2-basics.mdx",
    filename="03-chapter-3-ros2-basics.mdx",
    chapter_id="module-1-ros2/chapter-3-ros2-basics",
    chapter_title="ROS 2 basics",
    url="/docs/module-1-ros2/chapter-3-ros2-basics",
)
SOURCE = "# ROS 2\n\nA **node** computes. It talks over topics."
TEXT = "A node computes. It talks over topics."


def chunk(**changes: Any) -> Chunk:
    fields: dict[str, Any] = {
        "id": Chunk.hash_of(PLACE.chapter_id, "nodes", 0, TEXT),
        "text": TEXT,
        "place": PLACE,
        "section": "nodes",
        "section_title": "Nodes",
        "section_path": ("ROS 2 basics", "Nodes"),
        "anchor": "nodes",
        "chunk_index": 0,
        "start": 9,
        "end": len(SOURCE),
        "source_text": SOURCE[9:],
        "sentences": (
            Sentence(start=0, end=16, source_start=9, source_end=29),
            Sentence(start=17, end=38, source_start=30, source_end=51),
        ),
        "sentence_start": 0,
        "sentence_end": 1,
    }
    fields |= changes
    return Chunk(**{"layout": plain_layout(fields["text"]), **fields})


class TestChunk:
    @pytest.mark.parametrize(
        "changes",
        [
            {"id": SHA256},
            {"text": "x"},
            {"section": "s"},
            {"section_title": "S"},
            {"chunk_index": 0},
            {"chunk_index": 1},
            {"start": 0},
            {"end": 1},
            {"page_start": None, "page_end": None},
        ],
    )
    def test_accepts_what_its_rules_allow(self, changes: dict[str, Any]) -> None:
        chunk(**changes)

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("id", SHA256[:-1]),
            ("id", SHA256 + "0"),
            ("id", SHA256.upper()),
            ("id", SHA256[:-1] + "g"),
            ("id", SHA256 + "\n"),
            ("text", ""),
            ("section", ""),
            ("section_title", ""),
            ("chunk_index", -1),
            ("start", -1),
            ("end", 0),
            ("sentence_start", -1),
            ("sentence_end", -1),
        ],
    )
    def test_rejects_what_its_rules_forbid(self, field: str, value: object) -> None:
        with pytest.raises(ValidationError) as caught:
            chunk(**{field: value})
        assert caught.value.errors()[0]["loc"] == (field,)

    def test_never_changes(self) -> None:
        with pytest.raises(ValidationError, match="frozen"):
            chunk().text = "other"  # type: ignore[misc]

    def test_knows_all_its_fields(self) -> None:
        with pytest.raises(ValidationError, match="Extra inputs"):
            chunk(colour="red")

    def test_its_id_is_its_content_hash(self) -> None:
        assert chunk().content_hash == chunk().id

    def test_its_point_id_is_a_uuid_made_of_its_hash(self) -> None:
        assert chunk(id=SHA256).point_id == UUID("01234567-89ab-cdef-0123-456789abcdef")

    def test_is_intact_until_something_that_was_hashed_differs(self) -> None:
        assert chunk().is_intact()
        assert not chunk(text=TEXT + " ").is_intact()
        assert not chunk(section="topics").is_intact()
        assert not chunk(chunk_index=1).is_intact()
        assert not chunk(place=PLACE.model_copy(update={"chapter_id": "elsewhere"})).is_intact()

    def test_quotes_a_sentence_as_read_and_as_written(self) -> None:
        first, second = chunk().sentences
        assert chunk().quote(first) == "A node computes."
        assert chunk().source_quote(first) == "A **node** computes."
        assert chunk().quote(second) == chunk().source_quote(second) == "It talks over topics."

    def test_says_what_stands_between_two_places(self) -> None:
        assert chunk().blocks_between(0, 16) == (plain_paragraph("A node computes."),)

    def test_has_the_layout_of_its_own_text(self) -> None:
        beyond = Layout((Node(NodeKind.PARAGRAPH, -1, 1, 0, len(TEXT) + 1),))
        with pytest.raises(ValidationError, match="layout"):
            chunk(layout=beyond)

    def test_its_url_leads_to_the_section(self) -> None:
        assert chunk().url == f"{PLACE.url}#nodes"
        assert chunk(anchor="").url == PLACE.url

    def test_its_url_leads_to_the_page_where_there_are_pages(self) -> None:
        assert chunk(page_start=42, page_end=43).url == f"{PLACE.url}#page=42"

    def test_is_embedded_below_its_headings_each_named_once(self) -> None:
        assert chunk().heading_path == ("ROS 2 basics", "Nodes")
        assert chunk().embedded_text == f"ROS 2 basics > Nodes\n{TEXT}"


words = st.text(alphabet=st.sampled_from("ab01\x00"), max_size=4) | st.text(
    alphabet=st.characters(codec="utf-8"), max_size=8
)
parts = st.tuples(words, words, st.integers(min_value=0, max_value=10_000), words)


class TestContentHash:
    def test_is_a_lower_case_sha256(self) -> None:
        content_hash = Chunk.hash_of("chapter", "section", 0, "text")
        assert len(content_hash) == len(hashlib.sha256().hexdigest())
        assert set(content_hash) <= set("0123456789abcdef")

    @given(parts)
    def test_is_the_same_each_time(self, some: tuple[str, str, int, str]) -> None:
        assert Chunk.hash_of(*some) == Chunk.hash_of(*some)

    @given(parts, parts)
    def test_differs_when_any_part_differs(
        self, some: tuple[str, str, int, str], other: tuple[str, str, int, str]
    ) -> None:
        assert (Chunk.hash_of(*some) == Chunk.hash_of(*other)) == (some == other)

    @given(st.lists(words, min_size=3, max_size=5), st.sampled_from(["", "\x00", "\x00\x00"]))
    def test_notices_text_that_moves_from_chapter_to_section(self, pieces: list[str], joint: str) -> None:
        cuts = {(joint.join(pieces[:cut]), joint.join(pieces[cut:])) for cut in range(len(pieces) + 1)}
        assert len({Chunk.hash_of(chapter, section, 0, "text") for chapter, section in cuts}) == len(cuts)

    @pytest.mark.parametrize(
        ("some", "other"),
        [
            (("ab", "c", 0, "t"), ("a", "bc", 0, "t")),
            (("a\x00b", "c", 0, "t"), ("a", "b\x00c", 0, "t")),
            (("a", "b1", 2, "t"), ("a", "b", 12, "t")),
            (("a", "b", 1, "2t"), ("a", "b", 12, "t")),
            (("a", "b", 0, "1\x00t"), ("a", "b\x000", 1, "t")),
        ],
    )
    def test_notices_text_that_moves_between_parts(
        self, some: tuple[str, str, int, str], other: tuple[str, str, int, str]
    ) -> None:
        assert Chunk.hash_of(*some) != Chunk.hash_of(*other)

    def test_keeps_the_same_text_in_two_chapters_apart(self) -> None:
        assert Chunk.hash_of("one", "intro", 0, "text") != Chunk.hash_of("two", "intro", 0, "text")


class TestPagePlace:
    @pytest.mark.parametrize("field", ["source_file", "filename", "chapter_id", "chapter_title"])
    def test_names_must_not_be_empty(self, field: str) -> None:
        with pytest.raises(ValidationError):
            PagePlace.model_validate(PLACE.model_dump() | {field: ""})
        assert PagePlace.model_validate(PLACE.model_dump() | {field: "x"})

    @pytest.mark.parametrize("chapter_id", ["module-1/chapter-2", "module-1-ros2/chapter-2-nodes", "api/Näheres"])
    def test_takes_chapter_ids_as_the_book_has_them(self, chapter_id: str) -> None:
        assert PLACE.model_copy(update={"chapter_id": chapter_id}).chapter_id == chapter_id

    @pytest.mark.parametrize("difficulty", ["beginner", "intermediate", "advanced", None])
    def test_knows_three_difficulties(self, difficulty: str | None) -> None:
        place = PagePlace.model_validate(PLACE.model_dump() | {"difficulty": difficulty})
        assert place.difficulty == difficulty

    @pytest.mark.parametrize("difficulty", ["", "Beginner", "expert"])
    def test_knows_no_other_difficulty(self, difficulty: str) -> None:
        with pytest.raises(ValidationError):
            PagePlace.model_validate(PLACE.model_dump() | {"difficulty": difficulty})


class TestSentence:
    @pytest.mark.parametrize(("field", "value"), [("start", -1), ("end", 0), ("source_start", -1), ("source_end", 0)])
    def test_stands_inside_a_text(self, field: str, value: int) -> None:
        fields = {"start": 0, "end": 1, "source_start": 0, "source_end": 1}
        assert Sentence.model_validate(fields)
        with pytest.raises(ValidationError):
            Sentence.model_validate(fields | {field: value})


class TestEmbedderStamp:
    @pytest.mark.parametrize("dimension", [1, 384, 768, 1024, 1536])
    def test_takes_the_dimension_of_any_embedder(self, dimension: int) -> None:
        assert EmbedderStamp(name="some model", dimension=dimension, max_tokens=1).dimension == dimension

    @pytest.mark.parametrize(("field", "value"), [("name", ""), ("dimension", 0), ("max_tokens", 0)])
    def test_rejects_a_model_that_cannot_embed(self, field: str, value: object) -> None:
        with pytest.raises(ValidationError):
            EmbedderStamp.model_validate({"name": "x", "dimension": 1, "max_tokens": 1} | {field: value})


class TestIndexedFileAndChapter:
    def test_a_file_may_have_no_chunks_but_not_fewer(self) -> None:
        with pytest.raises(ValidationError):
            IndexedFile(sha256=SHA256, chunks=-1)

    def test_a_chapter_may_have_no_sections(self) -> None:
        assert Chapter(id="intro", title="Introduction", sections=(), url="/docs/intro").module is None


class TestIngestResult:
    def test_success_is_exit_code_0(self) -> None:
        assert IngestResult(files_processed=1, chunks_created=40, exit_code=0).errors == ()

    def test_may_make_more_chunks_than_files(self) -> None:
        IngestResult(files_processed=0, chunks_created=0, exit_code=0)
        IngestResult(files_processed=2, chunks_created=1, exit_code=0)
        IngestResult(files_processed=1, chunks_created=2, exit_code=0)

    @given(st.lists(st.just("intro.mdx: is not UTF-8"), max_size=3), st.integers(min_value=-2, max_value=255))
    def test_exit_code_is_0_exactly_when_there_are_no_errors(self, errors: list[str], exit_code: int) -> None:
        def result() -> IngestResult:
            return IngestResult(files_processed=1, chunks_created=1, errors=tuple(errors), exit_code=exit_code)

        if (exit_code == 0) == (not errors):
            assert result().exit_code == exit_code
        else:
            with pytest.raises(ValidationError, match="exit code"):
                result()

    @pytest.mark.parametrize("field", ["files_processed", "chunks_created", "seconds", "seconds_embedding"])
    def test_counts_nothing_below_0(self, field: str) -> None:
        fields = {"files_processed": 0, "chunks_created": 0, "exit_code": 0}
        with pytest.raises(ValidationError):
            IngestResult.model_validate(fields | {field: -1})

    @pytest.mark.parametrize("field", Counts.model_fields)
    def test_what_it_did_is_counted_from_0(self, field: str) -> None:
        assert Counts.model_validate({field: 0}) == Counts()
        with pytest.raises(ValidationError):
            Counts.model_validate({field: -1})
