"""The panel of times: seconds per round, stacked by what they are spent on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

from ..io.words import cut
from ..model.phases import KINDS, MEASURING, by_kind, of_simulation
from ..stats.intervals import Interval, interval
from . import style
from .scales import CUT
from .series import Series

MOST_BARS = 8
SMALL = 0.02  # of every bar: kinds below this are drawn as "other"
ROOM = 1.24  # of the longest bar: the axis, with room for the figures
EDGE = 1.06  # of the longest bar: where intervals are cut
THICK, SHIFT = 0.42, 0.16  # a bar and its label share a place
COLOURS = dict(zip((*KINDS, "other"), style.AREA_COLOURS))


@dataclass(frozen=True)
class Bar:
    """Seconds per round: medians over the seeds by kind of phase, and their sum with an interval."""

    label: str
    kinds: dict[str, float]
    whole: Interval

    @property
    def total(self) -> float:
        """Length of the bar, s."""
        return sum(self.kinds.values())


def bars_of(series: Sequence[Series], evaluation: bool = False) -> tuple[list[Bar], list[str]]:
    """A bar per line of the legend, or per colour where there are too many, and notes for the caption. Without
    `evaluation` the time of evaluation and recording is skipped."""
    groups: dict[str, list[Series]] = {}
    for each in series:
        groups.setdefault(each.name, []).append(each)
    notes = []
    if len(groups) > MOST_BARS:
        groups = {}
        for each in series:
            groups.setdefault(each.group, []).append(each)
        notes = ["times: medians over all combinations of one colour, without an interval where there are several"]
    bars = [_bar(label, members, evaluation) for label, members in groups.items()][: 2 * MOST_BARS]
    skipped = "" if evaluation else ", evaluation and recording left out"
    return bars, [*notes, f"time per round: mean over ranks{skipped}"]


def _bar(label: str, members: Sequence[Series], evaluation: bool) -> Bar:
    # The rounds of the run: an axis of that name has none for methods without it.
    rows = [(row, run.rounds_done) for each in members
            for row, run in zip(each.combination.seeds.to_dict(orient="records"), each.combination.runs)]
    kinds = [{kind: seconds / rounds for kind, seconds in by_kind(row).items()
              if evaluation or kind not in MEASURING} for row, rounds in rows if rounds > 0]
    medians = {kind: float(np.median([known[kind] for known in kinds])) for kind in (kinds[0] if kinds else ())}
    whole = interval([sum(known.values()) for known in kinds])
    # Seeds of several combinations are no sample of one thing.
    return Bar(label, medians, whole if len(members) == 1 else replace(whole, low=math.nan, high=math.nan, kind="none"))


def draw_times(axes: Axes, series: Sequence[Series], evaluation: bool = False) -> list[str]:
    """Draws the bars from top to bottom, each under its label, and a legend of what they are made of; returns notes
    for the caption."""
    bars, notes = bars_of(series, evaluation)
    longest = max(bar.total for bar in bars) or 1.0
    factor, unit = next((found for found in ((1e6, "µs"), (1e3, "ms")) if longest * found[0] < 1000), (1.0, "s"))
    large = [kind for kind in KINDS if any(bar.kinds.get(kind, 0.0) > SMALL * bar.total for bar in bars)]
    small = any(bar.total > sum(bar.kinds.get(kind, 0.0) for kind in large) * (1 + 1e-9) for bar in bars)
    for place, bar in enumerate(bars):
        lengths = {kind: bar.kinds.get(kind, 0.0) * factor for kind in large}
        lengths["other"] = max(0.0, factor * bar.total - sum(lengths.values()))
        start = 0.0
        for kind, length in lengths.items():
            axes.barh(place + SHIFT, length, left=start, height=THICK, color=COLOURS[kind], edgecolor="white",
                      linewidth=0.4)
            start += length
        _mark(axes, place, bar, factor, EDGE * longest * factor)
    style.dress(axes)
    axes.set_ylim(len(bars) - 0.4, -0.65)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlim(0, ROOM * longest * factor)
    style.linear_axis(axes.xaxis, 0, ROOM * longest * factor)
    axes.set_title("Time per round", loc="left")
    axes.set_xlabel(f"time per round ({unit})")
    marks = [Patch(color=COLOURS[kind], label=kind) for kind in [*large, *(["other"] if small else [])]]
    # Under the label of the axis, which is measured in points.
    below = ScaledTranslation(0, -4.0 * style.font_size(axes) / 72, axes.figure.dpi_scale_trans)
    axes.legend(handles=marks, loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=axes.transAxes + below,
                ncols=min(4, len(marks)), frameon=False, fontsize=0.88 * style.font_size(axes), borderaxespad=0,
                handlelength=0.9, handleheight=0.9, columnspacing=1.0, labelspacing=0.25)
    return [*notes, *of_simulation((each.name, each.combination.runs) for each in series), *([CUT] if any(bar.whole.high > EDGE * longest for bar in bars) else [])]


def _mark(axes: Axes, place: int, bar: Bar, factor: float, edge: float) -> None:
    """The label above a bar, the figure behind it and the interval of its length."""
    axes.annotate(cut(bar.label, 40), (0, place - 0.08), ha="left", va="bottom", xytext=(1, 0), annotation_clip=False,
                  textcoords="offset points", fontsize=0.88 * style.font_size(axes))
    if not math.isfinite(bar.whole.median):
        return
    ends = [min(edge, end * factor) for end in (bar.whole.low, bar.whole.high) if math.isfinite(end)]
    if ends:
        axes.plot(ends, [place + SHIFT] * 2, color=style.INK, linewidth=0.9, zorder=3)
    axes.annotate(f"{bar.total * factor:#.3g}".rstrip("."), (1, place + SHIFT), xycoords=("axes fraction", "data"),
                  ha="right", va="center", fontsize=0.88 * style.font_size(axes))
