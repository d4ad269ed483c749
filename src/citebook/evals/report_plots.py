"""Plots as inline SVG, each with a title, a description and its data as a table: no script, nothing loaded."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 360, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 20, 12, 42
_STEPS = 5
_MOST_ROWS = 25


@dataclass(frozen=True, slots=True)
class Table:
    """The data behind a plot, for those who cannot see it or want the numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Axes:
    x_label: str
    y_label: str
    x_most: float = 1.0
    y_most: float = 1.0
    percent: bool = True
    """Whether both run over shares, which are told in per cent."""

    def x(self, value: float) -> float:
        return _LEFT + min(1.0, value / self.x_most) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        return _HEIGHT - _BOTTOM - min(1.0, value / self.y_most) * (_HEIGHT - _TOP - _BOTTOM)


@dataclass(frozen=True, slots=True)
class PlotLine:
    points: Points
    style: str = "line"
    """Class of the style sheet: `line`, `line dashed` or `dots`."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars side by side at each tick: one row of heights for each name."""

    ticks: Sequence[str]
    heights: dict[str, Sequence[float]]


def line_plot(
    identifier: str, title: str, description: str, axes: Axes, lines: Sequence[PlotLine], table: Table
) -> str:
    drawn = "".join(_line(axes, line) for line in lines)
    return _figure(identifier, title, description, _grid(axes, x_ticks=True) + drawn, table)


def bar_plot(identifier: str, title: str, description: str, axes: Axes, bars: Bars, table: Table) -> str:
    drawn = _grid(axes, x_ticks=False) + _bars(axes, bars)
    legend = _legend(list(bars.heights)) if len(bars.heights) > 1 else ""
    return _figure(identifier, title, description, drawn, table, legend)


def table_of(table: Table, label: str) -> str:
    """A table that scrolls by itself where the page is narrow."""
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in table.headings)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in table.rows
    )
    return (
        f'<div class="scroll" role="region" aria-label="{escape(label)}" tabindex="0">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _figure(identifier: str, title: str, description: str, drawn: str, table: Table, legend: str = "") -> str:
    name = escape(identifier)
    shown = Table(table.headings, _evenly(table.rows))
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-labelledby="{name}-title {name}-description"><title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-description">{escape(description)}</desc>{drawn}</svg>{legend}'
        f'<p class="note">{escape(description)}</p>'
        f"<details><summary>Data</summary>{table_of(shown, f'Data of: {title}')}</details></figure>"
    )


def _evenly(rows: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    if len(rows) <= _MOST_ROWS:
        return rows
    return [rows[index * (len(rows) - 1) // (_MOST_ROWS - 1)] for index in range(_MOST_ROWS)]


def _grid(axes: Axes, *, x_ticks: bool) -> str:
    parts = []
    for step in range(_STEPS + 1):
        value = axes.y_most * step / _STEPS
        y = axes.y(value)
        parts.append(f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}"/>')
        parts.append(_text(_LEFT - 6, y + 4, _tick(value, axes), "end"))
        if x_ticks:
            across = axes.x_most * step / _STEPS
            parts.append(_text(axes.x(across), _HEIGHT - _BOTTOM + 16, _tick(across, axes), "middle"))
    middle_x, middle_y = (_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + _HEIGHT - _BOTTOM) / 2
    parts.append(_text(middle_x, _HEIGHT - 6, axes.x_label, "middle", "label"))
    turned = f'transform="rotate(-90 14 {middle_y:.0f})"'
    parts.append(_text(14, middle_y, axes.y_label, "middle", "label", turned))
    return "".join(parts)


def _tick(value: float, axes: Axes) -> str:
    return f"{value:.0%}" if axes.percent else f"{value:,.0f}"


def _text(x: float, y: float, text: str, anchor: str, style: str = "tick", more: str = "") -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(text)}</text>'


def _line(axes: Axes, line: PlotLine) -> str:
    places = [(axes.x(x), axes.y(y)) for x, y in line.points]
    if line.style == "dots":
        return "".join(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in places)
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline class="{line.style}" points="{path}"/>'


def _bars(axes: Axes, bars: Bars) -> str:
    parts = []
    slot = (_WIDTH - _LEFT - _RIGHT) / max(1, len(bars.ticks))
    width = slot * 0.8 / max(1, len(bars.heights))
    shown_every = max(1, -(-len(bars.ticks) // 6))
    for index, tick in enumerate(bars.ticks):
        left = _LEFT + index * slot
        for number, heights in enumerate(bars.heights.values()):
            x, y = left + slot * 0.1 + number * width, axes.y(heights[index])
            height = _HEIGHT - _BOTTOM - y
            style = f"bar series{number + 1}"
            parts.append(f'<rect class="{style}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>')
        if index % shown_every == 0:
            parts.append(_text(left + slot / 2, _HEIGHT - _BOTTOM + 16, tick, "middle"))
    return "".join(parts)


def _legend(names: Sequence[str]) -> str:
    entries = "".join(
        f'<li><span class="swatch series{number}" aria-hidden="true"></span>{escape(name)}</li>'
        for number, name in enumerate(names, start=1)
    )
    return f'<ul class="legend">{entries}</ul>'
