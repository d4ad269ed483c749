"""`citebook purge`: deletes what was kept for long enough."""

import asyncio

import typer

from citebook.cli.options import DataDir
from citebook.domain.conversation import SESSION_LIFETIME
from citebook.domain.feedback import FEEDBACK_LIFETIME
from citebook.records.housekeeping import Tidied
from citebook.root.citebook import Citebook
from citebook.settings import Settings, read_settings


def purge(data_dir: DataDir = None) -> None:
    """Delete idle conversations, old feedback and audit records past their retention; archive old months."""
    settings = read_settings(citebook_data_dir=data_dir)
    done = asyncio.run(_purge(settings))
    typer.echo(f"{done.sessions:,} conversations were deleted that were idle for {SESSION_LIFETIME.days} days.")
    typer.echo(
        f"{done.opinions:,} opinions of answers were deleted that were older than {FEEDBACK_LIFETIME.days} days."
    )
    typer.echo(f"{done.archived_months:,} months of the audit log were archived.")
    typer.echo(
        f"{done.deleted_archives:,} archives were deleted that were older than {settings.audit_retention_days} days."
    )
    typer.echo(
        f"{done.deleted_chunks:,} chunks were deleted that left their book {settings.audit_retention_days} days ago."
    )


async def _purge(settings: Settings) -> Tidied:
    async with Citebook(settings) as citebook:
        return await citebook.housekeeping.tidy()
