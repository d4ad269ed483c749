"""What the contracts are given to work with."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from citebook.api.answering import Answering
from citebook.api.callers import Doorkeeper, check_tokens
from citebook.api.event_stream import StreamTimes
from citebook.api.problems import not_found
from citebook.api.routes import limit_headers
from citebook.api.stopping import Stopping
from citebook.api.uploads import ChapterUploads
from citebook.domain.callers import Caller
from citebook.domain.policy import ContractPolicy
from citebook.domain.question import Question
from citebook.pacing.token_budget import TokenBudget
from citebook.pacing.watched_embedder import WatchedEmbedder
from citebook.ports import AuditLog, DatabaseProbe, FeedbackStore, LanguageModelProbe
from citebook.records.conversations import Conversations
from citebook.records.personal_data import PersonalData
from citebook.root.citebook import Book


@dataclass(frozen=True, slots=True)
class Services:
    books: Mapping[str, Book]
    default_book: str
    answering: Answering
    doorkeeper: Doorkeeper
    conversations: Conversations
    audit: AuditLog
    database: DatabaseProbe
    uploads: ChapterUploads
    feedback: FeedbackStore
    policy: Callable[[ContractPolicy], ContractPolicy]
    """The policy in force, of a contract's default. Raises `InvalidSettings`."""
    personal_data: PersonalData = field(default_factory=PersonalData)
    book_title: str | None = None
    """None for that of the book's first page."""
    faq: Callable[[], Sequence[Mapping[str, Any]]] = tuple
    """What can be told while the index cannot be reached."""
    has_postgres: bool = False
    embedder: WatchedEmbedder | None = None
    language_model: LanguageModelProbe | None = None
    """None where answers are quoted from the book, without a language model."""
    token_budget: TokenBudget | None = None
    """None where no language model costs anything."""
    has_claude: bool = False
    background_jobs: Sequence[Callable[[], Coroutine[Any, Any, None]]] = ()
    stopping: Stopping = field(default_factory=Stopping)
    stream_times: StreamTimes = field(default_factory=StreamTimes)

    async def admit(
        self,
        request: Request,
        response: Response,
        caller: Caller,
        question: Question,
        policy: ContractPolicy,
        book: Book,
    ) -> None:
        """Lets a question in, in this order: it keeps the rules, there is room for it, its caller has one left.

        Where a language model writes, its caller must have tokens left too.
        """
        question.check()
        self.personal_data.check(question)
        self.answering.check_room(request, book.agent)
        response.headers.update(limit_headers(await self.doorkeeper.count(caller, policy)))
        if self.token_budget is not None:
            check_tokens(await self.token_budget.admit(caller.identifier, question))

    def book(self, book_id: str | None = None) -> Book:
        wanted = self.books.get(book_id or self.default_book)
        if wanted is None:
            raise not_found("There is no such book here.")
        return wanted
