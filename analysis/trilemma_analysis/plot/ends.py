"""Panels of what has come out at the end: a metric against communicated bits, epsilon and the values of an axis, a path
for each line through its points."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from matplotlib.axes import Axes

from ..io.forms import of_metric
from ..io.run_file import rounded_up
from ..io.words import Brief, Warn, cut
from ..model import guarantees
from ..model.labels import EPSILON
from ..model.metrics import METRICS
from ..model.uploads import Upload, chance_of
from . import dots, names, style
from .scales import CUT, Scale, draw_baseline, dress, runs_of
from .series import Series, at_best, is_number

LOG_RATIO = 2.5
SAME_EPSILON = 1.05  # epsilons closer than this ratio are one
SAME, ASIDE = 0.012, 0.022  # of the axis: points closer than this may meet, and stand this far apart
NEXT = 0.006  # of the axis: points of one path at one place
LEAST = 1e-300  # the end of a bar has a place on a log axis
MARKER = 0.02  # of the y axis: half of a marker
DODGED = "; points that meet stand side by side"


@dataclass(frozen=True)
class Point:
    """A combination and its place on the x axis; `hollow` where its epsilon is only nominal."""

    each: Series
    x: float
    hollow: bool = False


def draw_bits(axes: Axes, series: Sequence[Series], metric: str, scale: Scale, by: str, bits: Upload) -> list[str]:
    """Draws the metric at the end against the bits that the clients have sent. A path joins the epsilons of a line."""
    lines = [[Point(each, median(bits.of(run).iloc[-1] for run in each.combination.runs)) for each in line]
             for line in _lines(series, EPSILON)]
    several = len(epsilons(series)) > 1
    moved, drawn = _draw(axes, lines, scale, metric)
    for line in drawn:
        _name(axes, line, METRICS[metric].higher_is_better, several)
    notes = draw_baseline(axes, scale, runs_of(series), metric, named=True)
    dress(axes, scale, metric, "At the end, against uploaded bits" + at_best(series, by), bits.label)
    _x_axis(axes, drawn, True, moved, named=True)
    return [*notes, *scale.notes, *(chance_of(runs_of(series)) if bits.count == "payload" else [])]


def draw_upload_rows(axes: Axes, series: Sequence[Series], bits: Upload) -> list[str]:
    """Draws a row for each line: the bits that its clients have sent at the end."""
    sent = _sent(series, bits)
    low, high = min(sent.values()) / 1.6, max(sent.values()) * 1.6
    axes.set_xscale("log")
    dots.rows(axes, [each.path_name for each in sent])
    axes.hlines(range(len(sent)), low, list(sent.values()), [each.colour for each in sent], linewidth=0.9, alpha=0.5)
    dots.draw_dots(axes, [dots.Dot(x, math.nan, math.nan, each.colour) for each, x in sent.items()])
    axes.set_xlim(low, high)
    style.log_axis(axes.xaxis, low, high, True)
    axes.set_title("Upload at the end, least first", loc="left")
    axes.set_xlabel(f"{bits.label} (log)")
    return chance_of(runs_of(series)) if bits.count == "payload" else []


def draw_value_rows(axes: Axes, series: Sequence[Series], metric: str, by: str, bits: Upload,
                    named: bool) -> list[str]:
    """Draws in the rows of draw_upload_rows() the metric at the end with its interval, and writes its value. An x marks
    rows whose runs all diverged. With `named` the rows have their names again."""
    rows = list(_sent(series, bits))
    share = METRICS[metric].is_share
    found = [dots.Dot(math.nan if each.gone else each.over.median, each.over.low, each.over.high, each.colour)
             for each in rows]
    low, high, is_cut = dots.limits(found)
    dots.rows(axes, [each.path_name if named else "" for each in rows])
    dots.draw_dots(axes, found)
    for row, each in enumerate(rows):
        if each.gone:
            axes.plot([0.0 if METRICS[metric].higher_is_better else 1.0], [row], "x", color=each.colour, clip_on=False,
                      transform=axes.get_yaxis_transform(), markersize=5.5)
    dots.words_at_rows(axes, ["diverged" if each.gone else of_metric(each.over.median, share) for each in rows],
                      [each.colour for each in rows])
    axes.set_xlim(low, high)
    style.linear_axis(axes.xaxis, low, high, percent=share)
    axes.set_title("At the end" + at_best(rows, by), loc="left")
    axes.set_xlabel(METRICS[metric].axis.replace("\n", " "))
    return [CUT] if is_cut else []


def _sent(series: Sequence[Series], bits: Upload) -> dict[Series, float]:
    """Returns the bits of each line at the end, least first."""
    sent = {each: median(bits.of(run).iloc[-1] for run in each.combination.runs) for each in series}
    return dict(sorted(sent.items(), key=lambda pair: pair[1]))


def draw_epsilon(axes: Axes, series: Sequence[Series], metric: str, scale: Scale, by: str) -> list[str]:
    """Draws the metric at the end against epsilon: filled if accounted, open if only nominal, a line across if there is
    none."""
    placed = [each for each in series if not each.no_privacy]
    lines = [[Point(each, each.epsilon[0], not each.epsilon[1]) for each in line] for line in _lines(placed, EPSILON)]
    label = {frozenset({True}): "accounted ε", frozenset({False}): "nominal ε (not accounted)"}.get(
        frozenset(each.epsilon[1] for each in placed), "accounted ε (open: nominal ε, not accounted)")
    notes = _panel(axes, lines, [each for each in series if each.no_privacy], metric, scale,
                   "At the end, against privacy" + at_best(series, by),
                   label + (f" (compare only within equal {guarantees.BRACKETS})"
                            if guarantees.differing([each.combination.runs for each in placed]) else ""))
    return [*notes, *_rounds_differ(placed)]


def draw_axis(axes: Axes, series: Sequence[Series], metric: str, scale: Scale, by: str, axis: str) -> list[str]:
    """Draws the metric at the end against the values of an axis of the sweep, at the best values of all others. A
    method without this axis is a line across."""
    placed = [each for each in series if each.tuned[axis] is not None]
    lines = [[Point(each, float(each.tuned[axis])) for each in line] for line in _lines(placed, axis)]
    return _panel(axes, lines, [each for each in series if each.tuned[axis] is None], metric, scale,
                  f"At the end, against {cut(axis)}" + at_best(series, by, but=axis), cut(axis))


def epsilons(series: Sequence[Series]) -> list[float]:
    """Returns the compared epsilons, accounted where available. Nearly equal values are merged into the largest."""
    found: list[float] = []
    for value in sorted(each.epsilon[0] for each in series if not each.no_privacy):
        if found and value <= SAME_EPSILON * found[-1]:
            found[-1] = value
        else:
            found.append(value)
    return found


def numeric_axis(series: Sequence[Series]) -> str | None:
    """Returns the numeric axis with most values that is neither epsilon nor the axis of the colours."""
    known = {name: {each.tuned[name] for each in series} - {None} for name in series[0].tuned}
    counts = {name: len(values) for name, values in known.items() if all(map(is_number, values))}
    return max(counts, key=counts.get) if counts and max(counts.values()) > 1 else None


def of_diverged(series: Sequence[Series], metric: str) -> list[str]:
    """Returns a warning with the number of diverged runs, and where they are marked."""
    lost = [each for each in series if each.diverged]
    counts = ", ".join(f"{each.diverged} of {len(each.combination.runs)} of {each.name}" for each in lost)
    edge = "lower" if METRICS[metric].higher_is_better else "upper"
    marked = f" (x on the {edge} edge: all runs)" if any(each.gone for each in lost) else ""
    return [Warn(f"diverged: {counts}{marked}")] if lost else []


def _panel(axes: Axes, lines: Sequence[list[Point]], across: Iterable[Series], metric: str, scale: Scale, title: str,
           label: str) -> list[str]:
    """Draws paths with their names at their ends, and lines across."""
    moved, drawn = _draw(axes, lines, scale, metric)
    for line in drawn:
        if known := [point for point in line if not point.each.gone]:
            names.at_end(axes, known[-1].x, known[-1].each.over.median, known[-1].each.path_name, known[-1].each.colour)
    for each in across:
        if not each.gone:
            axes.axhline(each.over.median, color=each.colour, linestyle=(0, (1, 2)), linewidth=1.0, zorder=1.8)
            names.at_end(axes, 1, each.over.median, each.name, each.colour, across=True)
    notes = draw_baseline(axes, scale, [run for line in lines for point in line for run in point.each.combination.runs],
                          metric, named=True)
    dress(axes, scale, metric, title, label)
    _x_axis(axes, drawn, False, moved)
    values = sorted({point.x for line in lines for point in line})
    if len(values) <= style.MOST_TICKS:
        style.ticks_at(axes.xaxis, values)
    return [*notes, *scale.notes]


def _lines(series: Sequence[Series], over: str) -> list[list[Series]]:
    """Returns series of one colour that differ only in the axis `over` or in tuned axes, sorted by its values."""
    lines: dict[tuple, list[Series]] = {}
    for each in series:
        rest = tuple((name, repr(value)) for name, value in each.styled.items() if name != over)
        lines.setdefault((each.group, rest), []).append(each)
    order = (lambda each: each.epsilon[0] if not each.no_privacy else math.inf) if over == EPSILON else \
        (lambda each: each.tuned[over])
    return [sorted(line, key=order) for line in lines.values()]


def _draw(axes: Axes, lines: Sequence[list[Point]], scale: Scale, metric: str) -> tuple[bool, list[list[Point]]]:
    """Draws the paths, and an x on the edge for what diverged; returns whether points were set side by side, and the
    points where they are drawn."""
    drawn = _dodged(lines, scale)
    for line in drawn:
        known = [point for point in line if not point.each.gone]
        if len(known) > 1:
            axes.plot([point.x for point in known], [point.each.over.median for point in known],
                      color=known[0].each.colour, linewidth=0.9, alpha=0.55, zorder=2)
        for point in line:
            each, over = point.each, point.each.over
            if each.gone:
                axes.plot([point.x], [0.0 if METRICS[metric].higher_is_better else 1.0], "x", color=each.colour,
                          transform=axes.get_xaxis_transform(), markersize=5.5, clip_on=False, zorder=4)
                continue
            if math.isfinite(over.low) and math.isfinite(over.high):
                axes.vlines([point.x], max(over.low, LEAST), over.high, color=each.colour, linewidth=1.1, alpha=0.75,
                            zorder=2.5)
            axes.plot([point.x], [over.median], color=each.colour, linestyle="", marker=_marker(each), markersize=4.8,
                      markerfacecolor="white" if point.hollow else each.colour,
                      markeredgecolor=each.colour if point.hollow else "white",
                      markeredgewidth=1.1 if point.hollow else 0.5, zorder=3)
    return any(point.x != old.x for line, olds in zip(drawn, lines) for point, old in zip(line, olds)), drawn


def _marker(each: Series) -> str:
    """Returns the marker of a point: that of its style if the style depends on more than epsilon, which has words."""
    return "o" if set(each.styled) <= {EPSILON} else each.look.marker


def _dodged(lines: Sequence[list[Point]], scale: Scale) -> list[list[Point]]:
    """Returns the points; points of different lines that meet are moved side by side."""
    places = np.array([point.x for line in lines for point in line])
    log = _is_log(places)
    u = np.log10(places) if log else places
    span = float(np.ptp(u)) or (0.5 if log else max(abs(float(u[0])), 1.0))
    owner = np.array([i for i, line in enumerate(lines) for _ in line])
    reach = [_reach(point.each, scale) for line in lines for point in line]
    moved = u.copy()
    for cluster in _meeting(u, reach, SAME * span):
        own = sorted(set(owner[cluster]))
        for i in cluster:
            moved[i] = u[i] + ASIDE * span * (own.index(owner[i]) - (len(own) - 1) / 2)
        for line in own:  # intervals of one path do not cover each other
            same = [i for i in cluster if owner[i] == line]
            for place, i in enumerate(same):
                moved[i] += NEXT * span * (place - (len(same) - 1) / 2)
    x = iter(np.where(moved == u, places, 10**moved if log else moved))
    return [[replace(point, x=float(next(x))) for point in line] for line in lines]


def _reach(each: Series, scale: Scale) -> tuple[float, float]:
    """Returns the part of the y axis, from 0 to 1, that the marker and the interval of a point cover."""
    if each.gone:
        return 0.0, MARKER
    ends = [value for value in (each.over.median, each.over.low, each.over.high) if math.isfinite(value)]
    at = [(math.log10(max(y, LEAST) / scale.low) if scale.log else y - scale.low) / scale.span for y in ends]
    return min([*at, at[0] - MARKER]), max([*at, at[0] + MARKER])


def _meeting(u: np.ndarray, reach: Sequence[tuple[float, float]], near: float) -> list[list[int]]:
    """Returns groups of points that are connected through points that meet."""
    groups: list[list[int]] = []
    for i in range(len(u)):
        meets = [group for group in groups if any(abs(u[i] - u[j]) <= near and reach[i][0] <= reach[j][1]
                                                  and reach[j][0] <= reach[i][1] for j in group)]
        groups = [group for group in groups if group not in meets] + [[i, *(j for group in meets for j in group)]]
    return [sorted(group) for group in groups]


def _name(axes: Axes, line: Sequence[Point], higher: bool, several: bool) -> None:
    """Writes the name of a path at its best point, and the epsilon of every point if there are `several`."""
    known = [point for point in line if not point.each.gone] or line[:1]
    if known[0].each.gone:
        return
    best = (max if higher else min)(known, key=lambda point: point.each.over.median)
    for point in [best, *(point for point in known if several and point is not best)]:
        spent = "no ε" if point.each.no_privacy else f"ε {rounded_up(point.each.epsilon[0])}"
        words = ([point.each.path_name] if point is best else []) + ([spent] if several else [])
        names.at_point(axes, point.x, point.each.over.median, ", ".join(words), point.each.colour, bold=point is best)


def _rounds_differ(series: Sequence[Series]) -> list[str]:
    """Returns a note if points of one line ran for different numbers of rounds."""
    found: set[int] = set()
    for line in _lines(series, EPSILON):
        rounds: dict[float, set[int]] = {}
        for each in line:
            rounds.setdefault(each.epsilon[0], set()).update(run.rounds_done for run in each.combination.runs)
        if any(one != other for one in rounds.values() for other in rounds.values()):
            found.update(*rounds.values())
    return [Brief(f"rounds differ with ε ({min(found)} to {max(found)}), so the slope is not that of privacy alone")] \
        if found else []


def _is_log(x: np.ndarray) -> bool:
    """Returns whether values differ enough for a log axis."""
    return bool(x.min() > 0 and x.max() > LOG_RATIO * x.min())


def _x_axis(axes: Axes, lines: Sequence[list[Point]], prefixes: bool, moved: bool, named: bool = False) -> None:
    """Sets a linear or log x axis around the points, with room for names if they are `named`."""
    x = np.array([point.x for line in lines for point in line])
    low, high = float(x.min()), float(x.max())
    log = _is_log(x)
    if log:
        room = (high / low) ** 0.12
        low, high = low / room**(3 if named else 1), high * room**(2.5 if named else 1)
        axes.set_xscale("log")
        style.log_axis(axes.xaxis, low, high, prefixes)
    else:
        room = 0.2 * (high - low) or 0.5 * max(abs(high), 1.0)
        low, high = low - room * (3 if named else 1), high + room
        style.linear_axis(axes.xaxis, low, high, prefixes=prefixes)
    axes.set_xlim(low, high)
    axes.set_xlabel(f"{axes.get_xlabel()} ({'log' if log else 'linear'}{DODGED if moved else ''})"
                    if log or moved else axes.get_xlabel())
