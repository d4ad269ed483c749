"""Reads pages in a process of its own, so that no page can hold up or fill the memory of the one that serves readers.

One child reads many pages, one after the other. A page that takes too long or needs too much memory costs its child;
the next page gets a new one. The child knows no embedder: it asks for the lengths of texts in tokens.
"""

import asyncio
import logging
import os
import pickle  # nosec B403
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from threading import Timer
from typing import IO, Any, Literal, Self

from citebook.domain.errors import PageUnreadable
from citebook.ingestion.chunking import ChunkingRules
from citebook.ingestion.page_reading import ReadPage, read_page
from citebook.ingestion.pieces import TokenCounter
from citebook.ingestion.source_page import SourcePage

log = logging.getLogger(__name__)

OUT_OF_MEMORY = 3
"""What a child returns that needed more than it may."""

_OUR_FAULT = "it cannot be read because of a fault on our side, which is in the log"

MessageKind = Literal["ready", "count", "read", "unreadable", "failed"]
Message = tuple[MessageKind, Any]
"""What a child says: that it has started, texts to count, or how the page ended."""

_HARMLESS = re.compile(
    r"PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|VIRTUAL_ENV|(?:LD|DYLD)_LIBRARY_PATH|PYTHON\w+"
)
"""Names of what the child is told of our environment."""
_PLAIN = frozenset(
    {("pathlib", "PosixPath"), ("pathlib", "WindowsPath"), ("builtins", "frozenset"), ("builtins", "set")}
)
"""What is not ours and may come all the same."""
_SECONDS_TO_START = 120.0
"""Only a machine that does nothing else any more takes so long."""


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What one page may take."""

    seconds: float = 150.0
    megabytes: int = 1_024


class PagesApart:
    """Reads the pages of one ingest. Use it with `async with`."""

    def __init__(self, rules: ChunkingRules, count_tokens: TokenCounter, limits: ReadingLimits) -> None:
        self._rules, self._count_tokens, self._limits = rules, count_tokens, limits
        self._child: _Child | None = None

    async def __aenter__(self) -> Self:
        """Starts a child already, which takes its time to be ready."""
        self._child = _Child(self._limits)
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._stop()

    async def read(self, page: SourcePage) -> ReadPage:
        """Raises `PageUnreadable`. Whoever stops waiting ends the child too."""
        try:
            return await asyncio.to_thread(self._read, page)
        except asyncio.CancelledError:
            self._stop()
            raise

    def _read(self, page: SourcePage) -> ReadPage:
        child = self._child = self._child or _Child(self._limits)
        try:
            kind, value = child.read(page, self._rules, self._count_tokens)
        except (EOFError, OSError, ValueError):  # it is gone, or was ended by whoever gave up waiting
            self._child = None
            reason = child.why_it_ended()
            log.warning("%s could not be read: %s", page.source_file, reason)
            raise PageUnreadable(page.source_file, reason) from None
        if kind == "read":
            read: ReadPage = value
            return read
        if kind == "failed":
            log.error("%s could not be read:\n%s", page.source_file, value)
        raise PageUnreadable(page.source_file, value if kind == "unreadable" else _OUR_FAULT)

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()


class PagesHere:
    """Reads pages in this process, without limits: for pages that are known to be harmless."""

    def __init__(self, rules: ChunkingRules, count_tokens: TokenCounter) -> None:
        self._rules, self._count_tokens = rules, count_tokens

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        """There is nothing to end."""

    async def read(self, page: SourcePage) -> ReadPage:
        return await asyncio.to_thread(read_page, page, self._rules, self._count_tokens)


class _Child:
    """The process that reads."""

    def __init__(self, limits: ReadingLimits) -> None:
        self._limits = limits
        self._is_late = self._is_ready = False
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                "citebook.ingestion.reading_child",
                str(limits.seconds),
                str(limits.megabytes),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
            process_group=0,  # Ctrl-C in a terminal is for us alone: we end the child
        )

    def read(self, page: SourcePage, rules: ChunkingRules, count_tokens: TokenCounter) -> Message:
        """How the page ended. Raises `EOFError`, `OSError` or `ValueError` where the child ended instead."""
        if not self._is_ready:
            with self._at_most(_SECONDS_TO_START):
                self._receive()
            self._is_ready = True
        with self._at_most(self._limits.seconds):
            self._send((page, rules))
            while (message := self._receive())[0] == "count":
                self._send(count_tokens(message[1]))
        return message

    @contextmanager
    def _at_most(self, seconds: float) -> Iterator[None]:
        too_late = Timer(seconds, self._be_late)
        too_late.daemon = True
        too_late.start()
        try:
            yield
        finally:
            too_late.cancel()

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        send(self._process.stdin, message)

    def _receive(self) -> Message:
        assert self._process.stdout is not None
        message: Message = receive(self._process.stdout)
        return message

    def end(self) -> None:
        """It has nothing to lose."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was not sent yet cannot be sent any more
                if pipe is not None:
                    pipe.close()

    def why_it_ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5.0)  # one that runs out of memory takes a moment to go
        self.end()
        status = self._process.returncode
        if self._is_late or status == -signal.SIGXCPU:
            return f"it takes more than {self._limits.seconds:g} s to read: split it into smaller files"
        if status in (OUT_OF_MEMORY, -signal.SIGABRT):
            return f"it takes more than {self._limits.megabytes} MB of memory to read: split it into smaller files"
        how = signal.Signals(-status).name if status < 0 else f"exit code {status}"
        return f"the process that read it ended ({how}): split it into smaller files"

    def _be_late(self) -> None:
        self._is_late = True
        self._process.kill()


def _environment() -> dict[str, str]:
    """The child finds the modules that we find, and knows none of our secrets.

    Threads that it has no use for would take address space.
    """
    found = os.pathsep.join(path or os.getcwd() for path in sys.path)  # noqa: PTH109
    harmless = {name: value for name, value in os.environ.items() if _HARMLESS.fullmatch(name)}
    return {**harmless, "PYTHONPATH": found, "OPENBLAS_NUM_THREADS": "1"}


def send(pipe: IO[bytes], message: object) -> None:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    pipe.write(len(data).to_bytes(8, "little"))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """Raises `EOFError` where the other side is gone."""
    length = int.from_bytes(pipe.read(8), "little")
    data = pipe.read(length)
    if not data or len(data) < length:
        raise EOFError
    return _OfOurs(BytesIO(data)).load()


class _OfOurs(pickle.Unpickler):
    """Makes nothing but our own values: whatever a hostile page makes of the child, it can send us no program."""

    def find_class(self, module: str, name: str) -> Any:
        is_ours = module.startswith("citebook.") and module != __name__
        if is_ours or (module, name) in _PLAIN:
            return super().find_class(module, name)
        raise EOFError
