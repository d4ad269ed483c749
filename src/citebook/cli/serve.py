"""`citebook serve`: the HTTP service."""

import asyncio
from collections.abc import Callable
from socket import socket
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from citebook.cli.options import DataDir
from citebook.domain.errors import InvalidSettings
from citebook.settings import Settings, read_settings
from citebook.telemetry import set_up_logging

if TYPE_CHECKING:
    from fastapi import FastAPI

    from citebook.api.services import Services

_SECONDS_TO_FINISH = 10


def serve(
    data_dir: DataDir = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on (API_HOST; default 127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (API_PORT; default 8000).")] = None,
) -> None:
    """Answer over HTTP, in five contracts."""
    settings = read_settings(citebook_data_dir=data_dir, api_host=host, api_port=port)
    set_up_logging(settings.log_level, settings.log_format)
    asyncio.run(run_server(settings, _announce))


def _announce(address: str) -> None:
    typer.echo(f"Citebook answers at {address} (see /api/docs)", err=True)


async def run_server(settings: Settings, when_ready: Callable[[str], None], listening: socket | None = None) -> None:
    """Serves until it is told to stop, on a socket that listens already or on one of its own."""
    from citebook.api.assembly import app_of
    from citebook.root.citebook import Citebook

    async with Citebook(settings) as citebook:
        app, services = await app_of(citebook)
        await _serve(settings, app, services, when_ready, listening)


async def _serve(
    settings: Settings,
    app: "FastAPI",
    services: "Services",
    when_ready: Callable[[str], None],
    listening: socket | None,
) -> None:
    import uvicorn

    address = f"{settings.api_host}:{settings.api_port}"

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """Open streams end themselves at once instead of being waited for."""
            services.stopping.set()
            super().handle_exit(sig, frame)

        async def startup(self, sockets: list[socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                port = self.servers[0].sockets[0].getsockname()[1]
                when_ready(f"http://{settings.api_host}:{port}")

    config = uvicorn.Config(
        app,
        host=settings.api_host,
        port=settings.api_port,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
    try:
        await Server(config).serve([listening] if listening else None)
    except SystemExit:  # the server's way to say that it cannot listen
        raise InvalidSettings(f"Cannot listen on {address}. Is another program there? Try --port.") from None
