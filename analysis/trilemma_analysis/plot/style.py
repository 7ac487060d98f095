"""Colours, line styles, ticks and axis dress of the figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_hex, to_rgb
from matplotlib.ticker import EngFormatter, FixedFormatter, FixedLocator, MaxNLocator, NullLocator

INK = "#222222"
SOFT = "#6b6b6b"
GRID = "#e3e3e3"
SLOT = "#f5f5f5"
WARNING = "#b3261e"

# Okabe and Ito's colours, which colour-blind readers can distinguish too; a method has the same colour in every figure.
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
    # On the clock.
    "favano": "#0072b2",
    "quafl": "#882255",
    "fedbuff": "#e69f00",
    "fedavg-timed": "#009e73",
    # Methods of several local steps.
    "fedavg": "#333333",
    "fedprox": "#777777",
    "dp-fedavg-clip": "#0077bb",
    "dp-normfedavg": "#ee7733",
    "dp-fedavg-smooth": "#009988",
    "alpha-normec": "#ee3377",
    "fed-alpha-normec": "#cc3311",
    "fed-alpha-normec-ig": "#33bbee",
    "clip21": "#661100",
}
ALIKE = 0.2  # distance of colours, of which red, green and blue go from 0 to 1
SPARE_COLOURS = ("#332288", "#999933", "#117733", "#aa4499", "#44aa99", "#882255", "#88ccee")
# Paul Tol's light colours, made for areas: kinds of phases, so that no area looks like a method's line.
AREA_COLOURS = ("#77aadd", "#99ddff", "#44bb99", "#eedd88", "#dddddd", "#bbcc33", "#ee8866", "#ffaabb", "#aaaa00")
# Multiples of powers of ten that get a tick on a log axis, by the largest ratio of its ends.
TICK_DIGITS = ((6, (1, 1.5, 2, 3, 4, 5, 7)), (10, (1, 2, 3, 4, 6, 8)), (80, (1, 2, 5)), (3000, (1, 3)), (math.inf, (1,)))
MOST_TICKS = 6
ENGINEERING = EngFormatter(sep=" ")
DASHES = ("-", (0, (4, 1.6)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)), (0, (8, 2)),
          (0, (3, 1.5, 1.2, 1.5, 1.2, 1.5)))
FEW_COLOURS = 4  # that need no other help
SOLID = 6  # lines with a colour and a marker each, before dashes help
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")


@dataclass(frozen=True)
class Look:
    """How the lines and points of one variant of a method are drawn."""

    dashes: Any
    marker: str


def rc(font: float) -> dict[str, Any]:
    """Settings of matplotlib for a figure whose text has a size in points."""
    return {
        "font.family": "DejaVu Sans",
        "font.size": font,
        "axes.titlesize": font,
        "axes.labelsize": font,
        "xtick.labelsize": 0.94 * font,
        "ytick.labelsize": 0.94 * font,
        "legend.fontsize": font,
        "axes.edgecolor": SOFT,
        "axes.linewidth": 0.7,
        "axes.labelcolor": INK,
        "xtick.color": SOFT,
        "ytick.color": SOFT,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "text.color": INK,
        # Names come from files: a $ in them is a letter, and no formula.
        "text.parse_math": False,
        # Text stays text in SVG and PDF files, and the same runs give the same file.
        "svg.fonttype": "none",
        "svg.hashsalt": "trilemma",
        "pdf.fonttype": 42,
    }


def font_size(axes: Axes) -> float:
    """The size of the text of a figure, in points."""
    return float(axes.xaxis.label.get_fontsize())


def looks(count: int) -> list[Look]:
    """Line styles and markers for a number of variants, in their order; there are as many different ones as MARKERS."""
    return [Look(DASHES[i % len(DASHES)], MARKERS[i % len(MARKERS)]) for i in range(count)]


def looks_beside_colours(count: int) -> list[Look]:
    """The same for a number of colours, if no variant needs them: a few colours suffice to distinguish lines, more have
    markers too, and dashes from the seventh on."""
    if count <= FEW_COLOURS:
        return [Look(DASHES[0], MARKERS[0])] * count
    return [Look(DASHES[i // SOLID % len(DASHES)], MARKERS[i % len(MARKERS)]) for i in range(count)]


def colours(values: Sequence[Any], numeric: bool) -> list[str]:
    """Methods keep their colours, but for those that look like the colour of a method before them; numbers go from dark
    to light, other words get colours in their order."""
    if numeric:
        scale = mpl.colormaps["viridis"]
        return [to_hex(scale(0.85 * i / max(1, len(values) - 1))) for i in range(len(values))]
    kept: dict[Any, str] = {}
    for value in values:
        if value in COLOURS and not any(_alike(COLOURS[value], colour) for colour in kept.values()):
            kept[value] = COLOURS[value]
    spare = [*SPARE_COLOURS, *COLOURS.values()] if kept else [*list(COLOURS.values())[1:], *SPARE_COLOURS]
    free: list[str] = []
    for colour in spare:
        if not any(_alike(colour, other) for other in (*kept.values(), *free)):
            free.append(colour)
    others = [value for value in values if value not in kept]
    return [kept[value] if value in kept else free[others.index(value) % len(free)] for value in values]


def _alike(one: str, other: str) -> bool:
    """Whether two colours are hard to tell from each other in lines."""
    return math.dist(to_rgb(one), to_rgb(other)) < ALIKE


def dress(axes: Axes) -> None:
    """Takes away what is not data and adds a quiet grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, which="major", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=2.5, width=0.6)


def budget_axis(axes: Axes, first: float, last: float, factor: float = 1.0, prefixes: bool = True) -> None:
    """An axis of what is spent, from 0 to `last`: logarithmic from the first message on, linear below, where 0 has a
    place. `factor` changes the unit of the ticks."""
    axes.set_xscale("symlog", linthresh=first, linscale=0.25)
    axes.set_xlim(-0.12 * first, last)
    # No ticks within the narrow linear part but 0: their labels would run into each other.
    ticks = [0, *_thinned([tick / factor for tick in _round_numbers(1.5 * factor * first, factor * last)])]
    _set_ticks(axes.xaxis, ticks, ENGINEERING if prefixes else None)
    if not prefixes:
        axes.xaxis.set_major_formatter(FixedFormatter(numbers([factor * tick for tick in ticks])))


def log_axis(axis: Axis, low: float, high: float, prefixes: bool = False) -> None:
    """Few round numbers as ticks of a log axis from `low` to `high`; `prefixes` writes 20 000 as 20 k."""
    ticks = _thinned(_round_numbers(low, high)) or [low, high]
    _set_ticks(axis, ticks, ENGINEERING if prefixes or high >= 1e5 else None)


def linear_axis(axis: Axis, low: float, high: float, percent: bool = False, prefixes: bool = False,
                factor: float = 1.0) -> None:
    """Round numbers as ticks of a linear axis, with the digits that tell them apart; `factor` changes their unit."""
    factor = 100 * factor if percent else factor
    found = MaxNLocator(nbins=MOST_TICKS, steps=[1, 2, 5, 10]).tick_values(factor * low, factor * high) / factor
    ticks = [tick for tick in found if low <= tick <= high]
    _set_ticks(axis, ticks, ENGINEERING if prefixes else None)
    if factor != 1.0:
        texts = numbers([factor * tick for tick in ticks])
        axis.set_major_formatter(FixedFormatter([f"{text} %" for text in texts] if percent else texts))


def ticks_at(axis: Axis, values: Sequence[float], prefixes: bool = False) -> None:
    """Ticks at given values."""
    _set_ticks(axis, values, ENGINEERING if prefixes else None)


def numbers(values: Sequence[float]) -> list[str]:
    """The numbers with as few digits as tell each of them from the others, and rounded by no more than 1 % of their
    distance."""
    step = min((abs(b - a) for a, b in zip(values, values[1:])), default=abs(values[0]) if len(values) else 0.0)
    values = [0.0 if abs(value) < 1e-9 * step else value for value in values]
    texts: list[str] = []
    for digits in range(1, 17):
        texts = [_plain(value, digits) for value in values]
        if len(set(texts)) == len(set(values)) and all(abs(float(text) - value) <= 0.01 * step
                                                       for text, value in zip(texts, values)):
            break
    decimals = max((len(text.partition(".")[2]) for text in texts), default=0)
    if any("e" in text for text in texts):
        return texts
    # The same number of decimals everywhere on linear axes, where 0.5 and 1.0 are neighbours.
    even = len(values) > 2 and np.allclose(np.diff(values), values[1] - values[0])
    return [f"{float(text):.{decimals}f}" for text in texts] if even else texts


def _plain(value: float, digits: int) -> str:
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e" in text and 1 <= abs(value) < 1e5 else text


def _set_ticks(axis: Axis, ticks: Sequence[float], formatter: EngFormatter | None) -> None:
    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FixedFormatter([formatter(tick) for tick in ticks] if formatter else numbers(ticks)))


def thin_ticks(axis: Axis) -> bool:
    """Leaves out every other tick but the first; False where there is nothing to leave out."""
    ticks, labels = list(axis.get_majorticklocs()), [text.get_text() for text in axis.get_majorticklabels()]
    if len(ticks) < 3 or not isinstance(axis.get_major_formatter(), FixedFormatter):
        return False
    axis.set_major_locator(FixedLocator(ticks[::2]))
    axis.set_major_formatter(FixedFormatter(labels[::2]))
    return True


def _thinned(ticks: Sequence[float]) -> list[float]:
    return list(ticks[::-(-len(ticks) // MOST_TICKS)]) if ticks else []


def _round_numbers(low: float, high: float) -> list[float]:
    """Multiples of powers of ten within [low, high] for a log axis: the wider the range, the fewer multiples."""
    powers: Iterable[int] = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    digits = next(digits for ratio, digits in TICK_DIGITS if high <= ratio * low)
    return [digit * 10.0**power for power in powers for digit in digits if low <= digit * 10.0**power <= high]
