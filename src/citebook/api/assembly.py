"""Puts the service together from settings."""

import asyncio
import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from citebook.api.answering import Answering
from citebook.api.app import create_app
from citebook.api.callers import Doorkeeper, networks
from citebook.api.contracts import core
from citebook.api.services import Book, Services
from citebook.api.uploads import ChapterUploads
from citebook.domain.errors import BookNotIngested, DatabaseUnavailable, InvalidSettings, VectorStoreUnavailable
from citebook.ports import BookIndex, ConversationStore, Embedder, FeedbackStore, LanguageModel
from citebook.records.recording import RecordingAgent
from citebook.root import wiring
from citebook.settings import Settings

log = logging.getLogger(__name__)

_DEFAULT_BOOK = "default"
_DAY = 24 * 3600.0


async def app_of(settings: Settings) -> tuple[FastAPI, Services]:
    services = await services_of(settings)
    return create_app(services, settings.cors_origins), services


async def services_of(settings: Settings) -> Services:
    model = wiring.language_model_of(settings)
    embedder = wiring.embedder_of(settings)
    warming = asyncio.create_task(wiring.warm_up(embedder))
    await asyncio.sleep(0)  # the model is read in a thread while the rest is put together
    database = wiring.database_of(settings)
    limiter = wiring.limiter_of(settings)
    store = wiring.store_of(database)
    feedback = wiring.feedback_of(database)
    index = wiring.index_of(settings)
    uploads = ChapterUploads(wiring.uploads_of(settings), wiring.ingest_into(settings, embedder, index))
    services = Services(
        books=await _books(settings, embedder, index, model),
        default_book=_DEFAULT_BOOK,
        answering=Answering(RecordingAgent(store), settings.max_concurrent_answers),
        doorkeeper=Doorkeeper(
            wiring.keys_of(database), limiter, wiring.tokens_of(settings), networks(settings.trusted_proxies)
        ),
        conversations=store,
        audit=wiring.audit_of(database),
        database=database,
        uploads=uploads,
        feedback=feedback,
        book_title=settings.book_title,
        policies=_policies(settings),
        faq=_faq(settings.fallback_faq),
        has_postgres=settings.database_url is not None,
        language_model=model,
        has_claude=settings.llm_provider == "anthropic",
        background_jobs=(lambda: _purge_daily(store, feedback), uploads.run),
        closers=(*((model.close,) if model else ()), limiter.aclose, database.close),
    )
    await warming
    return services


async def _books(
    settings: Settings, embedder: Embedder, default_index: BookIndex, model: LanguageModel | None
) -> dict[str, Book]:
    collections = {_DEFAULT_BOOK: settings.qdrant_collection, **settings.books}
    books = {}
    for book_id, collection in collections.items():
        own = settings.model_copy(update={"qdrant_collection": collection})
        index = default_index if book_id == _DEFAULT_BOOK else wiring.index_of(own)
        try:
            wiring.check_embedder((await index.edition()).embedder, embedder.stamp)
        except (BookNotIngested, VectorStoreUnavailable) as error:
            log.warning("the book %s cannot be asked yet: %s", book_id, error)
        books[book_id] = Book(book_id, wiring.agent_of(own, embedder, index, model), index)
    return books


def _policies(settings: Settings) -> Mapping[str, Mapping[str, Any]]:
    own = {
        "anonymous": {**core.POLICY.anonymous.model_dump(), "questions": settings.rate_limit_anonymous},
        "signed_in": {"seconds": 3600, "questions": settings.rate_limit_authenticated},
    }
    return {**settings.policies, "core": {**own, **settings.policies.get("core", {})}}


def _faq(path: Path | None) -> list[dict[str, Any]]:
    if path is None:
        return []
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidSettings(f"FALLBACK_FAQ cannot be read as JSON: {error}") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InvalidSettings("FALLBACK_FAQ must be a JSON list of objects")
    return entries


async def _purge_daily(store: ConversationStore, feedback: FeedbackStore) -> None:
    while True:
        try:
            sessions, opinions = await store.purge(datetime.now(UTC)), await feedback.purge(datetime.now(UTC))
            log.info("%d idle sessions and %d old opinions were purged", sessions, opinions)
        except DatabaseUnavailable as error:
            log.warning("idle sessions were not purged: %s", error)
        await asyncio.sleep(_DAY)
