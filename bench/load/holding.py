"""As many streams as a server may have, all open at once; and what those meet with who come after them."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic, perf_counter, sleep

from bench.http import Client, Reply, RunningServer, connected
from bench.load import sample_questions
from bench.load.goals import Goal, milliseconds, progress_bar
from bench.load.paced_model import Knobs
from bench.load.service import ModelServer, citebook_server, model_server, patient
from bench.load.streams import asked_of, written_questions

_ASKING_AT_ONCE = 10
_QUESTIONS = 60
_PATIENCE = 300.0
_HEALTH_PAUSE = 0.1
_SOON = 1.0
_KNOBS = Knobs(first_token_seconds=0.05, tokens_per_second=0.0, burst=50, falls_silent=1.0)


@dataclass(frozen=True, slots=True)
class Held:
    """What was seen while all places were taken."""

    wanted: int
    held: int
    seconds_to_hold: float
    beyond: Sequence[Reply]
    health: "Health"
    unanswered: int
    """Questions whose reader was left without a word, though the deadline was long over."""
    open_after: int
    """Calls of the model, after all have left."""

    def goals(self) -> list[Goal]:
        refused = [reply for reply in self.beyond if reply.status in (429, 503)]
        silent = sum("retry-after" not in reply.headers for reply in refused)
        let_in, slowest = len(self.beyond) - len(refused), max(self.health.seconds, default=float("inf"))
        latest = max((reply.seconds for reply in self.beyond), default=float("nan"))
        return [
            Goal("streams held", str(self.wanted), str(self.held), self.held == self.wanted),
            Goal("readers left without a word", "0", str(self.unanswered), self.unanswered == 0),
            Goal("let in beyond the cap", "0", f"{let_in} of {len(self.beyond)}", let_in == 0),
            Goal("refused without Retry-After", "0", str(silent), silent == 0),
            Goal(
                "looks at /health that failed",
                "0",
                f"{self.health.failed} of {self.health.looks}",
                self.health.is_well,
            ),
            Goal("slowest /health", "≤ 1 s", milliseconds(slowest), slowest <= _SOON, needs_speed=True),
            Goal("calls open after all have left", "0", str(self.open_after), self.open_after == 0),
            Goal("latest refusal", "", milliseconds(latest)),
            Goal("time until all were held", "", f"{self.seconds_to_hold:.0f} s"),
        ]


@dataclass(slots=True)
class Health:
    """Looks at /health again and again."""

    seconds: list[float] = field(default_factory=list)
    failed: int = 0

    @property
    def looks(self) -> int:
        return len(self.seconds) + self.failed

    @property
    def is_well(self) -> bool:
        return bool(self.seconds) and not self.failed

    async def watch(self, port: int, over: asyncio.Event) -> None:
        """Each time on a new connection, as a supervisor does."""
        while not over.is_set():
            started = perf_counter()
            try:
                async with connected(port) as client:
                    is_up = (await client.get("/health")).status == 200
            except (OSError, EOFError, TimeoutError):
                is_up = False
            if is_up:
                self.seconds.append(perf_counter() - started)
            else:
                self.failed += 1
            await asyncio.sleep(_HEALTH_PAUSE)


def hold(data_dir: Path, streams: int, beyond: int) -> Held:
    room = {
        "MAX_CONCURRENT_ANSWERS": str(streams),
        "MAX_CONNECTIONS_PER_ADDRESS": str(2 * streams + beyond + 50),
        "MAX_CONNECTIONS": str(2 * streams + beyond + 100),
    }
    # Where the model's first line is not shown, the deadline ends the answer, and another takes its place.
    environment = {**patient(2 * _PATIENCE), "DEADLINE_SECONDS": "10", **room}
    with model_server(_KNOBS) as model, citebook_server(data_dir, model, environment) as server:
        return asyncio.run(_hold(server, model, streams, beyond))


async def _hold(server: RunningServer, model: ModelServer, streams: int, beyond: int) -> Held:
    questions = await _warmed_up(server, model)
    over, health, started = asyncio.Event(), Health(), monotonic()
    watching = asyncio.create_task(health.watch(server.port, over))
    async with AsyncExitStack() as clients:
        held, unanswered = await _open_all(server, model, clients, questions, streams)
        taken = monotonic() - started
        refused = await asyncio.gather(*(_ask_beyond(server, number) for number in range(beyond)))
        held = min(held, int((await asyncio.to_thread(model.calls))["open"]))  # all are still there
    over.set()
    await watching
    still_open = await asyncio.to_thread(_until_closed, model)
    return Held(streams, held, taken, refused, health, unanswered, still_open)


async def _warmed_up(server: RunningServer, model: ModelServer) -> list[str]:
    model.turn(replace(_KNOBS, falls_silent=0.0))
    called = lambda: {call["reader"] for call in model.each_call()}  # noqa: E731
    questions = await written_questions(server.port, sample_questions()[:_QUESTIONS], called)
    model.turn(_KNOBS)
    return questions


async def _open_all(
    server: RunningServer, model: ModelServer, clients: AsyncExitStack, questions: Sequence[str], streams: int
) -> tuple[int, int]:
    """Asks until so many streams have said their first words and go on; and how many readers saw none."""
    ends_at, held, asked, unanswered = monotonic() + _PATIENCE, 0, 0, 0
    with progress_bar() as bar:
        task = bar.add_task("streams held", total=streams)
        while held < streams and monotonic() < ends_at:
            together = range(asked, asked + min(_ASKING_AT_ONCE, streams - held))
            asked += len(together)
            asking = (_open(server, clients, number, questions[number % len(questions)]) for number in together)
            unanswered += (await asyncio.gather(*asking)).count(False)
            held = int((await asyncio.to_thread(model.calls))["open"])
            bar.update(task, completed=held)
    return held, unanswered


async def _open(server: RunningServer, clients: AsyncExitStack, number: int, question: str) -> bool:
    """Whether its reader was told anything: first words, the whole answer, or when to come again."""
    client: Client = await clients.enter_async_context(connected(server.port))
    try:
        _, headers = await client.begin(*asked_of(number, question))
        if headers.get("transfer-encoding") == "chunked":
            await client.next_chunk()
        else:
            await asyncio.sleep(float(headers.get("retry-after", "0")))
    except TimeoutError:
        client.abort()
        return False
    return True


async def _ask_beyond(server: RunningServer, number: int) -> Reply:
    """By turns as a stream and as JSON."""
    async with connected(server.port) as client:
        path, body = asked_of(number, "What is a harmonic drive?")
        return await client.post(path, body, "text/event-stream" if number % 3 else "application/json")


def _until_closed(model: ModelServer) -> int:
    ends_at = monotonic() + 30
    while (still_open := int(model.calls()["open"])) and monotonic() < ends_at:
        sleep(0.2)
    return still_open
