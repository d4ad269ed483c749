"""The server: takes connections within limits, and ends in time whatever is under way."""

import asyncio
import faulthandler
import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from socket import socket
from time import monotonic
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from citebook.api.listening.connections import SPARE, ConnectionRules, Connections
from citebook.api.listening.protocol import LARGEST_HEAD, protocol_of

log = logging.getLogger(__name__)

_SECONDS_TO_FINISH = 8
_SECONDS_TO_EXIT = 11.0
"""Whatever hangs by then is left behind."""
_MOST_FILES = 65_536
_FEW_FILES = 1024
_OWN_FILES = 128
"""For the index, the database, models and logs."""
_LONGEST_QUEUE = 512
"""Connections that the system accepts before we have looked at them: each of them is an open file already."""
_SECONDS_BETWEEN_COMPLAINTS = 60.0


class CitebookServer(uvicorn.Server):
    def __init__(
        self,
        app: ASGIApp,
        host: str,
        port: int,
        rules: ConnectionRules,
        stop: Callable[[], None],
        when_ready: Callable[[str], None],
    ) -> None:
        """`stop` tells the application that the end has begun, `when_ready` where it can be asked."""
        self._stop, self._when_ready, self._host = stop, when_ready, host
        files = open_files()
        queue = min(_LONGEST_QUEUE, files // 4)
        room = max(1, files - queue - SPARE - _OWN_FILES)
        if room < rules.most:
            log.warning("only %d connections are taken at a time: this process may not open more files", room)
        self.connections = Connections(replace(rules, most=min(rules.most, room)))
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            http=protocol_of(self.connections),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=queue,
            h11_max_incomplete_event_size=LARGEST_HEAD,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=_SECONDS_TO_FINISH,
        )
        super().__init__(config)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """What is under way ends itself soon instead of being waited for."""
        if not self.should_exit and sys.__stderr__ is not None:
            faulthandler.dump_traceback_later(_SECONDS_TO_EXIT, exit=True, file=sys.__stderr__)
        self._loop.call_soon_threadsafe(self._stop)
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(FewComplaints())
        await super().startup(sockets)
        if self.started:
            port = self.servers[0].sockets[0].getsockname()[1]
            self._when_ready(f"http://{self._host}:{port}")


class FewComplaints:
    """Says once a minute, not once for each client, that no more connections can be taken."""

    def __init__(self) -> None:
        self._complained_at: float | None = None

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if "accept" not in str(context.get("message")):
            loop.default_exception_handler(context)
            return
        now = monotonic()
        if self._complained_at is None or now - self._complained_at > _SECONDS_BETWEEN_COMPLAINTS:
            self._complained_at = now
            log.error("no more connections can be taken for now: %s", context.get("exception"))


def open_files() -> int:
    """How many files this process may open, after it has asked for as many as it may have."""
    if sys.platform == "win32":
        return _FEW_FILES
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return _MOST_FILES if soft == resource.RLIM_INFINITY else soft
