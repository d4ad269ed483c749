"""Puts the service together from an opened Citebook."""

import asyncio
import json
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from citebook.api.answering import Answering
from citebook.api.app import create_app
from citebook.api.callers import Doorkeeper, networks
from citebook.api.services import Services
from citebook.api.uploads import ChapterUploads
from citebook.domain.errors import BookNotIngested, DatabaseUnavailable, InvalidSettings, VectorStoreUnavailable
from citebook.ports import ConversationStore, FeedbackStore
from citebook.records.recording import Recorder
from citebook.root import wiring
from citebook.root.citebook import DEFAULT_BOOK, Book, Citebook
from citebook.settings import Settings

log = logging.getLogger(__name__)

_DAY = 24 * 3600.0


async def app_of(settings: Settings, citebook: Citebook) -> tuple[FastAPI, Services]:
    services = await services_of(settings, citebook)
    return create_app(services, settings.cors_origins), services


async def services_of(settings: Settings, citebook: Citebook) -> Services:
    loading = asyncio.create_task(citebook.load_models())
    await asyncio.sleep(0)  # the model is read in a thread while the rest is put together
    uploads = ChapterUploads(citebook.uploads_folder, citebook.ingest)
    services = Services(
        books={book_id: await _book(citebook, book_id) for book_id in citebook.book_ids},
        default_book=DEFAULT_BOOK,
        answering=Answering(Recorder(citebook.conversations), settings.max_concurrent_answers),
        doorkeeper=Doorkeeper(
            citebook.keys, citebook.limiter, wiring.tokens_of(settings), networks(settings.trusted_proxies)
        ),
        conversations=citebook.conversations,
        audit=citebook.audit,
        database=citebook.database,
        uploads=uploads,
        feedback=citebook.feedback,
        policy=citebook.policy,
        book_title=settings.book_title,
        faq=_faq(settings.fallback_faq),
        has_postgres=settings.database_url is not None,
        language_model=citebook.language_model,
        has_claude=settings.llm_provider == "anthropic",
        background_jobs=(lambda: _purge_daily(citebook.conversations, citebook.feedback), uploads.run),
    )
    await loading
    return services


async def _book(citebook: Citebook, book_id: str) -> Book:
    book = citebook.book(book_id)
    try:
        wiring.check_embedder((await book.index.edition()).embedder, citebook.embedder.stamp)
    except (BookNotIngested, VectorStoreUnavailable) as error:
        log.warning("the book %s cannot be asked yet: %s", book_id, error)
    return book


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
