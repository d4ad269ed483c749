"""What the contracts are given to work with."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from citebook.agents.orchestrator import RAGChatAgent
from citebook.api.answering import Answering
from citebook.api.callers import Doorkeeper
from citebook.api.event_stream import StreamTimes
from citebook.api.policies import ContractPolicy
from citebook.api.problems import not_found
from citebook.api.uploads import ChapterUploads
from citebook.domain.errors import InvalidSettings
from citebook.ports import AuditLog, ChunkIndex, ConversationStore, DatabaseProbe, FeedbackStore, LanguageModelProbe


@dataclass(frozen=True, slots=True)
class Book:
    """A book that this server answers for."""

    id: str
    agent: RAGChatAgent
    index: ChunkIndex


@dataclass(frozen=True, slots=True)
class Services:
    books: Mapping[str, Book]
    default_book: str
    answering: Answering
    doorkeeper: Doorkeeper
    conversations: ConversationStore
    audit: AuditLog
    database: DatabaseProbe
    uploads: ChapterUploads
    feedback: FeedbackStore
    book_title: str | None = None
    """None for that of the book's first page."""
    policies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What the operator changed of the contracts' policies."""
    faq: Sequence[Mapping[str, Any]] = ()
    has_postgres: bool = False
    language_model: LanguageModelProbe | None = None
    """None where answers are quoted from the book, without a language model."""
    has_claude: bool = False
    background_jobs: Sequence[Callable[[], Coroutine[Any, Any, None]]] = ()
    closers: Sequence[Callable[[], Awaitable[None]]] = ()
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    stream_times: StreamTimes = field(default_factory=StreamTimes)

    async def close(self) -> None:
        for close in self.closers:
            await close()

    def book(self, book_id: str | None = None) -> Book:
        wanted = self.books.get(book_id or self.default_book)
        if wanted is None:
            raise not_found("There is no such book here.")
        return wanted

    def policy(self, default: ContractPolicy) -> ContractPolicy:
        """Raises `InvalidSettings` that names what the operator must mend."""
        try:
            return ContractPolicy.model_validate(_merged(default.model_dump(), self.policies.get(default.name, {})))
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            where = ".".join(map(str, (default.name, *first["loc"])))
            raise InvalidSettings(f"POLICIES: {where}: {first['msg']}") from None


def _merged(default: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """A rule of which the operator changed one part keeps its other parts."""
    merged = dict(default)
    for name, value in changed.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(name), Mapping)
        merged[name] = _merged(merged[name], value) if both else value
    return merged
