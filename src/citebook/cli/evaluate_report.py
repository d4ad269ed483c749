"""`citebook eval report`: joins results of several measurements into one page."""

from pathlib import Path
from typing import Annotated

import typer

from citebook.cli.evaluate_run import check_target, end_if_worse
from citebook.cli.evaluate_tables import print_comparison
from citebook.evals.comparison import Comparison, compare
from citebook.evals.result_files import Run, read_run
from citebook.evals.run_pages import page_of
from citebook.whole_files import write_whole


def report(
    results: Annotated[list[Path], typer.Argument(help="Files that --json of `eval` commands wrote.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Page to write.")] = Path("report.html"),
    old: Annotated[
        list[Path] | None, typer.Option("--compare", help="Earlier results to hold them against; repeatable.")
    ] = None,
    fail_on_flip: Annotated[
        bool, typer.Option("--fail-on-flip", help="Exit code 8 if any question that was right is wrong now.")
    ] = False,
) -> None:
    """Join results into one self-contained HTML page with tables and plots."""
    check_target("--out", out)
    runs = [read_run(path) for path in results]
    comparisons = _comparisons(runs, [read_run(path) for path in old or ()])
    write_whole(out, page_of(runs, comparisons))
    for comparison in comparisons:
        print_comparison(comparison)
    typer.echo(f"Wrote {out}.")
    end_if_worse(comparisons, fail_on_flip=fail_on_flip)


def _comparisons(runs: list[Run], olds: list[Run]) -> list[Comparison]:
    """Each run against the earlier one of its name and kind."""
    earlier = {(old.name, old.measured): old for old in olds}
    keys = {(run.name, run.measured) for run in runs}
    for name, measured in earlier.keys() - keys:
        typer.echo(f"warning: --compare: there is nothing to hold {measured} of {name} against", err=True)
    return [compare(earlier[key], run) for run in runs if (key := (run.name, run.measured)) in earlier]
