"""The passages of books, and the questions that were written to some of them."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from citebook.domain.errors import PageUnreadable
from citebook.ingestion.book_source import find_pages
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.page_reading import read_page
from citebook.language.languages import language_of
from citebook.reading.passages import PassageReader

QUESTIONS = Path(__file__).with_name("questions.jsonl")
_SHORTEST = 60
_KINDS = ("ask", "lay", "short")


@dataclass(frozen=True, slots=True)
class Passage:
    """A unit of a book, with the headings it stands under."""

    id: str
    """A hash of its text, by which questions know it."""
    book: str
    file: str
    headings: tuple[str, ...]
    text: str

    @property
    def embedded(self) -> str:
        return f"{' > '.join(self.headings)}\n{self.text}"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that a passage answers."""

    text: str
    passage: str
    book: str
    kind: str
    near: str
    """A question on the same subject that it does not answer."""


def passages_of(book: str, docs: Path) -> Iterator[Passage]:
    """In the book's order, each text once; pages that cannot be read are left out."""
    reader, language, seen = PassageReader(), language_of("en"), set[str]()
    for page in find_pages(docs).pages:
        try:
            chunks = read_page(page, ChunkingRules(), lambda texts: [len(text) // 4 + 1 for text in texts]).chunks
        except PageUnreadable as error:
            print(f"left out: {error}")
            continue
        for chunk in chunks:
            for unit in reader.read(chunk, language).units:
                key = passage_id(unit.text)
                if key not in seen and len(unit.text) >= _SHORTEST and not unit.is_title:
                    seen.add(key)
                    yield Passage(key, book, chunk.place.source_file, chunk.heading_path, unit.text)


def passage_id(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:16]


def asked_of(books: set[str]) -> Iterator[Asked]:
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["book"] in books:
            about = (row["passage"], row["book"])
            yield from (Asked(row[kind], *about, kind, row["near"]) for kind in _KINDS if row[kind])
