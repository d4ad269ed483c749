"""Brings a book's index up to date: a new edition beside the old one, with only what changed embedded."""

import asyncio
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from uuid import uuid4

import numpy as np

from citebook.domain.book import DEFAULT_LANGUAGE, Chunk, Edition, IndexedFile, IngestResult
from citebook.domain.errors import (
    BookIsEmpty,
    BookNotFound,
    DependencyError,
    EmbedderMismatch,
    IndexUnusable,
    IngestInProgress,
    PageUnreadable,
)
from citebook.domain.units import unit_texts
from citebook.ingestion.book_language import find_language
from citebook.ingestion.book_source import (
    DEFAULT_BASE_URL,
    FIRST_UPLOAD,
    UPLOADS,
    find_pages,
    find_uploads,
)
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.edition_plan import EditionPlan
from citebook.ingestion.ingest_tally import Tally, result_of, unchanged_result, why_empty
from citebook.ingestion.page_reading import ReadPage
from citebook.ingestion.reading_apart import PagesApart, PagesHere, ReadingLimits
from citebook.ingestion.source_page import BookSource, SourcePage
from citebook.language.languages import language_of
from citebook.pacing.one_at_a_time import OneAtATime
from citebook.ports import EditionBuilder, EditionStore, Embedder, KnownVectors, Vector, Vectors

CHUNKS_AT_ONCE = 64
"""That are embedded, and then added."""
_RECIPE_VERSION = 17
"""Raise it when pages are parsed or cut differently, or more is kept of them, so that every index is made anew."""


def recipe_of(rules: ChunkingRules) -> str:
    """The stamp of editions that are made by these rules; English, the usual language, is not said."""
    recipe = f"{_RECIPE_VERSION}/{rules.target_tokens}/{rules.overlap}/{rules.max_tokens}"
    return recipe if rules.language == DEFAULT_LANGUAGE else f"{recipe}/{rules.language}"


@dataclass(frozen=True, slots=True)
class ProgressReport:
    files_done: int
    files: int
    chunks: int


ReportProgress = Callable[[ProgressReport], None]
FetchUploads = Callable[[], Awaitable[Path | None]]
"""Gives the folder of uploaded chapters, those of other machines included; None where they cannot be had."""
AfterIngest = Callable[[], Awaitable[None]]
"""Keeps elsewhere what is taken from the edition that answers now; does nothing where it is kept already."""


class Ingest:
    def __init__(
        self,
        store: EditionStore,
        embedder: Embedder,
        rules: ChunkingRules,
        base_url: str | None,
        uploads: Path | None = None,
        language: str | None = None,
        afterwards: AfterIngest | None = None,
        limits: ReadingLimits | None = None,
        fetch_uploads: FetchUploads | None = None,
    ) -> None:
        """Where no base URL or language is given, the book is asked for it.

        With limits, pages are read in a process of their own; without, in this one, and none may be hostile.
        """
        self._store, self._embedder, self._rules, self._base_url = store, embedder, rules, base_url
        self._uploads, self._language, self._afterwards = uploads, language, afterwards
        self._limits, self._fetch_uploads = limits, fetch_uploads

    async def run(
        self,
        root: Path,
        *,
        progress: ReportProgress,
        dry_run: bool = False,
        allow_deletions: bool = False,
        new_edition: bool = False,
    ) -> IngestResult:
        """Brings the whole book up to date. Uploaded chapters stay in it, wherever they are kept.

        Where nothing changed there is a new edition only if one is wanted: what is the same is carried over into it.
        Raises `BookError` where nothing can be done; what is wrong with single files is in the result.
        """
        tally = Tally()
        current = await self._store.current()
        uploads = await self._fetch_uploads() if self._fetch_uploads else self._uploads
        source = await asyncio.to_thread(self._find_all, root, uploads)
        tally.note(source)
        kept = {} if _is_folder(uploads) else _files(current, uploaded=True)
        is_whole = current is None or not current.is_searchable or await self._store.is_whole()
        if not is_whole:
            tally.book_warnings.append("the index is damaged: the whole book is read and embedded anew")
        language = self._language or find_language(root)
        rules = replace(self._rules, language=language)
        plan = EditionPlan.make(current, source, kept, recipe_of(rules), self._embedder.stamp, is_whole=is_whole)
        if not allow_deletions:
            plan.refuse_mass_deletion()
        result = await self._carry_out(plan, rules, tally, progress, dry_run=dry_run, new_edition=new_edition)
        if not result.chunks_created and not dry_run:
            raise BookIsEmpty(why_empty(result.errors))
        return result

    async def run_uploads(self, *, progress: ReportProgress) -> IngestResult:
        """Brings the uploaded chapters up to date; the rest of the book is carried over, whatever made it.

        Where there is nothing to publish the result has no edition. Raises as `run` does.
        """
        tally = Tally()
        if self._uploads is None or not _is_folder(self._uploads):
            raise BookNotFound("There is no folder of uploaded chapters.")
        current = await self._store.current()
        if current and current.embedder != self._embedder.stamp:
            raise EmbedderMismatch(
                f"The index was made by {current.embedder.name}, but uploads would be embedded by "
                f"{self._embedder.stamp.name}. Run: citebook ingest PATH"
            )
        if current:
            current.check_searchable()
        if current and not await self._store.is_whole():
            raise IndexUnusable("The index is damaged, so that nothing can be added to it. Run: citebook ingest PATH")
        kept = _files(current, uploaded=False)
        chapters = {file.chapter.id if file.chapter else name.rsplit(".", 1)[0] for name, file in kept.items()}
        source = await asyncio.to_thread(self._find_uploads, self._uploads, kept, chapters)
        source = replace(source, title=current.title if current else None)
        tally.note(source)
        rules = replace(self._rules, language=current.language if current else self._language or DEFAULT_LANGUAGE)
        recipe = current.recipe if current else recipe_of(rules)
        plan = EditionPlan.make(current, source, kept, recipe, self._embedder.stamp, is_whole=True)
        plan.refuse_mass_deletion()
        return await self._carry_out(plan, rules, tally, progress)

    async def uploaded(self, file_name: str) -> IndexedFile | None:
        """An uploaded chapter as the current edition holds it."""
        return _files(await self._store.current(), uploaded=True).get(f"{UPLOADS}/{file_name}")

    def _find_all(self, root: Path, uploads: Path | None) -> BookSource:
        book = find_pages(root, base_url=self._base_url)
        if uploads is None or not _is_folder(uploads):
            return book
        files = {page.source_file for page in book.pages}
        found = self._find_uploads(uploads, files, {page.chapter_id for page in book.pages})
        return replace(book, pages=book.pages + found.pages, unreadable=book.unreadable + found.unreadable)

    def _find_uploads(self, uploads: Path, files: Container[str], chapters: Container[str]) -> BookSource:
        base_url = self._base_url or DEFAULT_BASE_URL
        return find_uploads(uploads, base_url=base_url, files=files, chapters=chapters)

    async def _carry_out(
        self,
        plan: EditionPlan,
        rules: ChunkingRules,
        tally: Tally,
        progress: ReportProgress,
        *,
        dry_run: bool = False,
        new_edition: bool = False,
    ) -> IngestResult:
        async with self._pages(plan, rules) as pages, self._known_vectors(plan) as known:
            work = _Work(self._embedder, pages, known, plan, tally, progress)
            changes = new_edition or await work.changes_anything()
            if changes and dry_run:
                await work.rehearse()
            name = await self._publish(work, plan, tally, rules.language) if changes and not dry_run else None
        if not dry_run:
            await self._keep_elsewhere(tally)
        return result_of(plan, tally, name, dry_run=dry_run) if changes else unchanged_result(plan, tally)

    async def _keep_elsewhere(self, tally: Tally) -> None:
        """The book answers without it: what fails here is tried again by the next ingest."""
        if self._afterwards is None or await self._store.current() is None:
            return
        try:
            await self._afterwards()
        except (DependencyError, OSError) as error:
            tally.book_warnings.append(f"the index is up to date, but not what is kept beside it: {error}")

    def _pages(self, plan: EditionPlan, rules: ChunkingRules) -> PagesApart | PagesHere:
        """Where nothing is to be read, no process is started for it."""
        if self._limits is None or not plan.changed:
            return PagesHere(rules, self._embedder.count_tokens)
        return PagesApart(rules, self._embedder.count_tokens, self._limits)

    def _known_vectors(self, plan: EditionPlan) -> AbstractAsyncContextManager[KnownVectors]:
        return self._store.known_vectors() if plan.has_vectors else nullcontext(_no_vectors)

    async def _strangers(self, language: str) -> list[Vector]:
        """Vectors of questions that have nothing to do with the book."""
        asked = language_of(language).strangers.questions
        return list(await asyncio.gather(*map(self._embedder.embed_question, asked)))

    async def _publish(self, work: "_Work", plan: EditionPlan, tally: Tally, language: str) -> str | None:
        """The name of the new edition, or None where there is nothing to put in it."""
        now = datetime.now(UTC)
        name = f"{now:%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"
        strangers = await self._strangers(language)
        async with self._store.build(name, self._embedder.stamp, language, strangers) as builder:
            if await self._store.current() != plan.current:  # what the other ingest brought would be lost
                raise IngestInProgress("Another ingest of this book ended just now. Run this again.")
            await work.build(builder)
            if not tally.chunks:
                return None
            edition = Edition(
                name=name,
                embedder=self._embedder.stamp,
                recipe=plan.recipe,
                created_at=now,
                files=tally.files,
                chunk_count=tally.chunks,
                language=language,
                vectors_of="units",
                likeness_of_strangers=_median(builder.likeness_of_strangers()),
                title=plan.title,
            )
            await builder.publish(edition)
        return name


def _is_folder(uploads: Path | None) -> bool:
    return uploads is not None and uploads.is_dir()


def _median(cosines: Sequence[float]) -> float | None:
    return round(float(np.median(cosines)), 4) if cosines else None


class _Work:
    """Reads, embeds and adds the pages of one plan."""

    def __init__(
        self,
        embedder: Embedder,
        pages: PagesApart | PagesHere,
        known_vectors: KnownVectors,
        plan: EditionPlan,
        tally: Tally,
        progress: ReportProgress,
    ) -> None:
        self._embedder, self._pages, self._known_vectors = embedder, pages, known_vectors
        self._plan, self._tally, self._progress = plan, tally, progress
        self._read_ahead: dict[str, ReadPage | None] = {}

    async def changes_anything(self) -> bool:
        """Whether a new edition would differ from the current one: pages that cannot be read make no difference."""
        if self._plan.changes_the_rest:
            return True
        for page in self._plan.changed:
            self._read_ahead[page.source_file] = read = await self._read(page)
            if read is not None:
                return True
        return False

    async def build(self, builder: EditionBuilder) -> None:
        await self._carry_over(builder)
        async with OneAtATime() as adding:
            await self._read_and_add(builder, adding)
        self._report(len(self._plan.changed))

    async def _read_and_add(self, builder: EditionBuilder, adding: OneAtATime) -> None:
        """Pages are read while the chunks of those before them are embedded."""
        waiting: list[Chunk] = []
        for done, page in enumerate(self._plan.changed):
            self._report(done)
            read = await self._read(page)
            if read is None:
                await adding.end()
                await self._keep_last_version(builder, page.source_file)
                continue
            self._tally.files[page.source_file] = IndexedFile(
                sha256=page.fingerprint,
                chunks=len(read.chunks),
                chapter=read.chapter,
                order=page.order,
                part_of=page.partial_of,
            )
            waiting.extend(read.chunks)
            while len(waiting) >= CHUNKS_AT_ONCE:
                await adding.begin(self._add(builder, waiting[:CHUNKS_AT_ONCE]))
                del waiting[:CHUNKS_AT_ONCE]
                self._report(done)
        await adding.begin(self._add(builder, waiting))

    async def rehearse(self) -> None:
        """Counts what `build` would do."""
        known_files = self._plan.usable.files if self._plan.usable else {}
        self._tally.reused += sum(known_files[file].chunks for file in (*self._plan.unchanged, *self._plan.broken))
        for done, page in enumerate(self._plan.changed, start=1):
            read = await self._read(page)
            if read is None and page.source_file in known_files:
                self._tally.reused += known_files[page.source_file].chunks
            elif read is not None:
                known = await self._known_vectors(read.chunks)
                self._tally.reused += len(known)
                self._tally.embedded += len(read.chunks) - len(known)
            self._report(done)

    async def _carry_over(self, builder: EditionBuilder) -> None:
        usable = self._plan.usable
        if usable is None:
            return
        for file, order in self._plan.unchanged.items():
            self._tally.files[file] = usable.files[file].model_copy(update={"order": order})
        self._tally.reused += await builder.carry_over(list(self._plan.unchanged))
        for file in self._plan.broken:
            await self._keep_last_version(builder, file)

    async def _keep_last_version(self, builder: EditionBuilder, file: str) -> None:
        """A page that broke since the last ingest goes on answering as it was."""
        usable = self._plan.usable
        if usable is None or file not in usable.files:
            return
        self._tally.files[file] = usable.files[file]
        self._tally.reused += await builder.carry_over([file])
        self._tally.note_kept(file)

    async def _read(self, page: SourcePage) -> ReadPage | None:
        if page.source_file in self._read_ahead:
            return self._read_ahead.pop(page.source_file)
        try:
            read = await self._pages.read(page)
        except PageUnreadable as error:
            self._tally.errors.append(str(error))
            return None
        self._tally.note_warnings(page.source_file, read.warnings)
        return read

    async def _add(self, builder: EditionBuilder, chunks: Sequence[Chunk]) -> None:
        if chunks:
            await builder.add(chunks, await self._vectors(chunks))

    async def _vectors(self, chunks: Sequence[Chunk]) -> list[Vectors]:
        """Those of the units of each chunk; units that stand in two chunks are embedded once."""
        known = await self._known_vectors(chunks)
        new = {chunk.id: unit_texts(chunk) for chunk in chunks if chunk.id not in known}
        texts = list(dict.fromkeys(text for own in new.values() for text in own))
        started = perf_counter()
        embedded = dict(zip(texts, await self._embedder.embed_passages(texts) if texts else (), strict=True))
        self._tally.seconds_embedding += perf_counter() - started
        self._tally.embedded += len(new)
        self._tally.reused += len(chunks) - len(new)
        made = {chunk: np.stack([embedded[text] for text in own]) for chunk, own in new.items()}
        return [known[chunk.id] if chunk.id in known else made[chunk.id] for chunk in chunks]

    def _report(self, done: int) -> None:
        self._progress(ProgressReport(done, len(self._plan.changed), self._tally.chunks))


async def _no_vectors(_chunks: Sequence[Chunk]) -> Mapping[str, Vectors]:
    return {}


def _files(edition: Edition | None, *, uploaded: bool) -> dict[str, IndexedFile]:
    """The files of an edition that clients sent in, or those of the book itself."""
    files = edition.files if edition else {}
    return {name: file for name, file in files.items() if (file.order >= FIRST_UPLOAD) is uploaded}
