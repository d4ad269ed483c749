"""What the pipeline needs from the world outside, and nothing about who provides it."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import numpy as np
import numpy.typing as npt

from citebook.domain.answer import Claim
from citebook.domain.book import Chunk, Edition, EmbedderStamp
from citebook.domain.evidence import Findings, Hit, QueryResult
from citebook.domain.question import Filters, Question

Vector = npt.NDArray[np.float32]
"""One vector: shape (dimension,)."""
Vectors = npt.NDArray[np.float32]
"""One vector a row: shape (n, dimension)."""


class Embedder(Protocol):
    """Turns text into vectors of length 1."""

    @property
    def stamp(self) -> EmbedderStamp: ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text takes, without those that the model adds."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors: ...

    async def embed_question(self, text: str) -> Vector: ...


Chooser = Callable[[Sequence[Hit], Mapping[str, float]], Sequence[Hit]]
"""Given all hits and the weights of the question's terms, those worth reading, best first."""


class ChunkIndex(Protocol):
    """The searchable book. Each call sees one whole edition: the newest that is complete."""

    async def edition(self) -> Edition:
        """Raises `BookNotIngested` where there is none."""
        ...

    async def search(
        self, terms: Sequence[str], vector: Vector | None, filters: Filters, depth: int, choose: Chooser
    ) -> Findings:
        """The `depth` best chunks by vector and by words, each scored by both methods, and of these the chosen.

        Without a vector, chunks are found by words alone and have no cosine.
        """
        ...


class EditionBuilder(Protocol):
    """A new edition in the making. Nobody sees it before `publish`."""

    async def add(self, chunks: Sequence[Chunk], vectors: Vectors) -> None: ...

    async def carry_over(self, source_files: Sequence[str]) -> int:
        """Takes all chunks of these files from the current edition as they are; says how many."""
        ...

    async def publish(self, edition: Edition) -> None:
        """Makes this edition the one that answers, at once and for everyone."""
        ...


class EditionStore(Protocol):
    """Where editions of a book are kept."""

    async def current(self) -> Edition | None: ...

    async def known_vectors(self, embedded_texts: Sequence[str]) -> Mapping[str, Vector]:
        """The vectors that the current edition already has for these texts."""
        ...

    def build(self, name: str, embedder: EmbedderStamp) -> AbstractAsyncContextManager[EditionBuilder]:
        """A new edition beside the current one; left without `publish`, it vanishes."""
        ...


class Generator(Protocol):
    """Answers a question from evidence, claim by claim, each naming the sentences that prove it."""

    @property
    def name(self) -> str: ...

    def generate(self, question: Question, evidence: QueryResult) -> AsyncGenerator[Claim, None]: ...


class BookIndex(ChunkIndex, EditionStore, Protocol):
    """Both sides of a book's index: what answers and what is built."""
