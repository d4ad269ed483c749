"""The whole service in one process: real index, database, keys, tokens and limiter, called without a socket."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import jwt
from fastapi import FastAPI

from citebook.adapters.json_web_tokens import TokenVerifier
from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.adapters.rate_limits import MemoryRateLimiter
from citebook.adapters.sql.audit_log import SqlAuditLog
from citebook.adapters.sql.conversation_store import SqlConversationStore
from citebook.adapters.sql.database import Database
from citebook.adapters.sql.feedback_store import SqlFeedbackStore
from citebook.adapters.sql.key_store import SqlKeyStore
from citebook.agents.answer_synthesis import AnswerSynthesisAgent
from citebook.agents.error_recovery import ErrorRecoveryAgent
from citebook.agents.offered_questions import OfferedQuestions
from citebook.agents.orchestrator import RAGChatAgent
from citebook.agents.query_router import QueryRouterAgent
from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.api.answering import Answering
from citebook.api.app import create_app
from citebook.api.callers import Doorkeeper, networks
from citebook.api.event_stream import StreamTimes
from citebook.api.services import Services
from citebook.api.uploads import ChapterUploads
from citebook.confidence.model import ConfidenceModel, GenerationWeights
from citebook.domain.answer import Claim
from citebook.domain.calibration import Curve
from citebook.domain.evidence import QueryResult
from citebook.domain.question import Question
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.indexing import Ingest
from citebook.outlining.guide import BookGuide
from citebook.pacing.deadline import Budget
from citebook.pacing.token_budget import TokenBudget
from citebook.pacing.turns import Turns
from citebook.pacing.watched_embedder import WatchedEmbedder
from citebook.ports import ChunkIndex, Embedder, Generator, LoadableEmbedder
from citebook.reading.extractive import ExtractiveReader
from citebook.records.conversations import Conversations
from citebook.records.outbox import Outbox
from citebook.records.personal_data import PersonalData, PersonalDataRule
from citebook.records.recording import Recorder
from citebook.root.citebook import Book
from citebook.root.policies import resolve
from citebook.searching.ranking import Weights
from citebook.searching.section_search import SectionSearch
from citebook.searching.selected_passage import SelectedPassageSearch
from citebook.settings import read_settings
from tests.fakes import WORKERS, WordEmbedder, claim_of
from tests.small_book import write_book

SECRET = "canary-of-the-jwt-secret-0123456789abcdef"
CANARY = "canary/of/an/inner/error"
FAQ = [{"question": "Is the book down?", "answer": "Only its index is."}]
ORIGIN = "https://book.example.org"
QUESTION = "What is a harmonic drive?"
PASSAGE = "A harmonic drive is a gear that bends a thin steel cup. It has almost no backlash."
PROXY = "10.0.0.1"
_PATIENCE = 60.0
READER = "203.0.113.9"
CONFIDENCE = ConfidenceModel(
    {"intercept": -4.0, "sentence_coverage": 8.0},
    {"intercept": -4.0, "sentence_coverage": 8.0},
    GenerationWeights({"intercept": -2.0, "own_estimate": 4.0}, {"intercept": -2.0, "answer_coverage": 4.0}),
    Curve(knots=((0.45, 0.0), (0.5, 0.5), (1.0, 1.0))),
)
"""Rests on words alone, and does not change when the shipped weights do."""


@dataclass(slots=True)
class Parts:
    """What a test wants to be other than usual."""

    index: ChunkIndex | None = None
    embedder: LoadableEmbedder = field(default_factory=WordEmbedder)
    writer: Generator | None = None
    """None for answers that quote the book."""
    store: type[SqlConversationStore] = SqlConversationStore
    database_url: str | None = None
    outbox: Path | None = None
    budget: Budget = field(default_factory=lambda: Budget(30.0, 30.0, 30.0))
    policies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    personal_data: PersonalDataRule = "mask"
    max_at_once: int = 100
    turns: Turns | None = None
    token_budget: TokenBudget | None = None
    times: StreamTimes = field(default_factory=StreamTimes)
    origins: tuple[str, ...] = (ORIGIN,)


@dataclass(slots=True)
class Service:
    app: FastAPI
    services: Services
    database: Database
    conversations: Conversations
    keys: SqlKeyStore
    client: httpx.AsyncClient
    key: str
    """A valid API key."""
    ingest: Ingest

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def client_at(self, address: str) -> httpx.AsyncClient:
        """A client at another address."""
        return _client(self.app, address)

    async def ingest_again(self, folder: Path, **changed: str) -> None:
        """Brings the book up to date with pages that were changed; see `write_book`."""
        await self.ingest.run(write_book(folder, **changed), progress=lambda _report: None)

    async def audit_texts(self) -> list[dict[str, Any]]:
        audit = SqlAuditLog(self.database)
        return [chained.record.model_dump(mode="json") async for chained in audit.records()]


@asynccontextmanager
async def running_service(folder: Path, parts: Parts) -> AsyncIterator[Service]:
    """`folder` holds an ingested book."""
    settings = read_settings(policies=parts.policies)
    own_files = folder / f"own-{uuid4()}"
    url = parts.database_url or f"sqlite:///{own_files / 'citebook.sqlite3'}"
    database = Database.connect(url).within(_PATIENCE)
    store, keys = parts.store(database), SqlKeyStore(database)
    outbox = Outbox(parts.outbox or own_files / "outbox", _PATIENCE)
    conversations = Conversations(store, store, outbox, _PATIENCE)
    index = EmbeddedQdrant(folder / "index", WORKERS)
    embedder = WatchedEmbedder(parts.embedder, _PATIENCE)
    ingest = Ingest(index, WordEmbedder(), RULES, "/docs", folder / "uploads")
    personal_data = PersonalData(parts.personal_data)
    searched = parts.index or index
    services = Services(
        books={
            name: Book(
                name,
                _agent(parts, embedder, searched),
                searched,
                SectionSearch(searched, WORKERS),
                OfferedQuestions(searched, _agent(parts, embedder, searched), WORKERS),
            )
            for name in ("default", "another")
        },
        default_book="default",
        answering=Answering(Recorder(conversations, personal_data), parts.max_at_once),
        personal_data=personal_data,
        doorkeeper=Doorkeeper(keys, MemoryRateLimiter(), TokenVerifier.by_secret(SECRET), networks([f"{PROXY}/32"])),
        conversations=conversations,
        audit=SqlAuditLog(database),
        database=database,
        uploads=ChapterUploads(folder / "uploads", ingest, pause_seconds=0.01),
        feedback=SqlFeedbackStore(database),
        policy=partial(resolve, settings=settings),
        embedder=embedder,
        faq=lambda: FAQ,
        stream_times=parts.times,
        token_budget=parts.token_budget,
    )
    app = create_app(services, parts.origins)
    key = "no-key" if parts.database_url else (await keys.create("a server"))[1]
    async with _client(app, READER) as client:
        yield Service(app, services, database, conversations, keys, client, key, ingest)
    await conversations.aclose()
    await database.aclose()
    await index.aclose()


RULES = ChunkingRules(target_tokens=100, overlap=0.2, max_tokens=128)


def _client(app: FastAPI, address: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, client=(address, 50_000), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://book.test", timeout=60)


def _agent(parts: Parts, embedder: Embedder, index: ChunkIndex) -> RAGChatAgent:
    return RAGChatAgent(
        QueryRouterAgent(WORKERS),
        QdrantRetrievalAgent(embedder, index, Weights(), WORKERS),
        SelectedPassageSearch(embedder, WORKERS),
        AnswerSynthesisAgent(ExtractiveReader(), WORKERS, parts.writer),
        ErrorRecoveryAgent(),
        CONFIDENCE,
        parts.budget,
        WORKERS,
        parts.turns or Turns(4),
        BookGuide(index, WORKERS),
    )


def token_of(user_id: UUID | str, secret: str = SECRET, algorithm: str = "HS256", **claims: Any) -> str:
    ends = datetime.now(UTC) + timedelta(minutes=5)
    return jwt.encode({"sub": str(user_id), "exp": ends, **claims}, secret, algorithm)


def frames_of(text: str) -> list[dict[str, Any]]:
    """The data of a stream; fails where anything else than data and comments is in it."""
    blocks = text.split("\n\n")
    assert blocks.pop() == ""
    assert all(re.fullmatch(r"(data: .+|: .*)", block) for block in blocks), "a frame is one line"
    return [json.loads(block.removeprefix("data: ")) for block in blocks if block.startswith("data: ")]


class QuotingGenerator:
    """Quotes the best passage sentence by sentence, as often and as slowly as it is told, and knows who left it."""

    name = "quoting"

    def __init__(
        self, claims: int = 2, pause: float = 0.0, error: Exception | None = None, *, gets_stuck: bool = False
    ) -> None:
        self._claims, self._pause, self._error, self._gets_stuck = claims, pause, error, gets_stuck
        self.was_asked, self.was_closed = asyncio.Event(), asyncio.Event()
        self.questions: list[Question] = []
        self.given = 0

    async def generate(self, question: Question, evidence: QueryResult) -> AsyncGenerator[Claim, None]:
        chunk = evidence.retrieved_chunks[0].chunk
        self.questions.append(question)
        self.was_asked.set()
        try:
            for number in range(self._claims):
                await asyncio.sleep(self._pause)
                self.given += 1
                yield claim_of(chunk, number % len(chunk.sentences))
            if self._error is not None:
                raise self._error
            if self._gets_stuck:
                await asyncio.Event().wait()
        finally:
            self.was_closed.set()


class DownIndex:
    """An index that cannot be reached."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def edition(self) -> Any:
        raise self._error

    async def search(self, *_: Any) -> Any:
        raise self._error

    async def page(self, *_: Any) -> Any:
        raise self._error

    async def wording(self) -> Any:
        raise self._error

    async def outline(self) -> Any:
        raise self._error

    async def chunks(self, *_: Any) -> Any:
        raise self._error

    async def aclose(self) -> None:
        """There is nothing to close."""


_MANY = {"questions": 1_000_000, "seconds": 60}
_NAMES = ("textbook", "core", "academic", "agent", "ask", "feedback")
ROOMY = {name: {"anonymous": _MANY, "signed_in": _MANY} for name in _NAMES}
"""Policies under which no test runs into a limit that it does not look for."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a contract is asked."""

    path: str
    name: str = "question"
    """The field that holds the question."""
    needs_key: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def body(self, question: Any = QUESTION, **more: Any) -> dict[str, Any]:
        return {self.name: question, **self.more, **more}

    async def ask(self, service: Service, question: Any = QUESTION, **more: Any) -> httpx.Response:
        headers = {**self.headers, **(service.bearer if self.needs_key else {}), **more.pop("headers", {})}
        return await service.client.post(self.path, json=self.body(question, **more), headers=headers)


SSE = {"Accept": "text/event-stream"}
ASKING = {
    "textbook": Asking("/api/query", "query"),
    "core": Asking("/api/v1/query", "query"),
    "core-stream": Asking("/api/v1/query", "query", headers=SSE),
    "academic": Asking("/chat/query", "query", needs_key=True),
    "academic-restricted": Asking("/chat/context-restricted", "query", True, {"selected_passage": PASSAGE}),
    "academic-book": Asking("/chat/book/another/query", "query", needs_key=True),
    "agent": Asking("/query"),
    "ask": Asking("/api/ask"),
    "ask-stream": Asking("/api/ask/stream"),
    "ask-selected": Asking("/api/ask-selected", more={"selected_text": PASSAGE}),
}
SEARCHING = [name for name in ASKING if name not in {"academic-restricted", "ask-selected"}]
"""Those that search the book."""
