"""Figures of a measurement as tables on a terminal."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from citebook.evals.comparison import Change, Comparison, Flip
from citebook.evals.grades import Grade
from citebook.evals.report_targets import judge_figure, target_in_words
from citebook.evals.retrieval_run import METRICS

_GROUP_HEADINGS = {
    "answer_contains_gold": "gold words",
    "citation_precision": "cite precision",
    "citation_recall": "cite recall",
    "refused_unanswerable": "refused",
    "false_refusals": "falsely",
    "ece": "ece",
}
_FLIPS_SHOWN = 20
_WIDTH_IN_A_PIPE = 110
_LARGE = 10
"""Shares and ranks are below it, milliseconds hardly ever."""


def print_retrieval(summary: Mapping[str, Any]) -> None:
    table = Table(title=f"Retrieval, {summary['questions']:,} questions (mean ± standard error)")
    table.add_column("method")
    for name in METRICS:
        table.add_column(name, justify="right")
    for method, measured in summary["by_method"].items():
        cells = [f"{measured[n]['mean']:.3f} ± {measured[n]['standard_error']:.3f}" for n in METRICS]
        table.add_row(method, *cells)
    _console().print(table)
    _print_groups(summary["groups"], {name: name for name in METRICS})


def print_answers(summary: Mapping[str, Any]) -> None:
    table = Table(title=f"Answers, {summary['questions']:,} questions, {summary['answerable']:,} of them answerable")
    table.add_column("figure")
    for heading in ("value", "95 % interval", "target", ""):
        table.add_column(heading, justify="right")
    for name, value in summary["metrics"].items():
        interval = summary["intervals"].get(name)
        table.add_row(
            name, _number(value), _interval(interval), target_in_words(name), _mark(judge_figure(name, value))
        )
    for name, band in summary["bands"].items():
        share = f"{_number(band['share_right'])} of {band['count']:,}"
        verdict = judge_figure(f"right_{name}", band["share_right"])
        figure = f"right_{name}"
        table.add_row(figure, share, _interval(band["interval"]), target_in_words(figure), _mark(verdict))
    for name, times in summary["latency_ms"].items():
        table.add_row(f"{name}, p50 / p95 ms", f"{_milliseconds(times['p50'])} / {_milliseconds(times['p95'])}")
    if summary["tokens"]["input"]:
        tokens = summary["tokens"]
        table.add_row(
            "tokens a question, in / out", f"{tokens['input_per_question']} / {tokens['output_per_question']}"
        )
    _console().print(table)
    if not summary["calibrated"]:
        _console().print("Confidence is not calibrated for this book and model: see citebook calibrate.")
    _print_groups(summary["groups"], _GROUP_HEADINGS)


def print_graded(summary: Mapping[str, Any]) -> None:
    figures = Table(title=f"Graded answers, {summary['graded']:,} of {summary['questions']:,}")
    figures.add_column("figure")
    for heading in ("value", "95 % interval"):
        figures.add_column(heading, justify="right")
    for name, value in summary["metrics"].items():
        figures.add_row(name, _number(value), _interval(summary["intervals"][name]))
    if summary["graded"]:
        _console().print(figures)
        _print_grades("confidence", {**summary["by_level"], "all": summary["all"]})
        _print_grades("kind", {**summary["by_kind"], "all": summary["all"]})


def _print_grades(first: str, groups: Mapping[str, Any]) -> None:
    table = Table(title=f"By {first}")
    table.add_column(first)
    for heading in ("graded", *Grade, "good", "A", "95 % interval of good"):
        table.add_column(str(heading), justify="right")
    for name, own in groups.items():
        counts = [f"{count:,}" for count in own["grades"].values()]
        shares = [_number(own["share_good"]), _number(own["share_excellent"]), _interval(own["interval"])]
        table.add_row(Text(name), f"{own['graded']:,} of {own['questions']:,}", *counts, *shares)
    _console().print(table)


def _print_groups(groups: Mapping[str, Any], headings: Mapping[str, str]) -> None:
    """`headings` gives each figure's name the heading of its column."""
    if not groups:
        return
    table = Table(title="By label")
    table.add_column("label")
    for heading in ("questions", *headings.values()):
        table.add_column(heading, justify="right")
    for label, by_value in groups.items():
        for value, own in by_value.items():
            cells = [_number(own["metrics"].get(name)) for name in headings]
            table.add_row(Text(f"{label} = {value}"), f"{own['questions']:,}", *cells)
    _console().print(table)


def print_comparison(comparison: Comparison) -> None:
    console = _console()
    title = f"{comparison.measured.capitalize()} then and now, {comparison.compared:,} same questions"
    console.print(_changes_table(title, "figure", comparison.changes))
    if comparison.by_kind:
        console.print(_changes_table("Rank of the grade (D 0 to A 3), by kind", "kind", comparison.by_kind))
    if comparison.only_old or comparison.only_new:
        console.print(
            f"The question sets differ: {comparison.only_old:,} are only in the old results, "
            f"{comparison.only_new:,} only in the new ones."
        )
    for title, flips in zip(comparison.titles_of_flips, (comparison.broken, comparison.mended), strict=True):
        _print_flips(f"{title}: {len(flips):,}", flips)


def _changes_table(title: str, first: str, changes: Sequence[Change]) -> Table:
    table = Table(title=title)
    table.add_column(first)
    for heading in ("then", "now", "difference", "better", "worse", "p", ""):
        table.add_column(heading, justify="right")
    for change in changes:
        tested = change.p is not None
        counts = [f"{change.better}", f"{change.worse}", f"{change.p:.3f}"] if tested else ["", "", ""]
        note = "worse" if change.is_significantly_worse else ""
        table.add_row(
            Text(change.name), _wide(change.old), _wide(change.new), _signed(change.new - change.old), *counts, note
        )
    return table


def _print_flips(title: str, flips: Sequence[Flip]) -> None:
    console = _console()
    if not flips:
        console.print(title)
        return
    table = Table(title=title)
    for heading in ("id", "question", "then", "now"):
        table.add_column(heading)
    for flip in flips[:_FLIPS_SHOWN]:
        table.add_row(*(Text(cell) for cell in (flip.id, flip.question, flip.was, flip.now)))
    console.print(table)
    if len(flips) > _FLIPS_SHOWN:
        console.print(f"… and {len(flips) - _FLIPS_SHOWN:,} more; --json has them all.")


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else _WIDTH_IN_A_PIPE, highlight=False)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _wide(value: float) -> str:
    return f"{value:.3f}" if abs(value) < _LARGE else f"{value:.1f}"


def _signed(value: float) -> str:
    return f"{value:+.3f}" if abs(value) < _LARGE else f"{value:+.1f}"


def _milliseconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"


def _interval(interval: Sequence[float] | None) -> str:
    return "" if interval is None else f"{interval[0]:.3f}–{interval[1]:.3f}"


def _mark(verdict: bool | None) -> str:
    return {True: "✓", False: "✗", None: ""}[verdict]
