"""Runs `citebook` as a reader of its output would: in this process where that is enough, else in one of its own."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from citebook.cli import app as command_line

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 300.0
"""Seconds after which another process counts as hung, on a machine with much else to do."""


@dataclass(frozen=True, slots=True)
class Finished:
    exit_code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def citebook(*arguments: str | Path) -> Finished:
    """One command, in this process."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with patch.object(sys, "argv", ["citebook", *map(str, arguments)]), redirect_stdout(out), redirect_stderr(err):
        try:
            command_line.main()
        except SystemExit as end:
            code = int(end.code or 0)
    return Finished(code, out.getvalue(), err.getvalue())


def process(*arguments: str | Path, module: str = "citebook", **environment: str) -> Finished:
    """One command, in a process of its own."""
    with started(*arguments, module=module, environment=environment) as running:
        out, err = running.communicate(timeout=PATIENCE)
    return Finished(running.returncode, out, err)


@contextmanager
def started(
    *arguments: str | Path, module: str = "citebook", environment: Mapping[str, str] | None = None
) -> Iterator["subprocess.Popen[str]"]:
    """A process that is still at work; it is killed at the end if it has not ended by itself."""
    running = subprocess.Popen(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with running:
        try:
            yield running
        finally:
            if running.poll() is None:
                running.kill()
