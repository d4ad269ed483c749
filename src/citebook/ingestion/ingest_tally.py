"""What an ingest has done so far, and the result that it comes to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from citebook.domain.book import Counts, IndexedFile, IngestResult
from citebook.ingestion.edition_plan import EditionPlan
from citebook.ingestion.page_warnings import PageWarnings
from citebook.ingestion.source_page import BookSource


@dataclass(slots=True)
class Tally:
    """What was done so far."""

    started: float = field(default_factory=perf_counter)
    files: dict[str, IndexedFile] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    book_warnings: list[str] = field(default_factory=list)
    page_warnings: PageWarnings = field(default_factory=PageWarnings)
    embedded: int = 0
    reused: int = 0
    seconds_embedding: float = 0.0

    @property
    def chunks(self) -> int:
        return self.embedded + self.reused

    @property
    def seconds(self) -> float:
        return perf_counter() - self.started

    def note(self, source: BookSource) -> None:
        self.errors.extend(str(error) for error in source.unreadable)
        self.book_warnings.extend(source.warnings)
        for page in source.pages:
            self.note_warnings(page.source_file, page.warnings)

    def note_warnings(self, file: str, warnings: Iterable[str]) -> None:
        for warning in warnings:
            self.page_warnings.add(file, warning)

    def note_kept(self, file: str) -> None:
        self.page_warnings.add(file, "its last readable version goes on answering")

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self.book_warnings, *self.page_warnings.lines())


def unchanged_result(plan: EditionPlan, tally: Tally) -> IngestResult:
    """Where pages have changed, none of them can be read."""
    assert plan.usable is not None
    for file in (*plan.broken, *(page.source_file for page in plan.changed)):
        if file in plan.usable.files:
            tally.note_kept(file)
    return IngestResult(
        files_processed=len(plan.changed) + len(plan.unchanged),
        chunks_created=plan.usable.chunk_count,
        errors=tuple(tally.errors),
        warnings=tally.warnings,
        counts=Counts(files_unchanged=len(plan.unchanged), chunks_reused=plan.usable.chunk_count),
        seconds=tally.seconds,
        exit_code=int(bool(tally.errors)),
    )


def result_of(plan: EditionPlan, tally: Tally, name: str | None, *, dry_run: bool) -> IngestResult:
    before = plan.current.chunk_count if plan.current else 0
    return IngestResult(
        files_processed=len(plan.changed) + len(plan.unchanged),
        chunks_created=tally.chunks,
        errors=tuple(tally.errors),
        warnings=tally.warnings,
        counts=Counts(
            files_unchanged=len(plan.unchanged),
            files_removed=len(plan.gone),
            chunks_embedded=tally.embedded,
            chunks_reused=tally.reused,
            chunks_removed=max(0, before - tally.reused),
        ),
        edition=name,
        seconds=tally.seconds,
        seconds_embedding=tally.seconds_embedding,
        dry_run=dry_run,
        exit_code=int(bool(tally.errors)),
    )


def why_empty(errors: Sequence[str]) -> str:
    if not errors:
        return "The pages of the book hold no text: pictures are known by their descriptions, if they have any."
    return "Nothing of the book could be read:\n  " + "\n  ".join(errors)
