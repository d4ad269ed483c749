"""Everything that a running Citebook is made of, and the one who closes it."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citebook.adapters.frequent_questions_file import FrequentQuestionsFile
from citebook.adapters.local_model.examiner import LocalExaminer
from citebook.adapters.memory import RememberingEmbedder
from citebook.agents.offered_questions import OfferedQuestions
from citebook.agents.orchestrator import RAGChatAgent
from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.confidence.model import ConfidenceModel
from citebook.domain.errors import EmbedderFailed, ExaminerFailed, InvalidSettings
from citebook.domain.policy import COMMAND_LINE, ContractPolicy
from citebook.domain.question import Policy
from citebook.domain.set_up import SetUp
from citebook.ingestion.indexing import Ingest
from citebook.outlining.frequent_questions import find_frequent_questions
from citebook.pacing.token_budget import BudgetedModel, TokenBudget
from citebook.pacing.turns import Turns
from citebook.pacing.watched_embedder import WatchedEmbedder
from citebook.pacing.workers import Workers
from citebook.ports import (
    BookIndex,
    ChunkIndex,
    LanguageModel,
    LoadableEmbedder,
)
from citebook.reading.extractive import ExtractiveReader
from citebook.records.chunk_keeping import ChunkKeeper
from citebook.records.replay import Replayer
from citebook.root import model_choice, wiring
from citebook.root.http_options import HttpOptions, http_options
from citebook.root.keeping import Keeping
from citebook.root.policies import check_names, resolve
from citebook.root.sharing import Sharing, has_other_machines
from citebook.searching.ranking import Weights
from citebook.searching.reranking import Reranking
from citebook.searching.section_search import SectionSearch
from citebook.settings import DEFAULT_BOOK as DEFAULT_BOOK
from citebook.settings import Settings

if TYPE_CHECKING:
    from citebook.adapters.json_web_tokens import TokenVerifier

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Book:
    """A book that is answered for."""

    id: str
    agent: RAGChatAgent
    index: ChunkIndex
    sections: SectionSearch
    questions: OfferedQuestions


class Citebook(Keeping):
    """Makes each part when it is first wanted, and one of each. Use it with `async with`."""

    def __init__(self, settings: Settings) -> None:
        check_names(settings)
        super().__init__(settings)
        self.workers = Workers()
        self.turns = Turns(2 * self.workers.count)
        self._indexes: dict[str, BookIndex] = {}
        self._guarded_indexes: dict[str, ChunkIndex] = {}
        self._books: dict[str, Book] = {}
        self._closed_at_the_end(self.workers.aclose, "the workers")

    # --- policy

    def policy(self, default: ContractPolicy) -> ContractPolicy:
        return resolve(default, self._settings)

    @cached_property
    def command_line(self) -> Policy:
        """The rules for questions from this machine's terminal, and for measurements."""
        return self.policy(COMMAND_LINE).policy()

    # --- models

    @cached_property
    def embedder(self) -> LoadableEmbedder:
        embedder = wiring.embedder_of(self._settings, self.workers)
        self._closed_at_the_end(embedder.aclose, "the embedder")
        return embedder

    @cached_property
    def watched_embedder(self) -> WatchedEmbedder:
        """The same, for whatever must know how it is."""
        return wiring.watched_embedder_of(self._settings, self.embedder)

    @cached_property
    def language_model(self) -> model_choice.VendorModel | None:
        model = wiring.language_model_of(self._settings)
        if model is not None:
            self._closed_at_the_end(model.aclose, "the language model")
        return model

    @cached_property
    def token_budget(self) -> TokenBudget | None:
        """None where no language model costs anything."""
        return wiring.token_budget_of(self._settings, self.limiter) if self.language_model else None

    @cached_property
    def _budgeted_model(self) -> LanguageModel | None:
        model, budget = self.language_model, self.token_budget
        return BudgetedModel(model, budget) if model and budget else None

    @property
    def examiner(self) -> LocalExaminer | None:
        """Who reads before a passage is quoted."""
        return self._local_examiner if self._settings.examiner == "local" else None

    @cached_property
    def _local_examiner(self) -> LocalExaminer:
        """One model for all who read with it: whoever quotes, and whoever puts what was found in order."""
        examiner = LocalExaminer()
        self._closed_at_the_end(examiner.aclose, "the examiner")
        return examiner

    @cached_property
    def reranking(self) -> Reranking | None:
        reranking = wiring.reranking_of(self._settings, self._local_examiner, self.workers, self.turns)
        if reranking is not None:
            self._closed_at_the_end(reranking.reranker.aclose, "the reranker")
        return reranking

    @property
    def generator_name(self) -> str:
        """Who words the answers."""
        return self.language_model.name if self.language_model else ExtractiveReader.name

    def set_up(self, recipe: str | None = None) -> SetUp:
        """What the confidence of answers depends on; `recipe` is that of the index, where it is known."""
        return wiring.set_up_of(self._settings, self.embedder.stamp, self.generator_name, self.reranking, recipe)

    async def load_models(self) -> None:
        """Loads the local models now, so that no reader's deadline has to pay for it."""
        with suppress(EmbedderFailed):  # then answers rest on words alone
            await asyncio.to_thread(self.watched_embedder.load)
        if "local" in (self._settings.examiner, self._settings.reranker):
            with suppress(ExaminerFailed):  # then passages are chosen, and put in order, without it
                await asyncio.to_thread(self._local_examiner.load)

    # --- books

    @cached_property
    def book_ids(self) -> tuple[str, ...]:
        return DEFAULT_BOOK, *self._settings.books

    def book(self, book_id: str = DEFAULT_BOOK) -> Book:
        """Raises `InvalidSettings` where there is no such book."""
        if book_id not in self._books:
            index = self._guarded_index(book_id)
            agent, sections = self.agent(book_id), SectionSearch(index, self.workers)
            quoting = self.agent(book_id, quotes_only=True) if self.language_model else agent
            questions = OfferedQuestions(index, quoting, self.workers)
            self._books[book_id] = Book(book_id, agent, index, sections, questions)
        return self._books[book_id]

    async def ready_book(self, book_id: str = DEFAULT_BOOK) -> Book:
        """A book that can be asked now. Raises `IndexUnusable` where its index cannot serve it."""
        await self.fetch_calibrations()
        book = self.book(book_id)
        await self.check_embedder(book)
        await self.load_models()
        return book

    async def check_embedder(self, book: Book) -> None:
        """Raises `EmbedderMismatch` where the book was indexed by another model, `BookNotIngested` where by none."""
        wiring.check_embedder((await book.index.edition()).embedder, self.embedder.stamp)

    def agent(
        self,
        book_id: str = DEFAULT_BOOK,
        confidence: ConfidenceModel | None = None,
        *,
        quotes_only: bool = False,
    ) -> RAGChatAgent:
        """`confidence` is given only to measure with another one."""
        return wiring.agent_of(
            self._settings_of(book_id),
            self.watched_embedder,
            self._guarded_index(book_id),
            self.workers,
            self.turns,
            examiner=self.examiner,
            model=None if quotes_only else self._budgeted_model,
            reranking=self.reranking,
            confidence=confidence,
        )

    def index(self, book_id: str = DEFAULT_BOOK) -> BookIndex:
        if book_id not in self._indexes:
            index = wiring.index_of(self._settings_of(book_id), self.workers)
            self._closed_at_the_end(index.aclose, f"the index of {book_id}")
            self._indexes[book_id] = index
        return self._indexes[book_id]

    def _guarded_index(self, book_id: str) -> ChunkIndex:
        """The same, for readers."""
        if book_id not in self._guarded_indexes:
            self._guarded_indexes[book_id] = wiring.guarded_index_of(self._settings, self.index(book_id))
        return self._guarded_indexes[book_id]

    def _settings_of(self, book_id: str) -> Settings:
        collections = {DEFAULT_BOOK: self._settings.qdrant_collection, **self._settings.books}
        if book_id not in collections:
            raise InvalidSettings(f"There is no book {book_id} here. There are: {', '.join(collections)}")
        return self._settings.model_copy(update={"qdrant_collection": collections[book_id]})

    def retrieval(self, book_id: str = DEFAULT_BOOK, weights: Weights | None = None) -> QdrantRetrievalAgent:
        """The search that answers, or the same with other weights."""
        return QdrantRetrievalAgent(
            self._remembering,
            self.index(book_id),
            weights or wiring.weights_of(self._settings),
            self.workers,
            reranking=self.reranking,
        )

    @cached_property
    def _remembering(self) -> RememberingEmbedder:
        return RememberingEmbedder(self.embedder)

    def retrieval_methods(self) -> dict[str, QdrantRetrievalAgent]:
        """The configured search, and each of its two halves alone, to measure what each adds."""
        halves = {"dense": Weights(dense=1.0, lexical=0.0), "lexical": Weights(dense=0.0, lexical=1.0)}
        alone = {
            name: QdrantRetrievalAgent(self._remembering, self.index(), half.without_bonuses(), self.workers)
            for name, half in halves.items()
        }
        return {"hybrid": self.retrieval(), **alone}

    @cached_property
    def ingest(self) -> Ingest:
        rules = wiring.rules_of(self._settings, self.embedder.stamp)
        settings = self._settings
        return Ingest(
            self.index(),
            wiring.patient_embedder_of(self.embedder),
            rules,
            settings.book_base_url,
            self.uploads_folder,
            settings.book_language,
            self.keep_beside_index,
            wiring.reading_limits_of(settings),
            self.sharing.fetch_uploads if self.sharing else None,
        )

    async def keep_beside_index(self) -> None:
        """What is taken from the edition that answers now."""
        await self.keep_frequent_questions()
        if self._settings.database_url is not None:
            await ChunkKeeper(self.index(), self.chunks, self._settings.qdrant_collection).keep()

    async def keep_frequent_questions(self) -> None:
        """Those of the edition that answers now, for as long as its index cannot be reached."""
        edition, kept = await self.index().edition(), self._frequent_questions.read()
        if kept is None or kept.edition != edition.name:
            self._frequent_questions.keep(await find_frequent_questions(self.index()))

    def faq(self) -> Sequence[Mapping[str, Any]]:
        """What can be told without the index: the operator's own, or the book's frequent questions."""
        if self.http_options.faq is not None:
            return self.http_options.faq
        kept = self._frequent_questions.read()
        return [question.model_dump() for question in kept.entries] if kept else []

    @cached_property
    def _frequent_questions(self) -> FrequentQuestionsFile:
        return wiring.frequent_questions_of(self._settings)

    @cached_property
    def sharing(self) -> Sharing | None:
        """None where no other machine can serve the same books."""
        return Sharing(self._settings, self.database.patient) if has_other_machines(self._settings) else None

    async def fetch_calibrations(self) -> None:
        """Those that were measured on other machines, before a book is made that uses them."""
        if self.sharing is not None:
            await self.sharing.fetch_calibrations()

    @property
    def uploads_folder(self) -> Path:
        return wiring.uploads_of(self._settings)

    # --- the service

    @cached_property
    def http_options(self) -> HttpOptions:
        return http_options(self._settings)

    @cached_property
    def tokens(self) -> "TokenVerifier | None":
        return wiring.tokens_of(self._settings)

    def replayer(self, book_id: str) -> Replayer:
        return Replayer(
            self.retrieval(book_id), self.embedder, self.index(book_id), self.command_line.top_k, self.chunks
        )
