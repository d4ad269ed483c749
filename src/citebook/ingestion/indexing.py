"""Brings a book's index up to date: a new edition beside the old one, with only what changed embedded."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from uuid import uuid4

import numpy as np

from citebook.domain.book import Chunk, Counts, Edition, IndexedFile, IngestResult
from citebook.domain.errors import BookIsEmpty, PageUnreadable, TooManyPagesGone
from citebook.ingestion.book_source import BookSource, SourcePage, find_pages
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.page_reading import ReadPage, read_page
from citebook.ports import EditionBuilder, EditionStore, Embedder, Vectors

_BATCH = 64
_MOST_OF_THE_BOOK = 0.5
_FEW_FILES = 4
_RECIPE_VERSION = 1
"""Raise it when pages are parsed or cut differently, so that every index is made anew."""


@dataclass(frozen=True, slots=True)
class ProgressReport:
    files_done: int
    files: int
    chunks: int


ReportProgress = Callable[[ProgressReport], None]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What has to be done to each page of the book."""

    changed: tuple[SourcePage, ...]
    unchanged: tuple[SourcePage, ...]
    broken: tuple[str, ...]
    """Files of the current edition that are still there but cannot be read any more."""
    gone: frozenset[str]
    usable: Edition | None
    """The current edition, if its chunks can be taken over as they are."""
    reordered: bool

    @property
    def is_empty(self) -> bool:
        return self.usable is not None and not self.changed and not self.gone and not self.reordered


@dataclass(slots=True)
class _Tally:
    """What was done so far."""

    files: dict[str, IndexedFile] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    embedded: int = 0
    reused: int = 0
    seconds_embedding: float = 0.0

    @property
    def chunks(self) -> int:
        return self.embedded + self.reused


class Ingest:
    def __init__(self, store: EditionStore, embedder: Embedder, rules: ChunkingRules, base_url: str) -> None:
        self._store, self._embedder, self._rules, self._base_url = store, embedder, rules, base_url

    async def run(
        self,
        root: Path,
        *,
        progress: ReportProgress,
        dry_run: bool = False,
        allow_deletions: bool = False,
    ) -> IngestResult:
        """Raises `BookError` where nothing can be done; what is wrong with single files is in the result."""
        started = perf_counter()
        book = await asyncio.to_thread(find_pages, root, base_url=self._base_url)
        current = await self._store.current()
        plan = self._plan(book, current)
        tally = _Tally(
            errors=[str(error) for error in book.unreadable],
            warnings=[f"{page.source_file}: {warning}" for page in book.pages for warning in page.warnings],
        )
        if plan.is_empty:
            return _unchanged(plan, tally, perf_counter() - started)
        if not allow_deletions:
            _refuse_mass_deletion(plan, current)
        work = _Work(self._store, self._embedder, self._rules, plan, current, tally, progress)
        name = None if dry_run else await self._publish(work, tally)
        if dry_run:
            await work.rehearse()
        return _result(plan, current, tally, name, perf_counter() - started)

    def _plan(self, book: BookSource, current: Edition | None) -> _Plan:
        usable = current
        if current and (current.recipe, current.embedder) != (self._recipe, self._embedder.stamp):
            usable = None
        known = usable.files if usable else {}
        unchanged = tuple(p for p in book.pages if p.source_file in known and _is_same(p, known[p.source_file]))
        same = {page.source_file for page in unchanged}
        pages = {page.source_file for page in book.pages}
        absent = (current.files if current else {}).keys() - pages
        broken = {file for file in absent if _is_unreadable(file, book.unreadable)}
        return _Plan(
            changed=tuple(page for page in book.pages if page.source_file not in same),
            unchanged=unchanged,
            broken=tuple(sorted(broken & known.keys())),
            gone=frozenset(absent - broken),
            usable=usable,
            reordered=any(known[page.source_file].order != page.order for page in unchanged),
        )

    @property
    def _recipe(self) -> str:
        rules = self._rules
        return f"{_RECIPE_VERSION}/{rules.target_tokens}/{rules.overlap}/{rules.max_tokens}"

    async def _publish(self, work: "_Work", tally: _Tally) -> str:
        now = datetime.now(UTC)
        name = f"{now:%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"
        async with self._store.build(name, self._embedder.stamp) as builder:
            await work.build(builder)
            if not tally.chunks:
                raise BookIsEmpty("Nothing of the book could be read:\n  " + "\n  ".join(tally.errors))
            edition = Edition(
                name=name,
                embedder=self._embedder.stamp,
                recipe=self._recipe,
                created_at=now,
                files=tally.files,
                chunk_count=tally.chunks,
            )
            await builder.publish(edition)
        return name


class _Work:
    """Reads, embeds and adds the pages of one plan."""

    def __init__(
        self,
        store: EditionStore,
        embedder: Embedder,
        rules: ChunkingRules,
        plan: _Plan,
        current: Edition | None,
        tally: _Tally,
        progress: ReportProgress,
    ) -> None:
        self._store, self._embedder, self._rules = store, embedder, rules
        self._plan, self._tally, self._progress = plan, tally, progress
        self._vectors_are_known = current is not None and current.embedder == embedder.stamp

    async def build(self, builder: EditionBuilder) -> None:
        await self._carry_over(builder)
        waiting: list[Chunk] = []
        for done, page in enumerate(self._plan.changed):
            self._report(done)
            read = await self._read(page)
            if read is None:
                await self._keep_last_version(builder, page.source_file)
                continue
            self._tally.files[page.source_file] = IndexedFile(
                sha256=page.fingerprint, chunks=len(read.chunks), chapter=read.chapter, order=page.order
            )
            waiting.extend(read.chunks)
            while len(waiting) >= _BATCH:
                await self._add(builder, waiting[:_BATCH])
                del waiting[:_BATCH]
                self._report(done)
        await self._add(builder, waiting)
        self._report(len(self._plan.changed))

    async def rehearse(self) -> None:
        """Counts what `build` would do."""
        known_files = self._plan.usable.files if self._plan.usable else {}
        kept = [*(page.source_file for page in self._plan.unchanged), *self._plan.broken]
        self._tally.reused += sum(known_files[file].chunks for file in kept)
        for done, page in enumerate(self._plan.changed, start=1):
            read = await self._read(page)
            if read is None and page.source_file in known_files:
                self._tally.reused += known_files[page.source_file].chunks
            elif read is not None:
                texts = [chunk.embedded_text for chunk in read.chunks]
                known = await self._store.known_vectors(texts) if self._vectors_are_known else {}
                self._tally.reused += len(known)
                self._tally.embedded += len(texts) - len(known)
            self._report(done)

    async def _carry_over(self, builder: EditionBuilder) -> None:
        usable = self._plan.usable
        if usable is None:
            return
        for page in self._plan.unchanged:
            old = usable.files[page.source_file]
            self._tally.files[page.source_file] = old.model_copy(update={"order": page.order})
        self._tally.reused += await builder.carry_over([page.source_file for page in self._plan.unchanged])
        for file in self._plan.broken:
            await self._keep_last_version(builder, file)

    async def _keep_last_version(self, builder: EditionBuilder, file: str) -> None:
        """A page that broke since the last ingest goes on answering as it was."""
        usable = self._plan.usable
        if usable is None or file not in usable.files:
            return
        self._tally.files[file] = usable.files[file]
        self._tally.reused += await builder.carry_over([file])
        self._tally.warnings.append(f"{file}: its last readable version goes on answering")

    async def _read(self, page: SourcePage) -> ReadPage | None:
        try:
            read = await asyncio.to_thread(read_page, page, self._rules, self._embedder.count_tokens)
        except PageUnreadable as error:
            self._tally.errors.append(str(error))
            return None
        self._tally.warnings.extend(read.warnings)
        return read

    async def _add(self, builder: EditionBuilder, chunks: Sequence[Chunk]) -> None:
        if chunks:
            await builder.add(chunks, await self._vectors([chunk.embedded_text for chunk in chunks]))

    async def _vectors(self, texts: Sequence[str]) -> Vectors:
        known = await self._store.known_vectors(texts) if self._vectors_are_known else {}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        started = perf_counter()
        vectors = dict(known)
        if new:
            vectors.update(zip(new, await self._embedder.embed_passages(new), strict=True))
        self._tally.seconds_embedding += perf_counter() - started
        self._tally.embedded += sum(text not in known for text in texts)
        self._tally.reused += sum(text in known for text in texts)
        return np.stack([vectors[text] for text in texts])

    def _report(self, done: int) -> None:
        self._progress(ProgressReport(done, len(self._plan.changed), self._tally.chunks))


def _is_same(page: SourcePage, known: IndexedFile) -> bool:
    return known.sha256 == page.fingerprint


def _is_unreadable(file: str, unreadable: Sequence[PageUnreadable]) -> bool:
    """Whether the file itself, or a folder that it stands in, cannot be read."""
    return any(error.path in (".", file) or file.startswith(f"{error.path}/") for error in unreadable)


def _refuse_mass_deletion(plan: _Plan, current: Edition | None) -> None:
    if current is None or len(plan.gone) < _FEW_FILES:
        return
    if len(plan.gone) > _MOST_OF_THE_BOOK * len(current.files):
        raise TooManyPagesGone(
            f"{len(plan.gone)} of the book's {len(current.files)} files are gone. If that is meant, run this again "
            "with --allow-deletions. Nothing was changed."
        )


def _unchanged(plan: _Plan, tally: _Tally, seconds: float) -> IngestResult:
    assert plan.usable is not None
    return IngestResult(
        files_processed=len(plan.unchanged),
        chunks_created=plan.usable.chunk_count,
        errors=tuple(tally.errors),
        warnings=tuple(tally.warnings),
        counts=Counts(files_unchanged=len(plan.unchanged), chunks_reused=plan.usable.chunk_count),
        seconds=seconds,
        exit_code=int(bool(tally.errors)),
    )


def _result(plan: _Plan, current: Edition | None, tally: _Tally, name: str | None, seconds: float) -> IngestResult:
    before = current.chunk_count if current else 0
    return IngestResult(
        files_processed=len(plan.changed) + len(plan.unchanged),
        chunks_created=tally.chunks,
        errors=tuple(tally.errors),
        warnings=tuple(tally.warnings),
        counts=Counts(
            files_unchanged=len(plan.unchanged),
            files_removed=len(plan.gone),
            chunks_embedded=tally.embedded,
            chunks_reused=tally.reused,
            chunks_removed=max(0, before - tally.reused),
        ),
        edition=name,
        seconds=seconds,
        seconds_embedding=tally.seconds_embedding,
        dry_run=name is None,
        exit_code=int(bool(tally.errors)),
    )
