"""The figures of `network`: a row per method and compressor with its times, and times over the bandwidth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..io import forms
from ..io.words import Brief, Warn, cut
from ..plot import names, style
from ..plot.page import DEFAULT_WIDTH, Sheet, Words, compose
from ..stats import intervals
from .prediction import ALIKE, Envelope, Prediction, Row, answer, envelope_of, rate, slowest

MOST_ROWS = 24
ROW = 0.028  # height in inches of a row, by the size of the font
SHADES = ("#222222", "#777777", "#aaaaaa", "#cccccc")  # ticks of predictions, the slowest network first
MARKERS = ("o", "D", "s", "^", "v")
# How the messages of a prediction travel.
ONE_RUN = f"one run a row; tied: times within a factor of {ALIKE:g}"
TOPOLOGIES = {"star": "all messages through the link of rank 0",
              "tree": "each with a link of its own, messages forwarded by the MPI library",
              "calibrated": "as the calibration of their network measured it"}


def draw_rows(prediction: Prediction, rows: Sequence[Row], networks: Sequence[str], doubted: dict[str, str],
              sheet: Sheet = Sheet()) -> Figure:
    """Draws a row per run, a mark per measured network and a tick per predicted one. `doubted` has the measured
    networks whose times are no evidence, with the reasons."""
    shown = rows[:MOST_ROWS]
    measured = list(dict.fromkeys(name for row in shown for name in row.measured))
    ticks = dict(zip(networks, SHADES))
    marks = {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(measured)}
    entries = [Line2D([], [], linestyle="", marker=marker, markersize=5, color=style.SOFT,
                      markerfacecolor="white" if name in doubted else style.SOFT, label=cut(name))
               for name, marker in marks.items()]
    entries += [Line2D([], [], linestyle="", marker="|", markersize=9, markeredgewidth=1.6, color=colour,
                       label=f"predicted for {name}") for name, colour in ticks.items()]
    draw = partial(_draw_rows, prediction=prediction, rows=shown, marks=marks, ticks=ticks, doubted=doubted)
    sheet = sheet if sheet.width else replace(sheet, width=DEFAULT_WIDTH)
    return compose(sheet, [draw],
                   lambda axes: [entries], partial(_words, prediction, rows, measured, doubted),
                   shape=ROW * sheet.font * (len(shown) + 3) / sheet.width)


def _draw_rows(axes: Axes, prediction: Prediction, rows: Sequence[Row], marks: dict[str, str], ticks: dict[str, str],
               doubted: dict[str, str]) -> list[str]:
    """Draws the panel of rows. `marks` has the markers of measured networks, `ticks` the colours of predicted ones."""
    methods = list(dict.fromkeys(row.method for row in rows))
    colours, last = dict(zip(methods, style.colours(methods, False))), slowest(rows)
    for place, row in enumerate(rows):
        colour, found = colours[row.method], [*row.measured.values(), *row.predicted.values()]
        if not found:
            axes.annotate("does not reach the accuracy", (0, place), xycoords=("axes fraction", "data"), xytext=(4, 0),
                          textcoords="offset points", va="center", color=style.SOFT,
                          fontsize=0.9 * style.font_size(axes))
            continue
        values = [each.median for each in found]
        axes.plot([min(values), max(values)], [place, place], color=colour, linewidth=1.0, alpha=0.4)
        for name, at in row.measured.items():
            if at.kind != "none":
                axes.plot([at.low, at.high], [place, place], color=colour, linewidth=2.2)
            axes.plot(at.median, place, marker=marks[name], markersize=5.5, color=colour, zorder=4,
                      markerfacecolor="white" if name in doubted else colour)
        for name, at in row.predicted.items():
            axes.plot(at.median, place, marker="|", markersize=9, markeredgewidth=1.6, color=ticks[name], zorder=5)
        if last and row.on(last):
            axes.annotate(forms.seconds(row.on(last).median), (max(values), place), xytext=(8, 0), va="center",
                          textcoords="offset points", fontsize=0.9 * style.font_size(axes))
    style.dress(axes)
    axes.grid(False, axis="y")
    axes.set_yticks(range(len(rows)), [cut(row.name, 48) for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    _time_axis(axes, [each for row in rows for found in (row.measured, row.predicted) for at in found.values()
                      for each in (at.low, at.median, at.high) if math.isfinite(each)])
    axes.set_xlabel(f"time {prediction.until} (log)")
    return []


def _time_axis(axes: Axes, seconds: Sequence[float]) -> None:
    """Sets a log axis of times, with units at its ticks and room for a number right of the longest time."""
    low, high = min(seconds, default=1.0) / 1.3, max(seconds, default=1.0) * 1.2
    high *= (high / low) ** 0.1
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    style.log_axis(axes.xaxis, low, high)
    style.label_ticks(axes.xaxis, forms.seconds)


def _words(prediction: Prediction, rows: Sequence[Row], measured: Sequence[str], doubted: dict[str, str],
           notes: list[str]) -> Words:
    """Returns the texts of the figure of rows."""
    last = slowest(rows)
    others = [answer(rows, name, doubted) for name in measured if name != last]
    found = [at for row in rows for at in (*row.measured.values(), *row.predicted.values())]
    kinds = {at.kind: sorted({each.n for each in found if each.kind == at.kind}) for at in found}
    told = [ONE_RUN if kind == "none" else f"marks: median over seeds; bars: {intervals.words(kind, counts)}"
            for kind, counts in kinds.items()]
    beyond = [f"the first {MOST_ROWS} of {len(rows)} rows are drawn"] if len(rows) > MOST_ROWS else []
    return Words(answer(rows, last, doubted) if last else "No run reaches the accuracy", "; ".join(others),
                 [*(Warn(f"{why} (open marks: {'; '.join(name for name in doubted if doubted[name] == why)})")
                    for why in dict.fromkeys(doubted.values())),
                  *map(Brief, (*told, *beyond, *notes)), *basis(prediction)])


def basis(prediction: Prediction) -> list[str]:
    """Returns the assumptions of a prediction: the network in brief, and the rest."""
    links = TOPOLOGIES.get(prediction.topology, "each with a link of its own")
    more = [prediction.note] if prediction.note else []
    return [Brief(f"predicted for {prediction.ranks} ranks, {links}, {forms.seconds(prediction.latency)} one way"),
            "predictions rest on the messages and the computing time of the runs, without evaluation, recording and "
            "checkpoints", *more]


def draw_bandwidths(prediction: Prediction, sheet: Sheet = Sheet()) -> Figure:
    """Draws three lines over the bandwidth: the best compressed run, the best uncompressed run, and where they
    cross."""
    found = envelope_of(prediction)
    return compose(sheet, [partial(_draw_envelope, found=found)], lambda axes: [],
                   lambda notes: Words(answer_of_bandwidths(found), f"Predicted time {prediction.until}",
                                       [*notes, *basis(prediction)]))


def answer_of_bandwidths(found: Envelope) -> str:
    """Returns at which bandwidths compression pays."""
    pays = found.small < found.whole
    if found.crossing:
        return f"Compression pays {'below' if pays[0] else 'above'} {rate(found.crossing)}"
    words = "at every bandwidth" if all(pays) else "at no bandwidth" if not any(pays) else "at some bandwidths only"
    return f"Compression pays {words} between {rate(found.bandwidths[0])} and {rate(found.bandwidths[-1])}"


def _draw_envelope(axes: Axes, found: Envelope) -> list[str]:
    """Draws the panel over the bandwidth."""
    labels = ["best compressed", "best uncompressed"]
    for values, label, colour in zip((found.small, found.whole), labels, style.colours(labels, False)):
        axes.plot(found.bandwidths, values, color=colour, linewidth=1.6)
        names.at_end(axes, found.bandwidths[-1], values[-1], label.replace(" ", "\n"), colour)
    values = [*found.small, *found.whole]
    axes.set_yscale("log")
    axes.set_xscale("log")
    style.dress(axes)
    axes.set_xlim(found.bandwidths[0], found.bandwidths[-1])
    axes.set_ylim(low := min(values) / 1.3, high := max(values) * 1.3)
    style.log_axis(axes.xaxis, found.bandwidths[0], found.bandwidths[-1])
    style.log_axis(axes.yaxis, low, high)
    style.label_ticks(axes.xaxis, rate)
    style.label_ticks(axes.yaxis, forms.seconds)
    axes.set_xlabel("bandwidth of each link (log)")
    axes.set_ylabel("predicted time (log)")
    if found.crossing:
        axes.axvline(found.crossing, color=style.SOFT, linewidth=0.9, linestyle=(0, (1, 1.5)))
        axes.text(found.crossing, 0.97, f"{rate(found.crossing)} ", transform=axes.get_xaxis_transform(), va="top",
                  ha="right", fontsize=0.9 * style.font_size(axes))
    return []
