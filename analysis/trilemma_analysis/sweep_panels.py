"""The four panels of a sweep's figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, Formatter

from . import style, terms
from .figures import BITS
from .intervals import bounds
from .sweep_series import EPSILON, Series, is_number, lines_along
from .words import cut

LABELS = {
    "utility": "utility: mean of ‖∇f‖² (lower is better)",
    "objective": "objective f (lower is better)",
    "accuracy": "test accuracy (higher is better)",
    "gradient_norm_squared": "‖∇f‖² (lower is better)",
}
LOG_RATIO = 2.5  # a log axis from this ratio of its ends on
MOST_CURVES = 8
CURVE_MARKERS = 8
DODGE = 0.022  # of the x axis, between points that would cover each other
MOST_GAPS = 12  # width of a cluster of such points
POINT = 0.045  # of the y axis, height of a point
SAME_EPSILON = 1.05  # epsilons closer than this ratio are one


@dataclass(frozen=True)
class Scale:
    """The y axis of a metric: linear or log, its ends, and whether intervals leave it."""

    log: bool
    low: float
    high: float
    cut: bool


def scale_of(medians: np.ndarray, lows: np.ndarray, highs: np.ndarray, metric: str) -> Scale:
    """An axis for the medians and, as far as they do not squeeze them, their intervals."""
    known = np.isfinite(medians)
    medians = medians[known]
    lows, highs = (np.where(np.isfinite(ends[known]), ends[known], medians) for ends in (lows, highs))
    least, most = medians.min(), medians.max()
    log = bool(metric != "accuracy" and least > 0 and most > LOG_RATIO * least)
    if log:
        low, high = np.maximum(lows, least / 2).min(), np.minimum(highs, most * 2).max()
        room = (high / low) ** 0.06
        return Scale(log, low / room, high * room, bool((lows < low).any() or (highs > high).any()))
    spread = most - least or max(abs(highs - lows).max(), 0.05 * abs(most), 1e-12)
    low, high = np.maximum(lows, least - spread / 2).min(), np.minimum(highs, most + spread / 2).max()
    if metric == "accuracy":
        low, high = max(low, 0.0), min(high, 1.0)
    room = 0.06 * (high - low or spread)
    return Scale(log, low - room, high + room, bool((lows < low).any() or (highs > high).any()))


def scale_of_ends(series: Sequence[Series], metric: str) -> Scale:
    """The y axis of final values."""
    return scale_of(*(np.array([getattr(each.over, name) for each in series]) for name in ("median", "low", "high")),
                    metric)


def draw_bits(axes: Axes, series: Sequence[Series], scale: Scale, metric: str, bits: str) -> None:
    """Final metric against the bits that the clients have sent."""
    x = [each.combination.median(f"bits_up_{bits}") for each in series]
    places = _x_axis(axes, x, series, scale, EngFormatter(sep=" "))
    for each, place in zip(series, places):
        _point(axes, each, place, scale)
    _dress(axes, scale, metric, "At the end, against communicated bits",
           f"bits from all clients to the server ({BITS[bits]})")


def epsilons(series: Sequence[Series]) -> list[float]:
    """The epsilons that a sweep compares, accounted as far as there is an account."""
    found: list[float] = []
    for value in sorted(each.epsilon[0] for each in series if 0 < each.epsilon[0] < math.inf):
        if not found or value > SAME_EPSILON * found[-1]:
            found.append(value)
    return found


def draw_epsilon(axes: Axes, series: Sequence[Series], scale: Scale, metric: str) -> None:
    """Final metric against epsilon: filled where accounted, hollow where only nominal; a line across for none."""
    placed = [each for each in series if 0 < each.epsilon[0] < math.inf]
    places = dict(zip(map(id, placed), _x_axis(axes, [each.epsilon[0] for each in placed], placed, scale)))
    for line in lines_along(placed, EPSILON):
        line = sorted(line, key=lambda each: places[id(each)])
        axes.plot([places[id(each)] for each in line], [each.over.median for each in line], color=line[0].colour,
                  linestyle=line[0].dashes, linewidth=1.3, zorder=2)
    for each in placed:
        _point(axes, each, places[id(each)], scale, hollow=not each.epsilon[1])
    for each in (each for each in series if id(each) not in places):
        axes.axhline(each.over.median, color=each.colour, linestyle=(0, (1, 2)), linewidth=1.5)
        axes.annotate(f"{each.combination.label}: no ε", (1, each.over.median), xycoords=("axes fraction", "data"),
                      xytext=(0, 3), textcoords="offset points", ha="right", fontsize=8, color=style.SOFT)
    kinds = {each.epsilon[1] for each in placed}
    label = {frozenset({True}): "accounted ε", frozenset({False}): "nominal ε (not accounted)"}
    mixed = terms.differing([each.combination.runs for each in placed])
    _dress(axes, scale, metric, "At the end, against privacy",
           label.get(frozenset(kinds), "accounted ε (hollow: nominal ε, not accounted)")
           + (f" (compare only within equal {terms.BRACKETS})" if mixed else ""))


def numeric_axis(series: Sequence[Series]) -> str | None:
    """The axis of numbers with most values, if one has more than one value."""
    names = series[0].combination.values
    counts = {name: len({each.combination.values[name] for each in series}) for name in names
              if all(is_number(each.combination.values[name]) for each in series)}
    return max(counts, key=counts.get) if counts and max(counts.values()) > 1 else None


def draw_axis(axes: Axes, series: Sequence[Series], scale: Scale, metric: str, axis: str) -> None:
    """Final metric against the values of an axis of the sweep."""
    values = {id(each): float(each.combination.values[axis]) for each in series}
    places = dict(zip(values, _x_axis(axes, list(values.values()), series, scale, ticks=sorted(set(values.values())))))
    for line in lines_along(series, axis):
        line = sorted(line, key=lambda each: places[id(each)])
        axes.plot([places[id(each)] for each in line], [each.over.median for each in line], color=line[0].colour,
                  linestyle=line[0].dashes, linewidth=1.3, zorder=2)
    for each in series:
        _point(axes, each, places[id(each)], scale)
    _dress(axes, scale, metric, f"At the end, against {cut(axis)}", cut(axis))


def draw_curves(axes: Axes, series: Sequence[Series], metric: str, against: str) -> list[str]:
    """Metric on the way, with bands, against "rounds" or a count of bits; returns notes for the caption."""
    chosen, notes = _few(series)
    column = "round" if against == "rounds" else f"bits_up_{against}"
    curves = [(each, _curve(each, metric, column)) for each in chosen]
    curves = [(each, curve) for each, curve in curves if len(curve)]
    table = pd.concat([curve for _, curve in curves])
    scale = scale_of(*(table[name].to_numpy() for name in ("median", "low", "high")), metric)
    step = None if against == "rounds" else "post"
    for each, curve in curves:
        axes.plot(curve["x"], curve["median"], color=each.colour, linestyle=each.dashes, linewidth=1.8,
                  zorder=2 if each.combination.compressed else 2.5,
                  marker=each.marker if each.others else "", markersize=4,
                  markevery=max(1, len(curve) // CURVE_MARKERS), drawstyle=f"steps-{step}" if step else "default")
        if curve["low"].notna().any():
            axes.fill_between(curve["x"], curve["low"].clip(lower=scale.low / 2 if scale.log else None), curve["high"],
                              color=each.colour, alpha=0.16, linewidth=0, step=step)
    _dress(axes, scale, metric, "On the way, against " + ("rounds" if step is None else "communicated bits"),
           "communication rounds" if step is None else f"bits from all clients to the server ({BITS[against]})")
    if step is None:
        axes.set_xlim(0, table["x"].max())
    else:
        style.bits_axis(axes, table["x"][table["x"] > 0].min(), table["x"].max())
    return notes + (["intervals that leave a panel are cut"] if scale.cut else [])


def _few(series: Sequence[Series]) -> tuple[list[Series], list[str]]:
    """At most MOST_CURVES series: of every group the same variant, the middle one of those that most groups have."""
    if len(series) <= MOST_CURVES:
        return list(series), []
    variants = list(dict.fromkeys(each.variant for each in series))
    counts = {variant: sum(each.variant == variant for each in series) for variant in variants}
    common = [variant for variant in variants if counts[variant] == max(counts.values())]
    chosen = common[len(common) // 2]
    return [each for each in series if each.variant == chosen][:MOST_CURVES], \
        [f"curves against rounds or bits: {chosen} only"]


def _curve(each: Series, metric: str, column: str) -> pd.DataFrame:
    """Median of x, median and interval of the metric over the seeds, at rounds that all seeds have evaluated."""
    tables = [run.rounds.set_index("round", drop=False)[[column, metric]].dropna() for run in each.combination.runs]
    ys = pd.concat([table[metric] for table in tables], axis=1, join="inner")
    xs = pd.concat([table[column].astype(float) for table in tables], axis=1, join="inner")
    low, high = bounds(ys.to_numpy())
    return pd.DataFrame({"x": xs.median(axis=1), "median": ys.median(axis=1), "low": low, "high": high})


def _x_axis(axes: Axes, x: Sequence[float], series: Sequence[Series], scale: Scale, formatter: Formatter | None = None,
            ticks: Sequence[float] | None = None) -> list[float]:
    """Sets a linear or log x axis; returns where the points of the series go so that none hides another."""
    low, high = min(x), max(x)
    log = low > 0 and high > LOG_RATIO * low
    to, back = (math.log, math.exp) if log else (float, float)
    span = to(high) - to(low) or max(abs(to(high)), 1.0)
    room = 0.12 * span if high > low else 0.5 * span
    ends = to(low) - room, to(high) + room
    places = _apart([to(value) for value in x], [_covered(each, scale) for each in series], DODGE * (ends[1] - ends[0]))
    ends = min(ends[0], min(places) - room / 3), max(ends[1], max(places) + room / 3)
    if log:
        axes.set_xscale("log")
        style.log_ticks(axes.xaxis, math.exp(ends[0]), math.exp(ends[1]), formatter)
    elif formatter:
        axes.xaxis.set_major_formatter(formatter)
    if ticks is not None and len(ticks) <= 8 or high == low:
        axes.set_xticks(ticks or [low])
    axes.set_xlim(back(ends[0]), back(ends[1]))
    return [back(place) for place in places]


def _covered(each: Series, scale: Scale) -> tuple[float, float]:
    """The part of the y axis, from 0 to 1, that a point and its bar take."""
    to = math.log if scale.log else float
    low, high = (value if math.isfinite(value) else each.over.median for value in (each.over.low, each.over.high))
    low, high = ((to(min(max(value, scale.low), scale.high)) - to(scale.low)) / (to(scale.high) - to(scale.low))
                 for value in (low, high))
    return low - POINT / 2, high + POINT / 2


def _apart(x: Sequence[float], covered: Sequence[tuple[float, float]], gap: float) -> list[float]:
    """Moves points that would cover each other sideways, evenly around where they belong."""
    places, left = list(x), sorted(range(len(x)), key=lambda i: covered[i])
    while left:
        near, top = [left[0]], covered[left[0]][1]
        for i in left[1:]:
            if abs(x[i] - x[left[0]]) < gap and covered[i][0] < top:
                near, top = [*near, i], max(top, covered[i][1])
        left = [i for i in left if i not in near]
        step = min(gap, MOST_GAPS * gap / len(near))
        for k, i in enumerate(sorted(near)):
            places[i] = x[i] + step * (k - (len(near) - 1) / 2)
    return places


def _point(axes: Axes, each: Series, x: float, scale: Scale, hollow: bool = False) -> None:
    over = each.over
    bar = None
    if math.isfinite(over.low) and math.isfinite(over.high):
        low = max(over.low, scale.low / 2) if scale.log else over.low
        bar = [[max(0.0, over.median - low)], [max(0.0, over.high - over.median)]]
    axes.errorbar([x], [over.median], yerr=bar, color=each.colour, marker=each.marker, markersize=6, capsize=2.5,
                  elinewidth=1.2, markerfacecolor="white" if hollow else each.colour,
                  markeredgecolor=each.colour if hollow else "white", markeredgewidth=1.4 if hollow else 0.6, zorder=3)


def _dress(axes: Axes, scale: Scale, metric: str, title: str, label: str) -> None:
    style.dress(axes)
    axes.set_ylim(scale.low, scale.high)
    style.value_axis(axes, "log" if scale.log else "percent" if metric == "accuracy" else "linear")
    axes.set_title(title, loc="left", fontsize=10.5, pad=8)
    axes.set_xlabel(label)
    axes.set_ylabel(LABELS[metric])
