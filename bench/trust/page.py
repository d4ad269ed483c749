"""The table of figures in docs/trust.md, made of what their commands wrote."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.trust.figures import FIGURES, Figure
from bench.trust.outcome import Outcome

BEGIN, END = "<!-- figures: written by python -m bench.trust --run -->", "<!-- end of figures -->"
_NEW_PAGE = f"# What Citebook survives\n\n## Figures\n\n{BEGIN}\n{END}\n"


@dataclass(frozen=True, slots=True)
class Measured:
    """An outcome, and where it was measured."""

    outcome: Outcome
    is_full: bool
    date: str
    commit: str
    cores: int
    memory_gigabytes: int

    @classmethod
    def here(cls, outcome: Outcome, root: Path, *, is_full: bool) -> "Measured":
        today = datetime.now(UTC).date().isoformat()
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**30
        return cls(outcome, is_full, today, commit_of(root), os.cpu_count() or 1, memory)

    @classmethod
    def read(cls, file: Path) -> "Measured":
        values = json.loads(file.read_text(encoding="utf-8"))
        return cls(**{**values, "outcome": Outcome(**values["outcome"])})

    def write(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def commit_of(root: Path) -> str:
    """With a plus where files differ from it."""
    git = ["git", "-C", str(root)]
    commit = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    changed = subprocess.run([*git, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=False)
    return (commit.stdout.strip() or "?") + ("+" if changed.stdout.strip() else "")


def file_of(folder: Path, number: int) -> Path:
    return folder / f"figure-{number:02}.json"


def write_table(page: Path, measured: Mapping[int, Measured]) -> None:
    """Leaves alone what stands around the table."""
    text = page.read_text(encoding="utf-8") if page.exists() else _NEW_PAGE
    if BEGIN not in text or END not in text:
        text = f"{text.rstrip()}\n\n## Figures\n\n{BEGIN}\n{END}\n"
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n\n{table_of(measured)}\n\n{END}{after}", encoding="utf-8")


def table_of(measured: Mapping[int, Measured]) -> str:
    rows = [
        "| | what | goal | measured | reached | run | command |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(_row(figure, measured.get(figure.number)) for figure in FIGURES),
    ]
    return "\n".join(rows)


def _row(figure: Figure, measured: Measured | None) -> str:
    told, reached, run = "not measured", "–", "–"
    if measured is not None:
        outcome = measured.outcome
        length = "full" if measured.is_full else "short"
        told, reached = outcome.measured, "**no**"
        if outcome.reached:  # what a short run reaches is not yet the goal
            reached = "yes" if measured.is_full else "in a short run"
        machine = f"{measured.cores} cores, {measured.memory_gigabytes} GB"
        run = f"{length}: {outcome.what}; {outcome.seconds:.0f} s; {measured.date}, `{measured.commit}`, {machine}"
    cells = (str(figure.number), figure.what, figure.goal, told, reached, run, f"`{figure.shown_command}`")
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
