"""Progress of an ingest: a bar on a terminal, plain lines in a pipe, nothing where a machine reads."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from citebook.ingestion.indexing import ProgressReport, ReportProgress

_SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def show_progress(*, quiet: bool) -> Iterator[ReportProgress]:
    if quiet:
        yield lambda _report: None
    elif sys.stderr.isatty():
        with _bar() as report:
            yield report
    else:
        yield _lines()


@contextmanager
def _bar() -> Iterator[ReportProgress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files, {task.fields[chunks]:,} chunks"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reading the book", total=None, chunks=0)

        def report(now: ProgressReport) -> None:
            bar.update(task, completed=now.files_done, total=now.files, chunks=now.chunks)

        yield report


def _lines() -> ReportProgress:
    last = time.monotonic()

    def report(now: ProgressReport) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            typer.echo(f"{now.files_done} of {now.files} files, {now.chunks} chunks", err=True)

    return report
