"""`python -m bench.trust.suites faults|browser`: figures that are a set of tests, each of which must pass."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from time import monotonic
from typing import Any
from xml.etree import ElementTree

from bench.trust.outcome import Outcome

_ROOT = Path(__file__).resolve().parents[2]
_BROWSER = _ROOT / "web" / "e2e"

Counts = dict[str, int]
"""How many tests passed, failed, and were skipped; and of what they counted themselves, how many."""

_COUNTED = ("payloads", "splits")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=_SUITES)
    parser.add_argument("--full", action="store_true", help="browser: all payloads at every split, not one in twenty")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figure, what, run = _SUITES[options.suite]
    started = monotonic()
    with tempfile.TemporaryDirectory(prefix="citebook-suite-") as folder:
        counts = run(Path(folder), options.full)
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


def _faults(folder: Path, _full: bool) -> Counts:
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


def _browser(folder: Path, full: bool) -> Counts:
    """What hostile answers do in a real browser."""
    report = folder / "report.json"
    environment = {**os.environ, "PLAYWRIGHT_JSON_OUTPUT_NAME": str(report)}
    if full:
        environment["BROWSERTEST_FULL"] = "1"
    command = ["npm", "test", "--silent", "--", "hostile", "--reporter=json"]
    subprocess.run(command, cwd=_BROWSER, env=environment, stdout=subprocess.DEVNULL, check=False)
    if not report.exists():
        return {"passed": 0, "failed": 1, "skipped": 0}
    return counts_of_playwright(report.read_text(encoding="utf-8"))


def counts_of_playwright(text: str) -> Counts:
    """With how many payloads were played, and at how many splits, as the tests that passed say themselves."""
    report = json.loads(text)
    stats, told = report["stats"], Counter[str]()
    for test in _tests_in(report["suites"]):
        if test["status"] == "expected":
            told.update({note["type"]: int(note["description"]) for note in test.get("annotations", ())})
    counts = {
        "passed": stats["expected"],
        "failed": stats["unexpected"] + stats["flaky"],
        "skipped": stats["skipped"],
    }
    return counts | {name: told[name] for name in _COUNTED if told[name]}


def _tests_in(suites: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for suite in suites:
        yield from _tests_in(suite.get("suites", ()))
        for spec in suite.get("specs", ()):
            yield from spec["tests"]


_SUITES: dict[str, tuple[int, str, Callable[[Path, bool], Counts]]] = {
    "faults": (3, "the fault table, a test a cell", _faults),
    "browser": (9, "output safety in a real browser", _browser),
}


if __name__ == "__main__":
    main()
