"""`citebook feedback`: what readers thought of answers."""

import asyncio
import json
import sys
from typing import Annotated

import typer

from citebook.cli.options import AsJson, DataDir
from citebook.domain.feedback import Feedback, Rating
from citebook.root.citebook import Citebook
from citebook.settings import Settings, read_settings


def feedback(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many, the newest.")] = 20,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List what readers thought of answers."""
    counts, opinions = asyncio.run(_read(read_settings(citebook_data_dir=data_dir), limit))
    if as_json:
        found = [opinion.model_dump(mode="json", exclude={"client_id"}) for opinion in opinions]
        typer.echo(json.dumps({"counts": counts, "feedback": found}, indent=2, ensure_ascii=False))
        return
    if opinions:
        _print_table(opinions)
    typer.echo(f"{counts['up']:,} up, {counts['down']:,} down")


async def _read(settings: Settings, limit: int) -> tuple[dict[Rating, int], tuple[Feedback, ...]]:
    async with Citebook(settings) as citebook:
        return await citebook.feedback.counts(), await citebook.feedback.newest(limit)


def _print_table(opinions: tuple[Feedback, ...]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("when", "answer", "rating", "reason", "note")
    for opinion in opinions:
        note = Text("".join(c if c.isprintable() else " " for c in opinion.note or ""))
        when = f"{opinion.created_at:%Y-%m-%d %H:%M}"
        table.add_row(when, str(opinion.answer_id), opinion.rating, opinion.reason or "", note)
    Console(width=None if sys.stdout.isatty() else 150).print(table)
