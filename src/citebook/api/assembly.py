"""Puts the service together from an opened Citebook."""

import asyncio
import gc
import logging

from fastapi import FastAPI

from citebook.api.answering import Answering
from citebook.api.app import create_app
from citebook.api.callers import Doorkeeper, networks
from citebook.api.services import Services
from citebook.api.shared_uploads import SharedUploads
from citebook.api.uploads import ChapterUploads
from citebook.domain.errors import BookNotIngested, CitebookError, EmbedderFailed, VectorStoreUnavailable
from citebook.domain.limits import Limit
from citebook.domain.policy import MINUTE
from citebook.records.recording import Recorder
from citebook.root.citebook import DEFAULT_BOOK, Book, Citebook

log = logging.getLogger(__name__)

_SECONDS_BETWEEN_EDITIONS = 60.0
"""After which the frequent questions of a new edition are kept, for when the index is away."""


async def app_of(citebook: Citebook) -> tuple[FastAPI, Services]:
    services = await services_of(citebook)
    app = create_app(services, citebook.http_options.cors_origins)
    gc.collect()
    gc.freeze()  # what is here now stays to the end: to look through it again and again halts all readers
    return app, services


async def services_of(citebook: Citebook) -> Services:
    options = citebook.http_options
    loading = asyncio.create_task(citebook.load_models())
    await asyncio.sleep(0)  # the model is read in a thread while the rest is put together
    await citebook.fetch_calibrations()
    uploads = _uploads(citebook)
    services = Services(
        books={book_id: await _book(citebook, book_id) for book_id in citebook.book_ids},
        default_book=DEFAULT_BOOK,
        answering=Answering(Recorder(citebook.conversations, citebook.personal_data), options.max_concurrent_answers),
        personal_data=citebook.personal_data,
        doorkeeper=Doorkeeper(
            citebook.quick_keys,
            citebook.limiter,
            citebook.tokens,
            networks(options.trusted_proxies),
            Limit(questions=options.reads_a_minute, seconds=MINUTE),
            Limit(questions=options.wrong_keys_a_minute, seconds=MINUTE),
        ),
        conversations=citebook.conversations,
        audit=citebook.quick_audit,
        database=citebook.database,
        uploads=uploads,
        feedback=citebook.feedback,
        policy=citebook.policy,
        book_title=options.book_title,
        faq=citebook.faq,
        has_postgres=options.has_postgres,
        embedder=citebook.watched_embedder,
        language_model=citebook.language_model,
        token_budget=citebook.token_budget,
        has_claude=options.has_claude,
        background_jobs=(
            citebook.housekeeping.run,
            uploads.run,
            citebook.conversations.run,
            lambda: _keep_frequent_questions(citebook),
            lambda: _prepare_search(citebook),
        ),
    )
    await loading
    await _try_embedder(citebook)
    return services


def _uploads(citebook: Citebook) -> ChapterUploads:
    folder, sharing = citebook.uploads_folder, citebook.sharing
    shared = SharedUploads(sharing.uploads(folder), sharing.leases, sharing.book) if sharing else None
    return ChapterUploads(folder, citebook.ingest, sharing=shared)


async def _try_embedder(citebook: Citebook) -> None:
    """So that health knows from the start; a model of this machine has said so while it was loaded."""
    try:
        if citebook.watched_embedder.is_up:
            await citebook.watched_embedder.ping()
    except EmbedderFailed:
        log.warning("questions are searched by words alone until the embedder answers")


async def _book(citebook: Citebook, book_id: str) -> Book:
    book = citebook.book(book_id)
    try:
        await citebook.check_embedder(book)
    except (BookNotIngested, VectorStoreUnavailable) as error:
        log.warning("the book %s cannot be asked yet: %s", book_id, error)
    return book


async def _prepare_search(citebook: Citebook) -> None:
    """For the first key of the first reader, who else would wait for the titles of the book to be read."""
    try:
        await citebook.book().sections.prepare()
    except CitebookError as error:  # where there is no book yet, that reader waits
        log.info("the search of sections was not prepared: %s", error)


async def _keep_frequent_questions(citebook: Citebook) -> None:
    """For an index that other machines make: who ingests here has them already."""
    while True:
        try:
            await citebook.keep_frequent_questions()
        except (CitebookError, OSError) as error:
            log.warning("the frequent questions of the book are not kept: %s", error)
        if citebook.sharing is None:
            return
        await asyncio.sleep(_SECONDS_BETWEEN_EDITIONS)
