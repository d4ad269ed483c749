"""`citebook eval`: measures a book with labelled questions."""

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from citebook.cli.ingest_progress import show_progress
from citebook.cli.options import DataDir
from citebook.domain.errors import BookError, InvalidSettings
from citebook.evals import answers_run
from citebook.evals.answers_run import AnswerResult, evaluate_answers
from citebook.evals.questions import LabelledQuestion, read_questions
from citebook.evals.retrieval_run import METRICS, QuestionResult, evaluate_retrieval, summarise
from citebook.ingestion.page_reading import source_reader
from citebook.settings import Settings, read_settings
from citebook.wiring import chat_of, ingest_of, policy_of, retrieval_methods_of

app = typer.Typer(help="Measure a book with labelled questions.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Measure a book with labelled questions."""


@app.command("retrieval")
def retrieval(
    book: Annotated[Path, typer.Argument(help="Folder of the book.")],
    questions: Annotated[Path, typer.Argument(help="Labelled questions, one JSON object a line.")],
    out: Annotated[Path | None, typer.Option("--json", help="Write figures and every result there.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(help="Only questions with FIELD=VALUE, such as split=test; repeatable."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many questions, evenly taken.")] = None,
    data_dir: DataDir = None,
) -> None:
    """How well the right passages are found: hybrid, dense alone, words alone."""
    _check_target(out)
    asked = [q for q in read_questions(questions, where or ()) if q.answerable]
    asked = _evenly(asked, limit)
    with _settings_for(data_dir) as settings:
        results = asyncio.run(_run_retrieval(settings, book, asked))
    summary = summarise(results)
    _print_table(summary)
    _write(out, summary)


@app.command("answers")
def answers(
    book: Annotated[Path, typer.Argument(help="Folder of the book.")],
    questions: Annotated[Path, typer.Argument(help="Labelled questions, one JSON object a line.")],
    out: Annotated[Path | None, typer.Option("--json", help="Write figures and every result there.")] = None,
    where: Annotated[
        list[str] | None, typer.Option(help="Only questions with FIELD=VALUE, such as split=test; repeatable.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many questions, evenly taken.")] = None,
    data_dir: DataDir = None,
) -> None:
    """How good answers are: right words, proven citations, refusals, calibration."""
    _check_target(out)
    asked = _evenly(read_questions(questions, where or ()), limit)
    with _settings_for(data_dir) as settings:
        results = asyncio.run(_run_answers(settings, book, asked))
    summary = answers_run.summarise(results)
    _print_figures(summary)
    _write(out, summary)


async def _run_answers(settings: Settings, book: Path, questions: list[LabelledQuestion]) -> list[AnswerResult]:
    await _ingest(settings, book)
    agent = await chat_of(settings)
    with _counting(len(questions)) as report:
        return await evaluate_answers(questions, agent, policy_of(settings), source_reader(book), report)


async def _run_retrieval(settings: Settings, book: Path, questions: list[LabelledQuestion]) -> list[QuestionResult]:
    await _ingest(settings, book)
    with _counting(len(questions)) as report:
        return await evaluate_retrieval(questions, retrieval_methods_of(settings), report)


async def _ingest(settings: Settings, book: Path) -> None:
    with show_progress(quiet=False) as progress:
        result = await ingest_of(settings).run(book, progress=progress, allow_deletions=True)
    for error in result.errors:
        typer.echo(f"error: {error}", err=True)
    if not result.chunks_created:
        raise BookError("Nothing of the book could be read, so there is nothing to measure.")


def _check_target(out: Path | None) -> None:
    """Before hours of measuring, not after them."""
    if out is not None and not (out.absolute().parent.is_dir() and not out.is_dir()):
        raise InvalidSettings(f"--json {out}: name a file in a folder that exists")


def _write(out: Path | None, summary: dict[str, Any]) -> None:
    if out is not None:
        out.write_text(json.dumps(summary, ensure_ascii=False, indent=1), encoding="utf-8")


@contextmanager
def _settings_for(data_dir: Path | None) -> Iterator[Settings]:
    """An index of its own, so that a measurement never touches the one that answers."""
    embedded = {"qdrant_url": None}
    if data_dir is not None:
        yield read_settings(citebook_data_dir=data_dir).model_copy(update=embedded)
        return
    with tempfile.TemporaryDirectory(prefix="citebook-eval-") as folder:
        yield read_settings(citebook_data_dir=Path(folder)).model_copy(update=embedded)


@contextmanager
def _counting(total: int) -> Iterator[Callable[[int], None]]:
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Asking", total=total)
        yield lambda done: bar.update(task, completed=done)


def _evenly(questions: list[LabelledQuestion], limit: int | None) -> list[LabelledQuestion]:
    if limit is None or limit >= len(questions):
        return questions
    return [questions[index * len(questions) // limit] for index in range(limit)]


def _print_table(summary: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"Retrieval, {summary['questions']:,} questions (mean ± standard error)")
    table.add_column("method")
    for name in METRICS:
        table.add_column(name, justify="right")
    for method, measured in summary["by_method"].items():
        cells = [f"{measured[n]['mean']:.3f} ± {measured[n]['standard_error']:.3f}" for n in METRICS]
        table.add_row(method, *cells)
    Console(width=None if sys.stdout.isatty() else 110).print(table)


def _print_figures(summary: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"Answers, {summary['questions']:,} questions")
    table.add_column("figure")
    table.add_column("value", justify="right")
    for name, value in summary["metrics"].items():
        table.add_row(name, f"{value:.3f}")
    Console(width=None if sys.stdout.isatty() else 110).print(table)
