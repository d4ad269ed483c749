"""`citebook serve` in a process that is killed and started again on the same data, and a small book for it."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

import httpx
from tests.small_book import write_book

from bench.http import HOST, free_port
from bench.trust.readers import PATIENCE

PLENTY = 1_000_000


def run_citebook(
    *arguments: str | Path, environment: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """One command to its end."""
    command = [sys.executable, "-m", "citebook", *map(str, arguments)]
    environment = {**os.environ, **(environment or {})}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE)


@dataclass(slots=True)
class KillableServer:
    data_dir: Path
    environment: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    _process: "subprocess.Popen[bytes] | None" = None

    @classmethod
    def with_small_book(cls, folder: Path, database_url: str | None = None, **environment: str) -> "KillableServer":
        """A start is cheap: four short pages, and nobody who reads passages before they are quoted.

        Where the folder holds the ingested book already, it is taken as it is.
        """
        plenty = {"anonymous": {"questions": PLENTY, "seconds": 60}}
        given = {
            "EXAMINER": "none",
            "RATE_LIMIT_ANONYMOUS": str(PLENTY),
            "RATE_LIMIT_READS": str(PLENTY),
            "POLICIES": json.dumps(dict.fromkeys(("textbook", "academic", "agent", "ask"), plenty)),
            "LOG_LEVEL": "error",
            **({"DATABASE_URL": database_url} if database_url else {}),
            **environment,
        }
        server = cls(folder / "data", given)
        if not server.data_dir.exists():
            ingested = server.run("ingest", write_book(folder / "book"))
            if ingested.returncode:
                sys.exit(ingested.stderr)
        return server

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def has_ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def run(self, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        """A command on the same data."""
        return run_citebook(*arguments, "--data-dir", self.data_dir, environment=self.environment)

    def new_key(self) -> str:
        return self.run("keys", "create", "reader").stdout.strip().splitlines()[-1]

    def begin(self) -> None:
        """Starts it, and does not wait until it answers."""
        command = [
            sys.executable,
            "-m",
            "citebook",
            "serve",
            "--port",
            str(self.port),
            "--data-dir",
            str(self.data_dir),
        ]
        environment = {**os.environ, **self.environment}
        self._process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)

    def start(self) -> None:
        self.begin()
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        ends_at = monotonic() + PATIENCE
        while monotonic() < ends_at:
            if self.has_ended:
                sys.exit("The server ended before it was ready.")
            try:
                httpx.get(f"{self.url}/api/health", timeout=PATIENCE)
            except httpx.TransportError:
                sleep(0.02)
            else:
                return
        sys.exit("The server was not ready in time.")

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, sign: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(sign)
        if self._process is not None:
            self._process.wait(PATIENCE)
        self._process = None

    def wait_until_drained(self) -> None:
        """Until nothing waits in the outbox."""
        ends_at = monotonic() + PATIENCE
        while list(self.data_dir.glob("outbox/*/*.entry")):
            if monotonic() > ends_at:
                sys.exit("The outbox was not emptied in time.")
            sleep(0.1)
