"""`python -m bench.load.leaks`: what many streams leave behind: memory, open files, tasks, calls of the model.

A tenth of the readers leave in the middle, and for some the model fails, hangs or breaks off: what goes wrong is
where things are left open. The server is looked at several times, because what grows with the number of streams is
a leak, and what is there after the first thousand and no more after ten thousand is none. Before the first look the
book was quoted too: the examiner, which then reads, takes some 50 MB at its first uses and keeps them.
"""

import argparse
import asyncio
import json
import os
import random
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from bench.http import RunningServer, connected
from bench.load import BOOK, ingested, sample_questions
from bench.load.goals import Goal, outcome_of, progress_bar, told
from bench.load.paced_model import Knobs
from bench.load.service import ModelServer, citebook_server, model_server
from bench.load.streams import Crowd, Stream, asked_of
from citebook.domain.errors import GeneratorFailed

FULL_STREAMS = 10_000
_READERS = 20
_WARM_UP = 300
_QUOTED = 100
"""Streams before those whose model fails, so that the book is quoted."""
_LOOKS = (1_000, 2_000, 5_000)
"""Streams after which the server is looked at, beside the end."""
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
    trail: Mapping[int, State]
    """By the number of streams; the last is the end."""
    streams: Sequence[Stream]
    left: int
    errors: Sequence[str]
    """What the server's log says went wrong in it; a model that fails is no error of the server."""

    @property
    def after(self) -> State:
        return list(self.trail.values())[-1]

    @property
    def ended_badly(self) -> Counter[str]:
        """But for those that the model broke off, which are told of it as they should be."""
        problems = (stream.problem for stream in self.streams if stream.problem and not stream.was_turned_away)
        return Counter(problem for problem in problems if not _is_of_model(problem))


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
    details = {
        "tasks_before": measure.before.tasks,
        "tasks_after": measure.after.tasks,
        "resident": {streams: round(state.resident, 1) for streams, state in measure.trail.items()},
    }
    told(outcome_of(13, f"after {streams} streams", goals, monotonic() - started, details), goals, options.json)


def _measure(data_dir: Path, streams: int, warm_up: int) -> Measure:
    # A call that hangs is ended by this deadline; the server's own default would make the run five times as long.
    soon = {"DEADLINE_SECONDS": "5", "GENERATION_SECONDS": "1", "STREAM_GAP_SECONDS": "2"}
    with model_server(_KNOBS) as model, citebook_server(data_dir, model, soon, watched=True) as server:
        model.turn(replace(_KNOBS, fails=1.0))
        asyncio.run(_asked(server, _QUOTED, "warm-up: quoted"))
        model.turn(_KNOBS)
        asyncio.run(_asked(server, warm_up, "warm-up"))
        before, done, left = asyncio.run(_settled(server, model, None)), 0, 0
        trail: dict[int, State] = {}
        ended: list[Stream] = []
        for look in (*(look for look in _LOOKS if look < streams), streams):
            crowd, gone = asyncio.run(_asked(server, look - done, f"streams to {look}"))
            ended, left, done = [*ended, *crowd.streams], left + gone, look
            trail[look] = asyncio.run(_settled(server, model, before))
        return Measure(before, trail, ended, left, server.logged("error"))


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


def _is_of_model(problem: str) -> bool:
    """As the contracts say it: before the first words by a code, after them by a frame."""
    return any(sign in problem for sign in (GeneratorFailed.user_message[:30], "LLM_", "OPENAI_ERROR"))


def _goals(measure: Measure) -> list[Goal]:
    before, after, errors = measure.before, measure.after, measure.ended_badly
    growth = after.resident - before.resident
    grown = ", ".join(
        f"{streams}: {state.resident - before.resident:+.1f}" for streams, state in measure.trail.items()
    )
    return [
        Goal("resident memory", "≤ +20 MB", f"{growth:+.1f} MB (to {after.resident:.0f})", growth <= _MOST_GROWTH),
        Goal("open files", "no more", f"{before.files} → {after.files}", after.files <= before.files),
        Goal("tasks", "no more", f"{before.task_count} → {after.task_count}", after.task_count <= before.task_count),
        Goal("open calls of the model", "0", str(after.calls), after.calls == 0),
        Goal(
            "streams that ended badly",
            "0",
            ", ".join(f"{n} {e}" for e, n in errors.items()) or "0",
            not errors,
        ),
        Goal(
            "errors in the server's log",
            "0",
            "; ".join([str(len(measure.errors)), *dict.fromkeys(measure.errors)]),
            not measure.errors,
        ),
        Goal("resident memory by streams, MB", "", grown),
        Goal("turned away (503, Retry-After)", "", str(sum(one.was_turned_away for one in measure.streams))),
        Goal(
            "told that the model broke off", "", str(sum(_is_of_model(one.problem or "") for one in measure.streams))
        ),
        Goal(
            "streams read to the end, left",
            "",
            f"{sum(one.problem is None for one in measure.streams)}, {measure.left}",
        ),
        Goal("load average of the machine", "", f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"),
    ]


if __name__ == "__main__":
    main()
