"""`citebook serve` with a paced language model behind it, each in a process of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

from bench.http import HOST, RunningServer, free_port, running
from bench.load import without_limits
from bench.load.paced_model import Knobs

_PATIENT = ("DEADLINE_SECONDS", "RETRIEVAL_SECONDS", "GENERATION_SECONDS", "STREAM_GAP_SECONDS", "STREAM_SECONDS")


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The paced model, as whoever measures sees it."""

    server: RunningServer

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.server.port}"

    def turn(self, knobs: Knobs) -> None:
        self._ask("/knobs", asdict(knobs))

    def forget(self) -> None:
        """All calls that have ended."""
        self._ask("/forget", {})

    def calls(self) -> Mapping[str, Any]:
        """How many are open, were opened, were closed by the client; how many tokens were written."""
        return self._ask("/calls")

    def each_call(self) -> Sequence[Mapping[str, Any]]:
        calls: list[dict[str, Any]] = self._ask("/calls?each")["calls"]
        return calls

    def _ask(self, path: str, body: Any = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.url + path, data), timeout=60) as reply:
            answer: dict[str, Any] = json.loads(reply.read())
        return answer


@contextmanager
def model_server(knobs: Knobs) -> Iterator[ModelServer]:
    port = free_port()
    with running(["-m", "bench.load.paced_model", str(port)], "/calls", port, {}) as server:
        model = ModelServer(server)
        model.turn(knobs)
        yield model


@contextmanager
def citebook_server(
    data_dir: Path, model: ModelServer | None, environment: Mapping[str, str], *, watched: bool = False
) -> Iterator[RunningServer]:
    """Without limits on questions; `watched` tells of its tasks and of the stalls of its event loop."""
    port = free_port()
    command = ["-m", "citebook", "serve", "--port", str(port), "--data-dir", str(data_dir)]
    if watched:
        command = ["-m", "bench.load.watched_server", str(port), str(data_dir)]
    written = {"LLM_PROVIDER": "llamacpp", "LLM_MODEL": "paced", "LLM_BASE_URL": f"{model.url}/v1"} if model else {}
    with running(command, "/health", port, {**without_limits(), **written, **environment}) as server:
        yield server


def patient(seconds: float) -> dict[str, str]:
    """The environment of a server in which no deadline ends an answer before its reader does."""
    return dict.fromkeys(_PATIENT, str(seconds))


def without_pace(knobs: Knobs) -> Knobs:
    return replace(knobs, first_token_seconds=0.0, tokens_per_second=0.0)


def api_key(data_dir: Path) -> str:
    """A new key of the academic contract."""
    command = [sys.executable, "-m", "citebook", "keys", "create", f"load-{uuid4()}", "--data-dir", str(data_dir)]
    made = subprocess.run(command, check=True, capture_output=True, text=True)
    return made.stdout.split()[-1]
