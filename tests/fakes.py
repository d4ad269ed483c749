"""Stand-ins behind ports, and small books, for tests that need no real model."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np

from citebook.agents.orchestrator import RAGChatAgent
from citebook.domain.answer import Claim
from citebook.domain.book import DEFAULT_LANGUAGE, BookPage, Chunk, Edition, EmbedderStamp, PagePlace, Sentence
from citebook.domain.events import Event
from citebook.domain.evidence import FoundChunk, Hit, QueryResult, RetrievedChunk, SearchHits
from citebook.domain.kept_chunks import KeptChunk
from citebook.domain.layout import plain_layout
from citebook.domain.outline import Outline, OutlinePage
from citebook.domain.prompt import Transcript
from citebook.domain.question import Filters, Question
from citebook.domain.units import units_of
from citebook.domain.wording import Wording
from citebook.ingestion.chunking import ChunkingRules, chunk_page
from citebook.ingestion.mdx import parse_mdx
from citebook.language.languages import language_of
from citebook.pacing.workers import Workers
from citebook.ports import Vector, Vectors

ENGLISH = language_of("en")
WORKERS = Workers(2)
"""For all tests of a process; nothing in it belongs to anyone."""


async def events_of(agent: RAGChatAgent, question: Question) -> list[Event]:
    """All that an agent tells of a question, its end included."""
    events: list[Event] = []

    async def tell(event: Event) -> None:
        events.append(event)

    ended = await agent.answer(question, tell)
    return [*events, ended]


class WordEmbedder:
    """Vectors that are near when texts share words: each stem points in a direction of its own."""

    def __init__(self, name: str = "words", dimension: int = 64) -> None:
        self.stamp = EmbedderStamp(name=name, dimension=dimension, max_tokens=128)
        self.embedded: list[str] = []

    def load(self) -> None:
        """There is nothing to load."""

    async def aclose(self) -> None:
        """There is nothing to close."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.embedded.extend(texts)
        return np.stack([self._vector(text) for text in texts])

    async def embed_question(self, text: str) -> Vector:
        return self._vector(text)

    def _vector(self, text: str) -> Vector:
        total = np.full(self.stamp.dimension, 1e-3, np.float32)
        for term in ENGLISH.terms(text):
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
        Sentence(start=start, end=end, source_start=start, source_end=end)
        for start, end in ENGLISH.sentence_spans(text)
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
        layout=plain_layout(text),
        sentence_start=0,
        sentence_end=max(0, len(sentences) - 1),
    )


def chunks_of_page(source: str, tokens: int = 800) -> list[Chunk]:
    """The chunks of a page of Markdown."""
    place = PagePlace(
        source_file="page.md", filename="page.md", chapter_id="page", chapter_title="Page", url="/docs/page"
    )
    rules = ChunkingRules(target_tokens=tokens, max_tokens=100_000)
    return chunk_page(parse_mdx(source, mdx=False), place, source, rules, WordEmbedder().count_tokens)[0]


def chunk_of_page(source: str) -> Chunk:
    """The one chunk of a short page."""
    (chunk,) = chunks_of_page(source)
    return chunk


class BrokenEmbedder(WordEmbedder):
    """An embedder that cannot embed questions, or gives a vector of your choice for each."""

    def __init__(self, error: Exception | None = None, vector: Vector | None = None) -> None:
        super().__init__()
        self._error, self._given = error, vector

    async def embed_question(self, text: str) -> Vector:
        if self._error is not None:
            raise self._error
        return self._vector(text) if self._given is None else self._given


class StuckEmbedder(WordEmbedder):
    """An embedder that never gets done with a question."""

    async def embed_question(self, text: str) -> Vector:  # noqa: ARG002
        await asyncio.Event().wait()
        raise AssertionError


class KeptInMemory:
    """A `ChunkStore` that keeps a few chunks, and counts what is written."""

    def __init__(self, *chunks: Chunk) -> None:
        self.chunks = {chunk.id: KeptChunk.of(chunk) for chunk in chunks}
        self.editions: dict[str, str] = {}
        self.writes = 0

    async def edition(self, book: str) -> str | None:
        return self.editions.get(book)

    async def add(self, book: str, chunks: Sequence[KeptChunk]) -> None:  # noqa: ARG002
        self.writes += 1
        self.chunks |= {chunk.chunk_id: chunk for chunk in chunks}

    async def finish(self, book: str, edition: str, chunk_ids: frozenset[str]) -> None:
        assert chunk_ids <= self.chunks.keys()
        self.writes += 1
        self.editions[book] = edition

    async def find(self, chunk_ids: Sequence[str]) -> Mapping[str, KeptChunk]:
        return {chunk_id: self.chunks[chunk_id] for chunk_id in chunk_ids if chunk_id in self.chunks}

    async def purge(self, before: datetime) -> int:  # noqa: ARG002
        return 0


class ListIndex:
    """An index of a few chunks, each of which every search finds with the cosine that is given for it."""

    def __init__(self, cosines: Mapping[str, float] | None = None, chunks: Sequence[Chunk] = ()) -> None:
        self._chunks = chunks
        self._cosines = cosines or {}
        self.language = DEFAULT_LANGUAGE
        self.words = b""
        self.outline_pages: tuple[OutlinePage, ...] = ()
        self.failures: list[Exception] = []
        """Errors that the next searches raise, one each."""
        self.is_stuck = False
        self.searches: list[tuple[bool, Filters]] = []
        """Of each search: whether it had a vector, and its filters."""

    async def edition(self) -> Edition:
        return Edition(
            name="first",
            embedder=EmbedderStamp(name="words", dimension=1, max_tokens=1),
            recipe="1",
            created_at=datetime(2026, 11, 16, tzinfo=UTC),
            files={},
            chunk_count=len(self._chunks),
            language=self.language,
        )

    async def page(self, chapter_id: str) -> BookPage | None:
        raise NotImplementedError

    async def wording(self) -> Wording:
        return Wording("first", self.words)

    async def outline(self) -> Outline:
        return Outline("first", self.outline_pages)

    async def aclose(self) -> None:
        """There is nothing to close."""

    async def chunks(
        self, edition: str, keys: Sequence[str], vector: Vector | None = None
    ) -> Mapping[str, FoundChunk]:
        assert edition == "first"
        found = {str(chunk.point_id): self._found(chunk, vector) for chunk in self._chunks}
        return {key: found[key] for key in keys if key in found}

    async def search(self, terms: Sequence[str], vector: Vector | None, filters: Filters, depth: int) -> SearchHits:
        self.searches.append((vector is not None, filters))
        if self.is_stuck:
            await asyncio.Event().wait()
        if self.failures:
            raise self.failures.pop(0)
        weights = dict.fromkeys(terms, 1.0)
        found = [chunk for chunk in self._chunks[:depth] if filters.module in (None, chunk.place.module)]
        hits = tuple(self._hit(chunk, None if vector is None else 0.9, len(weights)) for chunk in found)
        return SearchHits(edition="first", hits=hits, term_weights=weights)

    def _found(self, chunk: Chunk, vector: Vector | None) -> FoundChunk:
        cosine = self._cosines.get(chunk.place.source_file, 0.9)
        return FoundChunk(chunk, () if vector is None else (cosine,) * len(units_of(chunk)))

    def _hit(self, chunk: Chunk, cosine: float | None, term_count: int) -> Hit:
        if cosine is not None:
            cosine = self._cosines.get(chunk.place.source_file, cosine)
        return Hit(str(chunk.point_id), chunk.place.source_file, cosine, 1.5 * term_count)


class ScriptedGenerator:
    """Says what it is told to say, and remembers whether it was asked and closed."""

    name = "scripted"

    def __init__(self, *script: Claim | Transcript | Exception) -> None:
        """Claims and transcripts are told; an error is raised once, after which the next run goes on behind it."""
        self._script = list(script)
        self.runs = 0
        self.was_asked = asyncio.Event()
        self.is_open = False
        self.gets_stuck = False
        """Whether it goes silent at the end instead of ending."""

    async def generate(self, question: Question, evidence: QueryResult) -> AsyncGenerator[Claim | Transcript, None]:  # noqa: ARG002
        self.runs += 1
        self.was_asked.set()
        self.is_open = True
        try:
            while self._script:
                match self._script.pop(0):
                    case Claim() | Transcript() as told:
                        yield told
                    case error:
                        raise error
            if self.gets_stuck:
                await asyncio.Event().wait()
        finally:
            self.is_open = False


def claim_of(chunk: Chunk, first: int = 0, last: int | None = None, **changed: object) -> Claim:
    """The claim that quotes these sentences of a chunk, but for what is changed in it."""
    last = first if last is None else last
    text = chunk.text[chunk.sentences[first].start : chunk.sentences[last].end]
    claim = Claim(text=text, chunk_id=chunk.id, first_sentence=first, last_sentence=last)
    return claim.model_copy(update=changed)


def retrieved(chunk: Chunk, rank: int = 1, score: float | None = None) -> RetrievedChunk:
    score = 1.0 - rank / 100 if score is None else score
    return RetrievedChunk(chunk=chunk, score=score, dense_score=score, lexical_score=score, rank=rank)


def evidence_of(*chunks: Chunk, question: str = "", **more: object) -> QueryResult:
    """Evidence made of these chunks, best first; each term of the question weighs 1."""
    fields = {
        "query_text": question,
        "retrieved_chunks": tuple(retrieved(chunk, rank) for rank, chunk in enumerate(chunks, start=1)),
        "total_results": len(chunks),
        "retrieval_time_ms": 1.0,
        "term_weights": dict.fromkeys(ENGLISH.terms(question), 1.0),
        "edition": "first",
    }
    return QueryResult.model_validate({**fields, **more})
