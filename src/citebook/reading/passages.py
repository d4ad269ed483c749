"""Reads a passage once: its sentences and units with their terms, and what each of them is."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock

from citebook.domain.book import TELLING, Chunk, Role
from citebook.domain.layout import HEADER, NodeKind
from citebook.domain.units import Unit, UnitKind, text_between, units_of
from citebook.language.languages import Language

_KEPT = 2_000
_PREFIX = 5
_ENDED = (".", "!", "?", ":", ";", ",", "…", '"', "”")
_LONGEST_TITLE = 80


class Shape(StrEnum):
    PROSE = "prose"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    FORMULA = "formula"
    TITLE = "title"
    """A short line of its own without an end mark: a caption, the name of a file, a summary to click on."""


@dataclass(frozen=True, slots=True)
class ReadSentence:
    text: str
    lowered: str
    terms: frozenset[str]
    beginnings: frozenset[str]
    """How its longer terms begin."""
    shape: Shape
    group_first: int
    """First and last sentence of the paragraph, list or table that it belongs to."""
    group_last: int
    header: int | None
    """Of a row: the sentence that is the header of its table, where the chunk has it."""
    role: Role

    @property
    def tells(self) -> bool:
        return self.role in TELLING


@dataclass(frozen=True, slots=True)
class ReadUnit:
    place: int
    """Among the units of its chunk."""
    kind: UnitKind
    first: int
    last: int
    body: int
    """Its first sentence after the line that announces it."""
    text: str
    lowered: str
    terms: frozenset[str]
    is_title: bool
    """A short line of its own, with nothing under it."""
    tells: bool
    """Whether any of its sentences does, but the one that announces it."""
    is_glossary: bool
    code_language: str
    """Of its first code, as the page names it; empty where it has none."""
    code_length: int
    """Characters of all its code."""

    @property
    def only_announces(self) -> bool:
        """Whether it ends in a colon, which in code says nothing."""
        return self.text.endswith(":") and not self.code_length


@dataclass(frozen=True, slots=True)
class ReadPassage:
    sentences: tuple[ReadSentence, ...]
    units: tuple[ReadUnit, ...]
    heading: frozenset[str]
    title: frozenset[str]
    """The terms of the section's own heading."""


def beginnings_of(terms: Iterable[str]) -> dict[str, str]:
    """The longer terms by how they begin: “inventor” and “invention” begin alike, though their stems differ."""
    return {term[:_PREFIX]: term for term in sorted(terms) if len(term) >= _PREFIX}


class PassageReader:
    """Keeps the last passages that were read, because good passages are found again and again."""

    def __init__(self) -> None:
        self._read: OrderedDict[tuple[str, str, str], ReadPassage] = OrderedDict()
        self._lock = Lock()

    def read(self, chunk: Chunk, language: Language) -> ReadPassage:
        key = (language.code, chunk.edition, chunk.id)
        with self._lock:
            if key in self._read:
                self._read.move_to_end(key)
                return self._read[key]
        passage = _read(chunk, language)
        with self._lock:
            self._read[key] = passage
            if len(self._read) > _KEPT:
                self._read.popitem(last=False)
        return passage


def _read(chunk: Chunk, language: Language) -> ReadPassage:
    texts = chunk.quotes
    sentences: list[ReadSentence] = []
    for first, last, shape in _groups(chunk, texts):
        header = _header(chunk, first, last) if shape is Shape.ROW else None
        for text in texts[first : last + 1]:
            own = language.term_set(text)
            beginnings = frozenset(beginnings_of(own))
            role = chunk.sentences[len(sentences)].role
            sentences.append(ReadSentence(text, text.lower(), own, beginnings, shape, first, last, header, role))
    return ReadPassage(
        tuple(sentences),
        tuple(_read_unit(chunk, place, unit, sentences) for place, unit in enumerate(units_of(chunk))),
        language.term_set(" ".join(chunk.heading_path)),
        language.term_set(chunk.section_title),
    )


def _read_unit(chunk: Chunk, place: int, unit: Unit, sentences: Sequence[ReadSentence]) -> ReadUnit:
    announcing = sentences[unit.first : unit.body]
    text, own = text_between(chunk, unit.first, unit.last), sentences[unit.first : unit.last + 1]
    start, end = chunk.sentences[unit.first].start, chunk.sentences[unit.last].end
    code = [node for node in chunk.layout.nodes if node.kind is NodeKind.CODE and start <= node.start < end]
    is_title = len(own) == 1 and own[0].shape in (Shape.PROSE, Shape.TITLE) and _is_title(text)
    return ReadUnit(
        place,
        *(unit.kind, unit.first, unit.last, unit.body),
        text,
        text.lower(),
        frozenset().union(*(sentence.terms for sentence in own)),
        is_title=is_title or text.strip() == chunk.section_title,
        tells=any(sentence.tells for sentence in (*sentences[unit.body : unit.last + 1], *announcing[:-1])),
        is_glossary=any(sentence.role is Role.DEFINITION for sentence in own),
        code_language=next((node.language for node in code if node.language), ""),
        code_length=sum(node.end - node.start for node in code),
    )


def _is_title(text: str) -> bool:
    return len(text) <= _LONGEST_TITLE and not text.endswith(_ENDED)


def _groups(chunk: Chunk, texts: Sequence[str]) -> Iterator[tuple[int, int, Shape]]:
    """Paragraphs, lists and tables, each by its first and last sentence."""
    first = 0
    for unit in chunk.layout.block_ranges():
        after = first
        while after < len(texts) and chunk.sentences[after].start < unit.end:
            after += 1
        if after > first:
            yield first, after - 1, _shape(texts, first, after - 1, unit.node.kind)
        first = after


def _shape(texts: Sequence[str], first: int, last: int, kind: NodeKind) -> Shape:
    match kind:
        case NodeKind.TABLE:
            return Shape.ROW
        case NodeKind.CODE:
            return Shape.CODE
        case NodeKind.FORMULA:
            return Shape.FORMULA
        case NodeKind.LIST:
            return Shape.ITEM
    text = texts[first]
    return Shape.TITLE if _is_title(text) and first == last < len(texts) - 1 else Shape.PROSE


def _header(chunk: Chunk, first: int, last: int) -> int | None:
    for index in range(first, last + 1):
        row = chunk.layout.row_at(chunk.sentences[index].start)
        if row is not None and row.value == HEADER:
            return index
    return None
