"""What measurements of a book share: an index of their own, checked labels, and where the results go."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typer

from citebook.cli.evaluate_tables import print_comparison
from citebook.cli.exit_codes import GOT_WORSE
from citebook.cli.ingest_progress import show_progress
from citebook.domain.book import Edition
from citebook.domain.errors import BookError, InvalidQuestionSet, InvalidSettings
from citebook.evals.comparison import Comparison, compare
from citebook.evals.matching import missing_gold
from citebook.evals.questions import LabelledQuestion
from citebook.evals.result_files import Run, read_run, write_run
from citebook.evals.selections import with_selections
from citebook.root.citebook import Citebook
from citebook.settings import Settings, read_settings
from citebook.whole_files import write_whole

_ROWS_NAMED = 5


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where results go and what they are held against. All is checked before hours of measuring, not after."""

    json: Path | None
    html: Path | None
    old: Run | None
    fail_on_flip: bool

    @classmethod
    def checked(
        cls, json: Path | None, html: Path | None, compare_with: Path | None, fail_on_flip: bool
    ) -> "Outputs":
        for option, path in (("--json", json), ("--html", html)):
            check_target(option, path)
        if fail_on_flip and compare_with is None:
            raise InvalidSettings("--fail-on-flip needs --compare OLD.json, the results that nothing may fall behind")
        return cls(json, html, read_run(compare_with) if compare_with else None, fail_on_flip)

    def check_kind(self, measured: str) -> None:
        if self.old is not None and self.old.measured != measured:
            raise InvalidQuestionSet(
                f"--compare: these are results of {self.old.measured}, which cannot be compared with {measured}"
            )

    def finish(self, run: Run, summary: dict[str, Any]) -> None:
        """Writes what was asked for, tells what changed, and ends with exit code 8 if it got worse."""
        comparison = compare(self.old, run) if self.old is not None else None
        if self.json is not None:
            more = {"comparison": asdict(comparison)} if comparison else {}
            write_run(self.json, run, summary, **more)
        if self.html is not None:
            from citebook.evals.run_pages import page_of

            write_whole(self.html, page_of([run], [comparison] if comparison else []))
        if comparison is not None:
            print_comparison(comparison)
            end_if_worse([comparison], fail_on_flip=self.fail_on_flip)


def check_target(option: str, path: Path | None) -> None:
    if path is not None and not (path.absolute().parent.is_dir() and not path.is_dir()):
        raise InvalidSettings(f"{option} {path}: name a file in a folder that exists")


def end_if_worse(comparisons: Sequence[Comparison], *, fail_on_flip: bool) -> None:
    worse = [f"{c.name}: {name}" for c in comparisons for name in c.significantly_worse]
    broken = sum(len(comparison.broken) for comparison in comparisons)
    if worse:
        typer.echo(f"citebook: significantly worse than before: {', '.join(worse)}", err=True)
    elif fail_on_flip and broken:
        noun = "question that was" if broken == 1 else "questions that were"
        typer.echo(f"citebook: {broken} {noun} right before went wrong", err=True)
    else:
        return
    raise typer.Exit(GOT_WORSE)


@contextmanager
def settings_for(data_dir: Path | None) -> Iterator[Settings]:
    """An index of its own, so that a measurement never touches the one that answers."""
    embedded = {"qdrant_url": None}
    if data_dir is not None:
        yield read_settings(citebook_data_dir=data_dir).model_copy(update=embedded)
        return
    with tempfile.TemporaryDirectory(prefix="citebook-eval-") as folder:
        yield read_settings(citebook_data_dir=Path(folder)).model_copy(update=embedded)


async def ingest_book(citebook: Citebook, book: Path) -> Edition:
    """The edition that is measured."""
    try:
        with show_progress(quiet=False) as progress:
            result = await citebook.ingest.run(book, progress=progress, allow_deletions=True)
    except (KeyboardInterrupt, asyncio.CancelledError):
        typer.echo("Stopped while the book was read. Nothing was asked and nothing was written.", err=True)
        raise
    for error in result.errors:
        typer.echo(f"error: {error}", err=True)
    if not result.chunks_created:
        raise BookError("Nothing of the book could be read, so there is nothing to measure.")
    return await citebook.index().edition()


def check_golds(questions: Sequence[LabelledQuestion], edition: Edition) -> list[str]:
    """The labels whose place is not in the book, each named with its line; told, because they count as misses."""
    labelled = [question for question in questions if question.answerable and question.has_gold_place]
    found = [(question, missing_gold(question, edition)) for question in labelled]
    missing = [f"{question.where_from}: {place}" for question, place in found if place is not None]
    if not missing:
        return []
    if len(missing) == len(labelled):
        raise InvalidQuestionSet(f"No gold place is in this book. Are these its questions?{_named(missing)}")
    typer.echo(
        f"warning: {len(missing):,} of {len(labelled):,} gold places are not in the book; nothing found can be right "
        f"for them:{_named(missing)}",
        err=True,
    )
    return missing


def look_up_selections(
    questions: Sequence[LabelledQuestion], edition: Edition, read_source: Callable[[str], str]
) -> list[LabelledQuestion]:
    """What readers selected, as text; questions whose passage is not in the book are told and left out."""
    ready, missing = with_selections(questions, edition.files, read_source)
    if not ready:
        raise InvalidQuestionSet(f"No selected passage is in this book. Are these its questions?{_named(missing)}")
    if missing:
        typer.echo(
            f"warning: {len(missing):,} questions are left out, because what was selected is not in the book:"
            f"{_named(missing)}",
            err=True,
        )
    return ready


def _named(rows: Sequence[str]) -> str:
    named = "".join(f"\n  {row}" for row in rows[:_ROWS_NAMED])
    more = f"\n  … and {len(rows) - _ROWS_NAMED:,} more" if len(rows) > _ROWS_NAMED else ""
    return f"{named}{more}"


def tell_failures(errors: Sequence[str | None]) -> None:
    """`errors` has an entry for each question."""
    failed = Counter(error for error in errors if error)
    if failed:
        most_often = failed.most_common(1)[0][0]
        typer.echo(
            f"warning: {failed.total():,} of {len(errors):,} questions failed, most often with: {most_often}",
            err=True,
        )


def evenly(questions: list[LabelledQuestion], limit: int | None) -> list[LabelledQuestion]:
    if limit is None or limit >= len(questions):
        return questions
    return [questions[index * len(questions) // limit] for index in range(limit)]


def facts_of(name: str | None, book: Path, edition: Edition, missing_golds: list[str]) -> dict[str, Any]:
    """What every file of results says of its own making."""
    return {
        "name": name or _name_of(book),
        "made_at": datetime.now(UTC).replace(microsecond=0),
        "citebook": version("citebook"),
        "embedder": edition.embedder.name,
        "missing_golds": missing_golds,
    }


def _name_of(book: Path) -> str:
    """`physical-ai` for `examples/physical-ai/docs`."""
    folders = [part for part in book.resolve().parts if part != "docs"]
    return folders[-1]
