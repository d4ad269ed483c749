"""`python -m bench.load.leaving`: readers who leave before, at or after the first words; is the model's call closed?

Every route of every contract that asks a model, as JSON and as a stream. No deadline of the server is near: a call is
closed because its reader left, or not at all.
"""

import argparse
import asyncio
import os
import random
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from bench.http import Client, RunningServer, connected
from bench.load import BOOK, ingested, sample_questions
from bench.load.goals import Goal, milliseconds, outcome_of, percentile, progress_bar, told
from bench.load.paced_model import Knobs
from bench.load.service import ModelServer, api_key, citebook_server, model_server, patient
from bench.load.streams import read_stream

FULL_CLIENTS = 500
_AT_ONCE = 20
_MOST_SECONDS = 1.0
_PATIENCE = 30.0
_MOST_ROUNDS = 8
"""Where the machine is slow, many leave before the model is asked for them; others take their place."""
_KNOBS = Knobs(first_token_seconds=0.5, tokens_per_second=50.0, hangs=0.2)
_QUESTION = "What is a harmonic drive?"
_PASSAGE = (
    "A harmonic drive is a gear that bends a thin steel cup. Its teeth are in mesh with those of a ring at two "
    "places. It has almost no backlash, and joints of robot arms use it because it is light and stiff."
)


@dataclass(frozen=True, slots=True)
class Route:
    path: str
    name: str = "question"
    """Of the field that holds the question."""
    streams: bool = False
    needs_key: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)


ROUTES = (
    Route("/api/query", "query"),
    Route("/api/v1/query", "query"),
    Route("/api/v1/query", "query", streams=True),
    Route("/chat/query", "query", needs_key=True),
    Route("/chat/context-restricted", "query", needs_key=True, more={"selected_passage": _PASSAGE}),
    Route("/chat/book/default/query", "query", needs_key=True),
    Route("/query"),
    Route("/api/ask"),
    Route("/api/ask/stream", streams=True),
    Route("/api/ask-selected", more={"selected_text": _PASSAGE}),
)


@dataclass(frozen=True, slots=True)
class Leaving:
    reader: int
    route: Route
    left_at: float
    saw_words: bool
    ended_before: bool
    """Whether the answer was there before the reader left."""


@dataclass(frozen=True, slots=True)
class Measure:
    leavings: Sequence[Leaving]
    calls: Mapping[int, Mapping[str, Any]]
    open_after: int
    resumed: bool
    """Whether a reader who came afterwards got an answer."""

    @property
    def called(self) -> list[Leaving]:
        """Those whose reader left while the model was at work for it, or was asked after that."""
        return [one for one in self.leavings if one.reader in self.calls and not one.ended_before]

    def seconds_to_close(self, leaving: Leaving) -> float:
        """Endless where the call was never closed."""
        closed_at = self.calls[leaving.reader]["closed_at"]
        return float("inf") if closed_at is None else max(0.0, closed_at - leaving.left_at)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--full", action="store_true", help=f"{FULL_CLIENTS} clients")
    parser.add_argument("--data-dir", type=Path, help="of a server that has ingested the book already")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    clients = FULL_CLIENTS if options.full else options.clients
    started = monotonic()
    with tempfile.TemporaryDirectory(prefix="citebook-leaving-") as folder:
        data_dir = options.data_dir or ingested(BOOK, Path(folder))
        measure = _measure(data_dir, clients)
    goals = _goals(measure, clients)
    what = f"{clients} clients that leave, on {len(ROUTES)} routes"
    told(outcome_of(4, what, goals, monotonic() - started, {"routes": _by_route(measure)}), goals, options.json)


def _measure(data_dir: Path, clients: int) -> Measure:
    key = api_key(data_dir)
    with model_server(_KNOBS) as model, citebook_server(data_dir, model, patient(120)) as server:
        asyncio.run(_is_answered(server))
        leavings: list[Leaving] = []
        for _ in range(_MOST_ROUNDS):
            called = set(_calls(model))
            missing = clients - sum(one.reader in called and not one.ended_before for one in leavings)
            leavings += asyncio.run(_all_leave(server, key, range(len(leavings), len(leavings) + missing)))
        still_open, calls = _until_closed(model), _calls(model)
        model.turn(Knobs(first_token_seconds=0.0, tokens_per_second=0.0))
        return Measure(leavings, calls, still_open, asyncio.run(_is_answered(server)))


def _calls(model: ModelServer) -> dict[int, Mapping[str, Any]]:
    return {call["reader"]: call for call in model.each_call() if call["reader"] is not None}


async def _all_leave(server: RunningServer, key: str, numbers: range) -> list[Leaving]:
    room, questions = asyncio.Semaphore(_AT_ONCE), sample_questions()
    with progress_bar() as bar:
        task = bar.add_task("clients that leave", total=len(numbers))

        async def leave(number: int) -> Leaving:
            async with room:
                question = f"{questions[number % len(questions)]} #{number}"
                left = await _leave(server, number, ROUTES[number % len(ROUTES)], question, key)
                bar.advance(task)
                return left

        return await asyncio.gather(*(leave(number) for number in numbers))


async def _leave(server: RunningServer, number: int, route: Route, question: str, key: str) -> Leaving:
    """Before the first words on a JSON route; on a stream also at them and after them."""
    chance = random.Random(number)
    headers = {"Authorization": f"Bearer {key}"} if route.needs_key else {}
    body = {route.name: question, **route.more}
    async with connected(server.port) as client:
        reading = asyncio.create_task(_read(client, route, body, headers))
        await asyncio.wait({reading}, timeout=chance.uniform(0.05, 4.0 if route.streams else 1.5))
        ended, saw = reading.done(), client.has_words
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        client.abort()
        return Leaving(number, route, monotonic(), saw, ended)


async def _read(client: Client, route: Route, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    if not route.streams:
        await client.post(route.path, body, headers=headers)
        return
    await client.begin(route.path, body, headers)
    while await client.next_chunk():
        pass


def _until_closed(model: ModelServer) -> int:
    """How many calls are still open after a while."""
    ends_at = monotonic() + _PATIENCE
    while (still_open := int(model.calls()["open"])) and monotonic() < ends_at:
        sleep(0.2)
    return still_open


async def _is_answered(server: RunningServer) -> bool:
    with suppress(OSError, EOFError):
        async with connected(server.port) as client:
            return (await read_stream(client, 0, ("/api/ask/stream", {"question": _QUESTION}))).problem is None
    return False


def _goals(measure: Measure, clients: int) -> list[Goal]:
    json = sum(not one.route.streams for one in measure.called)
    seconds = [measure.seconds_to_close(one) for one in measure.called]
    late = sum(one > _MOST_SECONDS for one in seconds)
    never = sum(one == float("inf") for one in seconds)
    words = [one for one in measure.called if one.saw_words]
    return [
        Goal(
            "calls that were under way", f"≥ {clients}", str(len(seconds)), len(seconds) >= clients, needs_speed=True
        ),
        Goal(
            "of these, on JSON routes and as streams",
            "> 0",
            f"{json}, {len(seconds) - json}",
            0 < json < len(seconds),
            needs_speed=True,
        ),
        Goal("never closed", "0", str(never), never == 0),
        Goal("open calls at the end", "0", str(measure.open_after), measure.open_after == 0),
        # On a machine that is busy elsewhere a second may pass before a process hears that its client left.
        Goal("closed later than 1 s", "0", str(late), late == 0, needs_speed=True),
        Goal("the next reader is answered", "yes", "yes" if measure.resumed else "no", measure.resumed),
        Goal(
            "from leaving to the close, p50 / p95 / max",
            "",
            " / ".join(milliseconds(percentile(seconds, percent)) for percent in (50, 95, 100)),
        ),
        Goal("left before the first words, after them", "", f"{len(seconds) - len(words)}, {len(words)}"),
        Goal(
            "left before the model was asked", "", str(sum(o.reader not in measure.calls for o in measure.leavings))
        ),
        Goal("answered before they left", "", str(sum(one.ended_before for one in measure.leavings))),
        Goal("load average of the machine", "", f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"),
    ]


def _by_route(measure: Measure) -> dict[str, dict[str, Any]]:
    table: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        seconds = [measure.seconds_to_close(one) for one in measure.called if one.route is route]
        name = f"{route.path} {'SSE' if route.streams else 'JSON'}"
        table[name] = {"closed": len(seconds), "latest_seconds": max(seconds, default=None)}
    return table


if __name__ == "__main__":
    main()
