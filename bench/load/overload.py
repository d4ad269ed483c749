"""`python -m bench.load.overload`: all places held by streams; and many questions at one moment, without a model.

Whoever cannot be answered in time is turned away at once, and told when to come again.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.http import Reply, RunningServer, connected, free_port, running
from bench.load import BOOK, ingested, sample_questions, without_limits
from bench.load.goals import Goal, outcome_of, told
from bench.load.holding import hold

_HEALTH_PAUSE = 0.05
_LONG_QUESTION = "harmonic drive backlash torque " * 320


@dataclass(frozen=True, slots=True)
class Burst:
    """What came of questions that were asked at the same moment."""

    name: str
    replies: Sequence[Reply]
    health: Sequence[float]
    """Seconds that each look at /health took meanwhile."""
    longest_stall: float
    """Of the server's event loop, as it says itself."""

    def seconds(self, status: int) -> list[float]:
        return sorted(reply.seconds for reply in self.replies if reply.status == status)

    @property
    def without_retry_after(self) -> int:
        return sum(reply.status == 503 and "retry-after" not in reply.headers for reply in self.replies)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held", type=int, default=300, help="streams, as many as the server may have")
    parser.add_argument("--beyond", type=int, default=60, help="questions of those who come after them")
    parser.add_argument("--at-once", type=int, nargs="*", default=[50, 200, 300])
    parser.add_argument("--full", action="store_true", help="nothing more: it is short")
    parser.add_argument("--data-dir", type=Path, help="of a server that has ingested the book already")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    started = perf_counter()
    with tempfile.TemporaryDirectory(prefix="citebook-overload-") as folder:
        data_dir = options.data_dir or ingested(BOOK, Path(folder))
        held = hold(data_dir, options.held, options.beyond)
        bursts = _measure(data_dir, sample_questions(), options.at_once)
    _print(bursts)
    goals = [*held.goals(), *_goals(bursts)]
    details = {"bursts": [_summary(burst) for burst in bursts], "load_average": os.getloadavg()}
    what = f"{options.held} streams held, and up to {max(options.at_once, default=0)} questions at once"
    told(outcome_of(12, what, goals, perf_counter() - started, details), goals, options.json)


def _goals(bursts: Sequence[Burst]) -> list[Goal]:
    summaries = [_summary(burst) for burst in bursts]
    names = ("answered", "other", "without_retry_after")
    answered, other, silent = (sum(one[name] for one in summaries) for name in names)
    return [
        Goal("at one moment: neither answered nor turned away", "0", str(other), other == 0),
        Goal("at one moment: 503 without Retry-After", "0", str(silent), silent == 0),
        Goal("at one moment: answered", "> 0", str(answered), answered > 0),
    ]


def _measure(data_dir: Path, questions: list[str], sizes: Sequence[int]) -> list[Burst]:
    port = free_port()
    command = ["-m", "bench.load.watched_server", str(port), str(data_dir)]
    with running(command, "/health", port, without_limits()) as server:
        asyncio.run(_burst(server, "warm-up", questions[:20]))
        bursts = []
        for size in sizes:
            asked = [questions[number % len(questions)] for number in range(size)]
            bursts.append(asyncio.run(_burst(server, f"{size} at once", asked)))
        bursts.append(asyncio.run(_burst(server, "one of 10,000 characters", [_LONG_QUESTION], path="/query")))
    return bursts


async def _burst(server: RunningServer, name: str, asked: Sequence[str], path: str = "/api/ask") -> Burst:
    await _stall(server)  # forgets what was before
    over = asyncio.Event()
    watching = asyncio.create_task(_watch(server, over))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_ask(server, path, question)) for question in asked]
    over.set()
    return Burst(name, [task.result() for task in tasks], await watching, await _stall(server))


async def _ask(server: RunningServer, path: str, question: str) -> Reply:
    async with connected(server.port) as client:
        return await client.post(path, {"question": question})


async def _watch(server: RunningServer, over: asyncio.Event) -> list[float]:
    seconds = []
    async with connected(server.port) as client:
        while not over.is_set():
            started = perf_counter()
            await client.get("/health")
            seconds.append(perf_counter() - started)
            await asyncio.sleep(_HEALTH_PAUSE)
    return seconds


async def _stall(server: RunningServer) -> float:
    async with connected(server.port) as client:
        reply: dict[str, Any] = json.loads((await client.get("/longest-stall")).body)
    return float(reply["seconds"])


def _summary(burst: Burst) -> dict[str, Any]:
    answered, turned_away = burst.seconds(200), burst.seconds(503)
    return {
        "name": burst.name,
        "answered": len(answered),
        "answered_p50": answered[len(answered) // 2] if answered else None,
        "answered_max": answered[-1] if answered else None,
        "turned_away": len(turned_away),
        "turned_away_max": turned_away[-1] if turned_away else None,
        "without_retry_after": burst.without_retry_after,
        "other": len(burst.replies) - len(answered) - len(turned_away),
        "health_max": max(burst.health, default=None),
        "longest_stall": burst.longest_stall,
    }


def _print(bursts: Sequence[Burst]) -> None:
    names = list(_summary(bursts[0]))
    table = Table(*(name.replace("_", " ") for name in names), title="Questions at the same moment; seconds")
    for burst in bursts:
        cells = _summary(burst).values()
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells))
    Console(width=None if sys.stdout.isatty() else 170).print(table)


if __name__ == "__main__":
    main()
