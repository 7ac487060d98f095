"""The panel of what a round consists of: a bar of shares for every point, line by line."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

from ..io.words import cut
from ..plot import style
from .folder import Line
from .points import name_of
from .text import PART_WORDS, shares_of
from .timing import PARTS

MOST_BARS = 12
COLOURS = dict(zip(PARTS, (style.AREA_COLOURS[i] for i in (0, 6, 4, 3, 2))))


def draw_parts(axes: Axes, lines: Sequence[Line]) -> list[str]:
    """Draws the bars under the names of their lines, and a legend of the parts; returns notes for the caption."""
    place, bars, ticks, labels = 0.0, 0, [], []
    for line in lines:
        if bars + len(line.points) > MOST_BARS:
            break
        axes.annotate(cut(name_of(line, lines), 40), (0, place), ha="left", va="center", xytext=(1, 0),
                      textcoords="offset points", fontsize=0.88 * style.font_size(axes))
        for point in line.points:
            place, bars, start = place + 1, bars + 1, 0.0
            for name, share in shares_of(point).items():
                axes.barh(place, share, left=start, height=0.78, color=COLOURS[name], edgecolor="white", linewidth=0.4)
                start += share
            ticks.append(place)
            several = len(point.placement.blocks) > 1 or point.ranks in line.placed_in_several_ways
            words = f": {cut(point.placement.words or 'unknown', 16)}" if several else ""
            labels.append(f"{point.ranks}{words}" + (" (shared)" if point.crowded else ""))
        place += 1.1
    style.dress(axes)
    axes.grid(False, axis="y")
    axes.set_ylim(place - 0.5, -0.7)
    axes.set_yticks(ticks, labels)
    axes.set_ylabel("ranks")
    axes.set_xlim(0, 1)
    style.linear_axis(axes.xaxis, 0, 1, percent=True)
    axes.set_xlabel("share of the round")
    axes.set_title("What a round consists of", loc="left")
    below = ScaledTranslation(0, -3.6 * style.font_size(axes) / 72, axes.figure.dpi_scale_trans)
    axes.legend(handles=[Patch(color=COLOURS[name], label=PART_WORDS[name]) for name in PARTS], loc="upper left",
                bbox_to_anchor=(0, 0), bbox_transform=axes.transAxes + below, ncols=3, frameon=False,
                fontsize=0.88 * style.font_size(axes), borderaxespad=0, handlelength=0.9, handleheight=0.9,
                columnspacing=1.0, labelspacing=0.25)
    drawn = sum(len(line.points) for line in lines)
    return [f"shares: the first {bars} of {drawn} points"] if bars < drawn else []
