"""Joins measurements of one or several books into one self-contained HTML page."""

from collections.abc import Sequence
from html import escape
from typing import Any

from citebook.evals import answer_figures, retrieval_run
from citebook.evals.answers_run import AnswerResult
from citebook.evals.comparison import Comparison
from citebook.evals.html_page import html_page, made_with
from citebook.evals.report_changes import changes_section
from citebook.evals.report_sections import (
    answer_plots,
    explained,
    figures_table,
    groups_table,
    mark,
    number,
    refusal_table,
    retrieval_plot,
    worst_table,
)
from citebook.evals.report_targets import judge_figure, target_in_words
from citebook.evals.result_files import AnswersRun, MeasuredRun, RetrievalRun
from citebook.evals.retrieval_run import CONFIGURED, METRICS, QuestionResult

_EVERYTHING = "All sets together"

_FIGURES = {
    "nDCG@10": "ndcg@10",
    "hybrid best": "hybrid_best",
    "holds gold words": "answer_contains_gold",
    "citation precision": "citation_precision",
    "citation recall": "citation_recall",
    "verbatim": "verbatim",
    "refused at 5 % falsely": "refused_at_5_false_refusals",
    "calibration error": "ece",
    "right above 0.85": "right_above_0.85",
    "right 0.70–0.85": "right_0.70_to_0.85",
    "p50 ms": "p50",
    "p95 ms": "p95",
}
_ANSWER_GROUP_FIGURES = (
    "answer_contains_gold",
    "first_sentence_contains_gold",
    "citation_precision",
    "citation_recall",
    "refused_unanswerable",
    "false_refusals",
    "ece",
)


class _Set:
    """One set of questions, or all together: its answers, its retrieval, or both."""

    def __init__(self, name: str, answers: list[AnswerResult], found: list[QuestionResult], facts: list[str]) -> None:
        self.name, self.answers, self.facts = name, answers, facts
        self.answers_summary = answer_figures.summarise(answers) if answers else None
        self.retrieval_summary = retrieval_run.summarise(found) if found else None

    def figures(self) -> dict[str, float | None]:
        """What the overview shows of it."""
        figures: dict[str, float | None] = {}
        if self.retrieval_summary is not None:
            figures |= self.retrieval_summary["metrics"]
            figures["hybrid_best"] = _hybrid_is_best(self.retrieval_summary)
        if (summary := self.answers_summary) is not None:
            figures |= summary["metrics"]
            figures |= {f"right_{name}": band["share_right"] for name, band in summary["bands"].items()}
            figures |= summary["latency_ms"]["answer"]
        return figures

    @property
    def questions(self) -> int:
        summaries = (self.answers_summary, self.retrieval_summary)
        return max(int(summary["questions"]) for summary in summaries if summary is not None)


def _hybrid_is_best(summary: dict[str, Any]) -> float | None:
    means = {method: measured["ndcg@10"]["mean"] for method, measured in summary["by_method"].items()}
    if CONFIGURED not in means or len(means) < 2:
        return None
    return float(all(means[CONFIGURED] > value for method, value in means.items() if method != CONFIGURED))


def html_report(runs: Sequence[MeasuredRun], comparisons: Sequence[Comparison] = ()) -> str:
    """Everything that comes from data is escaped; nothing is loaded and nothing runs."""
    sets = _sets(runs)
    writers = {result.model for run in runs if isinstance(run, AnswersRun) for result in run.results}
    body = [
        "<header><h1>How well the book is answered</h1>",
        made_with(runs, writers),
        _contents(sets, has_changes=bool(comparisons)),
        "</header><main>",
        f'<section id="overview"><h2>Overview</h2>{_overview(sets)}</section>',
        changes_section(comparisons),
        *(_section(index, own) for index, own in enumerate(sets)),
        "</main>",
    ]
    return html_page("How well the book is answered", "".join(body))


def _sets(runs: Sequence[MeasuredRun]) -> list[_Set]:
    """Runs of the same name are one set; with several, all of them together come first."""
    answers: dict[str, list[AnswerResult]] = {}
    found: dict[str, list[QuestionResult]] = {}
    facts: dict[str, list[str]] = {}
    for run in runs:
        if isinstance(run, AnswersRun):
            answers.setdefault(run.name, []).extend(run.results)
        elif isinstance(run, RetrievalRun):
            found.setdefault(run.name, []).extend(run.results)
        facts.setdefault(run.name, []).extend(_facts(run))
    sets = [_Set(name, answers.get(name, []), found.get(name, []), own) for name, own in facts.items()]
    if len(sets) == 1:
        return sets
    together = _Set(
        _EVERYTHING,
        [result for own in answers.values() for result in own],
        [result for own in found.values() for result in own],
        [],
    )
    return [together, *sets]


def _facts(run: MeasuredRun) -> list[str]:
    missing = len(run.missing_golds)
    return [f"{run.measured}: {missing:,} gold places are not in the book."] if missing else []


def _contents(sets: Sequence[_Set], *, has_changes: bool) -> str:
    links = ['<li><a href="#overview">Overview</a></li>']
    if has_changes:
        links.append('<li><a href="#changes">What changed</a></li>')
    links.extend(f'<li><a href="#set{index}">{escape(own.name)}</a></li>' for index, own in enumerate(sets))
    return f'<nav aria-label="Contents"><ul>{"".join(links)}</ul></nav>'


def _overview(sets: Sequence[_Set]) -> str:
    """A figure a row, so that a page with one set is no wider than a phone."""
    names = "".join(
        f'<th scope="col"><a href="#set{index}">{escape(own.name)}</a></th>' for index, own in enumerate(sets)
    )
    asked = "".join(f"<td>{own.questions:,}</td>" for own in sets)
    figures = [own.figures() for own in sets]
    rows = "".join(
        f"<tr>{explained(heading, name)}<td>{target_in_words(name) or _other_target(name)}</td>"
        f"{''.join(_cell(name, own.get(name)) for own in figures)}</tr>"
        for heading, name in _FIGURES.items()
    )
    return (
        '<div class="scroll" role="region" aria-label="Overview" tabindex="0"><table class="explained">'
        f'<thead><tr><th scope="col">figure</th><th scope="col">target</th>{names}</tr></thead>'
        f'<tbody><tr><th scope="row">questions</th><td></td>{asked}</tr>{rows}</tbody></table></div>'
    )


def _other_target(name: str) -> str:
    return "yes" if name == "hybrid_best" else ""


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return "<td>–</td>"
    if name == "hybrid_best":
        return f"<td>{'yes' if value else 'no'}{mark(bool(value))}</td>"
    if name in ("p50", "p95"):
        return f"<td>{value:,.0f}</td>"
    return f"<td>{number(value)}{mark(judge_figure(name, value))}</td>"


def _section(index: int, own: _Set) -> str:
    identifier = f"set{index}"
    parts = [f'<section id="{identifier}"><h2>{escape(own.name)}</h2>']
    parts.extend(f"<p>{escape(fact)}</p>" for fact in own.facts)
    plots: list[str] = []
    if own.retrieval_summary is not None:
        plots.append(retrieval_plot(identifier, own.retrieval_summary))
    if own.answers_summary is not None:
        plots.extend(answer_plots(identifier, own.answers_summary, own.answers))
        if not own.answers_summary["calibrated"]:
            parts.append("<p>Confidence is not calibrated here, so it need not be a probability.</p>")
    parts.append(f'<div class="plots">{"".join(plots)}</div>')
    parts.extend(_tables(own))
    parts.append("</section>")
    return "".join(parts)


def _tables(own: _Set) -> list[str]:
    parts = []
    if (summary := own.answers_summary) is not None:
        parts.append(f"<h3>Answers</h3>{figures_table(summary, f'Answers of {own.name}')}")
        parts.append(refusal_table(summary, f"Refusals of {own.name}"))
        parts.append(groups_table(summary, _ANSWER_GROUP_FIGURES, f"Answers of {own.name} by label"))
        parts.append(worst_table(own.answers, f"Wrong answers of {own.name}"))
    if (summary := own.retrieval_summary) is not None:
        parts.append(f"<h3>Retrieval</h3>{figures_table(summary, f'Retrieval of {own.name}')}")
        parts.append(groups_table(summary, list(METRICS), f"Retrieval of {own.name} by label"))
    return parts
