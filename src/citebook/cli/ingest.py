"""`citebook ingest`: reads a book and makes it answer."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from citebook.cli.ingest_progress import show_progress
from citebook.cli.options import AsJson, DataDir
from citebook.domain.book import IngestResult
from citebook.ingestion.indexing import ReportProgress
from citebook.root.citebook import Citebook
from citebook.settings import Settings, read_settings


def ingest(
    path: Annotated[Path, typer.Argument(help="Folder of the book: .md, .mdx and .pdf, with all below it.")],
    data_dir: DataDir = None,
    base_url: Annotated[
        str | None, typer.Option(help="Where the pages are on the site (BOOK_BASE_URL; default what the site says).")
    ] = None,
    as_json: AsJson = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    allow_deletions: Annotated[
        bool, typer.Option("--allow-deletions", help="Go on even where most of the book is gone.")
    ] = False,
    new_edition: Annotated[
        bool, typer.Option("--new-edition", help="Make a new edition even where nothing changed.")
    ] = False,
) -> None:
    """Read a book and make it answer. A second run on an unchanged book does nothing."""
    settings = read_settings(citebook_data_dir=data_dir, book_base_url=base_url)
    with show_progress(quiet=as_json) as progress:
        how = {"dry_run": dry_run, "allow_deletions": allow_deletions, "new_edition": new_edition}
        result = asyncio.run(run_ingest(settings, path, progress, **how))
    if as_json:
        typer.echo(result.model_dump_json(indent=2))
    else:
        print_result(result)
    raise typer.Exit(result.exit_code)


async def run_ingest(settings: Settings, path: Path, progress: ReportProgress, **how: bool) -> IngestResult:
    """`how` is as in `Ingest.run`."""
    async with Citebook(settings) as citebook:
        return await citebook.ingest.run(path, progress=progress, **how)


def print_result(result: IngestResult) -> None:
    for warning in result.warnings:
        typer.echo(f"warning: {warning}", err=True)
    for error in result.errors:
        typer.echo(f"error: {error}", err=True)
    if result.errors:
        typer.echo(f"{len(result.errors)} could not be read, as said above; the others were.", err=True)
    counts = result.counts
    if result.dry_run:
        typer.echo(
            f"Would embed {counts.chunks_embedded:,} chunks and keep {counts.chunks_reused:,}; "
            f"{counts.files_unchanged:,} of {result.files_processed:,} files are unchanged. Nothing was changed."
        )
    elif result.edition is None:
        typer.echo(
            f"Nothing has changed: {result.files_processed:,} files, {result.chunks_created:,} chunks "
            f"({result.seconds:.2f} s)."
        )
    else:
        typer.echo(
            f"{result.files_processed:,} files, {result.chunks_created:,} chunks: "
            f"{counts.chunks_embedded:,} embedded, {counts.chunks_reused:,} kept, "
            f"{counts.chunks_removed:,} removed ({result.seconds:.1f} s{_rate(result)})."
        )


def _rate(result: IngestResult) -> str:
    if not result.counts.chunks_embedded or not result.seconds:
        return ""
    return f", {result.counts.chunks_embedded / result.seconds:.1f} chunks/s"
