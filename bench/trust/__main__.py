"""`python -m bench.trust`: the figures to reach, each with its command; `--run` measures and writes docs/trust.md."""

import argparse
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

from rich.console import Console
from rich.table import Table

from bench.trust.figures import FIGURES, Figure
from bench.trust.outcome import Outcome, read_outcome
from bench.trust.page import Measured, file_of, write_table

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = _ROOT / "docs" / "trust.md"
_KEPT = _ROOT / "docs" / "figures" / "trust"
_console = Console(width=None if sys.stdout.isatty() else 160)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--run", type=int, nargs="*", metavar="N", help="the figures to measure; all if none is named"
    )
    parser.add_argument("--full", action="store_true", help="at the length of the goal; some take an hour")
    parser.add_argument("--page", type=Path, default=_PAGE, help="where the table is written")
    parser.add_argument("--kept", type=Path, default=_KEPT, help="folder of what was measured")
    options = parser.parse_args()
    if options.run is not None:
        wanted = [figure for figure in FIGURES if not options.run or figure.number in options.run]
        for figure in wanted:
            outcome = measure(figure, full=options.full)
            Measured.here(outcome, _ROOT, is_full=options.full).write(file_of(options.kept, figure.number))
    measured = _kept(options.kept)
    _print(measured)
    if options.run is not None:
        write_table(options.page, measured)
        sys.exit(any(not measured[figure.number].outcome.reached for figure in wanted))


def measure(figure: Figure, *, full: bool) -> Outcome:
    """A command that fails without a word is a failure too."""
    started = monotonic()
    _console.rule(f"{figure.number}. {figure.what}")
    with tempfile.TemporaryDirectory(prefix="citebook-trust-") as folder:
        written = Path(folder) / "outcome.json"
        command = [sys.executable, *figure.command(full=full), "--json", str(written)]
        code = subprocess.run(command, cwd=_ROOT, check=False).returncode
        if written.exists():
            return read_outcome(written)
    said = f"the command ended with code {code} and wrote nothing"
    if not _is_there(figure.module):
        said = "there is no such command yet"
    return Outcome(figure.number, figure.what, figure.goal, said, False, round(monotonic() - started, 1))


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _kept(folder: Path) -> dict[int, Measured]:
    files = {figure.number: file_of(folder, figure.number) for figure in FIGURES}
    return {number: Measured.read(file) for number, file in files.items() if file.exists()}


def _print(measured: dict[int, Measured]) -> None:
    table = Table("", "what", "goal", "last measured", "reached", "command", show_lines=True)
    for figure in FIGURES:
        last = measured.get(figure.number)
        told = f"{last.outcome.measured} ({last.date})" if last else "not measured"
        reached = "" if last is None else "yes" if last.outcome.reached else "no"
        table.add_row(str(figure.number), figure.what, figure.goal, told, reached, figure.shown_command)
    _console.print(table)


if __name__ == "__main__":
    main()
