"""A proxy on the loopback address that does to a connection what networks and dying servers do."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Fault = Literal["none", "refuse", "hang", "reset", "truncate", "corrupt"]
_PIECE = 4096


@dataclass
class TcpProxy:
    """Passes bytes on to a server on a Unix socket. What it does to them may change at any time."""

    target: Path
    fault: Fault = "none"
    """`reset` and `truncate` end a connection after `passed_bytes` of a reply, `corrupt` turns all others over."""
    passed_bytes: int = 0
    delay_seconds: float = 0.0
    """Before each piece."""
    bytes_a_second: float | None = None
    port: int = 0
    connections: int = 0
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        if self.fault == "refuse":
            writer.transport.abort()
            return
        with suppress(OSError, asyncio.CancelledError):
            there, back = await asyncio.open_unix_connection(self.target)
            try:
                await asyncio.gather(self._pass(reader, back), self._pass_reply(there, writer))
            finally:
                back.transport.abort()
        writer.transport.abort() if self.fault == "reset" else writer.close()

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while piece := await source.read(_PIECE):
            await self._wait(piece)
            sink.write(piece)
            await sink.drain()
        sink.write_eof()

    async def _pass_reply(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        passed = 0
        while piece := await source.read(_PIECE):
            await self._wait(piece)
            left = max(0, self.passed_bytes - passed)
            if self.fault in ("reset", "truncate") and len(piece) > left:
                sink.write(piece[:left])
                await sink.drain()
                raise ConnectionAbortedError
            if self.fault == "corrupt":
                piece = piece[:left] + bytes(byte ^ 0xFF for byte in piece[left:])
            passed += len(piece)
            sink.write(piece)
            await sink.drain()

    async def _wait(self, piece: bytes) -> None:
        if self.fault == "refuse":
            raise ConnectionAbortedError
        while self.fault == "hang":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await asyncio.sleep(self.delay_seconds + (len(piece) / self.bytes_a_second if self.bytes_a_second else 0))

    @asynccontextmanager
    async def running(self) -> AsyncIterator["TcpProxy"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
