"""Progress of a measurement: a bar on a terminal, plain lines in a pipe, and a last word when it is stopped."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

ReportDone = Callable[[int], None]

_SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def count_questions(total: int) -> Iterator[ReportDone]:
    """Gives the function to call with the number of questions done."""
    done = 0
    try:
        with _bar(total) if sys.stderr.isatty() else _lines(total) as show:

            def report(now: int) -> None:
                nonlocal done
                done = now
                show(now)

            yield report
    except (KeyboardInterrupt, asyncio.CancelledError):
        typer.echo(f"Stopped after {done:,} of {total:,} questions. Nothing was written.", err=True)
        raise


@contextmanager
def _bar(total: int) -> Iterator[ReportDone]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Asking", total=total, rate="")
        started = time.monotonic()

        def report(done: int) -> None:
            bar.update(task, completed=done, rate=f"{_rate(done, started):.1f}/s")

        yield report


@contextmanager
def _lines(total: int) -> Iterator[ReportDone]:
    started = last = time.monotonic()

    def report(done: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES and done < total:
            last = time.monotonic()
            rate = _rate(done, started)
            left = (total - done) / rate
            typer.echo(f"{done:,} of {total:,} questions, {rate:.1f} a second, {_in_words(left)} left", err=True)

    yield report


def _rate(done: int, started: float) -> float:
    return done / max(1e-6, time.monotonic() - started)


def _in_words(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
