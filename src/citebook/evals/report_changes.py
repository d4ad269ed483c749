"""What changed between two measurements, as HTML."""

from collections.abc import Sequence
from html import escape

from citebook.evals.comparison import Change, Comparison, Flip
from citebook.evals.report_plots import Table, table_of
from citebook.evals.report_sections import cut

_FLIPS_SHOWN = 100


def changes_section(comparisons: Sequence[Comparison]) -> str:
    if not comparisons:
        return ""
    return f'<section id="changes"><h2>What changed</h2>{"".join(map(_comparison, comparisons))}</section>'


def _comparison(comparison: Comparison) -> str:
    label = f"{comparison.name}, {comparison.measured}"
    differ = (
        f"<p>The question sets differ: {comparison.only_old:,} questions are only in the old results, "
        f"{comparison.only_new:,} only in the new ones.</p>"
        if comparison.only_old or comparison.only_new
        else ""
    )
    return (
        f"<h3>{escape(label)}: {comparison.compared:,} same questions</h3>{differ}"
        + _changes_table("figure", comparison.changes, f"Changes of {label}")
        + _by_kind(comparison.by_kind, label)
        + "".join(
            _flips(f"{len(flips):,} {title[0].lower()}{title[1:]}", flips)
            for title, flips in zip(comparison.titles_of_flips, (comparison.broken, comparison.mended), strict=True)
        )
    )


def _changes_table(first: str, changes: Sequence[Change], label: str) -> str:
    rows = [
        [
            change.name,
            f"{change.old:.3f}",
            f"{change.new:.3f}",
            f"{change.new - change.old:+.3f}",
            "" if change.better is None else str(change.better),
            "" if change.worse is None else str(change.worse),
            "" if change.p is None else f"{change.p:.3f}" + (" worse" if change.is_significantly_worse else ""),
        ]
        for change in changes
    ]
    return table_of(Table([first, "then", "now", "difference", "better", "worse", "p (McNemar)"], rows), label)


def _by_kind(changes: Sequence[Change], label: str) -> str:
    if not changes:
        return ""
    return f"<h4>Rank of the grade, by kind</h4>{_changes_table('kind', changes, f'Changes of {label} by kind')}"


def _flips(title: str, flips: Sequence[Flip]) -> str:
    if not flips:
        return f"<p>{escape(title)}.</p>"
    rows = [[cut(flip.question), flip.was, flip.now, flip.id] for flip in flips[:_FLIPS_SHOWN]]
    table = table_of(Table(["question", "then", "now", "id"], rows), title)
    words = table.replace("<table>", '<table class="words">')
    return f"<details open><summary>{escape(title)}</summary>{words}</details>"
