"""The panel of times: seconds per round, stacked by what they are spent on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

from ..io.errors import RunFileError
from ..io.forms import seconds as in_seconds
from ..io.words import Warn, cut
from ..model.evidence import evidence_of
from ..model.phases import KINDS, MEASURING, by_kind, of_simulation
from ..stats.intervals import Interval, interval
from . import style
from .scales import CUT, runs_of
from .series import Series

MOST_BARS = 8
SMALL = 0.02  # of every bar: kinds below this are drawn as "other"
ROOM = 1.3  # of the longest bar: the axis, with room for the figures
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
        """Returns the length of the bar, s."""
        return sum(self.kinds.values())


def bar_of(each: Series) -> Bar:
    """Returns the bar of a line, without evaluation and recording."""
    # The rounds of the run: an axis of that name has none for methods without it.
    rows = [(row, run.rounds_done) for row, run in zip(each.combination.seeds.to_dict(orient="records"),
                                                       each.combination.runs)]
    kinds = [{kind: seconds / rounds for kind, seconds in by_kind(row).items() if kind not in MEASURING}
             for row, rounds in rows if rounds > 0]
    medians = {kind: float(np.median([known[kind] for known in kinds])) for kind in (kinds[0] if kinds else ())}
    return Bar(each.name, medians, interval([sum(known.values()) for known in kinds]))


def draw_times(axes: Axes, series: Sequence[Series]) -> list[str]:
    """Draws the bars from top to bottom, each under its label, and a legend of what they are made of; returns notes.
    Raises RunFileError for more bars than can be distinguished."""
    if len(series) > MOST_BARS:
        raise RunFileError(f"a panel of times has at most {MOST_BARS} bars, and there are {len(series)} lines; name "
                           "fewer files, or draw another panel.")
    bars = [bar_of(each) for each in series]
    longest = max(bar.total for bar in bars) or 1.0
    large = [kind for kind in KINDS if any(bar.kinds.get(kind, 0.0) > SMALL * bar.total for bar in bars)]
    small = any(bar.total > sum(bar.kinds.get(kind, 0.0) for kind in large) * (1 + 1e-9) for bar in bars)
    for place, bar in enumerate(bars):
        lengths = {kind: bar.kinds.get(kind, 0.0) for kind in large}
        lengths["other"] = max(0.0, bar.total - sum(lengths.values()))
        start = 0.0
        for kind, length in lengths.items():
            axes.barh(place + SHIFT, length, left=start, height=THICK, color=COLOURS[kind], edgecolor="white",
                      linewidth=0.4)
            start += length
        _mark(axes, place, bar, EDGE * longest)
    style.dress(axes)
    axes.set_ylim(len(bars) - 0.4, -0.65)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlim(0, ROOM * longest)
    style.linear_axis(axes.xaxis, 0, ROOM * longest, prefixes=True)
    axes.set_title("Time per round", loc="left")
    axes.set_xlabel("time per round (s)")
    marks = [Patch(color=COLOURS[kind], label=kind) for kind in [*large, *(["other"] if small else [])]]
    # Under the label of the axis, which is measured in points.
    below = ScaledTranslation(0, -4.0 * style.font_size(axes) / 72, axes.figure.dpi_scale_trans)
    axes.legend(handles=marks, loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=axes.transAxes + below,
                ncols=min(4, len(marks)), frameon=False, fontsize=0.88 * style.font_size(axes), borderaxespad=0,
                handlelength=0.9, handleheight=0.9, columnspacing=1.0, labelspacing=0.25)
    return [*of_times(series), "time per round: mean over ranks, evaluation and recording left out",
            *([CUT] if any(bar.whole.high > EDGE * longest for bar in bars) else [])]


def of_times(series: Sequence[Series]) -> list[str]:
    """Returns notes on seconds: whether they are evidence, and of which time."""
    doubts = [found.words for run in runs_of(series) if not (found := evidence_of(run)).is_evidence]
    return [*map(Warn, doubts[:1]), *of_simulation((each.name, each.combination.runs) for each in series)]


def _mark(axes: Axes, place: int, bar: Bar, edge: float) -> None:
    """Writes the label above a bar and its value behind it, and draws the interval of its length."""
    axes.annotate(cut(bar.label, 40), (0, place - 0.08), ha="left", va="bottom", xytext=(1, 0), annotation_clip=False,
                  textcoords="offset points", fontsize=0.88 * style.font_size(axes))
    if not math.isfinite(bar.whole.median):
        return
    ends = [min(edge, end) for end in (bar.whole.low, bar.whole.high) if math.isfinite(end)]
    if ends:
        axes.plot(ends, [place + SHIFT] * 2, color=style.INK, linewidth=0.9, zorder=3)
    axes.annotate(in_seconds(bar.total), (1, place + SHIFT), xycoords=("axes fraction", "data"), ha="right",
                  va="center", fontsize=0.88 * style.font_size(axes))
