"""`citebook ingest` killed at random points while a reader asks: `python -m bench.trust.ingest_kills --kills 200`.

Each ingest changes the same two pages. A reader asks about both at once, and must see the old edition or the new one:
never a mixture, never nothing, never an edition that was replaced before.
"""

import argparse
import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table
from tests.small_book import write_book

from bench.trust.figures import outcome_of
from bench.trust.killable_server import KillableServer
from bench.trust.readers import PATIENCE

_GEARS = "---\ntitle: Gears\n---\n\n## Harmonic drives\n\nA harmonic drive is a gear of the printing {number}.\n"
_MOTORS = "---\ntitle: Motors\n---\n\n## Stepper motors\n\nA stepper motor is an engine of the printing {number}.\n"
_QUESTION = "What is a harmonic drive? And what is a stepper motor?"
_NUMBER = re.compile(r"of the printing (\d+)")
FULL_KILLS = 200
_PAUSE = 0.05


@dataclass(slots=True)
class IngestKills:
    kills: int
    finished: int = 0
    """Ingests that ended before they were killed."""
    looks: int = 0
    nothing: int = 0
    one_page: int = 0
    """Looks that were answered from one of the two pages alone, which can be no mixture."""
    mixed: int = 0
    older: int = 0
    """Than what was seen before, or newer than what was written."""
    last_is_served: bool = False

    @property
    def is_good(self) -> bool:
        return self.looks > 0 and not (self.nothing or self.mixed or self.older) and self.last_is_served

    @property
    def told(self) -> str:
        return (
            f"{self.kills} ingests killed, {self.looks} looks: {self.nothing} saw nothing, "
            f"{self.one_page} one page of the two, {self.mixed} a mix, "
            f"{self.older} an edition out of order; the last one served: {'yes' if self.last_is_served else 'no'}"
        )

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--full", action="store_true", help=f"{FULL_KILLS} kills")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    started = monotonic()
    with tempfile.TemporaryDirectory(prefix="citebook-ingests-") as folder:
        outcome = measure(Path(folder), FULL_KILLS if options.full else options.kills, options.seed)
    _print(outcome)
    if options.json:
        told = outcome_of(14, outcome.told, reached=outcome.is_good, started=started, details=outcome.as_json())
        told.write(options.json)
    if not outcome.is_good:
        sys.exit(1)


def measure(folder: Path, kills: int, seed: int = 1) -> IngestKills:
    server = KillableServer.with_small_book(folder)
    book = folder / "book"
    _print_anew(book, 0)
    whole = perf_counter()
    server.run("ingest", book)
    whole = perf_counter() - whole
    server.start()
    try:
        return asyncio.run(_kill_ingests(server, book, kills, whole, random.Random(seed)))
    finally:
        server.kill()


def _print_anew(book: Path, number: int) -> None:
    write_book(book, gears=_GEARS.format(number=number), motors=_MOTORS.format(number=number))


async def _kill_ingests(
    server: KillableServer, book: Path, kills: int, whole: float, chance: random.Random
) -> IngestKills:
    outcome = IngestKills(kills)
    printed = [0]
    looking = asyncio.create_task(_look_again_and_again(server.url, outcome, printed))
    for number in range(1, kills + 1):
        printed.append(number)
        await asyncio.to_thread(_print_anew, book, number)
        after = chance.uniform(0.2, 1.1) * whole
        outcome.finished += await asyncio.to_thread(_ingest_killed_after, server, book, after)
    last = kills + 1
    printed.append(last)
    await asyncio.to_thread(_print_anew, book, last)
    ended = await asyncio.to_thread(server.run, "ingest", book)
    looking.cancel()
    await asyncio.gather(looking, return_exceptions=True)
    async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
        outcome.last_is_served = ended.returncode == 0 and set(await _look(client)) == {last}
    return outcome


def _ingest_killed_after(server: KillableServer, book: Path, seconds: float) -> bool:
    """Whether it had ended by then."""
    command = [sys.executable, "-m", "citebook", "ingest", str(book), "--data-dir", str(server.data_dir)]
    environment = {**os.environ, **server.environment}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as ingest:
        try:
            ingest.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(ingest.pid, signal.SIGKILL)
            return False
    return True


async def _look_again_and_again(url: str, outcome: IngestKills, printed: list[int]) -> None:
    newest = 0
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
        while True:
            numbers = await _look(client)
            outcome.looks += 1
            outcome.nothing += not numbers
            outcome.one_page += len(numbers) == 1
            outcome.mixed += len(set(numbers)) > 1
            if numbers:
                outcome.older += min(numbers) < newest or max(numbers) > printed[-1]
                newest = max(numbers)
            await asyncio.sleep(_PAUSE)


async def _look(client: httpx.AsyncClient) -> list[int]:
    """The number that each of the two pages has, in one answer."""
    reply = await client.post("/api/ask", json={"question": _QUESTION})
    return [int(number) for number in _NUMBER.findall(reply.json().get("answer", ""))]


def _print(outcome: IngestKills) -> None:
    table = Table(title="Ingests that were killed while a reader asked")
    for heading in (
        "kills",
        "ended before",
        "looks",
        "nothing",
        "one page",
        "mixed",
        "older",
        "the last one is served",
    ):
        table.add_column(heading)
    figures = (
        outcome.kills,
        outcome.finished,
        outcome.looks,
        outcome.nothing,
        outcome.one_page,
        outcome.mixed,
        outcome.older,
    )
    table.add_row(*map(str, figures), "yes" if outcome.last_is_served else "no")
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    main()
