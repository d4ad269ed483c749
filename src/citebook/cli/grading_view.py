"""One answer on a terminal, beside what it should hold, for somebody who grades it."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from citebook.cli.block_view import parts_view
from citebook.domain.answer import Outcome
from citebook.evals.judging_run import JudgedAnswer

_SIDE_BY_SIDE = 100
"""Columns of a terminal from which two panels can stand beside each other."""
_BORDERS = {Outcome.ANSWERED: "green", Outcome.REFUSED: "yellow", Outcome.FAILED: "red"}


def print_for_grading(console: Console, answer: JudgedAnswer, *, blind: bool) -> None:
    console.print(_question(answer))
    said = Panel(parts_view(answer.parts), title=answer.outcome.value, border_style=_BORDERS[answer.outcome])
    beside: list[RenderableType] = [_expected(answer), _sources(answer)]
    if not blind and answer.outcome is Outcome.ANSWERED:
        beside.append(_confidence(answer))
    if console.width < _SIDE_BY_SIDE:
        console.print(Group(said, *beside))
        return
    sides = Table.grid(expand=True, padding=(0, 1))
    sides.add_column(ratio=1)
    sides.add_column(ratio=1)
    sides.add_row(said, Group(*beside))
    console.print(sides)


def _question(answer: JudgedAnswer) -> Panel:
    return Panel(Text("\n").join(_asked(answer)), title=Text(f"{answer.id}, {answer.kind}"), title_align="left")


def _asked(answer: JudgedAnswer) -> Iterator[Text]:
    for text in answer.history:
        yield Text(f"Asked before: {text}", "dim")
    if answer.selected:
        yield Text(f"Selected: “{answer.selected}”", "dim")
    yield Text(answer.question, "bold")


def _expected(answer: JudgedAnswer) -> Panel:
    unanswerable = [] if answer.answerable else [Text("I did not find this in the book.", "yellow")]
    places = [Text(place, "dim") for place in answer.gold]
    lines = [*unanswerable, Text(answer.expectation), *places]
    return Panel(Text("\n").join(lines), title="A good answer holds", title_align="left")


def _sources(answer: JudgedAnswer) -> Panel:
    shown: list[RenderableType] = [
        Text.assemble((f"[{source.position}] ", "bold cyan"), (source.place, "bold"), f"\n“{source.excerpt}”")
        for source in answer.sources
    ]
    return Panel(Group(*shown) if shown else Text("None."), title="Sources", title_align="left")


def _confidence(answer: JudgedAnswer) -> Text:
    unsure = "" if answer.calibrated else ", not calibrated"
    return Text(f"Confidence: {answer.level} ({answer.confidence:.2f}{unsure})")
