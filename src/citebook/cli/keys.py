"""`citebook keys`: keys for other servers."""

import asyncio
import sys
from typing import Annotated

import typer

from citebook.cli.exit_codes import NOT_FOUND
from citebook.cli.options import DataDir
from citebook.domain.callers import ApiKey
from citebook.root.citebook import Citebook
from citebook.settings import Settings, read_settings

app = typer.Typer(help="Keys for other servers.", no_args_is_help=True, rich_markup_mode=None)

_LONGEST_NAME = 100


def _checked_name(name: str) -> str:
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise typer.BadParameter(f"must be 1 to {_LONGEST_NAME} printable characters")
    return name


Name = Annotated[str, typer.Argument(help="What the key is called.", callback=_checked_name)]


@app.command("create")
def create(
    name: Name,
    limit: Annotated[
        int | None, typer.Option(min=1, max=1_000_000, help="Questions a minute, where not the usual number.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Make a key and print it, alone on the last line. It is shown only this once."""
    secret = asyncio.run(_create(read_settings(citebook_data_dir=data_dir), name, limit))
    typer.echo(f"The key {name} was made. Keep it in a safe place: it cannot be shown again.", err=True)
    typer.echo(secret)


async def _create(settings: Settings, name: str, limit: int | None) -> str:
    async with Citebook(settings) as citebook:
        _key, secret = await citebook.keys.create(name, limit)
    return secret


@app.command("list")
def list_keys(data_dir: DataDir = None) -> None:
    """List all keys, never what they are."""
    keys = asyncio.run(_keys(read_settings(citebook_data_dir=data_dir)))
    if keys:
        _print_table(keys)
    else:
        typer.echo("There are no keys. Run: citebook keys create NAME")


async def _keys(settings: Settings) -> tuple[ApiKey, ...]:
    async with Citebook(settings) as citebook:
        return await citebook.keys.keys()


def _print_table(keys: tuple[ApiKey, ...]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("name", "id", "made", "revoked", "questions a minute")
    for key in keys:
        revoked = f"{key.revoked_at:%Y-%m-%d %H:%M}" if key.revoked_at else "no"
        limit = str(key.limit_per_minute or "as usual")
        table.add_row(Text(key.name), str(key.id), f"{key.created_at:%Y-%m-%d %H:%M}", revoked, limit)
    Console(width=None if sys.stdout.isatty() else 150).print(table)


@app.command("revoke")
def revoke(name: Name, data_dir: DataDir = None) -> None:
    """Make a key useless at once."""
    if not asyncio.run(_revoke(read_settings(citebook_data_dir=data_dir), name)):
        typer.echo(f"There is no key named {name} that could be revoked.", err=True)
        raise typer.Exit(NOT_FOUND)
    typer.echo(f"The key {name} was revoked.")


async def _revoke(settings: Settings, name: str) -> bool:
    async with Citebook(settings) as citebook:
        return await citebook.keys.revoke(name)
