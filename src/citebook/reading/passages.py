"""Reads a passage once: its sentences with their terms, and which of them are list items, table rows or code."""

import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock

from citebook.domain.book import Chunk
from citebook.language.languages import language_of

_KEPT = 2_000
_PREFIX = 5
_ITEM_GAP = re.compile(r"\n\s*(?:(?:[-*+•]|\d{1,9}[.)])\s+)?")
_MARKED_GAP = re.compile(r"\n\s*(?:[-*+•]|\d{1,9}[.)])\s+")
_CELL = " | "
_FORMULA = re.compile(r"\\[a-zA-Z]+|[_^]\{")
_ENDED = (".", "!", "?", ":", ";", ",", "…", '"', "”")
_LONGEST_TITLE = 80
_ENGLISH = language_of("en")


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
    is_question: bool
    is_task: bool
    """It asks the reader something, as exercises do, and so repeats a question's words without answering."""


@dataclass(frozen=True, slots=True)
class ReadPassage:
    sentences: tuple[ReadSentence, ...]
    heading: frozenset[str]


def beginnings_of(terms: Iterable[str]) -> dict[str, str]:
    """The longer terms by how they begin: “inventor” and “invention” begin alike, though their stems differ."""
    return {term[:_PREFIX]: term for term in terms if len(term) >= _PREFIX}


class PassageReader:
    """Keeps the last passages that were read, because good passages are found again and again."""

    def __init__(self) -> None:
        self._read: OrderedDict[tuple[str, str], ReadPassage] = OrderedDict()
        self._lock = Lock()

    def read(self, chunk: Chunk) -> ReadPassage:
        key = (chunk.edition, chunk.id)
        with self._lock:
            if key in self._read:
                self._read.move_to_end(key)
                return self._read[key]
        passage = _read(chunk)
        with self._lock:
            self._read[key] = passage
            if len(self._read) > _KEPT:
                self._read.popitem(last=False)
        return passage


def _read(chunk: Chunk) -> ReadPassage:
    texts = [chunk.quote(sentence) for sentence in chunk.sentences]
    sentences: list[ReadSentence] = []
    cues = _ENGLISH.passages
    are_exercises = any(map(cues.exercises.search, chunk.section_path))
    for first, last, shape in _groups(chunk, texts):
        for text in texts[first : last + 1]:
            own = _ENGLISH.term_set(text)
            beginnings = frozenset(beginnings_of(own))
            is_question = text.endswith("?") and cues.statement.match(text) is None
            is_task = are_exercises or is_question or cues.task.match(text) is not None
            sentences.append(
                ReadSentence(text, text.lower(), own, beginnings, shape, first, last, is_question, is_task)
            )
    return ReadPassage(tuple(sentences), _ENGLISH.term_set(" ".join(chunk.heading_path)))


def _groups(chunk: Chunk, texts: list[str]) -> list[tuple[int, int, Shape]]:
    """Paragraphs, lists and tables, each by its first and last sentence."""
    groups: list[tuple[int, int, Shape]] = []
    first = 0
    for index in range(1, len(texts) + 1):
        if index < len(texts) and not _begins_group(chunk, index):
            continue
        groups.append((first, index - 1, _shape(chunk, texts, first, index - 1)))
        first = index
    return groups


def _begins_group(chunk: Chunk, index: int) -> bool:
    return "\n\n" in _gap(chunk, index)


def _gap(chunk: Chunk, index: int) -> str:
    return chunk.text[chunk.sentences[index - 1].end : chunk.sentences[index].start]


def _shape(chunk: Chunk, texts: list[str], first: int, last: int) -> Shape:
    text = texts[first]
    if chunk.sentences[first].whole_block:
        if all(_CELL in line for line in text.splitlines()):
            return Shape.TABLE
        return Shape.FORMULA if _FORMULA.search(text) else Shape.CODE
    gaps = [_gap(chunk, index) for index in range(first + 1, last + 1)]
    if not gaps:
        is_title = len(text) <= _LONGEST_TITLE and not text.endswith(_ENDED) and last + 1 < len(texts)
        return Shape.TITLE if is_title else Shape.PROSE
    if all("\n" in gap for gap in gaps) and all(_CELL in row for row in texts[first : last + 1]):
        return Shape.ROW
    if any(map(_MARKED_GAP.fullmatch, gaps)) and all(gap == " " or _ITEM_GAP.fullmatch(gap) for gap in gaps):
        return Shape.ITEM
    return Shape.PROSE
