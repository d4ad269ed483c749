"""What the pipeline needs from the world outside, and nothing about who provides it."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt

from citebook.domain.answer import Claim
from citebook.domain.audit import AuditRecord, ChainedRecord, ChainFault
from citebook.domain.book import DEFAULT_LANGUAGE, BookPage, Chunk, Edition, EmbedderStamp
from citebook.domain.callers import ApiKey, Caller
from citebook.domain.clock_jumps import ClockJump
from citebook.domain.conversation import ChatMessage, ChatSession, Exchange, ListedSession
from citebook.domain.entries import Entry
from citebook.domain.evidence import FoundChunk, QueryResult, SearchHits
from citebook.domain.feedback import Feedback, Rating
from citebook.domain.grading import AnswerGrade
from citebook.domain.kept_chunks import KeptChunk
from citebook.domain.limits import Allowance, Limit, TokenUsage
from citebook.domain.outline import Outline
from citebook.domain.prompt import Prompt, Transcript
from citebook.domain.question import Filters, Question
from citebook.domain.wording import Wording

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

    async def aclose(self) -> None: ...


class LoadableEmbedder(Embedder, Protocol):
    def load(self) -> None:
        """Does now what the first call would do."""
        ...


class Examiner(Protocol):
    """Reads a question and a passage together. It works on this machine, in the thread of whoever asks."""

    def examine(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """How surely each passage answers, in logits. Raises `ExaminerFailed`."""
        ...


class ChunkIndex(Protocol):
    """The searchable book. Each search sees one whole edition: the newest that is complete."""

    async def edition(self) -> Edition:
        """Raises `BookNotIngested` where there is none."""
        ...

    async def search(self, terms: Sequence[str], vector: Vector | None, filters: Filters, depth: int) -> SearchHits:
        """The `depth` best chunks by vector and the `depth` best by words, each scored by both methods.

        Without a vector, chunks are found by words alone and have no cosine.
        """
        ...

    async def chunks(
        self, edition: str, keys: Sequence[str], vector: Vector | None = None
    ) -> Mapping[str, FoundChunk]:
        """Chunks of that edition by key, with their units' likeness to the vector.

        What does not prove to be the ingested text is left out.
        """
        ...

    async def wording(self) -> Wording:
        """The words of the current edition as they are written; none where it was made before they were kept."""
        ...

    async def outline(self) -> Outline:
        """The outline of the current edition; without pages where it was made before outlines were kept."""
        ...

    async def page(self, chapter_id: str) -> BookPage | None:
        """A page of the book as it is read; None where there is no such page."""
        ...

    async def aclose(self) -> None: ...


class EditionBuilder(Protocol):
    """A new edition in the making. Nobody sees it before `publish`."""

    async def add(self, chunks: Sequence[Chunk], vectors: Sequence[Vectors]) -> None:
        """Each chunk with the vectors of its units."""
        ...

    async def carry_over(self, source_files: Sequence[str]) -> int:
        """Takes all chunks of these files from the current edition as they are; says how many."""
        ...

    def likeness_of_strangers(self) -> Sequence[float]:
        """How like each of the vectors that the edition was begun with its nearest unit is: their cosine."""
        ...

    async def publish(self, edition: Edition) -> None:
        """Makes this edition the one that answers, at once and for everyone."""
        ...


KnownVectors = Callable[[Sequence[Chunk]], Awaitable[Mapping[str, Vectors]]]
"""Given chunks, the vectors of the units of those that are known, by the ids of the chunks."""


class EditionStore(Protocol):
    """Where editions of a book are kept."""

    async def current(self) -> Edition | None: ...

    def all_chunks(self) -> AsyncIterator[Sequence[Chunk]]:
        """Those of the current edition, some at a time and in no order; of what is damaged nothing."""
        ...

    async def is_whole(self) -> bool:
        """Whether the current edition holds all that it says, so that a new one may be made of it."""
        ...

    def known_vectors(self) -> AbstractAsyncContextManager[KnownVectors]:
        """The vectors that the current edition has; what looking them up takes in memory goes with the block."""
        ...

    def build(
        self,
        name: str,
        embedder: EmbedderStamp,
        language: str = DEFAULT_LANGUAGE,
        strangers: Sequence[Vector] = (),
    ) -> AbstractAsyncContextManager[EditionBuilder]:
        """A new edition, in this language, beside the current one; left without `publish`, it vanishes.

        `strangers` are questions that have nothing to do with the book.
        """
        ...


class Generator(Protocol):
    """Writes an answer from evidence, claim by claim, each naming the sentences that should prove it."""

    @property
    def name(self) -> str: ...

    def generate(self, question: Question, evidence: QueryResult) -> AsyncGenerator[Claim | Transcript, None]:
        """Claims as they come; the last item may be the transcript."""
        ...


class LanguageModel(Protocol):
    """Writes text. One client for the process; closing the stream ends the call at the vendor's side."""

    @property
    def name(self) -> str: ...

    def write(self, prompt: Prompt) -> AsyncGenerator[str | TokenUsage, None]:
        """Pieces of text as they come, then the tokens used.

        Raises `GeneratorFailed` where the model cannot be reached or stops before its end.
        """
        ...

    async def aclose(self) -> None: ...


class LanguageModelProbe(Protocol):
    """Tells whether the language model can be asked."""

    async def ping(self) -> None:
        """Raises `GeneratorFailed` where it cannot."""
        ...


class Reranker(Protocol):
    """Judges how well each passage answers a question, having read both."""

    @property
    def name(self) -> str: ...

    async def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        """A score in [0, 1] for each passage. Raises `RerankerFailed`."""
        ...

    async def aclose(self) -> None: ...


class BookIndex(ChunkIndex, EditionStore, Protocol):
    """Both sides of a book's index: what answers and what is built."""


class ConversationStore(Protocol):
    """Sessions and their messages. The owner is part of every look-up: foreign and absent are the same."""

    async def keep(self, *entries: Entry) -> Sequence[bool]:
        """Keeps all of them, in this order, in one transaction. What is there already, by its id, stays as it is.

        For each, False where its message was left out because its session is gone or another's.
        Raises `RecordRefused` where trying again would not help.
        """
        ...

    async def resume(self, session_id: UUID, user_id: UUID) -> bool:
        """Goes on with the user's session of this id, or starts it; False where it is someone else's."""
        ...

    async def find(self, session_id: UUID, caller: Caller) -> ChatSession | None: ...

    async def sessions(self, user_id: UUID, limit: int, before: datetime | None) -> tuple[ListedSession, ...]:
        """Those of a user, the last used first; only those last used before a moment, where one is given."""
        ...

    async def last_exchanges(self, session_id: UUID, limit: int) -> tuple[Exchange, ...]:
        """The newest exchanges, oldest of them first."""
        ...

    async def history(self, session_id: UUID, limit: int, before: datetime | None) -> tuple[ChatMessage, ...]:
        """The newest messages before a moment, oldest of them first."""
        ...

    async def delete(self, session_id: UUID, caller: Caller) -> bool: ...

    async def purge(self, now: datetime) -> int:
        """Deletes sessions that were idle for longer than a session lives; says how many."""
        ...


class FeedbackStore(Protocol):
    """What readers think of answers."""

    async def add(self, feedback: Feedback) -> None:
        """Keeps it in place of what the same caller said of the same answer before."""
        ...

    async def newest(self, limit: int) -> tuple[Feedback, ...]:
        """The newest first."""
        ...

    async def counts(self) -> dict[Rating, int]:
        """How many there are of each rating."""
        ...

    async def purge(self, now: datetime) -> int:
        """Deletes what is older than feedback is kept; says how many."""
        ...


class ChunkStore(Protocol):
    """The text of books' chunks beside their index, also of chunks that have left their book."""

    async def edition(self, book: str) -> str | None:
        """The edition that is kept whole; None where none is."""
        ...

    async def add(self, book: str, chunks: Sequence[KeptChunk]) -> None:
        """What is kept as it is already, is not written again."""
        ...

    async def finish(self, book: str, edition: str, chunk_ids: frozenset[str]) -> None:
        """Says that all chunks of an edition were added, and that the others have left the book."""
        ...

    async def find(self, chunk_ids: Sequence[str]) -> Mapping[str, KeptChunk]:
        """In whichever book: the same id is the same text."""
        ...

    async def purge(self, before: datetime) -> int:
        """Deletes chunks that left their book before this moment; says how many."""
        ...


class GradeStore(Protocol):
    """What experts say of recorded answers."""

    async def add(self, grade: AnswerGrade) -> None:
        """Keeps it in place of what the same grader said of the same answer before."""
        ...

    async def grades(self) -> tuple[AnswerGrade, ...]:
        """The oldest first."""
        ...

    async def ungraded(self, limit: int) -> tuple[AuditRecord, ...]:
        """Answers of which the text is kept and that nobody has graded, the oldest first."""
        ...


class AuditLog(Protocol):
    """Append-only and hash-chained."""

    async def find_answer(self, answer_id: UUID, client_id: str) -> AuditRecord | None: ...

    def records(self, since: datetime | None = None) -> AsyncIterator[ChainedRecord]:
        """In the order of the chain."""
        ...

    async def verify(self) -> ChainFault | None:
        """The first fault of the chain, or None where it is whole."""
        ...

    async def erase(self, query_id: UUID) -> bool:
        """Removes the texts of one question for good; the chain stays valid."""
        ...


class ArchiveStore(Protocol):
    """A place for files that are written once and read seldom. A file is there whole or not at all."""

    async def put(self, name: str, source: Path) -> None: ...

    async def get(self, name: str, target: Path) -> bool:
        """False where there is no such file."""
        ...

    async def delete(self, name: str) -> None:
        """Also where there is no such file."""
        ...


class AuditArchive(Protocol):
    """Where old months of the audit log go, and where they end."""

    async def archive(self, before: datetime) -> Sequence[object]:
        """Takes each month that ended before this moment out of the log; gives what it made of each."""
        ...

    async def expire(self, before: datetime) -> Sequence[str]:
        """Deletes the archives of months that ended before this moment for good; the chain stays valid."""
        ...


class JobTurns(Protocol):
    """Shares out what only one of all workers should do."""

    async def take(self, job: str, now: datetime, every: timedelta) -> bool:
        """True for one of all who ask for this job in that time."""
        ...


class ClockLog(Protocol):
    """Remembers how far the clock jumped, over restarts."""

    async def look(self, now: datetime, known: timedelta | None) -> tuple[ClockJump, ...]:
        """Notes what the clock says, and all its jumps so far. `known` is the time since one's own last look."""
        ...


class KeyStore(Protocol):
    async def create(self, name: str, limit_per_minute: int | None = None) -> tuple[ApiKey, str]:
        """A new key and its secret, which is told only here."""
        ...

    async def find(self, secret: str) -> ApiKey | None:
        """The key that is not revoked and has this secret."""
        ...

    async def keys(self) -> tuple[ApiKey, ...]: ...

    async def revoke(self, name: str) -> bool: ...


class RateLimiter(Protocol):
    async def take(self, identifier: str, limit: Limit, cost: int = 1) -> Allowance:
        """Counts one question, or one that counts for several, unless the caller has too few left."""
        ...

    async def aclose(self) -> None: ...


class DatabaseProbe(Protocol):
    """Tells whether the database answers."""

    async def ping(self) -> None:
        """Raises `DatabaseUnavailable` where it does not."""
        ...

    async def check_writing(self) -> None:
        """Raises `DatabaseUnavailable` where what is to be kept could not be written now."""
        ...
