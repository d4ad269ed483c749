"""`citebook grade`: experts hold recorded answers against the book."""

import asyncio
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

import typer

from citebook.cli.exit_codes import NOT_FOUND
from citebook.cli.options import AsJson, DataDir
from citebook.domain.audit import AuditRecord
from citebook.domain.grading import AnswerGrade, LevelFigures, Verdict
from citebook.records.grading import figures_of
from citebook.root.citebook import Citebook
from citebook.settings import Settings, read_settings

_PROMISED = {"high": 0.99, "medium": 0.90, "low": None}
"""Shares of right answers that the seed of the `academic` contract sets for each level."""


def grade(
    answer_id: Annotated[UUID | None, typer.Argument(help="Id of the answer.")] = None,
    verdict: Annotated[
        Verdict | None, typer.Argument(help="PASS, FAIL or HALLUCINATION.", case_sensitive=False)
    ] = None,
    note: Annotated[str | None, typer.Option(help="Why.")] = None,
    grader: Annotated[str | None, typer.Option(help="Who grades (default: the name of your account).")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many ungraded answers.")] = 10,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Grade a recorded answer; show one; or, without arguments, the figures and what waits for a grade."""
    settings = read_settings(citebook_data_dir=data_dir)
    if answer_id is None:
        grades, waiting = asyncio.run(_read(settings, limit))
        (_print_json if as_json else _print_report)(grades, waiting)
        return
    record = asyncio.run(_recorded(settings, answer_id))
    if record is None:
        typer.echo("There is no such answer of which the text is kept.", err=True)
        raise typer.Exit(NOT_FOUND)
    if verdict is None:
        _print_answer(record)
        return
    name = grader or os.environ.get("USER") or "operator"
    asyncio.run(_give(settings, answer_id, record, verdict, note or None, name))
    typer.echo(f"{verdict.value}: {record.user_query_text}")


async def _read(settings: Settings, limit: int) -> tuple[tuple[AnswerGrade, ...], tuple[AuditRecord, ...]]:
    async with Citebook(settings) as citebook:
        return await citebook.grades.grades(), await citebook.grades.ungraded(limit)


async def _recorded(settings: Settings, answer_id: UUID) -> AuditRecord | None:
    async with Citebook(settings) as citebook:
        found = [chained.record for chained in await citebook.audit.find(answer_id)]
    return next((record for record in found if record.answer_id == answer_id and record.answer_text), None)


async def _give(
    settings: Settings, answer_id: UUID, record: AuditRecord, verdict: Verdict, note: str | None, grader: str
) -> None:
    given = AnswerGrade(
        answer_id=answer_id,
        verdict=verdict,
        note=note[:1000] if note else None,
        grader=grader[:100],
        confidence=record.confidence_score or 0.0,
        created_at=datetime.now(UTC),
    )
    async with Citebook(settings) as citebook:
        await citebook.grades.add(given)


def _print_answer(record: AuditRecord) -> None:
    typer.echo(f"Question: {record.user_query_text}\n\n{record.answer_text}\n")
    typer.echo(f"Confidence: {record.confidence_score or 0.0:.2f}. Sources:")
    for citation in record.citations:
        place = " # ".join(str(citation[name]) for name in ("source_file", "section") if name in citation)
        typer.echo(f"[{citation['position']}] {place}: {citation['excerpt']}")


def _print_report(grades: Sequence[AnswerGrade], waiting: Sequence[AuditRecord]) -> None:
    counts = {verdict: sum(grade.verdict is verdict for grade in grades) for verdict in Verdict}
    typer.echo(", ".join(f"{count:,} {verdict.value}" for verdict, count in counts.items()))
    for figures in figures_of(grades):
        typer.echo(_line_of(figures))
    if waiting:
        typer.echo("Not graded yet:")
    for record in waiting:
        typer.echo(f"  {record.answer_id}  {record.user_query_text}")


def _line_of(figures: LevelFigures) -> str:
    share, promised = figures.share_passed, _PROMISED[figures.level]
    passed = "–" if share is None else f"{share:.0%}"
    beside = f" (the seed's figure: {promised:.0%})" if promised else ""
    return (
        f"{figures.level}: {figures.graded:,} graded, {passed} passed{beside}, {figures.hallucinated:,} hallucinated"
    )


def _print_json(grades: Sequence[AnswerGrade], waiting: Sequence[AuditRecord]) -> None:
    report: dict[str, Any] = {
        "levels": [
            {**figures.model_dump(), "share_passed": figures.share_passed, "promised": _PROMISED[figures.level]}
            for figures in figures_of(grades)
        ],
        "grades": [grade.model_dump(mode="json") for grade in grades],
        "ungraded": [{"answer_id": str(one.answer_id), "question": one.user_query_text} for one in waiting],
    }
    typer.echo(json.dumps(report, indent=2, ensure_ascii=False))
