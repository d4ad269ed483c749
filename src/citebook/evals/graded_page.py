"""Graded answers as one self-contained HTML page: figures, plots, and every question beside what was hoped for."""

from collections.abc import Sequence
from html import escape
from typing import Any

from citebook.evals import graded_figures
from citebook.evals.block_html import parts_html
from citebook.evals.comparison import Comparison
from citebook.evals.grades import Grade
from citebook.evals.html_page import asset, html_page, made_with
from citebook.evals.judging_run import JudgedAnswer, Source
from citebook.evals.report_changes import changes_section
from citebook.evals.report_plots import Axes, Bars, Table, bar_plot, table_of
from citebook.evals.report_sections import figures_table, number, reliability_plot, round_up
from citebook.evals.result_files import JudgedRun

_TITLE = "How good the answers are"
_UNGRADED = "none"


def graded_page(runs: Sequence[JudgedRun], comparisons: Sequence[Comparison] = ()) -> str:
    """Everything that comes from data is escaped; nothing is loaded, and only the filter runs."""
    answers = [answer for run in runs for answer in run.results]
    body = [
        f"<header><h1>{_TITLE}</h1><p>{escape(', '.join(run.name for run in runs))}</p>",
        made_with(runs, {answer.model for answer in answers}),
        "</header><main>",
        _figures(graded_figures.summarise(answers)),
        changes_section(comparisons),
        f'<section id="answers"><h2>Answers</h2>{_filters(answers)}{"".join(map(_article, answers))}</section>',
        "</main>",
    ]
    return html_page(_TITLE, "".join(body), style=asset("graded_page.css"), script=asset("graded_page.js"))


# --- figures


def _figures(summary: dict[str, Any]) -> str:
    if not summary["graded"]:
        return f"<p>None of the {summary['questions']:,} answers is graded yet.</p>"
    plots = [reliability_plot("judge", summary, "good"), _by_level_plot(summary), _by_kind_plot(summary)]
    return (
        f'<section id="figures"><h2>Figures</h2><p>{summary["graded"]:,} of {summary["questions"]:,} answers are '
        f'graded. Good is A, B and R+.</p><div class="plots">{"".join(plots)}</div>'
        f"{figures_table(summary, 'Figures')}"
        f"<h3>By confidence</h3>{_counts('confidence', summary['by_level'], summary['all'])}"
        f"<h3>By kind of question</h3>{_counts('kind', summary['by_kind'], summary['all'])}</section>"
    )


def _counts(first: str, groups: dict[str, Any], everything: dict[str, Any]) -> str:
    rows = [
        [
            name,
            f"{own['graded']:,} of {own['questions']:,}",
            *(f"{count:,}" for count in own["grades"].values()),
            number(own["share_good"]),
            number(own["share_excellent"]),
        ]
        for name, own in [*groups.items(), ("all", everything)]
    ]
    return table_of(Table([first, "graded", *Grade, "good", "A"], rows), f"Grades by {first}")


def _by_level_plot(summary: dict[str, Any]) -> str:
    levels = summary["by_level"]
    counts: dict[str, Sequence[float]] = {
        grade.value: [float(own["grades"][grade.value]) for own in levels.values()] for grade in Grade
    }
    rows = [[level, *(f"{count:,}" for count in own["grades"].values())] for level, own in levels.items()]
    most = round_up(max(max(own) for own in counts.values()))
    return bar_plot(
        "judge-levels",
        "Grades by confidence",
        "How many answers of each level of confidence got which grade. C and D at high are those that mislead.",
        Axes("confidence", "answers", y_most=most, percent=False),
        Bars(list(levels), counts),
        Table(["confidence", *Grade], rows),
    )


def _by_kind_plot(summary: dict[str, Any]) -> str:
    kinds = {kind: own for kind, own in summary["by_kind"].items() if own["graded"]}
    heights: dict[str, Sequence[float]] = {
        "good": [own["share_good"] for own in kinds.values()],
        "A": [own["share_excellent"] for own in kinds.values()],
    }
    rows = [
        [f"{position} {kind}", number(own["share_good"]), number(own["share_excellent"]), f"{own['graded']:,}"]
        for position, (kind, own) in enumerate(kinds.items(), start=1)
    ]
    return bar_plot(
        "judge-kinds",
        "Grades by kind of question",
        "The share of good answers and of excellent ones. The data below has the name of each kind.",
        Axes("kind", "share"),
        Bars([str(position) for position in range(1, len(kinds) + 1)], heights),
        Table(["kind", "good", "A", "answers"], rows),
    )


# --- answers


def _filters(answers: Sequence[JudgedAnswer]) -> str:
    kinds = sorted({answer.kind for answer in answers})
    levels = [level for level in graded_figures.LEVELS if any(answer.shown_level == level for answer in answers)]
    grades = [*(grade.value for grade in Grade if any(answer.grade is grade for answer in answers))]
    if any(answer.grade is None for answer in answers):
        grades.append(_UNGRADED)
    return (
        '<form class="filters" hidden>'
        f"{_select('kind', kinds)}{_select('grade', grades)}{_select('confidence', levels)}"
        '<output aria-live="polite"></output></form>'
    )


def _select(name: str, values: Sequence[str]) -> str:
    options = "".join(f"<option>{escape(value)}</option>" for value in values)
    select = f'<select name="{name}" autocomplete="off"><option value="">all</option>{options}</select>'
    return f"<label>{name}{select}</label>"


def _article(answer: JudgedAnswer) -> str:
    grade = answer.grade.value if answer.grade else _UNGRADED
    return (
        f'<article data-kind="{escape(answer.kind)}" data-grade="{grade}" data-confidence="{answer.shown_level}">'
        f"<header>{_badge(answer.grade)}<h3>{escape(answer.question)}</h3>"
        f'<p class="facts">{escape(_facts(answer))}</p></header>{_context(answer)}<div class="sides">'
        f"<div><h4>Answer</h4>{parts_html(answer.parts) or '<p>Nothing was said.</p>'}</div>"
        f"<div><h4>A good answer holds</h4><p>{escape(answer.expectation)}</p>{_gold(answer)}</div>"
        f"<div><h4>Sources</h4>{_sources(answer.sources)}</div></div>{_opinion(answer)}</article>"
    )


def _badge(grade: Grade | None) -> str:
    if grade is None:
        return '<span class="grade" title="not graded">–</span>'
    style = "good" if grade.is_good else "bad"
    return f'<span class="grade {style}" title="{grade.in_words}">{grade.value}</span>'


def _facts(answer: JudgedAnswer) -> str:
    if answer.error is not None:
        return f"{answer.id}, {answer.kind}: failed ({answer.error})"
    sure = f"confidence {answer.level} ({answer.confidence:.2f})"
    shown = answer.outcome.value if answer.shown_level != answer.level else sure
    asked = "" if answer.answerable else ", not in the book"
    return f"{answer.id}, {answer.kind}{asked}: {shown}"


def _context(answer: JudgedAnswer) -> str:
    before = "".join(f'<p class="before">Asked before: {escape(text)}</p>' for text in answer.history)
    selected = f'<p class="selected">Selected: “{escape(answer.selected)}”</p>' if answer.selected else ""
    return before + selected


def _gold(answer: JudgedAnswer) -> str:
    items = "".join(f"<li>{escape(place)}</li>" for place in answer.gold)
    return f"<h4>It stands in</h4><ul>{items}</ul>" if items else ""


def _sources(sources: Sequence[Source]) -> str:
    if not sources:
        return "<p>None.</p>"
    items = "".join(
        f"<li><b>[{source.position}]</b> {escape(source.place)}<br><q>{escape(source.excerpt)}</q></li>"
        for source in sources
    )
    return f'<ul class="sources">{items}</ul>'


def _opinion(answer: JudgedAnswer) -> str:
    if answer.grade is None:
        return ""
    by = f" ({answer.grader})" if answer.grader else ""
    note = f": {answer.note}" if answer.note else ""
    return f'<p class="opinion">{escape(f"{answer.grade.value}, {answer.grade.in_words}{note}{by}")}</p>'
