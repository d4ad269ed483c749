"""`python -m tests.fuzz.atheris_targets [KIND ...] --seconds 600`: fuzzing by coverage, one process a kind.

An error that is no refusal, and an input of at most 100 kB that takes more than a second, are kept in --findings.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import traceback
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from time import monotonic, process_time
from typing import Any

from rich.console import Console
from rich.table import Table

KINDS = ("front-matter", "mdx", "pdf", "sse", "citations")
FULL_SECONDS = 600
MOST_SECONDS = 1.0
_INSTRUMENTED = ["citebook", "yaml", "pypdf", "markdown_it", "mdit_py_plugins"]
_BETWEEN_REPORTS = 1.0


@dataclass(slots=True)
class Summary:
    kind: str
    executions: int = 0
    seconds: float = 0.0
    slowest_seconds: float = 0.0
    """Of processor time; measured again without the fuzzer's instruments where it was over the limit."""
    slowest_bytes: int = 0
    slow: list[str] = field(default_factory=list)
    """Files of inputs that took too long."""
    uncaught: dict[str, str] = field(default_factory=dict)
    """What was raised, and the file of an input that does it."""

    @property
    def per_second(self) -> float:
        return self.executions / self.seconds if self.seconds else 0.0

    @property
    def is_clean(self) -> bool:
        return self.executions > 0 and not self.uncaught and not self.slow


class Watched:
    """A subject whose errors and times are noted; the fuzzer goes on."""

    def __init__(self, kind: str, findings: Path, report: Path) -> None:
        from tests.fuzz.subjects import SUBJECTS, unfolded

        self._subject, self._unfolded = SUBJECTS[kind], unfolded
        self._summary, self._findings, self._report = Summary(kind), findings, report
        self._began = self._reported = monotonic()

    def __call__(self, folded: bytes) -> None:
        data, started = self._unfolded(folded), process_time()
        try:
            self._subject(data)
        except Exception as error:
            self._note_error(error, data)
        self._note_time(process_time() - started, data)
        self._summary.executions += 1
        if monotonic() - self._reported > _BETWEEN_REPORTS:
            self._tell()

    def _note_error(self, error: Exception, data: bytes) -> None:
        place = traceback.extract_tb(error.__traceback__)[-1]
        name = f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}"
        if name not in self._summary.uncaught:
            self._summary.uncaught[name] = self._kept(data)
            self._tell()

    def _note_time(self, seconds: float, data: bytes) -> None:
        if seconds <= self._summary.slowest_seconds:
            return
        self._summary.slowest_seconds, self._summary.slowest_bytes = seconds, len(data)
        if seconds > MOST_SECONDS:
            self._summary.slow.append(self._kept(data))

    def _kept(self, data: bytes) -> str:
        file = self._findings / f"{self._summary.kind}-{sha256(data).hexdigest()[:12]}"
        file.write_bytes(data)
        return str(file)

    def _tell(self) -> None:
        self._reported = monotonic()
        self._summary.seconds = self._reported - self._began
        self._report.write_text(json.dumps(asdict(self._summary)))


def fuzz_here(kind: str, seconds: int, findings: Path, report: Path, corpus: Path) -> None:
    """Never returns: the fuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=_INSTRUMENTED, enable_loader_override=False):
        watched = Watched(kind, findings, report)
    from tests.fuzz.subjects import LARGEST, SEEDS

    for number, seed in enumerate(SEEDS[kind]):
        (corpus / f"seed-{number}").write_bytes(seed)
        (corpus / f"long-seed-{number}").write_bytes(b"\x1d\x08" + seed)
    limits = [f"-max_total_time={seconds}", f"-max_len={LARGEST}", "-timeout=120", "-rss_limit_mb=4096"]
    atheris.Setup([sys.argv[0], *limits, "-verbosity=0", str(corpus)], watched)
    atheris.Fuzz()


def fuzz(kind: str, seconds: int, findings: Path) -> Summary:
    with tempfile.TemporaryDirectory(prefix="citebook-fuzz-") as folder:
        report, corpus = Path(folder) / "report.json", Path(folder) / "corpus"
        corpus.mkdir()
        places = [str(findings), str(report), str(corpus)]
        command = [sys.executable, "-m", __spec__.name, kind, "--seconds", str(seconds), "--child", *places]
        log = Path(folder) / "log"
        with log.open("w") as output:
            code = subprocess.run(command, stdout=output, stderr=output, check=False).returncode
        summary = Summary(**json.loads(report.read_text())) if report.exists() else Summary(kind)
        if code != 0:
            said = log.read_text(errors="replace")[-300:].strip()
            summary.uncaught[f"the process ended with code {code}: {said}"] = ""
    return _timed_again(summary)


def _timed_again(summary: Summary) -> Summary:
    """The fuzzer's instruments make all slower: what was too slow with them may not be without."""
    if summary.slow:
        times = {file: _seconds_of(summary.kind, Path(file)) for file in summary.slow}
        summary.slow = [file for file, seconds in times.items() if seconds > MOST_SECONDS]
        summary.slowest_seconds = max(times.values())
    return summary


def _seconds_of(kind: str, file: Path) -> float:
    from tests.fuzz.subjects import SUBJECTS

    data, started = file.read_bytes(), process_time()
    try:
        SUBJECTS[kind](data)
    except Exception as error:
        Console(stderr=True).print(f"{file}: {type(error).__name__}")
    return process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; all if none is named")
    parser.add_argument("--seconds", type=int, default=30, help="of each kind")
    parser.add_argument("--full", action="store_true", help=f"{FULL_SECONDS} seconds of each kind")
    parser.add_argument("--findings", type=Path, default=Path(".citebook-fuzz"), help="folder of what was found")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", nargs=3, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.kinds) - set(KINDS):
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
    if options.child:
        fuzz_here(options.kinds[0], options.seconds, *options.child)
    options.findings.mkdir(parents=True, exist_ok=True)
    seconds, started = FULL_SECONDS if options.full else options.seconds, monotonic()
    summaries: list[Summary] = []
    for kind in options.kinds or KINDS:
        summaries.append(fuzz(kind, seconds, options.findings.resolve()))
        Console(stderr=True).print(
            f"{kind}: {summaries[-1].executions:,} inputs, {len(summaries[-1].uncaught)} uncaught"
        )
    _print(summaries)
    if options.json:
        _write(options.json, summaries, seconds, monotonic() - started)
    sys.exit(not all(summary.is_clean for summary in summaries))


def _print(summaries: list[Summary]) -> None:
    table = Table("kind", "seconds", "inputs", "executions/s", "slowest input", "over 1 s", "uncaught")
    for one in summaries:
        slowest = f"{one.slowest_seconds * 1e3:.0f} ms ({one.slowest_bytes:,} bytes)"
        cells = (f"{one.seconds:.0f}", f"{one.executions:,}", f"{one.per_second:.0f}", slowest, str(len(one.slow)))
        table.add_row(one.kind, *cells, "\n".join(one.uncaught) or "0")
    Console(width=None if sys.stdout.isatty() else 150).print(table)


def _write(file: Path, summaries: list[Summary], seconds: int, took: float) -> None:
    """In the form of the figures of bench.trust."""
    uncaught, slow = sum(len(one.uncaught) for one in summaries), sum(len(one.slow) for one in summaries)
    inputs, slowest = sum(one.executions for one in summaries), max(one.slowest_seconds for one in summaries)
    outcome: dict[str, Any] = {
        "figure": 8,
        "what": f"fuzzing by coverage, {len(summaries)} kinds for {seconds} s each",
        "goal": "0 uncaught, none > 1 s",
        "measured": f"{uncaught} uncaught, {slow} > 1 s of {inputs:,} inputs; the slowest took {slowest:.2f} s",
        "reached": all(one.is_clean for one in summaries),
        "seconds": round(took, 1),
        "details": {"kinds": [asdict(one) for one in summaries]},
    }
    file.write_text(json.dumps(outcome, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
