"""`citebook purge`: deletes conversations that nobody went on with."""

import asyncio
from datetime import UTC, datetime

import typer

from citebook.cli.options import DataDir
from citebook.domain.conversation import SESSION_LIFETIME
from citebook.settings import Settings, read_settings
from citebook.wiring import database_of, store_of


def purge(data_dir: DataDir = None) -> None:
    """Delete conversations that were idle for 30 days."""
    count = asyncio.run(_purge(read_settings(citebook_data_dir=data_dir)))
    typer.echo(f"{count:,} conversations were deleted that were idle for {SESSION_LIFETIME.days} days.")


async def _purge(settings: Settings) -> int:
    async with database_of(settings) as database:
        return await store_of(database).purge(datetime.now(UTC))
