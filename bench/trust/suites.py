"""`python -m bench.trust.suites faults|browser`: figures that are a set of tests, each of which must pass."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from xml.etree import ElementTree

from bench.trust.outcome import Outcome

_ROOT = Path(__file__).resolve().parents[2]
_BROWSER = _ROOT / "web" / "e2e"

Counts = dict[str, int]
"""How many tests passed, failed, and were skipped."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=_SUITES)
    parser.add_argument("--full", action="store_true", help="nothing more: all of them are run anyway")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figure, what, run = _SUITES[options.suite]
    started = monotonic()
    with tempfile.TemporaryDirectory(prefix="citebook-suite-") as folder:
        counts = run(Path(folder))
    outcome = Outcome(
        figure=figure,
        what=what,
        goal="all tests pass",
        measured=", ".join(f"{number} {name}" for name, number in counts.items()),
        reached=counts["passed"] > 0 and counts["failed"] == 0,
        seconds=round(monotonic() - started, 1),
        details=counts,
    )
    sys.stdout.write(f"{outcome.what}: {outcome.measured}\n")
    if options.json:
        outcome.write(options.json)
    sys.exit(outcome.exit_code)


def _faults(folder: Path) -> Counts:
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "tests/faults", f"--junitxml={report}"]
    subprocess.run(command, cwd=_ROOT, check=False)
    if not report.exists():
        return {"passed": 0, "failed": 1, "skipped": 0}
    return counts_of_pytest(report.read_text(encoding="utf-8"))


def counts_of_pytest(xml: str) -> Counts:
    suite = ElementTree.fromstring(xml).find("testsuite")
    assert suite is not None
    failed = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
    skipped = int(suite.attrib["skipped"])
    return {"passed": int(suite.attrib["tests"]) - failed - skipped, "failed": failed, "skipped": skipped}


def _browser(folder: Path) -> Counts:
    """What hostile answers do in a real browser."""
    report = folder / "report.json"
    environment = {**os.environ, "PLAYWRIGHT_JSON_OUTPUT_NAME": str(report)}
    command = ["npm", "test", "--silent", "--", "hostile", "--reporter=json"]
    subprocess.run(command, cwd=_BROWSER, env=environment, stdout=subprocess.DEVNULL, check=False)
    if not report.exists():
        return {"passed": 0, "failed": 1, "skipped": 0}
    return counts_of_playwright(report.read_text(encoding="utf-8"))


def counts_of_playwright(text: str) -> Counts:
    stats = json.loads(text)["stats"]
    return {"passed": stats["expected"], "failed": stats["unexpected"] + stats["flaky"], "skipped": stats["skipped"]}


_SUITES: dict[str, tuple[int, str, Callable[[Path], Counts]]] = {
    "faults": (3, "the fault table, a test a cell", _faults),
    "browser": (9, "output safety in a real browser", _browser),
}


if __name__ == "__main__":
    main()
