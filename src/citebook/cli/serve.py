"""`citebook serve`: the HTTP service."""

import asyncio
import gc
from collections.abc import Callable
from socket import socket
from typing import TYPE_CHECKING, Annotated

import typer

from citebook.cli.options import DataDir
from citebook.domain.errors import InvalidSettings
from citebook.settings import Settings, read_settings
from citebook.telemetry import set_up_logging

if TYPE_CHECKING:
    from fastapi import FastAPI

    from citebook.api.services import Services

_NEW_OBJECTS = 10_000
"""After as many the collector looks through those that are new; a single answer makes Python's own 700 often."""


def serve(
    data_dir: DataDir = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on (API_HOST; default 127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (API_PORT; default 8000).")] = None,
) -> None:
    """Answer over HTTP, in five contracts."""
    settings = read_settings(citebook_data_dir=data_dir, api_host=host, api_port=port)
    set_up_logging(settings.log_level, settings.log_format, with_texts=settings.log_texts)
    asyncio.run(run_server(settings, _announce))


def _announce(address: str) -> None:
    typer.echo(f"Citebook answers at {address} (see /api/docs)", err=True)


async def run_server(settings: Settings, when_ready: Callable[[str], None], listening: socket | None = None) -> None:
    """Serves until it is told to stop, on a socket that listens already or on one of its own."""
    from citebook.api.assembly import app_of
    from citebook.root.citebook import Citebook

    async with Citebook(settings) as citebook:
        app, services = await app_of(citebook)
        await serve_app(settings, app, services, when_ready, listening)


def _spare_collector() -> None:
    """What is there by now stays to the end; to look through it for garbage again and again is work for nothing."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


async def serve_app(
    settings: Settings,
    app: "FastAPI",
    services: "Services",
    when_ready: Callable[[str], None],
    listening: socket | None = None,
) -> None:
    """Serves an application within the limits of the settings."""
    from citebook.api.listening.connections import ConnectionRules
    from citebook.api.listening.server import CitebookServer

    rules = ConnectionRules(
        most=settings.max_connections,
        most_per_address=settings.max_connections_per_address,
        header_seconds=settings.header_seconds,
        is_proxy=services.doorkeeper.is_proxy,
    )
    address = f"{settings.api_host}:{settings.api_port}"
    _spare_collector()
    server = CitebookServer(app, settings.api_host, settings.api_port, rules, services.stopping.set, when_ready)
    try:
        await server.serve([listening] if listening else None)
    except SystemExit:  # the server's way to say that it cannot listen
        raise InvalidSettings(f"Cannot listen on {address}. Is another program there? Try --port.") from None
