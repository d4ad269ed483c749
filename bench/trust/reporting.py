"""How a figure of trust is told: a table, a file, and an exit code that says whether it was reached."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

_WIDTH = 140


def tell(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], failures: Sequence[str], file: Path | None
) -> None:
    """Prints the table and what failed, writes both where asked, and exits with 1 where something failed."""
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*map(str, row))
    console = Console()
    if not console.is_terminal:
        console.width = _WIDTH  # a file need not be as narrow as a terminal that nobody has
    console.print(table)
    for failure in failures[:20]:
        console.print(f"FAILED {failure}", style="red", markup=False)
    console.print(f"{len(failures)} failures", style="red" if failures else "green")
    if file is not None:
        whole: Mapping[str, Any] = {
            "title": title,
            "rows": [dict(zip(columns, row, strict=True)) for row in rows],
            "failures": list(failures),
        }
        file.write_text(json.dumps(whole, indent=2, default=str), encoding="utf-8")
    sys.exit(1 if failures else 0)
