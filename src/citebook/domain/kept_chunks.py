"""A chunk as the database keeps it: its text and its place, so that an answer can be checked without its book."""

from typing import Any, Self

from pydantic import Field

from citebook.domain.book import Chunk, Sha256
from citebook.domain.value import Value


class KeptChunk(Value):
    chunk_id: Sha256
    parent_document_id: str = Field(min_length=1)
    """The chapter that it stands in."""
    start_page: int | None = None
    end_page: int | None = None
    """Where the source has pages."""
    start_sentence: int = Field(ge=0)
    end_sentence: int = Field(ge=0)
    """Counted through its page of the book."""
    text: str = Field(min_length=1)
    metadata: dict[str, Any]

    @classmethod
    def of(cls, chunk: Chunk) -> Self:
        place = chunk.place
        return cls(
            chunk_id=chunk.id,
            parent_document_id=place.chapter_id,
            start_page=chunk.page_start,
            end_page=chunk.page_end,
            start_sentence=chunk.sentence_start,
            end_sentence=chunk.sentence_end,
            text=chunk.text,
            metadata={
                "chapter": place.chapter_title,
                "section": chunk.section,
                "section_title": chunk.section_title,
                "section_path": list(chunk.section_path),
                "source_file": place.source_file,
                "filename": place.filename,
                "url": chunk.url,
                "module": place.module,
                "difficulty": place.difficulty,
                "tags": list(place.tags),
                "chunk_index": chunk.chunk_index,
                "start": chunk.start,
                "end": chunk.end,
            },
        )

    @property
    def section(self) -> str:
        return str(self.metadata["section"])

    def is_intact(self) -> bool:
        """Whether the text is what was ingested: its id is made of it."""
        parts = (self.parent_document_id, self.section, self.metadata["chunk_index"], self.text)
        return self.chunk_id == Chunk.hash_of(*parts)
