"""One figure over a whole sweep: metric against bits, privacy and rounds, and where the time goes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from . import captions, figures, style, terms
from .combinations import COLUMNS, choose_metric, combinations, describe, label_of
from .drawable import drawable, within
from .groups import Group
from .intervals import WORDS
from .reader import RunFileError
from .sweep import METRICS, Sweep
from .sweep_panels import (Scale, draw_axis, draw_bits, draw_curves, draw_epsilon, epsilons, numeric_axis,
                           scale_of_ends)
from .sweep_series import EPSILON, Series, make_series
from .sweep_times import bars_of, draw_times
from .words import TITLE, cut

# Inches.
WIDTH, LEFT, RIGHT = 11.0, 0.82, 0.25
PANEL_WIDTH, PANEL_HEIGHT = 4.5, 2.75
ROW_GAP, LINE = 0.95, 0.26
BELOW, NOTE = 0.95, 0.19


def draw_sweep(sweep: Sweep, metric: str = "auto", by: str | None = None, bits: str = "model") -> Figure:
    """Draws the figure. `by` is the axis that gets the colours (the method where it is an axis), `metric` one of
    METRICS or "auto" (accuracy where it tells combinations apart, else utility). Raises RunFileError where no cell
    is done."""
    sweep, too_large = _drawable(sweep)
    found = combinations(sweep)
    if not sweep.runs:
        raise RunFileError(f"{sweep.folder}: no cell is done, so there is nothing to draw ({sweep.progress()}).")
    chosen = choose_metric(found) if metric == "auto" else metric
    if chosen not in METRICS:
        raise RunFileError(f"'{metric}' is no metric; use one of auto, {', '.join(METRICS)}.")
    series, notes = make_series(sweep, found, chosen, by)
    notes += too_large
    if not series:
        raise RunFileError(f"{sweep.folder}: no finished cell has a value of '{chosen}'; choose another metric.")
    with mpl.rc_context(style.RC):
        return _draw(sweep, series, chosen, bits, notes)


def _drawable(sweep: Sweep) -> tuple[Sweep, list[str]]:
    runs, notes = drawable(list(sweep.runs.values()))
    table = within(sweep.table, COLUMNS.values())
    return replace(sweep, runs=dict(zip(sweep.runs, runs)), table=table), notes


def _draw(sweep: Sweep, series: Sequence[Series], metric: str, bits: str, notes: list[str]) -> Figure:
    bars, few = bars_of(series)
    legends = [_colour_marks(series), _marker_marks(series)]
    rows = [_rows(marks) for marks in legends if marks]
    scale = scale_of_ends(series, metric)
    # Drawn twice: the number of notes, which drawing finds out, decides the height.
    trial = Figure()
    found = _draw_metric([trial.add_subplot(1, 3, i) for i in (1, 2, 3)], series, scale, metric, bits)
    phases = draw_times(trial.add_subplot(1, 4, 4), bars)
    cut = ["intervals that leave a panel are cut"] if scale.cut else []
    notes = _notes(sweep, series, list(dict.fromkeys([*notes, *found, *few, *cut])))
    top = 1.02 + LINE * sum(rows)
    below = BELOW + 0.19 * (-(-len(phases) // 4) - 1)
    height = top + 2 * PANEL_HEIGHT + ROW_GAP + below + NOTE * len(notes) + 0.1
    figure = Figure(figsize=(WIDTH, height), dpi=150)
    FigureCanvasAgg(figure)
    axes = _panels(figure, top, max(len(bar.label) for bar in bars))
    _draw_metric(axes[:3], series, scale, metric, bits)
    marks = draw_times(axes[3], bars)
    figure.legend(handles=marks, loc="upper left", ncols=4, frameon=False, fontsize=8.5, handlelength=1.0,
                  bbox_to_anchor=(0.53, (height - top - 2 * PANEL_HEIGHT - ROW_GAP - 0.46) / height),
                  handleheight=0.9, columnspacing=1.2, borderpad=0.2, labelspacing=0.3)
    _header(figure, sweep, series, legends, rows)
    figures.write_notes(figure, notes, NOTE * len(notes) - 0.05)
    return figure


def _panels(figure: Figure, top: float, letters: int) -> list[Axes]:
    """Four axes by inches; the last one leaves room for its labels."""
    height = figure.get_figheight()
    right = WIDTH - RIGHT - PANEL_WIDTH
    places = [(x, height - top - PANEL_HEIGHT - row * (PANEL_HEIGHT + ROW_GAP))
              for row in (0, 1) for x in (LEFT, right)]
    words = max(0.0, 0.073 * min(letters, 34) - 0.6)
    widths = [PANEL_WIDTH] * 3 + [PANEL_WIDTH - words]
    return [figure.add_axes((((x + PANEL_WIDTH - width) / WIDTH), y / height, width / WIDTH, PANEL_HEIGHT / height))
            for (x, y), width in zip(places, widths)]


def _draw_metric(axes: Sequence[Axes], series: Sequence[Series], scale: Scale, metric: str,
                 bits: str) -> list[str]:
    """Draws the three panels of the metric; returns notes for the caption."""
    draw_bits(axes[0], series, scale, metric, bits)
    against = "rounds"
    notes: list[str] = []
    if len(epsilons(series)) > 1:
        draw_epsilon(axes[1], series, scale, metric)
    elif (axis := numeric_axis(series)) is not None:
        draw_axis(axes[1], series, scale, metric, axis)
    else:
        notes += draw_curves(axes[1], series, metric, "rounds")
        against = bits
    return list(dict.fromkeys(notes + draw_curves(axes[2], series, metric, against)))


def _colour_marks(series: Sequence[Series]) -> list[Line2D]:
    groups: dict[str, list[Series]] = {}
    for each in series:
        groups.setdefault(each.group, []).append(each)
    parts = terms.differing([each.combination.runs for each in series])
    labels = {group: captions.with_terms(group, [run for each in members for run in each.combination.runs], parts)
              for group, members in groups.items()}
    # Dashed only where all lines of the colour are.
    return [Line2D([], [], color=members[0].colour, linewidth=2.2, label=labels[group],
                   linestyle="-" if any(each.combination.compressed for each in members) else members[0].dashes)
            for group, members in groups.items()]


def _marker_marks(series: Sequence[Series]) -> list[Line2D]:
    markers = {each.variant: each.marker for each in series if each.variant}
    told = len(set(markers.values())) == len(markers)
    marks = [Line2D([], [], color=style.INK, marker=marker, linestyle="", markersize=6, label=variant)
             for variant, marker in markers.items()] if told else []
    if any(not each.epsilon[1] and each.epsilon[0] > 0 for each in series) and len(epsilons(series)) > 1:
        marks.append(Line2D([], [], color=style.INK, marker="o", markerfacecolor="white", linestyle="", markersize=6,
                            label="nominal ε, not accounted"))
    return marks


def _columns(marks: Sequence[Line2D]) -> int:
    # Inches: about 0.072 a letter, 0.7 for a sample and the gap to the next column.
    entry = 0.7 + 0.072 * max(len(mark.get_label()) for mark in marks)
    rows = -(-len(marks) // max(1, int((1 - figures.LEFT) * WIDTH / entry)))
    return -(-len(marks) // rows)


def _rows(marks: Sequence[Line2D]) -> int:
    return -(-len(marks) // _columns(marks))


def _header(figure: Figure, sweep: Sweep, series: Sequence[Series], legends: Sequence[list[Line2D]],
            rows: Sequence[int]) -> None:
    height = figure.get_figheight()
    left = figures.LEFT
    runs = [run for each in series for run in each.combination.runs]
    figure.text(left, 1 - 0.36 / height, cut(sweep.name, TITLE), fontsize=15, fontweight="bold")
    figure.text(left, 1 - 0.62 / height, captions.subtitle(runs), fontsize=9.5, color=style.SOFT)
    down = 0.66
    for marks, count in zip([marks for marks in legends if marks], rows):
        figure.legend(handles=marks, loc="upper left", bbox_to_anchor=(left - 0.009, 1 - down / height),
                      ncols=_columns(marks), frameon=False,
                      handlelength=2.6 if marks is legends[0] else 1.0, columnspacing=1.8, borderpad=0.2)
        down += LINE * count


def _notes(sweep: Sweep, series: Sequence[Series], more: Sequence[str]) -> list[str]:
    """The lines under the figure: what is missing, what is claimed, what bars and bands mean."""
    progress = sweep.progress()
    lines = [f"incomplete sweep: {progress}"] if sweep.count("done") < len(sweep.table) else []
    # Without epsilon, which the claims themselves tell.
    names = [label_of([each.group, *(describe(name, value, list(each.others)) for name, value in each.others.items()
                                     if name != EPSILON)]) for each in series]
    groups = [Group(name, each.combination.runs) for name, each in zip(names, series)]
    lines += captions.footnote_of_claims(groups, folded=True, axes=sweep.axes)
    seeds = {each.over.kind: sorted({other.over.n for other in series if other.over.kind == each.over.kind})
             for each in series}
    parts = [f"{WORDS[kind]} ({' or '.join(map(str, counts))} seeds)" for kind, counts in seeds.items()
             if kind != "none"] + (["none for one seed"] if "none" in seeds else [])
    lines.append(f"points and lines: median over seeds; bars and bands: {'; '.join(parts)}")
    lines += textwrap.wrap(
        "; ".join(["dashed: uncompressed messages; points that would cover each other stand side by side", *more,
                   "time: mean over ranks, black: by the clock with its 95 % interval"]), captions.CLAIM_WIDTH,
        subsequent_indent="    ")
    return lines
