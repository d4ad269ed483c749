"""A book as it is indexed: editions, pages' places in the book, and the chunks that are searched."""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator

from citebook.domain.blocks import Block
from citebook.domain.errors import IndexUnusable
from citebook.domain.layout import Layout
from citebook.domain.value import Value

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
LanguageCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]
"""ISO 639, such as en or de."""
DEFAULT_LANGUAGE = "en"
Difficulty = Literal["beginner", "intermediate", "advanced"]


class Role(StrEnum):
    """What a sentence is to the reader of a book. Only text and definitions tell something."""

    TEXT = "text"
    OBJECTIVE = "objective"
    """What the reader will be able to do."""
    ANNOUNCEMENT = "announcement"
    """What a part of the book will tell, here or elsewhere."""
    TASK = "task"
    """What the reader is to do: an exercise, a quiz, a film to watch."""
    QUESTION = "question"
    """What the running text asks, as a rule to answer it itself."""
    CAPTION = "caption"
    """The words of a figure: its caption, or what is read out in its place."""
    REFERENCE = "reference"
    """An entry of a bibliography."""
    TERM = "term"
    """What an entry of a glossary defines."""
    DEFINITION = "definition"
    """What an entry of a glossary says of its term, which stands before it."""


TELLING = frozenset({Role.TEXT, Role.TERM, Role.DEFINITION})
"""Roles of sentences that can answer: the others repeat a question's words, and tell nothing."""


class Sentence(Value):
    """A sentence of a chunk: where it stands in the chunk's text and in the source file."""

    start: int = Field(ge=0)
    end: int = Field(gt=0)
    source_start: int = Field(ge=0)
    source_end: int = Field(gt=0)
    whole_block: bool = False
    """True for a code block, a table or a formula, which is quoted whole or not at all."""
    role: Role = Role.TEXT


class PagePlace(Value):
    """Where a page stands in the book and on the site."""

    source_file: str = Field(min_length=1)
    """Path relative to the ingested folder, with forward slashes."""
    filename: str = Field(min_length=1)
    chapter_id: str = Field(min_length=1)
    chapter_title: str = Field(min_length=1)
    category: str | None = None
    url: str
    module: int | None = None
    difficulty: Difficulty | None = None
    tags: tuple[str, ...] = ()


class SectionText(Value):
    """A section as it is read."""

    id: str
    """The section's anchor; the chapter id for what stands above the first heading."""
    title: str
    level: int = Field(ge=0)
    """Of its heading; 0 for what stands above the first one."""
    depth: int = Field(ge=0)
    """0 for what stands under the page's own title."""
    blocks: tuple[Block, ...]


class Chunk(Value):
    """A passage of the book, small enough to embed, with everything that a citation of it needs."""

    id: Sha256
    text: str = Field(min_length=1)
    place: PagePlace
    section: str = Field(min_length=1)
    """The section's anchor; the chapter id for what stands above the first heading."""
    section_title: str = Field(min_length=1)
    section_path: tuple[str, ...]
    anchor: str = ""
    chunk_index: int = Field(ge=0)
    start: int = Field(ge=0)
    end: int = Field(gt=0)
    source_text: str
    """The source file's own characters from `start` to `end`."""
    sentences: tuple[Sentence, ...]
    layout: Layout = Field(repr=False)
    """Which stretches of the text are which blocks."""
    before: Sha256 | None = None
    """The id of the chunk before it on its page."""
    after: Sha256 | None = None
    """The id of the chunk behind it."""
    sentence_start: int = Field(ge=0)
    sentence_end: int = Field(ge=0)
    page_start: int | None = None
    page_end: int | None = None
    edition: str = ""
    section_texts: tuple[SectionText, ...] = Field(default=(), repr=False)
    """For the reading view, and only on the way into the index: the whole section, with its first chunk only.

    Sections without chunks of their own stand here too: in front of it those before it, behind it the last of a page.
    """

    @field_validator("layout")
    @classmethod
    def _is_that_of_the_text(cls, layout: Layout, known: ValidationInfo) -> Layout:
        if "text" in known.data and not layout.fits(known.data["text"]):
            raise ValueError("the layout is not that of the text")
        return layout

    @property
    def content_hash(self) -> str:
        return self.id

    @property
    def point_id(self) -> UUID:
        return _point_id(self.id)

    @property
    def neighbours(self) -> tuple[str, ...]:
        """The keys of the chunks before and behind it, as far as its page has them."""
        return tuple(str(_point_id(other)) for other in (self.before, self.after) if other is not None)

    @staticmethod
    def key_of(chunk_id: str) -> str:
        """By which an index knows a chunk of this id."""
        return str(UUID(chunk_id[:32]))

    @property
    def url(self) -> str:
        if self.page_start is not None:
            return f"{self.place.url}#page={self.page_start}"
        return f"{self.place.url}#{self.anchor}" if self.anchor else self.place.url

    @property
    def embedded_text(self) -> str:
        """With the heading path, which tells what the passage is about: what is searched by words."""
        return f"{' > '.join(self.heading_path)}\n{self.text}"

    @property
    def tells(self) -> bool:
        """Whether any of its sentences can answer."""
        return any(sentence.role in TELLING for sentence in self.sentences)

    @property
    def heading_path(self) -> tuple[str, ...]:
        titles = (self.place.chapter_title, *self.section_path)
        return tuple(title for index, title in enumerate(titles) if title not in titles[:index])

    @staticmethod
    def hash_of(chapter: str, section: str, chunk_index: int, text: str) -> str:
        """The two lengths in front keep a word that moves from one part to the next from going unnoticed."""
        parts = (len(chapter), len(section), chapter, section, chunk_index, text)
        return hashlib.sha256("\x00".join(map(str, parts)).encode()).hexdigest()

    def is_intact(self) -> bool:
        """Whether the text is still what was hashed when the book was ingested."""
        return self.id == self.hash_of(self.place.chapter_id, self.section, self.chunk_index, self.text)

    def blocks_between(self, start: int, end: int) -> tuple[Block, ...]:
        """What the text says from `start` to `end`, as the page sets it."""
        return self.layout.blocks(self.text, start, end)

    @cached_property
    def quotes(self) -> tuple[str, ...]:
        """All its sentences. Kept, because good passages are read again and again."""
        return tuple(map(self.quote, self.sentences))

    def quote(self, sentence: Sentence) -> str:
        return self.text[sentence.start : sentence.end]

    def source_quote(self, sentence: Sentence) -> str:
        """The sentence as it stands in the file, markup included."""
        return self.source_text[sentence.source_start - self.start : sentence.source_end - self.start]


def _point_id(chunk_id: str) -> UUID:
    """A vector store takes a UUID, not a SHA-256: the UUID made of its first half."""
    return UUID(chunk_id[:32])


class EmbedderStamp(Value):
    """Which model made an index's vectors; questions must be embedded by the same one."""

    name: str = Field(min_length=1)
    dimension: int = Field(gt=0)
    normalised: bool = True
    max_tokens: int = Field(gt=0)


class IndexedFile(Value):
    """A source file as an edition holds it."""

    sha256: Sha256
    """Of the file and of all that its chunks say of its place in the book."""
    chunks: int = Field(ge=0)
    chapter: "Chapter | None" = None
    order: int = 0
    """Its place in the book, in reading order."""
    part_of: str | None = None
    """For a partial: the source file of the page that shows it."""


class Part(Value):
    """What pages of a book stand in together: a module, a unit, a chapter of several pages."""

    name: str
    """The label in the sidebar, or else the name of the folder."""
    folder: str = ""
    """The name of its folder, where it has one."""
    number: int | None = None
    """Its place in the sidebar, or the number in front of its folder's name."""


class Chapter(Value):
    """One page of the book, for tables of contents and suggestions."""

    id: str
    title: str
    sections: tuple[str, ...]
    url: str
    module: int | None = None
    category: str | None = None
    parts: tuple[Part, ...] = ()
    """Those that it stands in, the outermost first."""
    number: int | None = None
    """Its place in the sidebar, or the number in front of its name."""
    description: str | None = None
    difficulty: str | None = None
    tags: tuple[str, ...] = ()
    """These two are missing in what was ingested before they were kept here."""
    heading: str | None = None
    """What stands at its top, where its front matter calls it otherwise."""


class PageSection(Value):
    """A section of a page, as it is read."""

    id: str
    """The section's anchor; the chapter id for what stands above the first heading."""
    title: str
    level: int = Field(ge=0)
    blocks: tuple[Block, ...]
    source_file: str
    chunk_index: int
    """Of the chunk that it came with: sections of one file stand in the order of this, and of one chunk as given."""


class BookPage(Value):
    """A page as it is read, with what stands before and after it in the book."""

    edition: str
    chapter: Chapter
    previous: Chapter | None
    next: Chapter | None
    sections: tuple[PageSection, ...]
    is_readable: bool
    """False where the edition was made before pages could be read."""


class Edition(Value):
    """One complete state of a book's index. Readers see the old edition or the new one, never a mixture."""

    name: str = Field(min_length=1)
    embedder: EmbedderStamp
    recipe: str = Field(min_length=1)
    """A stamp of everything that shapes chunks: a change of it means that all files are read again."""
    created_at: datetime
    files: dict[str, IndexedFile]
    chunk_count: int = Field(ge=0)
    language: LanguageCode = DEFAULT_LANGUAGE
    likeness_of_strangers: float | None = None
    """The cosine that questions about other things reach in this book: the median of theirs; None where unknown."""
    vectors_of: Literal["chunks", "units"] = "chunks"
    """What has a vector of its own: earlier versions made one for each chunk, which can be searched no more."""
    title: str | None = None
    """What the settings of the book's site call it."""

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """The book's pages in reading order."""
        pages = sorted(self.files.values(), key=lambda file: file.order)
        return tuple(page.chapter for page in pages if page.chapter is not None)

    @property
    def is_searchable(self) -> bool:
        return self.vectors_of == "units"

    def check_searchable(self) -> None:
        if not self.is_searchable:
            raise IndexUnusable("The index was made by an older version of Citebook. Run: citebook ingest PATH")

    def files_of(self, chapter_id: str) -> tuple[str, ...]:
        """The source files of a page, its own first, then its partials; none where there is no such page."""
        own = {file.chapter.id: name for name, file in self.files.items() if file.chapter is not None}
        partials = {name.rsplit(".", 1)[0]: file.part_of for name, file in self.files.items() if file.part_of}
        page = own.get(chapter_id) or partials.get(chapter_id)
        if page is None or page not in self.files:
            return ()
        shown = sorted((file.order, name) for name, file in self.files.items() if file.part_of == page)
        return page, *(name for _, name in shown)

    def page(self, files: Sequence[str], sections: Iterable[PageSection]) -> "BookPage | None":
        """The page of these files, its own first; None where that is no page."""
        chapter = self.files[files[0]].chapter if files else None
        if chapter is None:
            return None
        chapters = self.chapters
        at = chapters.index(chapter)
        place = {file: number for number, file in enumerate(files)}
        ordered = tuple(sorted(sections, key=lambda section: (place[section.source_file], section.chunk_index)))
        return BookPage(
            edition=self.name,
            chapter=chapter,
            previous=chapters[at - 1] if at else None,
            next=chapters[at + 1] if at + 1 < len(chapters) else None,
            sections=ordered,
            is_readable=bool(ordered) or not any(self.files[file].chunks for file in files),
        )


class Counts(Value):
    """What an ingest did to the index."""

    files_unchanged: int = Field(default=0, ge=0)
    files_removed: int = Field(default=0, ge=0)
    chunks_embedded: int = Field(default=0, ge=0)
    chunks_reused: int = Field(default=0, ge=0)
    chunks_removed: int = Field(default=0, ge=0)


class IngestResult(Value):
    """What an ingest found, made and could not do."""

    files_processed: int = Field(ge=0)
    chunks_created: int = Field(ge=0)
    """Chunks in the edition that now answers."""
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    counts: Counts = Counts()
    edition: str | None = None
    seconds: float = Field(default=0.0, ge=0)
    seconds_embedding: float = Field(default=0.0, ge=0)
    dry_run: bool = False
    exit_code: int

    @model_validator(mode="after")
    def _exit_code_tells_of_errors(self) -> Self:
        if bool(self.errors) != (self.exit_code != 0):
            raise ValueError("the exit code must be 0 when there are no errors and another when there are")
        return self
