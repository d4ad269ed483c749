"""`python -m bench.trust.schema`: made-up requests to every operation of our own OpenAPI document (figure 7)."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, perf_counter

from tests.contracts.generated_cases import OPERATIONS, Caller, calling, check
from tests.contracts.service import RULES
from tests.fakes import WORKERS, WordEmbedder
from tests.small_book import write_book

from bench.trust.reporting import Report
from citebook.adapters.qdrant.embedded import EmbeddedQdrant
from citebook.ingestion.indexing import Ingest

FULL_CASES = 20_000
Result = tuple[str, int, float, str]
"""An operation, how many requests it got, for how many seconds, and what was wrong."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=500, help="in all")
    parser.add_argument("--full", action="store_true", help=f"{FULL_CASES} cases")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    started = monotonic()
    with tempfile.TemporaryDirectory(prefix="citebook-schema-") as folder:
        results = measure(Path(folder), FULL_CASES if options.full else options.cases)
    rows = [
        (label, cases, f"{seconds:.1f}", "broken" if wrong else "held") for label, cases, seconds, wrong in results
    ]
    rows.append(("all", sum(result[1] for result in results), f"{sum(result[2] for result in results):.1f}", ""))
    failures = [f"{label}: {wrong}" for label, _, _, wrong in results if wrong]
    measured = f"{sum(result[1] for result in results)} requests to {len(results)} operations"
    Report(7, ("operation", "requests", "seconds", ""), rows, measured, failures, started).tell(options.json)


def measure(folder: Path, cases: int) -> list[Result]:
    ingest = Ingest(EmbeddedQdrant(folder / "index", WORKERS), WordEmbedder(), RULES, "/docs", folder / "uploads")
    asyncio.run(ingest.run(write_book(folder / "book"), progress=lambda _report: None))
    taking = [label for label, operation in OPERATIONS.items() if operation.body or list(operation.iter_parameters())]
    share = -(-cases // len(taking))
    with calling(folder) as caller:
        return list(_results(caller, share))


def _results(caller: Caller, share: int) -> Iterator[Result]:
    for label in OPERATIONS:
        before, wrong, count = perf_counter(), "", 0
        try:
            count = check(label, caller, share)
        except (Exception, BaseExceptionGroup) as error:  # of any kind: each is a request that broke something
            wrong = f"{type(error).__name__}: {error}"[:2000]
        seconds = perf_counter() - before
        print(f"{label}: {count} in {seconds:.0f} s", file=sys.stderr, flush=True)
        yield label, count, seconds, wrong


if __name__ == "__main__":
    main()
