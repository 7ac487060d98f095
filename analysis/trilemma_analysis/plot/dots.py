"""Rows of dots with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes

from . import style

LEAD = "#0072b2"  # of the first and of those tied with it
ROOM = 0.06  # of an axis, beyond what is drawn
FAR = 3.0  # spans of the centres: how far intervals may stretch an axis


@dataclass(frozen=True)
class Dot:
    """A value with its interval (ends NaN where there is none); drawn open where it is not `whole`, of all seeds."""

    centre: float
    low: float
    high: float
    colour: str
    whole: bool = True

    def scaled(self, factor: float) -> Dot:
        """Returns the dot in another unit."""
        return replace(self, centre=factor * self.centre, low=factor * self.low, high=factor * self.high)


def rows(axes: Axes, names: Sequence[str], more: bool = False) -> None:
    """Gives a panel a row for every name, the first one on top, and with `more` an empty one below them."""
    style.dress(axes)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) + (0.5 if more else -0.4), -0.6)
    axes.set_yticks(range(len(names)), names)


def draw_dots(axes: Axes, dots: Sequence[Dot]) -> None:
    """Draws a dot and its interval in every row; a value that is not finite has none."""
    for row, dot in enumerate(dots):
        if math.isfinite(dot.low) and math.isfinite(dot.high):
            axes.hlines(row, dot.low, dot.high, color=dot.colour, linewidth=1.6)
        if math.isfinite(dot.centre):
            axes.plot([dot.centre], [row], "o", color=dot.colour, markersize=6,
                      markerfacecolor=dot.colour if dot.whole else "white")


def limits(dots: Sequence[Dot], others: Sequence[float] = ()) -> tuple[float, float, bool]:
    """Returns the ends of a linear axis with room for the dots, for `others` and for intervals that do not squeeze the
    dots; and whether an interval is cut."""
    centres = [dot.centre for dot in dots if math.isfinite(dot.centre)]
    ends = [end for dot in dots for end in (dot.low, dot.high) if math.isfinite(end)]
    if not centres and not others:  # all runs diverged
        return 0.0, 1.0, False
    least, most = min([*centres, *others]), max([*centres, *others])
    widths = [dot.high - dot.low for dot in dots if math.isfinite(dot.high - dot.low)]
    span = max(most - least, float(np.median(widths)) if widths else 0.0) or 0.1 * abs(most) or 1.0
    low = max(min([*ends, least]), least - FAR * span)
    high = min(max([*ends, most]), most + FAR * span)
    room = ROOM * (high - low) or ROOM * span
    return low - room, high + room, bool(ends) and (min(ends) < low or max(ends) > high)


def words_at_rows(axes: Axes, words: Sequence[str], colours: Sequence[str]) -> None:
    """Writes a word to the right of every row, outside of the panel."""
    for row, (word, colour) in enumerate(zip(words, colours)):
        axes.text(1.02, row, word, transform=axes.get_yaxis_transform(), va="center", color=colour,
                  fontsize=style.font_size(axes))
