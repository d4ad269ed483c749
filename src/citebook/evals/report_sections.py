"""The plots and tables of one set of questions, as HTML."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from citebook.domain.answer import Outcome
from citebook.evals.answers_run import AnswerResult
from citebook.evals.figure_words import meaning_of
from citebook.evals.metrics import percentile
from citebook.evals.report_plots import Axes, Bars, PlotLine, Table, bar_plot, line_plot, table_of
from citebook.evals.report_targets import judge_figure, target_in_words
from citebook.evals.retrieval_run import METRICS
from citebook.language.text import cut_at_word

_WORST_SHOWN = 10
_BINS = 20
_SHORT_METRICS = ("R@1", "R@5", "R@10", "MRR", "nDCG")
_CHARACTERS_SHOWN = 240

Summary = Mapping[str, Any]


def mark(verdict: bool | None) -> str:
    """✓ or ✗, in words too for those who hear the page."""
    if verdict is None:
        return ""
    style, sign, words = ("met", "✓", "target met") if verdict else ("missed", "✗", "target missed")
    return f' <span class="{style}"><span aria-hidden="true">{sign}</span><span class="hidden">{words}</span></span>'


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def figures_table(summary: Summary, label: str) -> str:
    """Every figure with its interval and its target."""
    rows = [
        (name, number(value), summary["intervals"].get(name), judge_figure(name, value))
        for name, value in summary["metrics"].items()
    ]
    for name, band in summary.get("bands", {}).items():
        shown = f"{number(band['share_right'])} of {band['count']:,}"
        rows.append((f"right_{name}", shown, band["interval"], judge_figure(f"right_{name}", band["share_right"])))
    body = "".join(
        f"<tr>{explained(name, name)}<td>{shown}{mark(verdict)}</td><td>{_interval(interval)}</td>"
        f"<td>{target_in_words(name)}</td></tr>"
        for name, shown, interval, verdict in rows
    )
    head = "".join(f'<th scope="col">{heading}</th>' for heading in ("figure", "value", "95 % interval", "target"))
    return _scrolling(label, f'<table class="explained"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>')


def explained(heading: str, name: str) -> str:
    """The head of a row: what the figure is called, and what it means."""
    breakable = escape(heading).replace("_", "_<wbr>")
    return f'<th scope="row">{breakable}<span class="meaning">{escape(meaning_of(name))}</span></th>'


def _interval(interval: Sequence[float] | None) -> str:
    return "" if interval is None else f"{interval[0]:.3f}–{interval[1]:.3f}"


def _scrolling(label: str, table: str) -> str:
    return f'<div class="scroll" role="region" aria-label="{escape(label)}" tabindex="0">{table}</div>'


def groups_table(summary: Summary, names: Sequence[str], label: str) -> str:
    rows = [
        [f"{field} = {value}", f"{own['questions']:,}", *(number(own["metrics"].get(name)) for name in names)]
        for field, by_value in summary["groups"].items()
        for value, own in by_value.items()
    ]
    table = table_of(Table(["label", "questions", *names], rows), label)
    return f"<h3>By label</h3>{table}" if rows else ""


def refusal_table(summary: Summary, label: str) -> str:
    refusal = summary["refusal"]
    if refusal is None:
        return ""
    rows = [
        [kind, f"{own['count']:,}", number(own["share_refused"]), _interval(own["interval"])]
        for kind, own in refusal["refused_by_kind"].items()
    ]
    allowed = f"{refusal['false_refusals']:.1%}"
    where = _threshold_in_words(refusal["threshold"])
    return (
        f"<h3>Refused, at most 5 % falsely</h3><p>{escape(where)} Then {allowed} of the answerable questions are "
        "refused, and of the others:</p>"
        + table_of(Table(["kind", "questions", "refused", "95 % interval"], rows), label)
    )


def _threshold_in_words(threshold: float | None) -> str:
    if threshold is None:
        return "Everything could be refused."
    if threshold < 0:
        return "More than 5 % is falsely refused already; the threshold would have to be lower."
    return f"If all answers with a confidence below {threshold:.2f} were refused."


def worst_table(results: Sequence[AnswerResult], label: str) -> str:
    """Wrong answers that were given most surely."""
    wrong = [result for result in results if result.outcome is Outcome.ANSWERED and result.right is False]
    wrong.sort(key=lambda result: -result.confidence)
    rows = [
        [
            cut(result.question),
            f"{result.confidence:.2f}",
            cut("; ".join(f"{c['source_file']}: “{c['excerpt']}”" for c in result.citations[:2])),
            _gold(result),
        ]
        for result in wrong[:_WORST_SHOWN]
    ]
    if not rows:
        return ""
    table = table_of(Table(["question", "confidence", "cited", "gold"], rows), label)
    return "<h3>Wrong answers, surest first</h3>" + table.replace("<table>", '<table class="words">')


def _gold(result: AnswerResult) -> str:
    if not result.answerable:
        return "not in the book"
    return cut(f"{' / '.join(result.golds)} ({result.gold_place or 'no place given'})")


def cut(text: str) -> str:
    folded = " ".join(text.split())
    cut = cut_at_word(folded, _CHARACTERS_SHOWN)
    return cut if cut == folded else f"{cut} …"


# --- plots


def answer_plots(identifier: str, summary: Summary, results: Sequence[AnswerResult]) -> list[str]:
    plots = [
        reliability_plot(identifier, summary),
        _confidence(identifier, results),
        _risk_coverage(identifier, summary),
        _refusal(identifier, summary),
        _latency(identifier, results),
    ]
    return [plot for plot in plots if plot]


def reliability_plot(identifier: str, summary: Summary, right: str = "right") -> str:
    """`right` is the word for what confidence promises."""
    bins = summary["reliability"]
    if not bins:
        return ""
    points = [(own["confidence"], own["share_right"]) for own in bins]
    rows = [
        [
            f"{own['low']:.1f}–{own['high']:.1f}",
            f"{own['confidence']:.3f}",
            number(own["share_right"]),
            str(own["count"]),
        ]
        for own in bins
    ]
    return line_plot(
        f"{identifier}-reliability",
        "Reliability",
        f"Of the answers of about the same confidence, the share that is {right}. On the dashed line, confidence "
        f"keeps its word; calibration error {number(summary['metrics']['ece'])}.",
        Axes("confidence", f"share {right}"),
        [PlotLine([(0, 0), (1, 1)], "line dashed"), PlotLine(points), PlotLine(points, "dots")],
        Table(["confidence", "mean", f"share {right}", "answers"], rows),
    )


def _confidence(identifier: str, results: Sequence[AnswerResult]) -> str:
    judged = [r for r in results if r.outcome is Outcome.ANSWERED and r.right is not None]
    if not judged:
        return ""
    counts = {"right": [0] * 10, "wrong": [0] * 10}
    for result in judged:
        counts["right" if result.right else "wrong"][min(9, int(result.confidence * 10))] += 1
    ticks = [f"{number / 10:.1f}" for number in range(10)]
    rows = [[f"{t}–{int(i) / 10 + 0.1:.1f}", *(str(counts[n][i]) for n in counts)] for i, t in enumerate(ticks)]
    return bar_plot(
        f"{identifier}-confidence",
        "Confidence of right and wrong answers",
        "How many answers were given at which confidence.",
        Axes("confidence", "answers", y_most=round_up(max(map(max, counts.values()))), percent=False),
        Bars(ticks, {name: [float(count) for count in own] for name, own in counts.items()}),
        Table(["confidence", "right", "wrong"], rows),
    )


def _risk_coverage(identifier: str, summary: Summary) -> str:
    points = summary["risk_coverage"]
    if not points:
        return ""
    rows = [[f"{p['coverage']:.3f}", f"{p['risk']:.3f}", f"{p['threshold']:.3f}"] for p in points]
    return line_plot(
        f"{identifier}-risk",
        "Risk and coverage",
        "If only the surest answers were given: the share of all questions answered, and the share of those answers "
        "that is wrong.",
        Axes("questions answered", "answers wrong"),
        [PlotLine([(p["coverage"], p["risk"]) for p in points])],
        Table(["answered", "wrong", "confidence from"], rows),
    )


def _refusal(identifier: str, summary: Summary) -> str:
    points = summary["refusal_curve"]
    if not points:
        return ""
    now = summary["metrics"]["false_refusals"], summary["metrics"]["refused_unanswerable"]
    rows = [
        [_threshold(p["threshold"]), f"{p['false_refusals']:.3f}", f"{p['refused_unanswerable']:.3f}"] for p in points
    ]
    return line_plot(
        f"{identifier}-refusal",
        "What refusing costs and gains",
        "For each threshold of confidence, the answerable questions that it refuses falsely and the unanswerable "
        "ones that it refuses rightly. The dot is where it stands now; the dashed line is 5 %. "
        f"AUROC {number(summary['metrics']['auroc'])}.",
        Axes("refused falsely", "refused rightly"),
        [
            PlotLine([(0.05, 0), (0.05, 1)], "line dashed"),
            PlotLine([(p["false_refusals"], p["refused_unanswerable"]) for p in points]),
            PlotLine([now], "dots"),
        ],
        Table(["refuse below", "falsely", "rightly"], rows),
    )


def _threshold(value: float | None) -> str:
    """What was refused anyway has a score below 0."""
    if value is None:
        return "all"
    return "refused now" if value < 0 else f"{value:.3f}"


def _latency(identifier: str, results: Sequence[AnswerResult]) -> str:
    times = [result.milliseconds for result in results]
    longest = round_up(percentile(times, 99) or 1.0)
    width = longest / _BINS
    counts = [0] * _BINS
    for time in times:
        counts[min(_BINS - 1, int(time / width))] += 1
    ticks = [f"{index * width:.0f}" for index in range(_BINS)]
    return bar_plot(
        f"{identifier}-latency",
        "Time for a whole answer",
        f"Half of the answers took up to {percentile(times, 50):.0f} ms, 95 % up to {percentile(times, 95):.0f} ms. "
        "The last bar holds all that took longer.",
        Axes("milliseconds", "answers", y_most=round_up(max(counts)), percent=False),
        Bars(ticks, {"answers": [float(count) for count in counts]}),
        Table(["from ms", "answers"], [[tick, str(count)] for tick, count in zip(ticks, counts, strict=True)]),
    )


def retrieval_plot(identifier: str, summary: Summary) -> str:
    methods = summary["by_method"]
    heights: dict[str, Sequence[float]] = {
        method: [measured[name]["mean"] for name in METRICS] for method, measured in methods.items()
    }
    rows = [
        [method, *(f"{measured[n]['mean']:.3f} ± {measured[n]['standard_error']:.3f}" for n in METRICS)]
        for method, measured in methods.items()
    ]
    return bar_plot(
        f"{identifier}-retrieval",
        "Retrieval by method",
        "How well the right passage is found by both methods together (hybrid), by vectors alone (dense) and by "
        "words alone (lexical).",
        Axes("", "mean over the questions"),
        Bars(_SHORT_METRICS, heights),
        Table(["method", *METRICS], rows),
    )


def round_up(value: float) -> float:
    """The next number whose fifth parts read well along an axis."""
    most = 5.0
    while True:
        for end in (most, most * 2, most * 4):
            if value <= end:
                return end
        most *= 10
