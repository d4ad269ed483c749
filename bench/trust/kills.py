"""SIGKILL of `citebook serve` at random points under load: `python -m bench.trust.kills --kills 1000`.

Readers of `core` (sessions, JSON and stream) and of `academic` (audit) ask without pause. The server is killed at a
random moment, also while it starts, and started again on the same data. At the end every answer that was acknowledged
is in the database once, none is doubled, none is marked as whole that was not, and the chain of the audit holds.
"""

import argparse
import asyncio
import random
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table
from tests.servers import started_postgres

from bench.trust.figures import outcome_of
from bench.trust.kept import Comparison, compare, read_kept
from bench.trust.killable_server import KillableServer
from bench.trust.readers import KINDS, Reader, reading, until_each_was_told

_LONGEST_LIFE = 1.5
FULL_KILLS = 1_000
_SHARE_KILLED_AT_START = 0.15


@dataclass(frozen=True, slots=True)
class Kills:
    kills: int
    seconds_a_kill: float
    found: Comparison
    chain: str
    statuses: Counter[str]

    @property
    def is_good(self) -> bool:
        return self.found.is_good and self.chain == "whole" and self.found.told > 0

    @property
    def told(self) -> str:
        found = self.found
        return (
            f"{self.kills} kills, {found.told} acknowledged: {found.lost} lost, {found.doubled} doubled, "
            f"{found.wrongly_complete} wrongly complete; chain {self.chain}"
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "kills": self.kills,
            "seconds_a_kill": round(self.seconds_a_kill, 2),
            **self.found.as_json(),
            "chain": self.chain,
            "statuses": dict(self.statuses),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--full", action="store_true", help=f"{FULL_KILLS} kills")
    parser.add_argument("--readers", type=int, default=2, help="of each kind")
    parser.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    started = monotonic()
    with tempfile.TemporaryDirectory(prefix="citebook-kills-") as folder, ExitStack() as stack:
        url = None
        if options.database == "postgres":
            url = stack.enter_context(started_postgres(Path(folder) / "postgres")).get_uri()
        kills = FULL_KILLS if options.full else options.kills
        outcome = measure(Path(folder), kills, options.readers, url, options.seed)
    _print(outcome, options.database)
    if options.json:
        told = outcome_of(1, outcome.told, reached=outcome.is_good, started=started, details=outcome.as_json())
        told.write(options.json)
    if not outcome.is_good:
        sys.exit(1)


def measure(folder: Path, kills: int, readers: int, database_url: str | None = None, seed: int = 1) -> Kills:
    server = KillableServer.with_small_book(folder, database_url)
    key = server.new_key()
    everyone = [Reader(kind, key) for kind in KINDS for _ in range(readers)]
    try:
        seconds = asyncio.run(_kill_again_and_again(server, everyone, kills, random.Random(seed)))
        server.wait_until_drained()
        server.stop()
    finally:
        server.kill()
    url = database_url or f"sqlite:///{server.data_dir / 'citebook.sqlite3'}"
    found = compare([one for reader in everyone for one in reader.told], asyncio.run(read_kept(url)))
    verified = server.run("audit", "verify")
    chain = "whole" if verified.returncode == 0 else (verified.stdout + verified.stderr).strip()
    statuses = sum((reader.statuses for reader in everyone), Counter[str]())
    return Kills(kills, seconds / max(1, kills), found, chain, statuses)


async def _kill_again_and_again(
    server: KillableServer, readers: list[Reader], kills: int, chance: random.Random
) -> float:
    """The seconds that it took. The server answers at the end."""
    began = perf_counter()
    async with reading(readers, server.url):
        for _ in range(kills):
            server.begin()
            if chance.random() > _SHARE_KILLED_AT_START:
                await asyncio.to_thread(server.wait_until_ready)
            await asyncio.sleep(chance.uniform(0.0, _LONGEST_LIFE))
            await asyncio.to_thread(server.kill)
        taken = perf_counter() - began
        await asyncio.to_thread(server.start)
        await until_each_was_told(readers)
    return taken


def _print(outcome: Kills, database: str) -> None:
    found = outcome.found
    table = Table(title=f"SIGKILL under load, {database}")
    headings = ("kills", "s a kill", "acknowledged", "lost", "doubled", "wrongly complete", "audit chain")
    for heading in headings:
        table.add_column(heading)
    figures = (outcome.kills, f"{outcome.seconds_a_kill:.1f}", found.told, found.lost, found.doubled)
    table.add_row(*map(str, (*figures, found.wrongly_complete, outcome.chain)))
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(table)
    console.print(f"{found.sessions} sessions, {found.messages} messages and {found.records} audit records are kept.")
    console.print(f"What readers met: {', '.join(f'{times} × {name}' for name, times in outcome.statuses.items())}.")


if __name__ == "__main__":
    main()
