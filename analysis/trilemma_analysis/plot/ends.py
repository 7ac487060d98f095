"""Panels of what has come out at the end: a metric against epsilon, communicated bits and the values of an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import median

from matplotlib.axes import Axes

from ..io.run_file import rounded_up
from ..io.words import cut
from ..model import guarantees
from ..model.labels import EPSILON
from ..model.uploads import Upload, chance_of
from . import style
from .scales import draw_baseline, dress, runs_of, scale_of_ends
from .series import Series, at_best, best_of, is_number

LOG_RATIO = 2.5
SAME_EPSILON = 1.05  # epsilons closer than this ratio are one
MOST_SLOTS = 6  # values of epsilon on an axis of categories
LEAST = 1e-300  # the end of a bar has a place on a log axis
CLUSTER = 0.62  # of a category, taken by its points
NO_EPSILON = "no ε"


def draw_epsilon(axes: Axes, series: Sequence[Series], metric: str) -> list[str]:
    """Metric at the end against epsilon: filled where accounted, open where only nominal, a line across where there is
    none. Few different epsilons are categories, in which points stand side by side; more of them are numbers."""
    scale = scale_of_ends(series, metric)
    slots = epsilons(series)
    placed = [each for each in series if not each.no_privacy]
    kinds = {each.epsilon[1] for each in placed}
    label = {frozenset({True}): "accounted ε", frozenset({False}): "nominal ε (not accounted)"}
    label = label.get(frozenset(kinds), "accounted ε (open: nominal ε, not accounted)")
    if len(slots) <= MOST_SLOTS:
        _by_slots(axes, series, slots)
        label += "; within a field all are equal" if len(series) > len(slots) else ""
    else:
        _by_numbers(axes, placed, slots)
    _across(axes, (each for each in series if each.no_privacy))
    mixed = guarantees.differing([each.combination.runs for each in placed])
    draw_baseline(axes, scale, runs_of(series), metric)
    dress(axes, scale, metric, "At the end, against privacy" + at_best(series),
          label + (f" (compare only within equal {guarantees.BRACKETS})" if mixed else ""))
    if len(slots) <= MOST_SLOTS:
        axes.grid(False, axis="x")
    return [*scale.notes, *_rounds_differ(placed)]


def _rounds_differ(series: Sequence[Series]) -> list[str]:
    """A warning where points of one line ran for different numbers of rounds."""
    found: set[int] = set()
    for line in _lines(series):
        rounds: dict[float, set[int]] = {}
        for each in line:
            rounds.setdefault(each.epsilon[0], set()).update(run.rounds_done for run in each.combination.runs)
        if any(one != other for one in rounds.values() for other in rounds.values()):
            found.update(*rounds.values())
    return [f"rounds differ with ε ({min(found)} to {max(found)}), so the slope is not that of privacy alone"] if found else []


def epsilons(series: Sequence[Series]) -> list[float]:
    """The epsilons that a sweep compares, accounted as far as there is an account; of those that are nearly the same
    the largest."""
    found: list[float] = []
    for value in sorted(each.epsilon[0] for each in series if not each.no_privacy):
        if found and value <= SAME_EPSILON * found[-1]:
            found[-1] = value
        else:
            found.append(value)
    return found


def draw_bits(axes: Axes, series: Sequence[Series], metric: str, bits: Upload = Upload()) -> list[str]:
    """Metric at the end against the bits that the clients have sent."""
    scale = scale_of_ends(series, metric)
    x = [median(bits.of(run).iloc[-1] for run in each.combination.runs) for each in series]
    for each, place in zip(series, x):
        _point(axes, each, place)
    draw_baseline(axes, scale, runs_of(series), metric)
    dress(axes, scale, metric, "At the end, against uploaded bits" + at_best(series),
          bits.label)
    _x_axis(axes, x, prefixes=True)
    return [*scale.notes, *(chance_of(runs_of(series)) if bits.count == "payload" else [])]


def numeric_axis(series: Sequence[Series]) -> str | None:
    """The axis of numbers with most values that is neither epsilon nor that of the colours."""
    names = list(series[0].tuned)
    known = {name: {each.tuned[name] for each in series} - {None} for name in names}
    counts = {name: len(values) for name, values in known.items() if all(map(is_number, values))}
    return max(counts, key=counts.get) if counts and max(counts.values()) > 1 else None


def draw_axis(axes: Axes, series: Sequence[Series], metric: str, axis: str) -> list[str]:
    """Metric at the end against the values of an axis of the sweep, at the best values of all others. A method that has
    no such axis is a line across."""
    chosen = best_of(series, metric, keep=axis)
    scale = scale_of_ends(chosen, metric)
    placed = [each for each in chosen if each.tuned[axis] is not None]
    _across(axes, (each for each in chosen if each.tuned[axis] is None))
    for line in _lines(placed, axis):
        line.sort(key=lambda each: each.tuned[axis])
        x = [float(each.tuned[axis]) for each in line]
        _join(axes, line, x, band=True)
        for each, place in zip(line, x):
            _point(axes, each, place, bar=len(line) == 1)
    draw_baseline(axes, scale, runs_of(chosen), metric)
    dress(axes, scale, metric, f"At the end, against {cut(axis)}" + at_best(chosen, but=axis), cut(axis))
    _x_axis(axes, [float(each.tuned[axis]) for each in placed])
    return scale.notes


def _by_slots(axes: Axes, series: Sequence[Series], slots: Sequence[float]) -> None:
    """A category for every epsilon; within it the points stand side by side in the order of the legend."""
    lines = _lines(series)
    rank = {id(each): i for i, line in enumerate(lines) for each in line}
    open_end = any(each.no_privacy for each in series)
    names = [rounded_up(value) for value in slots] + ([NO_EPSILON] if open_end else [])

    def place(each: Series) -> float:
        slot = len(slots) if each.no_privacy else \
            next(i for i, value in enumerate(slots) if each.epsilon[0] <= value * (1 + 1e-9))
        return slot + CLUSTER * ((rank[id(each)] + 0.5) / len(lines) - 0.5)

    for i in range(0, len(names), 2):
        axes.axvspan(i - 0.5, i + 0.5, color=style.SLOT, linewidth=0, zorder=0)
    for line in lines:
        private = sorted((each for each in line if not each.no_privacy), key=lambda each: each.epsilon[0])
        _join(axes, private, [place(each) for each in private])
        for each in line:
            _point(axes, each, place(each), hollow=not (each.epsilon[1] or each.no_privacy))
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_xticks(range(len(names)), names)


def _across(axes: Axes, series: Iterable[Series]) -> None:
    for each in series:
        axes.axhline(each.over.median, color=each.colour, linestyle=(0, (1, 2)), linewidth=1.0, zorder=1.8)


def _by_numbers(axes: Axes, series: Sequence[Series], slots: Sequence[float]) -> None:
    for line in _lines(series):
        line.sort(key=lambda each: each.epsilon[0])
        _join(axes, line, [each.epsilon[0] for each in line])
        for each in line:
            _point(axes, each, each.epsilon[0], hollow=not each.epsilon[1])
    _x_axis(axes, slots)


def _lines(series: Sequence[Series], over: str = EPSILON) -> list[list[Series]]:
    """Series of one colour that differ in the axis `over`, or in what is tuned, alone."""
    lines: dict[tuple, list[Series]] = {}
    for each in series:
        rest = tuple((name, repr(value)) for name, value in each.styled.items() if name != over)
        lines.setdefault((each.group, rest), []).append(each)
    return list(lines.values())


def _join(axes: Axes, line: Sequence[Series], x: Sequence[float], band: bool = False) -> None:
    """A thin line between points, and with `band` their intervals as one area."""
    if band and len(line) > 1:
        axes.fill_between(x, [each.over.low for each in line], [each.over.high for each in line], color=line[0].colour,
                          alpha=0.1, linewidth=0)
    if len(line) > 1:
        axes.plot(x, [each.over.median for each in line], color=line[0].colour, linewidth=0.9, alpha=0.55, zorder=2)


def _point(axes: Axes, each: Series, x: float, hollow: bool = False, bar: bool = True) -> None:
    over = each.over
    if bar and math.isfinite(over.low) and math.isfinite(over.high):
        axes.vlines([x], max(over.low, LEAST), over.high, color=each.colour, linewidth=1.1, alpha=0.75,
                    zorder=2.5)
    axes.plot([x], [over.median], color=each.colour, linestyle="", marker=each.look.marker, markersize=4.8,
              markerfacecolor="white" if hollow else each.colour, markeredgecolor=each.colour if hollow else "white",
              markeredgewidth=1.1 if hollow else 0.5, zorder=3)


def _x_axis(axes: Axes, x: Sequence[float], prefixes: bool = False) -> None:
    """A linear or log x axis around the points, which stay where they are."""
    low, high = min(x), max(x)
    values = sorted(set(x))
    if low > 0 and high > LOG_RATIO * low:
        room = (high / low) ** 0.1
        axes.set_xscale("log")
        axes.set_xlim(low / room, high * room)
        style.log_axis(axes.xaxis, low / room, high * room, prefixes)
    else:
        room = 0.12 * (high - low) or 0.5 * max(abs(high), 1.0)
        axes.set_xlim(low - room, high + room)
        style.linear_axis(axes.xaxis, low - room, high + room, prefixes=prefixes)
    if len(values) == 1 or not prefixes and len(values) <= style.MOST_TICKS:
        style.ticks_at(axes.xaxis, values, prefixes)
