"""The fourteen figures to reach, and the command that measures each."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from bench.trust.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Figure:
    number: int
    what: str
    goal: str
    module: str
    arguments: tuple[str, ...] = ()

    def command(self, *, full: bool = False) -> list[str]:
        """What is run after `python`."""
        return ["-m", self.module, *self.arguments, *(("--full",) if full else ())]

    @property
    def shown_command(self) -> str:
        return " ".join(["python", *self.command()])


FIGURES = (
    Figure(
        1,
        "SIGKILL at random points under load",
        "1,000 kills: 0 acknowledged messages lost, doubled or wrongly complete",
        "bench.trust.kills",
    ),
    Figure(
        2,
        "kill PostgreSQL, Redis, the vector store",
        "60 each: back ≤ 10 s without a restart",
        "bench.trust.outages",
    ),
    Figure(
        3,
        "the fault table",
        "every cell automated; no hang past the deadline + 1 s",
        "bench.trust.suites",
        ("faults",),
    ),
    Figure(4, "disconnects", "500: the model's call closed ≤ 1 s in all", "bench.load.leaving"),
    Figure(5, "canaries of other readers, 30 % cancelled", "5,000: 0 foreign", "bench.trust.canaries"),
    Figure(6, "access matrix", "every operation × 5 wrong callers: 0 leaks", "bench.trust.access"),
    Figure(
        7,
        "cases made from our own OpenAPI document",
        "20,000: 0 server errors, 0 schema breaks",
        "bench.trust.schema",
    ),
    Figure(
        8,
        "fuzzing of front matter, MDX, PDF, SSE, citations",
        "10 min each: 0 uncaught, none > 1 s",
        "tests.fuzz.atheris_targets",
    ),
    Figure(
        9,
        "output safety in a real browser",
        "600 payloads × every split: 0 scripts, 0 requests, 0 foreign links",
        "bench.trust.suites",
        ("browser",),
    ),
    Figure(
        10,
        "injection, with a model that fully obeys the attacker",
        "250: 0 secrets, 0 citations outside what was retrieved",
        "bench.trust.injection",
    ),
    Figure(
        11,
        "steady load, paced language model",
        "100 streams × 10 min: 0 errors, first words p95 ≤ 400 ms, ≤ 15 ms of server CPU an answer",
        "bench.load.steady",
    ),
    Figure(
        12,
        "overload",
        "300 streams held; beyond the cap 429/503 with Retry-After; health still answers",
        "bench.load.overload",
    ),
    Figure(
        13,
        "leaks",
        "after 10,000 streams: resident memory ≤ +20 MB, no file or task left",
        "bench.load.leaks",
    ),
    Figure(14, "ingest killed", "200 times: readers see the old or the new edition only", "bench.trust.ingest_kills"),
)


def outcome_of(
    number: int, measured: str, *, reached: bool, started: float, details: Mapping[str, Any] | None = None
) -> Outcome:
    """Of a figure that was measured from a moment on, by the monotonic clock."""
    figure = next(figure for figure in FIGURES if figure.number == number)
    seconds = round(monotonic() - started, 1)
    return Outcome(number, figure.what, figure.goal, measured, reached, seconds, details or {})
