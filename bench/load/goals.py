"""What a measure is held against, and how the outcome is shown: goal beside measure, as a table and as JSON."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench.trust.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Goal:
    what: str
    goal: str
    """Empty for what is only told."""
    measured: str
    reached: bool = True
    needs_speed: bool = False
    """Whether a slow or busy machine alone may miss it."""


def progress_bar() -> Progress:
    """On the error output, so that the table alone can be piped on."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def outcome_of(figure: int, what: str, goals: Sequence[Goal], seconds: float, details: Mapping[str, Any]) -> Outcome:
    wanted = [goal for goal in goals if goal.goal]
    return Outcome(
        figure=figure,
        what=what,
        goal="; ".join(f"{goal.what} {goal.goal}" for goal in wanted),
        measured="; ".join(f"{goal.what} {goal.measured}" for goal in wanted),
        reached=all(goal.reached for goal in wanted),
        seconds=round(seconds, 1),
        details={"goals": [asdict(goal) for goal in goals], **details},
    )


def told(outcome: Outcome, goals: Sequence[Goal], json: Path | None) -> None:
    """Shows the outcome, and ends with exit code 1 where a goal is missed that no machine is too slow for."""
    table = Table("what", "goal", "measured", "", title=f"Figure {outcome.figure}: {outcome.what}")
    for goal in goals:
        verdict = "" if not goal.goal else "reached" if goal.reached else "missed"
        table.add_row(goal.what, goal.goal, goal.measured, verdict)
    Console(width=None if sys.stdout.isatty() else 150).print(table)
    if json:
        outcome.write(json)
    if any(not goal.reached and not goal.needs_speed for goal in goals):
        sys.exit(1)


def percentile(values: Sequence[float], percent: float) -> float:
    """Not a number where there are no values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else float("nan")


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"
