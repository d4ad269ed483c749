"""How a figure of trust is told: a table, a file, and an exit code that says whether it was reached."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from rich.console import Console
from rich.table import Table

from bench.trust.figures import outcome_of

_WIDTH = 140


@dataclass(frozen=True, slots=True)
class Report:
    """What the measure of one figure found, row by row."""

    figure: int
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    measured: str
    failures: Sequence[str]
    started: float = field(default_factory=monotonic)

    def tell(self, file: Path | None) -> None:
        """Prints the table and what failed, writes both where asked, and exits with 1 where something failed."""
        console = Console()
        if not console.is_terminal:
            console.width = _WIDTH  # a file need not be as narrow as a terminal that nobody has
        table = Table(*self.columns, title=self.measured, title_justify="left")
        for row in self.rows:
            table.add_row(*map(str, row))
        console.print(table)
        for failure in self.failures[:20]:
            console.print(f"FAILED {failure}", style="red", markup=False)
        console.print(f"{len(self.failures)} failures", style="red" if self.failures else "green")
        if file is not None:
            self._write(file)
        sys.exit(1 if self.failures else 0)

    def _write(self, file: Path) -> None:
        rows = [dict(zip(self.columns, map(str, row), strict=True)) for row in self.rows]
        measured = f"{self.measured}: {len(self.failures)} failures"
        details = {"rows": rows, "failures": list(self.failures)}
        reached = not self.failures
        outcome_of(self.figure, measured, reached=reached, started=self.started, details=details).write(file)
