"""`make load`: many readers at once on `citebook serve`, next to the bare framework's ceiling in the same run."""

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.http import Client, Reply, RunningServer, connected, free_port, running
from bench.load import BOOK, ingested, sample_questions, without_limits

Ask = Callable[[Client, str], Any]


@dataclass(frozen=True, slots=True)
class Load:
    """What readers met with, and how long they waited."""

    name: str
    replies: tuple[Reply, ...]
    errors: Counter[str]
    seconds: float
    cpu_seconds: float

    @property
    def per_second(self) -> float:
        return len(self.replies) / self.seconds

    def percentile(self, percent: float, *, first_byte: bool = False) -> float:
        times = sorted(reply.first_byte_seconds if first_byte else reply.seconds for reply in self.replies)
        return times[min(len(times) - 1, int(len(times) * percent / 100))] if times else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--questions", type=int, default=20, help="of each reader")
    parser.add_argument("--book", type=Path, default=BOOK)
    parser.add_argument("--data-dir", type=Path, help="of a server that has ingested the book already")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    questions = sample_questions()
    with tempfile.TemporaryDirectory(prefix="citebook-load-") as folder:
        data_dir = options.data_dir or ingested(options.book, Path(folder))
        loads, facts = _measure(data_dir, questions, options.readers, options.questions)
    _print(loads, facts, options.readers, options.questions)
    if options.json:
        options.json.write_text(json.dumps({"facts": facts, "loads": [_summary(load) for load in loads]}, indent=2))
    if any(load.errors for load in loads):
        sys.exit("Some questions were lost.")


def _measure(data_dir: Path, questions: list[str], readers: int, each: int) -> tuple[list[Load], dict[str, float]]:
    bare = _bare(questions, readers, each)
    port = free_port()
    command = ["-m", "citebook", "serve", "--port", str(port), "--data-dir", str(data_dir)]
    with running(command, "/health", port, without_limits()) as server:
        loads = [
            _run("/api/ask, one reader", _ask, server, questions, 1, 2 * each),
            _run("/api/ask", _ask, server, questions, readers, each),
            _run("/api/v1/query, SSE", _stream, server, questions, readers, each),
        ]
        facts = {"seconds_to_ready": server.seconds_to_ready, "resident_megabytes": server.resident_megabytes}
    return [*bare, *loads], facts


def _bare(questions: list[str], readers: int, each: int) -> list[Load]:
    port = free_port()
    with running(["-m", "bench.load.bare_framework", str(port)], "/health", port, {}) as server:
        return [
            _run("bare framework, JSON", _ask, server, questions, readers, each),
            _run("bare framework, SSE", _bare_stream, server, questions, readers, each),
        ]


async def _ask(client: Client, question: str) -> Reply:
    return await client.post("/api/ask", {"question": question})


async def _bare_stream(client: Client, question: str) -> Reply:
    return await client.post("/api/ask/stream", {"question": question}, accept="text/event-stream")


async def _stream(client: Client, question: str) -> Reply:
    return await client.post("/api/v1/query", {"query": question}, accept="text/event-stream")


def _run(name: str, ask: Ask, server: RunningServer, questions: list[str], readers: int, each: int) -> Load:
    return asyncio.run(_load(name, ask, server, questions, readers, each))


async def _load(name: str, ask: Ask, server: RunningServer, questions: list[str], readers: int, each: int) -> Load:
    replies: list[Reply] = []
    errors: Counter[str] = Counter()
    turn = count()

    async def read() -> None:
        async with connected(server.port) as client:
            for _ in range(each):
                reply = await ask(client, questions[next(turn) % len(questions)])
                if reply.status == 200 and b'"error"' not in reply.body:
                    replies.append(reply)
                else:
                    errors[f"HTTP {reply.status}"] += 1

    cpu, started = server.cpu_seconds, perf_counter()
    for outcome in await asyncio.gather(*(read() for _ in range(readers)), return_exceptions=True):
        if isinstance(outcome, BaseException):
            errors[type(outcome).__name__] += 1
    return Load(name, tuple(replies), errors, perf_counter() - started, server.cpu_seconds - cpu)


def _summary(load: Load) -> dict[str, Any]:
    return {
        "name": load.name,
        "p50": load.percentile(50),
        "p95": load.percentile(95),
        "max": load.percentile(100),
        "first_byte_p95": load.percentile(95, first_byte=True),
        "answers": len(load.replies),
        "errors": dict(load.errors),
        "per_second": load.per_second,
        "cpu_milliseconds_each": load.cpu_seconds / max(1, len(load.replies)) * 1e3,
    }


def _print(loads: Sequence[Load], facts: Mapping[str, float], readers: int, each: int) -> None:
    ceiling = loads[0]
    table = Table(title=f"{readers} readers, {each} questions each, on this machine, in this run")
    headings = ("what", "p50", "p95", "max", "first byte p95", "answers", "errors", "answers/s", "CPU each", "ratio")
    for heading in headings:
        table.add_column(heading)
    for load in loads:
        figures = _summary(load)
        table.add_row(
            load.name,
            *(f"{figures[name] * 1e3:.0f} ms" for name in ("p50", "p95", "max", "first_byte_p95")),
            str(figures["answers"]),
            ", ".join(f"{number} {name}" for name, number in load.errors.items()) or "0",
            f"{load.per_second:.0f}",
            f"{figures['cpu_milliseconds_each']:.1f} ms",
            f"{load.per_second / ceiling.per_second:.2f} × bare",
        )
    console = Console(width=None if sys.stdout.isatty() else 150)
    console.print(table)
    console.print(
        f"Ready {facts['seconds_to_ready']:.2f} s after the start; {facts['resident_megabytes']:.0f} MB resident "
        "after the load. Client and server share the machine."
    )
