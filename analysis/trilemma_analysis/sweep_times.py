"""The panel of times: seconds a round, stacked by what they are spent on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from . import style
from .intervals import Interval, interval
from .phases import KINDS, by_kind
from .sweep_series import Series

MOST_BARS = 12
SMALL = 0.02  # of every bar: kinds below this are drawn as "other"
LABEL_WIDTH = 34
EDGE = 1.12  # of the longest bar: where intervals are cut
COLOURS = dict(zip((*KINDS, "other"), style.AREA_COLOURS))
REST = "set-up and untimed"
REST_LOOK = {"facecolor": "#f4f4f4", "edgecolor": "#b5b5b5", "linewidth": 0.6}


@dataclass(frozen=True)
class Bar:
    """Seconds a round, in medians over the seeds: per kind of phase, and of the clock with an interval."""

    label: str
    kinds: dict[str, float]
    wall: Interval


def bars_of(series: Sequence[Series]) -> tuple[list[Bar], list[str]]:
    """A bar a combination, or a group where there are too many; and notes for the caption."""
    if len(series) <= MOST_BARS:
        bars = [_bar(each.combination.label, [each]) for each in series]
        return bars, _cut(bars)
    groups: dict[str, list[Series]] = {}
    for each in series:
        groups.setdefault(each.group, []).append(each)
    return [_bar(label, members) for label, members in groups.items()], \
        ["times: medians over all combinations of one colour, without intervals"]


def _cut(bars: Sequence[Bar]) -> list[str]:
    edge = EDGE * _longest(bars)
    return ["intervals that leave a panel are cut"] if any(bar.wall.high > edge for bar in bars) else []


def _bar(label: str, members: Sequence[Series]) -> Bar:
    rows = [row for each in members for row in each.combination.seeds.to_dict(orient="records") if row["rounds"] > 0]
    kinds = [by_kind(row) for row in rows]
    medians = {kind: float(np.median([known[kind] / row["rounds"] for known, row in zip(kinds, rows)]))
               for kind in COLOURS} if rows else dict.fromkeys(COLOURS, 0.0)
    wall = interval([row["wall_seconds"] / row["rounds"] for row in rows])
    # Seeds of several combinations are no sample of one thing.
    return Bar(label, medians, wall if len(members) == 1 else replace(wall, low=math.nan, high=math.nan, kind="none"))


def draw_times(axes: Axes, bars: Sequence[Bar]) -> list[Patch]:
    """Draws the bars from top to bottom; returns the marks of the legend."""
    longest = _longest(bars)
    factor, unit = next((found for found in ((1e6, "µs"), (1e3, "ms")) if longest * found[0] < 1000), (1.0, "s"))
    large = [kind for kind in KINDS if any(bar.kinds[kind] > SMALL * _total(bar) for bar in bars)]
    small = any(_total(bar) > sum(bar.kinds[kind] for kind in large) * (1 + 1e-9) for bar in bars)
    for place, bar in enumerate(bars):
        lengths = {kind: bar.kinds[kind] * factor for kind in large}
        lengths["other"] = max(0.0, factor * _total(bar) - sum(lengths.values()))
        start = 0.0
        for kind, length in lengths.items():
            axes.barh(place, length, left=start, height=0.66, color=COLOURS[kind], edgecolor="white", linewidth=0.6)
            start += length
        axes.barh(place, max(0.0, factor * _clock(bar) - start), left=start, height=0.66, **REST_LOOK)
        _mark_clock(axes, place, bar, factor, longest)
    _dress(axes, bars, longest * factor, unit)
    rest = [Patch(**REST_LOOK, label=REST)] if any(_clock(bar) > _total(bar) for bar in bars) else []
    return [Patch(color=COLOURS[kind], label=kind) for kind in [*large, *(["other"] if small else [])]] + rest


def _longest(bars: Sequence[Bar]) -> float:
    return max(max(_total(bar), _clock(bar)) for bar in bars) or 1.0


def _total(bar: Bar) -> float:
    return sum(bar.kinds.values())


def _clock(bar: Bar) -> float:
    return bar.wall.median if math.isfinite(bar.wall.median) else 0.0


def _dress(axes: Axes, bars: Sequence[Bar], longest: float, unit: str) -> None:
    axes.set_ylim(len(bars) - 0.4, -0.6)
    axes.set_xlim(0, 1.32 * longest)  # the last quarter is for the figures
    axes.set_yticks(range(len(bars)), [_short(bar.label) for bar in bars], fontsize=8.5)
    style.dress(axes)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.set_title("Time a round, by phase", loc="left", fontsize=10.5, pad=8)
    axes.set_xlabel(f"time a round ({unit})")


def _mark_clock(axes: Axes, place: int, bar: Bar, factor: float, longest: float) -> None:
    """The time by the clock: a black mark with its interval, and a figure at the edge."""
    wall = bar.wall
    if not math.isfinite(wall.median):
        return
    at, edge = wall.median * factor, EDGE * longest * factor
    axes.plot([at, at], [place - 0.33, place + 0.33], color=style.INK, linewidth=1.4, zorder=3)
    if math.isfinite(wall.low) and math.isfinite(wall.high):
        axes.plot([max(0.0, wall.low * factor), min(edge, wall.high * factor)], [place, place], color=style.INK,
                  linewidth=0.9, zorder=3)
    axes.annotate(f"{at:#.3g}".rstrip("."), (1, place), xycoords=("axes fraction", "data"), ha="right", va="center",
                  fontsize=8.5)


def _short(label: str) -> str:
    return label if len(label) <= LABEL_WIDTH else label[: LABEL_WIDTH - 1].rstrip() + "…"
