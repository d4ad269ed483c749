"""`citebook purge`: deletes what was kept for long enough."""

import asyncio
from datetime import UTC, datetime

import typer

from citebook.cli.options import DataDir
from citebook.domain.conversation import SESSION_LIFETIME
from citebook.domain.feedback import FEEDBACK_LIFETIME
from citebook.root.citebook import Citebook
from citebook.settings import Settings, read_settings


def purge(data_dir: DataDir = None) -> None:
    """Delete conversations that were idle for 30 days, and feedback that is a year old."""
    conversations, opinions = asyncio.run(_purge(read_settings(citebook_data_dir=data_dir)))
    typer.echo(f"{conversations:,} conversations were deleted that were idle for {SESSION_LIFETIME.days} days.")
    typer.echo(f"{opinions:,} opinions of answers were deleted that were older than {FEEDBACK_LIFETIME.days} days.")


async def _purge(settings: Settings) -> tuple[int, int]:
    now = datetime.now(UTC)
    async with Citebook(settings) as citebook:
        return await citebook.patient_store.purge(now), await citebook.feedback.purge(now)
