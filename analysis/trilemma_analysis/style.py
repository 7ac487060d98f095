"""Colours, line styles and axis dress of the figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import EngFormatter, FixedLocator, Formatter, NullLocator, PercentFormatter, StrMethodFormatter

from .groups import Group

INK = "#222222"
SOFT = "#6b6b6b"
GRID = "#e3e3e3"
WARNING = "#b3261e"

# Okabe and Ito's colours, told apart by colour-blind readers too; a method has the same colour in every figure.
COLOURS = {
    "gd": "#555555",
    "ldp-sgd": "#e69f00",
    "ldp-svrg": "#d55e00",
    "cdp-sgd": "#009e73",
    "soteriafl-gd": "#882255",
    "soteriafl-sgd": "#0072b2",
    "soteriafl-svrg": "#cc79a7",
    "soteriafl-saga": "#56b4e9",
    # The personalised family, drawn together in one figure.
    "pmtl": "#004488",
    "local": "#888888",
    "pp-sgd": "#ddaa33",
    "naive-dp-mtl": "#bb5566",
    "scaffold": "#228833",
    "dp-scaffold": "#aa3377",
}
SPARE_COLOURS = ("#332288", "#999933", "#117733", "#aa4499", "#44aa99", "#661100")
# Paul Tol's light colours, made for areas: kinds of phases, so that no area looks like a method's line.
AREA_COLOURS = ("#77aadd", "#99ddff", "#44bb99", "#eedd88", "#dddddd", "#bbcc33", "#ee8866", "#ffaabb", "#aaaa00")
# Multiples of powers of ten that get a tick on a log axis, by the largest ratio of its ends.
TICK_DIGITS = ((10, (1, 2, 3, 4, 6, 8)), (500, (1, 2, 5)), (math.inf, (1,)))
MOST_TICKS = 8
MARKERS = ("", "o", "s", "^", "D", "v")

RC = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    # Names come from files: a $ in them is a letter, and no formula.
    "text.parse_math": False,
    # Text stays text in SVG files, and the same runs give the same file.
    "svg.fonttype": "none",
    "svg.hashsalt": "trilemma",
}


def line_styles(groups: Sequence[Group]) -> list[dict]:
    """Keyword arguments of plot() for every group: colour by method, dashes without compression, and a marker
    where a method appears more than once."""
    spare = dict.fromkeys(group.method for group in groups if group.method not in COLOURS)
    colours = COLOURS | {method: SPARE_COLOURS[i % len(SPARE_COLOURS)] for i, method in enumerate(spare)}
    seen: dict[str, int] = {}
    styles = []
    for group in groups:
        variant = seen.get(group.method, 0)
        seen[group.method] = variant + 1
        styles.append(
            {
                "color": colours[group.method],
                "linestyle": "-" if group.compressed else (0, (5, 2)),
                "linewidth": 1.9,
                "marker": MARKERS[variant % len(MARKERS)],
                "markersize": 4,
                "label": group.label,
            }
        )
    return styles


def dress(axes: Axes) -> None:
    """Takes away what is not data and adds a quiet grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, which="major", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=3, width=0.7)


def bits_axis(axes: Axes, first: float, last: float) -> None:
    """A bits axis from 0 to `last`: logarithmic from the first message on, linear below, where 0 bits have a place."""
    axes.set_xscale("symlog", linthresh=first, linscale=0.25)
    axes.set_xlim(0, last)
    # No ticks within the narrow linear part but 0: their labels would run into each other.
    axes.xaxis.set_major_locator(FixedLocator([0, *_round_numbers(1.5 * first, last)]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(EngFormatter(sep=" "))


def value_axis(axes: Axes, scale: str) -> None:
    """Sets the y axis: "linear", "log" or "percent"."""
    if scale == "log":
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        log_ticks(axes.yaxis, low, high)
        axes.set_ylim(low, high)
    elif scale == "percent":
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))


def log_ticks(axis: Axis, low: float, high: float, formatter: Formatter | None = None) -> None:
    """Few round numbers as ticks of a log axis from `low` to `high`."""
    ticks = _round_numbers(low, high) or [low, high]
    axis.set_major_locator(FixedLocator(ticks[::-(-len(ticks) // MOST_TICKS)]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(formatter or (StrMethodFormatter("{x:g}") if high < 1e5 else EngFormatter(sep=" ")))


def _round_numbers(low: float, high: float) -> list[float]:
    """Multiples of powers of ten within [low, high] for a log axis: the wider the range, the fewer multiples."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    digits = next(digits for ratio, digits in TICK_DIGITS if high <= ratio * low)
    return [digit * 10.0**power for power in powers for digit in digits if low <= digit * 10.0**power <= high]
