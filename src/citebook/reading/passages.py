"""Reads a passage once: its sentences with their terms, and which of them are list items, table rows or code."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock

from citebook.domain.book import Chunk
from citebook.domain.layout import HEADER, NodeKind
from citebook.language.languages import Language

_KEPT = 2_000
_PREFIX = 5
_ENDED = (".", "!", "?", ":", ";", ",", "…", '"', "”")
_LONGEST_TITLE = 80


class Shape(StrEnum):
    PROSE = "prose"
    ITEM = "item"
    ROW = "row"
    TABLE = "table"
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
    is_question: bool
    is_task: bool
    """It asks the reader something, as exercises do, and so repeats a question's words without answering."""


@dataclass(frozen=True, slots=True)
class ReadPassage:
    sentences: tuple[ReadSentence, ...]
    heading: frozenset[str]


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
    texts = [chunk.quote(sentence) for sentence in chunk.sentences]
    sentences: list[ReadSentence] = []
    cues = language.passages
    are_exercises = any(map(cues.exercises.search, chunk.section_path))
    for first, last, shape in _groups(chunk, texts):
        header = _header(chunk, first, last) if shape is Shape.ROW else None
        for text in texts[first : last + 1]:
            own = language.term_set(text)
            beginnings = frozenset(beginnings_of(own))
            is_question = text.endswith("?") and cues.statement.match(text) is None
            is_task = are_exercises or is_question or cues.task.match(text) is not None
            sentences.append(
                ReadSentence(text, text.lower(), own, beginnings, shape, first, last, header, is_question, is_task)
            )
    return ReadPassage(tuple(sentences), language.term_set(" ".join(chunk.heading_path)))


def _groups(chunk: Chunk, texts: list[str]) -> Iterator[tuple[int, int, Shape]]:
    """Paragraphs, lists and tables, each by its first and last sentence."""
    first = 0
    for unit in chunk.layout.units():
        after = first
        while after < len(texts) and chunk.sentences[after].start < unit.end:
            after += 1
        if after > first:
            yield first, after - 1, _shape(chunk, texts, first, after - 1, unit.node.kind)
        first = after


def _shape(chunk: Chunk, texts: list[str], first: int, last: int, kind: NodeKind) -> Shape:
    match kind:
        case NodeKind.TABLE:
            return Shape.TABLE if chunk.sentences[first].whole_block else Shape.ROW
        case NodeKind.CODE:
            return Shape.CODE
        case NodeKind.FORMULA:
            return Shape.FORMULA
        case NodeKind.LIST:
            return Shape.ITEM
    text = texts[first]
    is_title = len(text) <= _LONGEST_TITLE and not text.endswith(_ENDED) and first == last < len(texts) - 1
    return Shape.TITLE if is_title else Shape.PROSE


def _header(chunk: Chunk, first: int, last: int) -> int | None:
    for index in range(first, last + 1):
        row = chunk.layout.row_at(chunk.sentences[index].start)
        if row is not None and row.value == HEADER:
            return index
    return None
