"""How a chunk becomes a Qdrant point and back, the same for both faces of Qdrant."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from citebook.domain.blocks import MARKS, Mark
from citebook.domain.book import Chunk, PagePlace, PageSection, Role, Sentence
from citebook.domain.evidence import FoundChunk
from citebook.domain.layout import HeaderElsewhere, Layout, MarkedRange, Node, NodeKind, plain_layout
from citebook.domain.units import unit_texts
from citebook.domain.vectors import are_searchable
from citebook.language.languages import Language
from citebook.ports import Vector, Vectors

UNITS = "units"
"""One vector for each unit of a chunk."""
SPARSE = "bm25"

KEYWORD_FIELDS = ("chapter", "section", "filename", "difficulty", "tags")
INTEGER_FIELDS = ("module",)
INGEST_FIELDS = ("source_file", "embedded_hash")
"""An ingest looks chunks up by these, and a search for those of one page."""

_SECTION_TEXTS = "section_texts"
_SECTION_TEXT = "section_text"
"""In editions of before, which kept one, with the first chunk of its section, and without its name."""
READING_FIELDS = (
    "section",
    "section_title",
    "section_path",
    "source_file",
    "chunk_index",
    _SECTION_TEXTS,
    _SECTION_TEXT,
)
"""What is needed to show a page."""

_SATURATION = 1.2
_LENGTH_WEIGHT = 0.75
_USUAL_LENGTH = 256.0
"""Terms in a usual chunk. A constant, so that a chunk's weights do not depend on the rest of the book."""

_PLACE_FIELDS = (
    "source_file",
    "filename",
    "chapter_id",
    "chapter_title",
    "category",
    "url",
    "module",
    "difficulty",
)
_CHUNK_FIELDS = (
    "text",
    "section",
    "section_title",
    "anchor",
    "chunk_index",
    "start",
    "end",
    "source_text",
    "before",
    "after",
    "sentence_start",
    "sentence_end",
    "page_start",
    "page_end",
    "edition",
)


def payload_of(chunk: Chunk, edition: str) -> dict[str, Any]:
    place = chunk.place
    return {
        **{name: getattr(chunk, name) for name in _CHUNK_FIELDS},
        **{name: getattr(place, name) for name in _PLACE_FIELDS},
        "chapter": place.chapter_title,
        "tags": list(place.tags),
        "section_path": list(chunk.section_path),
        "content_hash": chunk.content_hash,
        "embedded_hash": embedded_hash(chunk),
        "edition": edition,
        "sentences": [number for sentence in chunk.sentences for number in _numbers(sentence)],
        "layout": _layout_numbers(chunk.layout),
        _SECTION_TEXTS: [text.model_dump(mode="json") for text in chunk.section_texts],
    }


def chunk_of(payload: Mapping[str, Any]) -> Chunk:
    return Chunk(
        id=payload["content_hash"],
        place=PagePlace(tags=payload["tags"], **{name: payload.get(name) for name in _PLACE_FIELDS}),
        section_path=payload["section_path"],
        sentences=tuple(sentences_of(payload["sentences"])),
        layout=_layout(payload["layout"]) if "layout" in payload else plain_layout(payload["text"]),
        **{name: payload.get(name) for name in _CHUNK_FIELDS},
    )


def intact_chunks(records: Iterable[Any]) -> Iterator[tuple[str, Chunk]]:
    """Chunks by their key; what does not prove to be the ingested text is not shown to anyone."""
    for record in records:
        try:
            chunk = chunk_of(record.payload)
        except (ValueError, LookupError, TypeError):  # pydantic's errors are ValueErrors
            continue
        if chunk.is_intact():
            yield str(record.id), chunk


def unit_vectors(record: Any) -> Vectors:
    """Those of the units of a chunk, one a row."""
    return np.array((record.vector or {}).get(UNITS) or (), np.float32)


def found_chunk(chunk: Chunk, vectors: Vectors, vector: Vector | None) -> FoundChunk:
    """With the likeness of its units to the vector, as far as both are there and of one kind."""
    if vector is None or not are_searchable(vectors, len(vectors), len(vector)):
        return FoundChunk(chunk)
    return FoundChunk(chunk, tuple((vectors @ vector).tolist()))


def found_chunks(records: Sequence[Any], vector: Vector | None) -> dict[str, FoundChunk]:
    """By their keys; what does not prove to be the ingested text is left out."""
    vectors = {str(record.id): unit_vectors(record) for record in records}
    return {key: found_chunk(chunk, vectors[key], vector) for key, chunk in intact_chunks(records)}


def is_intact(payload: Mapping[str, Any]) -> bool:
    """Whether the text is still what was hashed when the book was ingested, found without making a chunk of it."""
    try:
        parts = (payload["chapter_id"], payload["section"], payload["chunk_index"], payload["text"])
        return bool(Chunk.hash_of(*parts) == payload["content_hash"])
    except (KeyError, TypeError):
        return False


def section_texts_of(payload: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The fields of the sections that are read with a chunk, in order."""
    if _SECTION_TEXTS in payload:
        return list(payload[_SECTION_TEXTS])
    if "blocks" not in payload.get(_SECTION_TEXT, ()):  # still older editions kept sections as Markdown
        return []
    name = {"id": payload["section"], "title": payload["section_title"]}
    return [{**name, "depth": max(0, len(payload["section_path"]) - 1), **payload[_SECTION_TEXT]}]


def sections_of(records: Iterable[Any]) -> Iterator[PageSection]:
    """The sections that are read with these."""
    for record in records:
        payload = record.payload or {}
        for text in section_texts_of(payload):
            yield PageSection(
                source_file=payload["source_file"],
                chunk_index=payload["chunk_index"],
                **{name: text[name] for name in ("id", "title", "level", "blocks")},
            )


def embedded_hash(chunk: Chunk) -> str:
    """The same for chunks whose units have the same vectors."""
    return hashlib.sha256("\x00".join(unit_texts(chunk)).encode()).hexdigest()


_ROLES = tuple(Role)
"""New ones go to the end: editions know a role by its place."""


def _numbers(sentence: Sentence) -> tuple[int, ...]:
    return (
        sentence.start,
        sentence.end,
        sentence.source_start,
        sentence.source_end,
        int(sentence.whole_block) + 2 * _ROLES.index(sentence.role),
    )


def sentences_of(numbers: Sequence[int]) -> list[Sentence]:
    """Those of a payload."""
    return [
        Sentence(start=a, end=b, source_start=c, source_end=d, whole_block=bool(e & 1), role=_ROLES[e >> 1])
        for a, b, c, d, e in _rows(numbers, 5)
    ]


_KINDS = tuple(NodeKind)
_NODE_NUMBERS = 6
_MARK_NUMBERS = 3


def _layout_numbers(layout: Layout) -> dict[str, Any]:
    """Few and small numbers: a layout lies beside every chunk."""
    return {
        "nodes": [number for node in layout.nodes for number in _node_numbers(node)],
        "marks": [number for mark in layout.marks for number in (mark.start, mark.end, _mark_bits(mark.marks))],
        "languages": {str(index): node.language for index, node in enumerate(layout.nodes) if node.language},
        "headers": {str(header.table): list(header.cells) for header in layout.headers},
    }


def _node_numbers(node: Node) -> tuple[int, ...]:
    kind = _KINDS.index(node.kind) * 4 + node.opens * 2 + node.closes
    return kind, node.parent, node.number, node.start, node.end, node.value


def _layout(payload: Mapping[str, Any]) -> Layout:
    languages = dict(payload["languages"])
    nodes = (
        Node(_KINDS[kind // 4], a, b, c, d, e, bool(kind & 2), bool(kind & 1), languages.get(str(index), ""))
        for index, (kind, a, b, c, d, e) in enumerate(_rows(payload["nodes"], _NODE_NUMBERS))
    )
    marks = (MarkedRange(a, b, _marks(bits)) for a, b, bits in _rows(payload["marks"], _MARK_NUMBERS))
    headers = (HeaderElsewhere(int(table), tuple(cells)) for table, cells in payload.get("headers", {}).items())
    return Layout(tuple(nodes), tuple(marks), tuple(headers))


def quotations_of(payload: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Where the text of a payload is set apart from the rest."""
    nodes = _rows(payload["layout"]["nodes"], _NODE_NUMBERS)
    return [(start, end) for kind, _, _, start, end, _ in nodes if _KINDS[kind // 4] is NodeKind.QUOTATION]


def _rows(numbers: Sequence[int], width: int) -> Iterator[tuple[int, ...]]:
    return zip(*(numbers[offset::width] for offset in range(width)), strict=True)


def _mark_bits(marks: Sequence[Mark]) -> int:
    return sum(1 << MARKS.index(mark) for mark in marks)


def _marks(bits: int) -> tuple[Mark, ...]:
    return tuple(mark for index, mark in enumerate(MARKS) if bits & 1 << index)


def document_weights(chunk: Chunk, language: Language) -> dict[str, float]:
    """The chunk's half of BM25, by term; Qdrant adds the rarity of each term when it searches."""
    counts = Counter(language.terms(chunk.embedded_text))
    length = sum(counts.values()) / _USUAL_LENGTH
    damping = _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * length)
    return {term: count * (_SATURATION + 1) / (count + damping) for term, count in counts.items()}
