"""Stand-ins behind ports, and small books, for tests that need no real model."""

import hashlib
from collections.abc import Sequence

import numpy as np

from citebook.domain.book import Chunk, EmbedderStamp, PagePlace, Sentence
from citebook.domain.language import sentence_spans, terms
from citebook.ports import Vector, Vectors


class WordEmbedder:
    """Vectors that are near when texts share words: each stem points in a direction of its own."""

    def __init__(self, name: str = "words", dimension: int = 64) -> None:
        self.stamp = EmbedderStamp(name=name, dimension=dimension, max_tokens=128)
        self.embedded: list[str] = []

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.embedded.extend(texts)
        return np.stack([self._vector(text) for text in texts])

    async def embed_question(self, text: str) -> Vector:
        return self._vector(text)

    def _vector(self, text: str) -> Vector:
        total = np.full(self.stamp.dimension, 1e-3, np.float32)
        for term in terms(text):
            seed = int.from_bytes(hashlib.sha256(term.encode()).digest()[:4])
            total += np.random.default_rng(seed).normal(size=self.stamp.dimension).astype(np.float32)
        unit: Vector = total / np.linalg.norm(total)
        return unit


def make_chunk(
    text: str, file: str = "chapter.mdx", index: int = 0, title: str = "Chapter", **place: object
) -> Chunk:
    """A chunk whose source is its text."""
    where = PagePlace.model_validate(
        {
            "source_file": file,
            "filename": file,
            "chapter_id": file.removesuffix(".mdx"),
            "chapter_title": title,
            "url": f"/docs/{file.removesuffix('.mdx')}",
            **place,
        }
    )
    sentences = tuple(
        Sentence(start=start, end=end, source_start=start, source_end=end) for start, end in sentence_spans(text)
    )
    return Chunk(
        id=Chunk.hash_of(where.chapter_id, "part", index, text),
        text=text,
        place=where,
        section="part",
        section_title="Part",
        section_path=("Part",),
        anchor="part",
        chunk_index=index,
        start=0,
        end=len(text),
        source_text=text,
        sentences=sentences,
        sentence_start=0,
        sentence_end=max(0, len(sentences) - 1),
    )
