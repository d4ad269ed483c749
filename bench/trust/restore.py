"""Backups of a server under load, restored elsewhere: `python -m bench.trust.restore`.

The data folder is copied once while the server runs, as the guide to operating says (the database by SQLite's own
backup, the rest as files), and once after it was killed, while nothing runs. In both copies the chain of the audit
must hold, and all that readers were told before the copy was begun must be there, once.
"""

import argparse
import asyncio
import json
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.trust.kept import Comparison, compare, read_kept
from bench.trust.killable_server import KillableServer
from bench.trust.readers import KINDS, Reader, Told, reading, until_each_was_told

_DATABASE = "citebook.sqlite3"


@dataclass(frozen=True, slots=True)
class Restored:
    name: str
    found: Comparison
    chain: str
    answers: bool
    """Whether a server on the copy answers."""

    @property
    def is_good(self) -> bool:
        return self.found.is_good and self.found.told > 0 and self.chain == "whole" and self.answers

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, **self.found.as_json(), "chain": self.chain, "answers": self.answers}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=3.0, help="of load before each copy")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="citebook-restore-") as folder:
        outcomes = measure(Path(folder), options.seconds)
    _print(outcomes)
    if options.json:
        options.json.write_text(json.dumps([outcome.as_json() for outcome in outcomes], indent=2))
    if not all(outcome.is_good for outcome in outcomes):
        sys.exit(1)


def measure(folder: Path, seconds: float) -> list[Restored]:
    server = KillableServer.with_small_book(folder)
    key = server.new_key()
    readers = [Reader(kind, key) for kind in KINDS for _ in range(2)]
    running, killed = folder / "copied-while-it-ran", folder / "copied-after-the-kill"
    try:
        server.start()
        before = asyncio.run(_load(server, readers, seconds, lambda: copy_of_running(server.data_dir, running)))
        shutil.copytree(server.data_dir, killed)
    finally:
        server.kill()
    after = [one for reader in readers for one in reader.told]
    return [
        asyncio.run(_restored("while it ran", server, running, before, after)),
        asyncio.run(_restored("after SIGKILL", server, killed, after)),
    ]


async def _load(
    server: KillableServer, readers: list[Reader], seconds: float, copy: Callable[[], None]
) -> list[Told]:
    """What was told before the copy was begun. The server is killed under load at the end."""
    async with reading(readers, server.url):
        await until_each_was_told(readers)
        await asyncio.sleep(seconds)
        before = [one for reader in readers for one in reader.told]
        await asyncio.to_thread(copy)
        await asyncio.sleep(seconds)
        await asyncio.to_thread(server.kill)
    return before


def copy_of_running(data_dir: Path, target: Path) -> None:
    """First what waits for the database, then the database: what moves over meanwhile is in both, and counts once."""
    shutil.copytree(data_dir, target, ignore=shutil.ignore_patterns(f"{_DATABASE}*", "*.unfinished", "*.lock"))
    with (
        closing(sqlite3.connect(data_dir / _DATABASE)) as source,
        closing(sqlite3.connect(target / _DATABASE)) as copy,
    ):
        source.backup(copy)


async def _restored(
    name: str, server: KillableServer, data_dir: Path, told: list[Told], later: Sequence[Told] = ()
) -> Restored:
    """A server on the copy writes what waited in its outbox; then the database is looked at."""
    restored = KillableServer(data_dir, server.environment)
    try:
        await asyncio.to_thread(restored.start)
        probes = [Reader(kind, key="") for kind in KINDS if kind != "academic"]
        async with reading(probes, restored.url):
            await until_each_was_told(probes)
        answers = all(probe.told for probe in probes)
        await asyncio.to_thread(restored.wait_until_drained)
        await asyncio.to_thread(restored.stop)
    finally:
        restored.kill()
    new = [one for probe in probes for one in probe.told]
    found = compare([*told, *new], await read_kept(f"sqlite:///{data_dir / _DATABASE}"), later)
    verified = restored.run("audit", "verify")
    chain = "whole" if verified.returncode == 0 else (verified.stdout + verified.stderr).strip()
    return Restored(name, found, chain, answers)


def _print(outcomes: list[Restored]) -> None:
    table = Table(title="Backups, restored elsewhere")
    headings = (
        "copied",
        "told before",
        "sessions",
        "messages",
        "records",
        "lost",
        "doubled",
        "wrong",
        "chain",
        "answers",
    )
    for heading in headings:
        table.add_column(heading)
    for one in outcomes:
        found = one.found
        counts = (found.told, found.sessions, found.messages, found.records, found.lost, found.doubled)
        table.add_row(
            one.name, *map(str, (*counts, found.wrongly_complete)), one.chain, "yes" if one.answers else "no"
        )
    Console(width=None if sys.stdout.isatty() else 120).print(table)


if __name__ == "__main__":
    main()
