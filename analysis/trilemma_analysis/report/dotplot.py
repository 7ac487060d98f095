"""Two small dot plots of the first screen as SVG: a row a method, a line for the best constant model. dotplot.js draws the
same."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from ..io import forms
from ..model.metrics import COMPARED
from ..stats.rankings import Answer
from .content import Content
from .headline import constant_of, heading, places
from .svg import Axis, LETTER, axis_of, tick_text

ROW, WIDTH, LABEL, VALUE, TOP, BOTTOM = 22, 590, 150, 66, 6, 26
MOST_ROWS = 16


@dataclass(frozen=True)
class Row:
    """A row: a heading of a ranking (`setting` -1), or a method with its value and interval; `constant` is the score of the
    best constant model in its ranking."""

    text: str
    setting: int
    colour: int
    centre: float
    low: float
    high: float
    constant: float
    labelled: bool = False  # whether the heading has the constant model's score, which no ranking before has


def rows_of(content: Content, found: Answer) -> list[Row]:
    """Returns the rows of a plot: of each ranking its name, where there are several, and its methods, best first."""
    rows: list[Row] = []
    for name, ranking in zip(content.names_in(found), found.rankings):
        constant = constant_of(found, ranking.entries)
        if len(found.rankings) > 1:
            known = any(math.isclose(row.constant, constant) for row in rows)  # means of equal scores differ in the last digit
            rows.append(Row(name, -1, -1, math.nan, math.nan, math.nan, constant, not known))
        for entry in ranking.entries:
            place, over = content.place(entry.setting), entry.over
            rows.append(Row(entry.method, place, content.methods.index(content.settings[place].method), over.centre, over.low, over.high,
                            constant))
    return rows[:MOST_ROWS]


def plots(content: Content) -> str:
    """Returns both plots as figures: at the end, and at equal upload where uploads differ."""
    found = [(each, places(each)) for each in (content.answer, content.level) if each]
    if content.level:
        found[1] = (content.level, f"At equal upload ({forms.bits(content.level.budget.bits)}"
                                   f"{' per client' if content.level.budget.per_client else ''})")
    every = [rows_of(content, each) for each, _ in found]
    axis = axis_for([row for rows in every for row in rows], content)
    return "".join(figure(f"{where}: {heading(each, content.names_in(each))}", rows, axis)
                   for (each, where), rows in zip(found, every))


def axis_for(rows: list[Row], content: Content) -> Axis:
    """Returns the common axis, with the constant models on it."""
    target = content.budget.target is not None
    metric = COMPARED[content.metric]
    values = [value for row in rows for value in (row.centre, row.low, row.high, math.nan if target else row.constant)]
    return axis_of(values, "bits until then" if target else metric.name, "bits" if target else "percent" if metric.is_share else "number")


def figure(finding: str, rows: list[Row], axis: Axis) -> str:
    """Returns one plot with its finding as heading."""
    return f'<figure><figcaption>{escape(finding)}</figcaption>{draw(finding, rows, axis)}</figure>'


def draw(finding: str, rows: list[Row], axis: Axis) -> str:
    """Returns a plot as an SVG element."""
    height, bottom = TOP + ROW * len(rows) + BOTTOM, TOP + ROW * len(rows)
    wide = WIDTH - LABEL - VALUE

    def px(value: float) -> float:
        return round(LABEL + wide * min(1.0, max(0.0, axis.share(value))), 1)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
             f'class="chart dots"><title>{escape(finding)}</title>']
    for tick in axis.ticks():
        parts.append(f'<line class="grid" x1="{px(tick)}" x2="{px(tick)}" y1="{TOP}" y2="{bottom}"/><text class="tick" '
                     f'x="{px(tick)}" y="{bottom + 17}" text-anchor="middle">{tick_text(tick, axis)}</text>')
    for place, row in enumerate(rows):
        parts.append(_row(row, TOP + ROW * (place + 0.5), px, axis))
    return "".join(parts) + "</svg>"


def _row(row: Row, y: float, px, axis: Axis) -> str:
    """One row at the height `y`."""
    show = forms.bits if axis.form == "bits" else lambda value: forms.of_metric(value, axis.form == "percent")
    constant = "" if math.isnan(row.constant) or axis.form == "bits" else \
        f'<line class="constant" x1="{px(row.constant)}" x2="{px(row.constant)}" y1="{y - ROW / 2:g}" y2="{y + ROW / 2:g}"/>'
    if row.setting < 0:
        word = f"constant model {show(row.constant)}" if constant and row.labelled else ""
        return f'{constant}<text class="group" x="0" y="{y + 4:g}">{escape(row.text)}</text>' \
            f'<text class="tick" x="{WIDTH}" y="{y + 4:g}" text-anchor="end">{word}</text>'
    text = row.text if len(row.text) <= (LABEL - 14) / LETTER else row.text[:int((LABEL - 14) / LETTER) - 1] + "…"
    parts = [constant, f'<g class="mark m{row.colour}" data-s="{row.setting}"><title>{escape(row.text)}</title>'
             f'<text class="name" x="8" y="{y + 4:g}">{escape(text)}</text>']
    if not math.isnan(row.low):
        parts.append(f'<line class="bar" x1="{px(row.low)}" x2="{px(row.high)}" y1="{y:g}" y2="{y:g}"/>')
    if math.isfinite(row.centre):
        parts.append(f'<circle class="dot" cx="{px(row.centre)}" cy="{y:g}" r="4.5"/>'
                     f'<text class="value" x="{WIDTH}" y="{y + 4:g}" text-anchor="end">{show(row.centre)}</text>')
    return "".join(parts) + "</g>"
