"""`citebook eval claims`: measures how well claims that a source does not support are found out."""

import asyncio
import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from citebook.cli.evaluate_progress import count_questions
from citebook.cli.evaluate_run import check_target
from citebook.evals.claims_run import LabelledClaim, evaluate_claims, read_claims, summarise
from citebook.root.citebook import Citebook
from citebook.settings import read_settings

_EMBEDDED = 20
_FIGURES = ("balanced_accuracy", "auc", "precision", "recall")


def claims(
    file: Annotated[Path, typer.Argument(help="Labelled claims, one JSON object a line.")],
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many claims, evenly taken.")] = None,
    where: Annotated[
        list[str] | None, typer.Option(help="Only claims with FIELD=VALUE, such as source=WiCE; repeatable.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--json", help="Write figures and every result there.")] = None,
) -> None:
    """How well claims that their source does not support are told from those that it does."""
    check_target("--json", out)
    chosen = _evenly(read_claims(file, where or ()), limit)
    with count_questions(len(chosen)) as report:
        summary = summarise(evaluate_claims(chosen, report))
    embedding = asyncio.run(_embedding_milliseconds([claim.claim for claim in chosen[:_EMBEDDED]]))
    summary["times_a_question_embedding"] = round(summary["milliseconds"] / embedding, 3)
    _print(summary)
    if out is not None:
        out.write_text(json.dumps(summary, ensure_ascii=False, indent=1), encoding="utf-8")


def _evenly(rows: list[LabelledClaim], limit: int | None) -> list[LabelledClaim]:
    if limit is None or limit >= len(rows):
        return rows
    return [rows[index * len(rows) // limit] for index in range(limit)]


async def _embedding_milliseconds(texts: list[str]) -> float:
    """What the embedding of a question costs here and now, so that times can be compared between machines."""
    async with Citebook(read_settings()) as citebook:
        await citebook.load_models()
        started = perf_counter()
        for text in texts:
            await citebook.embedder.embed_question(text)
        return (perf_counter() - started) * 1e3 / len(texts)


def _print(summary: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    title = f"Claims, {summary['claims']:,}, proven from {summary['threshold']}"
    ratio = f"{summary['times_a_question_embedding']:.2f} × a question embedding"
    spent = f"{summary['milliseconds']:.2f} ms a claim, {ratio}"
    table = Table(title=title, caption=spent)
    table.add_column("source")
    for name in ("claims", *_FIGURES):
        table.add_column(name.replace("_", " "), justify="right")
    for source, figures in [*summary["by_source"].items(), ("all", summary["all"])]:
        cells = ["–" if figures[name] is None else f"{figures[name]:.3f}" for name in _FIGURES]
        table.add_row(source, f"{figures['claims']:,}", *cells)
    Console(width=None if sys.stdout.isatty() else 110).print(table)
