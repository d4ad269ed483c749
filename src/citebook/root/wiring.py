"""The one place where settings become objects."""

import logging
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from citebook.adapters.calibration_folder import CalibrationFolder, DamagedCalibration
from citebook.adapters.frequent_questions_file import FrequentQuestionsFile
from citebook.adapters.local_model.examiner import shipped_sha256 as examiner_sha256
from citebook.agents.answer_synthesis import AnswerSynthesisAgent
from citebook.agents.error_recovery import ErrorRecoveryAgent
from citebook.agents.orchestrator import RAGChatAgent
from citebook.agents.query_router import QueryRouterAgent
from citebook.agents.retrieval import QdrantRetrievalAgent
from citebook.confidence.choosing import ChosenCalibration, choose, weights_in_use
from citebook.confidence.model import ConfidenceModel
from citebook.domain.book import DEFAULT_LANGUAGE, EmbedderStamp
from citebook.domain.errors import EmbedderMismatch, InvalidSettings
from citebook.domain.policy import COMMAND_LINE
from citebook.domain.set_up import NO_RERANKER, SearchSetUp, SetUp
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.indexing import recipe_of
from citebook.ingestion.reading_apart import ReadingLimits
from citebook.outlining.guide import BookGuide
from citebook.pacing.deadline import Budget
from citebook.pacing.token_budget import TokenBudget
from citebook.pacing.turns import Turns
from citebook.pacing.watched_embedder import WatchedEmbedder
from citebook.pacing.workers import Workers
from citebook.ports import (
    ArchiveStore,
    AuditArchive,
    BookIndex,
    ChunkIndex,
    ChunkStore,
    ConversationStore,
    Embedder,
    Examiner,
    FeedbackStore,
    Generator,
    GradeStore,
    KeyStore,
    LanguageModel,
    LoadableEmbedder,
    RateLimiter,
)
from citebook.reading.extractive import ExtractiveReader
from citebook.records.conversations import Conversations
from citebook.records.housekeeping import Housekeeping, Retention
from citebook.records.outbox import Outbox
from citebook.root.model_choice import embedder_of as embedder_of
from citebook.root.model_choice import language_model_of as language_model_of
from citebook.root.model_choice import reranking_of as reranking_of
from citebook.root.policies import resolve
from citebook.searching.ranking import Weights
from citebook.searching.reranking import Reranking
from citebook.searching.selected_passage import SelectedPassageSearch
from citebook.settings import Settings
from citebook.writing.grounded_writing import GroundedWriter
from citebook.writing.prompting import rules_sha256

if TYPE_CHECKING:
    from citebook.adapters.json_web_tokens import TokenVerifier
    from citebook.adapters.qdrant.server import ServerShape
    from citebook.adapters.rate_limits import MemoryRateLimiter, RedisRateLimiter
    from citebook.adapters.sql.audit_archive import SqlAuditArchive
    from citebook.adapters.sql.audit_log import SqlAuditLog
    from citebook.adapters.sql.database import Database

log = logging.getLogger(__name__)

_SHARE_OF_A_CALL = 0.8
_SHARE_OF_A_VECTOR = 0.5
"""Of the time for a search: the rest is for a search by words."""


def index_of(settings: Settings, workers: Workers) -> BookIndex:
    if settings.qdrant_url is not None:
        return _server_index(settings, workers)
    from citebook.adapters.qdrant.embedded import EmbeddedQdrant

    return EmbeddedQdrant(settings.citebook_data_dir / "index" / settings.qdrant_collection, workers)


def _server_index(settings: Settings, workers: Workers) -> BookIndex:
    from citebook.adapters.qdrant.server import QdrantServer, ServerAddress

    key = settings.qdrant_api_key.get_secret_value() if settings.qdrant_api_key else None
    nodes = tuple(node.strip() for node in (settings.qdrant_url or "").split(","))
    address = ServerAddress(nodes, key, settings.qdrant_grpc_port, settings.qdrant_request_seconds)
    locks = settings.citebook_data_dir / "locks"
    return QdrantServer.connect(address, settings.qdrant_collection, locks, workers, _server_shape(settings))


def _server_shape(settings: Settings) -> "ServerShape":
    from citebook.adapters.qdrant.server import ServerShape

    return ServerShape(**{field.name: getattr(settings, f"qdrant_{field.name}") for field in fields(ServerShape)})


def guarded_index_of(settings: Settings, index: BookIndex) -> ChunkIndex:
    """For readers. The embedded one is a part of this process, and is not waited for as another program is."""
    if settings.qdrant_url is None:
        return index
    from citebook.pacing.guarded_index import GuardedIndex

    return GuardedIndex(index, settings.retrieval_seconds * _SHARE_OF_A_CALL)


def watched_embedder_of(settings: Settings, embedder: LoadableEmbedder) -> WatchedEmbedder:
    return WatchedEmbedder(embedder, settings.retrieval_seconds * _SHARE_OF_A_VECTOR)


def patient_embedder_of(embedder: LoadableEmbedder) -> WatchedEmbedder:
    """For an ingest."""
    return WatchedEmbedder(embedder, None)


def database_of(settings: Settings) -> "Database":
    """One database for all that is kept in SQL. Whoever asks for it closes it."""
    from citebook.adapters.sql.database import Database

    if settings.database_url is None:
        return Database.connect(f"sqlite:///{settings.citebook_data_dir / 'citebook.sqlite3'}")
    return Database.connect(settings.database_url.get_secret_value())


def store_of(database: "Database") -> ConversationStore:
    from citebook.adapters.sql.conversation_store import SqlConversationStore

    return SqlConversationStore(database)


def conversations_of(settings: Settings, database: "Database") -> Conversations:
    """With an outbox in the data folder. Whoever asks for them closes them, and runs them meanwhile."""
    hurried = database.within(settings.recording_seconds)
    outbox = Outbox(outbox_of(settings))
    return Conversations(store_of(hurried), store_of(database), outbox, settings.recording_seconds)


def outbox_of(settings: Settings) -> Path:
    return settings.citebook_data_dir / "outbox"


def feedback_of(database: "Database") -> FeedbackStore:
    from citebook.adapters.sql.feedback_store import SqlFeedbackStore

    return SqlFeedbackStore(database)


def grades_of(database: "Database") -> GradeStore:
    from citebook.adapters.sql.grade_store import SqlGradeStore

    return SqlGradeStore(database)


def chunks_of(database: "Database") -> ChunkStore:
    from citebook.adapters.sql.chunk_store import SqlChunkStore

    return SqlChunkStore(database)


def audit_of(database: "Database") -> "SqlAuditLog":
    from citebook.adapters.sql.audit_log import SqlAuditLog

    return SqlAuditLog(database)


def audit_archive_of(settings: Settings, database: "Database") -> "SqlAuditArchive":
    from citebook.adapters.sql.audit_archive import SqlAuditArchive

    return SqlAuditArchive(database, _archive_store(settings))


def housekeeping_of(
    settings: Settings,
    database: "Database",
    conversations: ConversationStore,
    feedback: FeedbackStore,
    archive: AuditArchive,
    chunks: ChunkStore,
) -> Housekeeping:
    from citebook.adapters.sql.clock_log import SqlClockLog
    from citebook.adapters.sql.job_turns import SqlJobTurns

    in_database, at_all = timedelta(days=settings.audit_warm_days), timedelta(days=settings.audit_retention_days)
    retention = Retention(in_database, at_all)
    turns, clock_log = SqlJobTurns(database), SqlClockLog(database)
    return Housekeeping(conversations, feedback, archive, chunks, turns, clock_log, retention)


def _archive_store(settings: Settings) -> ArchiveStore:
    where = settings.audit_archive
    if where is None or "://" not in where:
        from citebook.adapters.archive_folder import FolderArchive

        return FolderArchive(Path(where) if where else settings.citebook_data_dir / "audit-archive")
    from citebook.adapters.archive_s3 import S3Archive

    return S3Archive(where)


def keys_of(database: "Database") -> KeyStore:
    from citebook.adapters.sql.key_store import SqlKeyStore

    return SqlKeyStore(database)


def uploads_of(settings: Settings) -> Path:
    """Where chapters that clients sent are kept, each book's apart."""
    return settings.citebook_data_dir / "uploads" / settings.qdrant_collection


def frequent_questions_of(settings: Settings) -> FrequentQuestionsFile:
    return FrequentQuestionsFile(
        settings.citebook_data_dir / "frequent-questions" / f"{settings.qdrant_collection}.json"
    )


def rules_of(settings: Settings, embedder: EmbedderStamp) -> ChunkingRules:
    return ChunkingRules(
        target_tokens=settings.chunk_tokens,
        overlap=settings.chunk_overlap,
        max_tokens=embedder.max_tokens,
        language=settings.book_language or DEFAULT_LANGUAGE,
    )


def reading_limits_of(settings: Settings) -> ReadingLimits:
    return ReadingLimits(seconds=settings.page_seconds, megabytes=settings.page_megabytes)


def weights_of(settings: Settings) -> Weights:
    return Weights.of_share(settings.dense_weight)


def writer_of(settings: Settings, model: LanguageModel | None) -> Generator | None:
    if model is None:
        return None
    return GroundedWriter(
        model,
        excerpt_characters=settings.llm_excerpt_characters,
        max_output_tokens=settings.llm_max_output_tokens,
    )


def calibrations_of(settings: Settings) -> CalibrationFolder:
    """Of this book: what holds for one need not hold for another."""
    return CalibrationFolder(settings.citebook_data_dir / "calibrations" / settings.qdrant_collection)


def set_up_of(
    settings: Settings,
    embedder: EmbedderStamp,
    generator: str,
    reranking: Reranking | None = None,
    recipe: str | None = None,
) -> SetUp:
    """What answers to questions without wishes of their own depend on; `recipe` is that of the index, where known."""
    return SetUp(
        embedder=embedder.name,
        generator=generator,
        search=SearchSetUp(
            dense_weight=weights_of(settings).dense,
            top_k=resolve(COMMAND_LINE, settings).top_k,
            reranker=reranking.in_words if reranking else NO_RERANKER,
            recipe=recipe or recipe_of(rules_of(settings, embedder)),
        ),
        weights={**weights_in_use(), **_examiner_in_use(settings), **_rules_in_use(generator)},
    )


def _examiner_in_use(settings: Settings) -> dict[str, str]:
    """For each use of it."""
    chosen = {"examining": settings.examiner, "reranking": settings.reranker}
    return {use: examiner_sha256() for use, who in chosen.items() if who == "local"}


def _rules_in_use(generator: str) -> dict[str, str]:
    """A language model writes, and doubts, by the rules that it is given."""
    return {} if generator == ExtractiveReader.name else {"writing": rules_sha256()}


def calibration_of(settings: Settings, in_use: SetUp) -> ChosenCalibration:
    """This book's own, or else the one that ships. One that is damaged is told of and passed over."""
    try:
        own = calibrations_of(settings).find(in_use.embedder, in_use.generator)
    except DamagedCalibration as damaged:
        log.warning("%s. Until then the calibration that ships is used, if there is one.", damaged)
        own = None
    return choose(in_use, own)


def confidence_of(settings: Settings, in_use: SetUp) -> ConfidenceModel:
    """Raises `InvalidSettings` where TOLERATED_WRONG_ANSWERS cannot be kept."""
    chosen = calibration_of(settings, in_use)
    if not chosen.holds:
        log.log(logging.WARNING if chosen.is_own else logging.INFO, "%s", _uncalibrated(chosen))
    refuse_below = refusal_threshold(settings.tolerated_wrong_answers, chosen)
    return ConfidenceModel.load(in_use, chosen.calibration, refuse_below=refuse_below)


def refusal_threshold(tolerated: float | None, chosen: ChosenCalibration) -> float:
    """The least confidence at which no more answers than tolerated were wrong; 0 where no target is set."""
    if tolerated is None:
        return 0.0
    if not chosen.holds:
        raise InvalidSettings(f"TOLERATED_WRONG_ANSWERS: {_uncalibrated(chosen)}")
    risk = chosen.calibration.least_confidence(tolerated)
    if risk is None:
        raise InvalidSettings(
            f"TOLERATED_WRONG_ANSWERS: no threshold gets below {chosen.calibration.least_wrong:.1%} wrong answers, "
            "by the calibration of this set-up. Set that or more."
        )
    return risk.threshold


def _uncalibrated(chosen: ChosenCalibration) -> str:
    differences = "; ".join(chosen.differences)
    return f"confidence is not calibrated for this set-up: {differences}. Run: citebook calibrate BOOK QUESTIONS"


def agent_of(
    settings: Settings,
    embedder: Embedder,
    index: ChunkIndex,
    workers: Workers,
    turns: Turns,
    *,
    examiner: Examiner | None = None,
    model: LanguageModel | None = None,
    reranking: Reranking | None = None,
    confidence: ConfidenceModel | None = None,
) -> RAGChatAgent:
    """`confidence` is given only to measure with another one."""
    synthesis = AnswerSynthesisAgent(
        ExtractiveReader(examiner, lambda: turns.are_waited_for), workers, writer_of(settings, model)
    )
    in_use = set_up_of(settings, embedder.stamp, synthesis.model_used, reranking)
    confidence = confidence or confidence_of(settings, in_use)
    return RAGChatAgent(
        QueryRouterAgent(workers, model),
        QdrantRetrievalAgent(embedder, index, weights_of(settings), workers, confidence.before_answering, reranking),
        SelectedPassageSearch(embedder, workers),
        synthesis,
        ErrorRecoveryAgent(),
        confidence,
        Budget(
            settings.deadline_seconds,
            settings.retrieval_seconds,
            settings.generation_seconds,
            settings.stream_gap_seconds,
            settings.stream_seconds,
        ),
        workers,
        turns,
        BookGuide(index, workers),
    )


def limiter_of(settings: Settings) -> "MemoryRateLimiter | RedisRateLimiter":
    from citebook.adapters.rate_limits import MemoryRateLimiter, RedisRateLimiter

    if settings.redis_url is None:
        return MemoryRateLimiter()
    return RedisRateLimiter(settings.redis_url.get_secret_value())


def token_budget_of(settings: Settings, limiter: RateLimiter) -> TokenBudget:
    return TokenBudget(
        limiter,
        of_all=settings.llm_tokens_a_day,
        of_one=settings.llm_tokens_a_day_per_caller,
        of_answer=settings.llm_excerpt_characters // 3 + settings.llm_max_output_tokens,
    )


def tokens_of(settings: Settings) -> "TokenVerifier | None":
    """None where no way to check a JWT is set: then nobody can sign in."""
    from citebook.adapters.json_web_tokens import TokenVerifier

    audience, issuer = settings.jwt_audience, settings.jwt_issuer
    if settings.jwt_secret is not None:
        return TokenVerifier.by_secret(settings.jwt_secret.get_secret_value(), audience, issuer)
    if settings.jwt_public_key is not None:
        return TokenVerifier.by_public_key(settings.jwt_public_key, audience, issuer)
    if settings.jwt_jwks_url is not None:
        return TokenVerifier.by_key_set(settings.jwt_jwks_url, audience, issuer)
    return None


def check_embedder(indexed: EmbedderStamp, configured: EmbedderStamp) -> None:
    if (indexed.name, indexed.dimension) != (configured.name, configured.dimension):
        raise EmbedderMismatch(
            f"The index was made by {indexed.name} ({indexed.dimension} dimensions), but questions would be embedded "
            f"by {configured.name} ({configured.dimension} dimensions). Run: citebook ingest PATH"
        )
