"""`citebook calibrate`: measures how often answers of each confidence are right, and keeps the result."""

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from citebook.cli.evaluate_progress import count_questions
from citebook.cli.evaluate_run import check_golds, evenly, look_up_selections
from citebook.cli.ingest_progress import show_progress
from citebook.cli.options import AsJson, DataDir
from citebook.confidence.model import ConfidenceModel
from citebook.domain.answer import Outcome
from citebook.domain.calibration import Calibration
from citebook.domain.errors import InvalidQuestionSet
from citebook.domain.policy import COMMAND_LINE
from citebook.domain.set_up import SetUp
from citebook.evals.answer_metrics import reliability
from citebook.evals.answers_run import evaluate_answers
from citebook.evals.calibration import gold_texts, samples_of
from citebook.evals.curve_fitting import Fit, Sample, check_enough, fit
from citebook.evals.questions import LabelledQuestion, read_questions
from citebook.ingestion.page_reading import source_reader
from citebook.root.citebook import Citebook
from citebook.root.policies import resolve
from citebook.root.wiring import calibration_of, calibrations_of
from citebook.settings import Settings, read_settings


def calibrate(
    book: Annotated[Path, typer.Argument(help="Folder of the book.")],
    questions: Annotated[list[Path], typer.Argument(help="Labelled questions, one JSON object a line.")],
    where: Annotated[
        list[str] | None,
        typer.Option(help="Only questions with FIELD=VALUE or FIELD=ONE,OTHER, such as split=dev; repeatable."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many questions, evenly taken.")] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Measure how often answers of each confidence are right, so that confidence becomes a probability."""
    asked = evenly(read_questions(questions, where or ()), limit)
    check_enough(len(asked))
    settings = read_settings(citebook_data_dir=data_dir)
    fitted, path, failed = asyncio.run(_run(settings, book, asked))
    if as_json:
        typer.echo(json.dumps(_as_json(fitted, path, failed, settings), ensure_ascii=False))
    else:
        _print(fitted, path, failed, settings)


async def _run(settings: Settings, book: Path, questions: list[LabelledQuestion]) -> tuple[Fit, Path, int]:
    read = source_reader(book)
    async with Citebook(settings) as citebook:
        with show_progress(quiet=False) as progress:
            ingested = await citebook.ingest.run(book, progress=progress)
        for error in ingested.errors:
            typer.echo(f"error: {error}", err=True)
        edition = await (await citebook.ready_book()).index.edition()
        check_golds(questions, edition)
        questions = look_up_selections(questions, edition, read)
        set_up = citebook.set_up(edition.recipe)
        so_far = calibration_of(settings, set_up).calibration
        agent = citebook.agent(confidence=ConfidenceModel.load(set_up, so_far).raw())
        everything = citebook.command_line.model_copy(update={"refuse_below": 0, "warn_below": 0})
        with count_questions(len(questions)) as report:
            results = await evaluate_answers(questions, agent, everything, read, report)
        samples = samples_of(questions, results, gold_texts(list(edition.files), read))
        failed = sum(result.outcome is Outcome.FAILED for result in results)
        fitted = _fitted(samples, set_up, so_far)
        path = calibrations_of(settings).keep(fitted.calibration)
        if citebook.sharing is not None:
            await citebook.sharing.give_calibrations()
    return fitted, path, failed


def _fitted(samples: Sequence[Sample], set_up: SetUp, so_far: Calibration) -> Fit:
    if not any(sample.right for sample in samples):
        raise InvalidQuestionSet("Not one answer was right. Are these this book's questions?")
    is_of_these_models = so_far.is_for(set_up.embedder, set_up.generator)
    return fit(samples, set_up, so_far.curve if is_of_these_models else None)


def _refusals(calibration: Calibration, settings: Settings) -> dict[str, float | None]:
    """What is refused from now on, and what comes of it."""
    target = settings.tolerated_wrong_answers
    wanted = resolve(COMMAND_LINE, settings).refuse_below
    if target is not None:
        risk = calibration.least_confidence(target)
        wanted = max(wanted, risk.threshold if risk else 1.0)
    at = next((risk for risk in calibration.risks if risk.threshold >= wanted), None)
    return {
        "tolerated_wrong_answers": target,
        "refuse_below": wanted,
        "answered": at.answered if at else 0.0,
        "wrong": at.wrong if at else None,
    }


def _as_json(fitted: Fit, path: Path, failed: int, settings: Settings) -> dict[str, Any]:
    confidences, rights = zip(*fitted.held_out, strict=True)
    calibration = fitted.calibration
    return {
        "embedder": calibration.embedder,
        "generator": calibration.generator,
        "answers": calibration.questions,
        "failed": failed,
        "before": {"ece": round(fitted.ece_before, 4), "brier": round(fitted.brier_before, 4)},
        "after": {"ece": round(fitted.ece_after, 4), "brier": round(fitted.brier_after, 4)},
        "reliability": [asdict(own) for own in reliability(confidences, rights)],
        "risks": [risk.model_dump() for risk in calibration.risks],
        "refusal": _refusals(calibration, settings),
        "written": str(path),
    }


def _print(fitted: Fit, path: Path, failed: int, settings: Settings) -> None:
    from rich.console import Console
    from rich.table import Table

    calibration = fitted.calibration
    confidences, rights = zip(*fitted.held_out, strict=True)
    table = Table(title=f"{calibration.embedder} with {calibration.generator}, {calibration.questions:,} answers")
    for name in ("confidence", "answers", "mean", "right"):
        table.add_column(name, justify="right")
    table.add_column("")
    for own in reliability(confidences, rights):
        bar = "█" * round(own.share_right * 20)
        cells = f"{own.low:.1f}-{own.high:.1f}", f"{own.count:,}", f"{own.confidence:.2f}", f"{own.share_right:.2f}"
        table.add_row(*cells, bar)
    Console(width=None if sys.stdout.isatty() else 100).print(table)
    typer.echo(f"Calibration error (ECE): {fitted.ece_before:.3f} before, {fitted.ece_after:.3f} after")
    typer.echo(f"Brier score:             {fitted.brier_before:.3f} before, {fitted.brier_after:.3f} after")
    typer.echo("(“after” is measured on answers that the curve was not fitted to)")
    if failed:
        typer.echo(f"{failed:,} questions could not be answered because something failed; they do not count.")
    typer.echo(_refusal_line(_refusals(calibration, settings)))
    typer.echo(f"Kept in {path}")


def _refusal_line(refusal: dict[str, float | None]) -> str:
    target, wrong = refusal["tolerated_wrong_answers"], refusal["wrong"]
    why = "" if target is None else f", so that no more than {target:.0%} of them are wrong"
    line = f"Answers below {refusal['refuse_below']:.2f} are refused{why}"
    if wrong is None:
        return f"{line}: none of these answers would be given."
    return f"{line}: {refusal['answered']:.0%} of these answers would be given, {wrong:.1%} of them wrong."
