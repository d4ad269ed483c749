"""`python -m bench.load.leaks`: what many streams leave behind: memory, open files, tasks, calls of the model.

A tenth of the readers leave in the middle, and for some the model fails, hangs or breaks off: what goes wrong is
where things are left open.
"""

import argparse
import asyncio
import json
import os
import random
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from bench.http import RunningServer, connected
from bench.load import BOOK, ingested, sample_questions
from bench.load.goals import Goal, outcome_of, progress_bar, told
from bench.load.paced_model import Knobs
from bench.load.service import ModelServer, citebook_server, model_server
from bench.load.streams import Crowd, asked_of

FULL_STREAMS = 10_000
_READERS = 20
_WARM_UP = 300
_LEAVING = 0.1
_MOST_GROWTH = 20.0
_PATIENCE = 40.0
_KNOBS = Knobs(first_token_seconds=0.01, tokens_per_second=0.0, burst=20, fails=0.02, hangs=0.01, ends_early=0.02)


@dataclass(frozen=True, slots=True)
class State:
    """What a server that nobody asks holds."""

    resident: float
    files: int
    tasks: Mapping[str, int]
    calls: int

    @property
    def task_count(self) -> int:
        return sum(self.tasks.values())


@dataclass(frozen=True, slots=True)
class Measure:
    before: State
    after: State
    crowd: Crowd
    left: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--warm-up", type=int, default=_WARM_UP, help="streams before the first look")
    parser.add_argument("--full", action="store_true", help=f"{FULL_STREAMS} streams")
    parser.add_argument("--data-dir", type=Path, help="of a server that has ingested the book already")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    streams = FULL_STREAMS if options.full else options.streams
    started = monotonic()
    with tempfile.TemporaryDirectory(prefix="citebook-leaks-") as folder:
        data_dir = options.data_dir or ingested(BOOK, Path(folder))
        measure = _measure(data_dir, streams, options.warm_up)
    goals = _goals(measure)
    details = {"tasks_before": measure.before.tasks, "tasks_after": measure.after.tasks}
    told(outcome_of(13, f"after {streams} streams", goals, monotonic() - started, details), goals, options.json)


def _measure(data_dir: Path, streams: int, warm_up: int) -> Measure:
    # A call that hangs is ended by this deadline; the server's own default would make the run five times as long.
    soon = {"DEADLINE_SECONDS": "5", "GENERATION_SECONDS": "1", "STREAM_GAP_SECONDS": "2"}
    with model_server(_KNOBS) as model, citebook_server(data_dir, model, soon, watched=True) as server:
        asyncio.run(_asked(server, warm_up, "warm-up"))
        before = asyncio.run(_settled(server, model, None))
        crowd, left = asyncio.run(_asked(server, streams, "streams"))
        return Measure(before, asyncio.run(_settled(server, model, before)), crowd, left)


async def _asked(server: RunningServer, streams: int, name: str) -> tuple[Crowd, int]:
    """Those who read to the end, and how many left."""
    leaving = int(streams * _LEAVING)
    with progress_bar() as bar:
        task = bar.add_task(name, total=streams)
        crowd = Crowd(server.port, sample_questions(), when_ended=lambda: bar.advance(task))
        left = iter(range(leaving))

        async def leave() -> None:
            while (number := next(left, None)) is not None:
                await _leave(server, number, crowd.questions[number % len(crowd.questions)])
                bar.advance(task)

        await asyncio.gather(crowd.ask_all(_READERS, streams - leaving), *(leave() for _ in range(2)))
    return crowd, leaving


async def _leave(server: RunningServer, number: int, question: str) -> None:
    """Asks, and goes away at some time."""
    chance = random.Random(number)
    async with connected(server.port) as client:
        asking = asyncio.create_task(client.begin(*asked_of(number, question)))
        await asyncio.wait({asking}, timeout=chance.random())
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


async def _settled(server: RunningServer, model: ModelServer, before: State | None) -> State:
    """The state after all has come to rest; what is still there after a while stays."""
    ends_at = monotonic() + _PATIENCE
    while True:
        await asyncio.sleep(1)
        async with connected(server.port) as client:
            tasks: dict[str, Any] = json.loads((await client.get("/tasks")).body)
        state = State(server.resident_megabytes, server.open_files, tasks, model.calls()["open"])
        is_quiet = state.calls == 0 and not any("Answer" in name for name in tasks)
        is_as_before = before is None or (state.files <= before.files and state.task_count <= before.task_count)
        if (is_quiet and is_as_before) or monotonic() > ends_at:
            return state


def _goals(measure: Measure) -> list[Goal]:
    before, after, crowd = measure.before, measure.after, measure.crowd
    growth, errors = after.resident - before.resident, sum(crowd.errors.values())
    return [
        Goal("resident memory", "≤ +20 MB", f"{growth:+.1f} MB (to {after.resident:.0f})", growth <= _MOST_GROWTH),
        Goal("open files", "no more", f"{before.files} → {after.files}", after.files <= before.files),
        Goal("tasks", "no more", f"{before.task_count} → {after.task_count}", after.task_count <= before.task_count),
        Goal("open calls of the model", "0", str(after.calls), after.calls == 0),
        Goal(
            "streams that ended badly",
            "0",
            ", ".join(f"{n} {e}" for e, n in crowd.errors.items()) or "0",
            errors == 0,
        ),
        Goal("turned away (503, Retry-After)", "", str(crowd.turned_away)),
        Goal("streams read to the end, left", "", f"{len(crowd.answers)}, {measure.left}"),
        Goal("load average of the machine", "", f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"),
    ]


if __name__ == "__main__":
    main()
