"""Colours, line styles, ticks and axis dress of the figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_hex
from matplotlib.ticker import EngFormatter, FixedFormatter, FixedLocator, MaxNLocator, NullLocator

from .vision import distance

INK = "#222222"
SOFT = "#6b6b6b"
GRID = "#e3e3e3"
SLOT = "#f5f5f5"
OUT_OF_FOCUS = "#cfcfcf"  # lines behind those that a panel is about
WARNING = "#b3261e"

# A method has the same colour in every figure. Methods of one family are drawn together: their colours differ by a
# CIEDE2000 of 11 and more for colour-blind readers too, and all have a contrast of 3 and more to white (test_style.py).
COLOURS = {
    "gd": "#555555", "ldp-sgd": "#bb8811", "ldp-svrg": "#995500", "cdp-sgd": "#118877", "soteriafl-gd": "#550044",
    "soteriafl-sgd": "#115588", "soteriafl-svrg": "#ff4488", "soteriafl-saga": "#0099ee",
    "ldp-spider": "#550000", "dp-sgd": "#009999", "dp-gd": "#557755", "rrpsgd": "#553377", "dp-srm": "#9933dd",
    "dp-srm-distributed": "#bb0000",
    "pmtl": "#770033", "local": "#777777", "pp-sgd": "#995544", "naive-dp-mtl": "#002277", "scaffold": "#00aa00",
    "dp-scaffold": "#3366dd", "dsgd": "#444400", "choco-sgd": "#cc3366", "sdm-dsgd": "#ff00ff", "q-dpsgd-1": "#000000",
    "favano": "#3388aa", "quafl": "#330099", "fedbuff": "#771100", "fedavg-timed": "#cc6644",
    "fedavg": "#333333", "fedprox": "#cc7799", "dp-fedavg-clip": "#2211ee", "dp-normfedavg": "#8888ee",
    "dp-fedavg-smooth": "#449966", "alpha-normec": "#668800", "fed-alpha-normec": "#115522",
    "fed-alpha-normec-ig": "#550077", "clip21": "#aa4488", "decomfl": "#aa8888", "dp-decomfl": "#664400",
}
FAMILIES = (
    ("gd", "ldp-sgd", "ldp-svrg", "cdp-sgd", "soteriafl-gd", "soteriafl-sgd", "soteriafl-svrg", "soteriafl-saga"),
    ("gd", "ldp-sgd", "ldp-spider", "dp-sgd", "dp-gd", "rrpsgd", "dp-srm", "dp-srm-distributed"),
    ("pmtl", "local", "pp-sgd", "naive-dp-mtl", "scaffold", "dp-scaffold"),
    ("ldp-sgd", "cdp-sgd", "soteriafl-sgd", "dsgd", "choco-sgd", "sdm-dsgd", "q-dpsgd-1"),
    ("favano", "quafl", "fedbuff", "fedavg-timed"),
    ("fedavg", "fedprox", "dp-fedavg-clip", "dp-normfedavg", "dp-fedavg-smooth", "alpha-normec", "fed-alpha-normec",
     "fed-alpha-normec-ig", "clip21", "dp-scaffold"),
    ("fedavg", "scaffold", "dp-fedavg-clip", "dp-scaffold", "decomfl", "dp-decomfl"),
)
# Paul Tol's light colours, made for areas: kinds of phases, so that no area looks like a method's line.
AREA_COLOURS = ("#77aadd", "#99ddff", "#44bb99", "#eedd88", "#dddddd", "#bbcc33", "#ee8866", "#ffaabb", "#aaaa00")
LIGHTEST = 0.58  # of viridis: lighter shades have too little contrast to white
# Multiples of powers of ten that get a tick on a log axis, by the largest ratio of its ends.
TICK_DIGITS = ((6, (1, 1.5, 2, 3, 4, 5, 7)), (10, (1, 2, 3, 4, 6, 8)), (80, (1, 2, 5)), (3000, (1, 3)),
               (math.inf, (1,)))
MOST_TICKS = 6
ENGINEERING = EngFormatter(sep=" ")
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
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
    """Returns settings of matplotlib for a figure with a font size in points."""
    return {
        "font.family": "DejaVu Sans", "font.size": font,
        "axes.titlesize": font, "axes.labelsize": font, "legend.fontsize": font,
        "xtick.labelsize": 0.94 * font, "ytick.labelsize": 0.94 * font,
        "axes.edgecolor": SOFT, "axes.linewidth": 0.7, "axes.labelcolor": INK, "text.color": INK,
        "xtick.color": SOFT, "ytick.color": SOFT, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
        # Names come from files: a $ in them is a letter, and no formula.
        "text.parse_math": False,
        # Text stays text in SVG and PDF files, and the same runs give the same file.
        "svg.fonttype": "none", "svg.hashsalt": "trilemma", "pdf.fonttype": 42,
    }


def font_size(axes: Axes) -> float:
    """Returns the size of the text of a figure, in points."""
    return float(axes.xaxis.label.get_fontsize())


def looks(count: int) -> list[Look]:
    """Returns line styles and markers for `count` variants, in their order. As many different ones exist as MARKERS."""
    return [Look(DASHES[i % len(DASHES)], MARKERS[i % len(MARKERS)]) for i in range(count)]


def looks_beside_colours(count: int) -> list[Look]:
    """Returns line styles and markers for `count` colours if no variant needs them. A few colours suffice to
    distinguish lines; more get markers, and dashes from the seventh on."""
    if count <= FEW_COLOURS:
        return [Look(DASHES[0], MARKERS[0])] * count
    return [Look(DASHES[i // SOLID % len(DASHES)], MARKERS[i % len(MARKERS)]) for i in range(count)]


def colours(values: Sequence[Any], numeric: bool) -> list[str]:
    """Returns the colours of values: methods have their own, numbers go from dark to light, and any other word has the
    colour of a method that is farthest from those already taken, as colour-blind readers see them."""
    if numeric:
        scale = mpl.colormaps["viridis"]
        return [to_hex(scale(LIGHTEST * i / max(1, len(values) - 1))) for i in range(len(values))]
    found = {value: COLOURS[value] for value in values if value in COLOURS}
    first, *pool = list(COLOURS.values())[1:]
    for value in values:
        if value not in found:
            taken = list(found.values())
            found[value] = max(pool, key=lambda colour: min(distance(colour, other) for other in taken)) \
                if taken else first
    return [found[value] for value in values]


def dress(axes: Axes) -> None:
    """Removes what is not data and adds a light grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, which="major", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=2.5, width=0.6)


def budget_axis(axes: Axes, first: float, last: float, prefixes: bool = True) -> None:
    """Sets an axis of what is spent, from 0 to `last`: logarithmic from the first message on, and linear below, which
    gives 0 a place."""
    axes.set_xscale("symlog", linthresh=first, linscale=0.25)
    axes.set_xlim(-0.12 * first, last)
    # No ticks within the narrow linear part but 0: their labels would run into each other.
    ticks_at(axes.xaxis, [0, *_thinned(_round_numbers(1.5 * first, last))], prefixes)


def log_axis(axis: Axis, low: float, high: float, prefixes: bool = False) -> None:
    """Sets few round numbers as ticks of a log axis from `low` to `high`. `prefixes` writes 20 000 as 20 k."""
    ticks_at(axis, _thinned(_round_numbers(low, high)) or [low, high], prefixes)


def linear_axis(axis: Axis, low: float, high: float, percent: bool = False, prefixes: bool = False) -> None:
    """Sets round numbers as ticks of a linear axis, with the digits that distinguish them."""
    factor = 100 if percent else 1
    found = MaxNLocator(nbins=MOST_TICKS, steps=[1, 2, 5, 10]).tick_values(factor * low, factor * high)
    ticks = [float(tick) for tick in found if low <= tick / factor <= high]
    ticks_at(axis, [tick / factor for tick in ticks], prefixes)
    if not prefixes:
        axis.set_major_formatter(FixedFormatter([f"{text} %" if percent else text for text in _even(ticks)]))


def ticks_at(axis: Axis, values: Sequence[float], prefixes: bool = False) -> None:
    """Sets ticks at given values. `prefixes` (k, M, m, µ) are for bits and seconds."""
    axis.set_major_locator(FixedLocator(list(values)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FixedFormatter([ENGINEERING(value) if prefixes else plain(value) for value in values]))


def label_ticks(axis: Axis, form: Callable[[float], str]) -> None:
    """Writes the ticks in a form, such as `forms.seconds`."""
    axis.set_major_formatter(FixedFormatter([form(value) for value in axis.get_majorticklocs()]))


def plain(value: float) -> str:
    """Returns a number with six digits, as a power of ten if it has many zeros.

    >>> plain(0.05), plain(2e9), plain(1e-5)
    ('0.05', '2×10⁹', '10⁻⁵')
    """
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:.6g}"
    value = float(f"{value:.6g}")
    exponent = math.floor(math.log10(abs(value)))
    power = f"10{str(exponent).translate(SUPERSCRIPTS)}"
    return power if value == 10.0**exponent else f"{value / 10.0**exponent:.6g}×{power}"


def _even(ticks: Sequence[float]) -> list[str]:
    """Returns neighbours on a linear axis with equally many decimals, such as 0.5 and 1.0."""
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 0.0
    if not 1e-4 <= abs(step) < 1e6 or max(map(abs, ticks)) >= 1e6:
        return [plain(0.0 if abs(tick) < 1e-9 * step else tick) for tick in ticks]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{tick + 0.0:.{decimals}f}" for tick in ticks]


def thin_ticks(axis: Axis) -> bool:
    """Removes every other tick except the first. Returns False if there is none to remove."""
    ticks, labels = list(axis.get_majorticklocs()), [text.get_text() for text in axis.get_majorticklabels()]
    if len(ticks) < 3 or not isinstance(axis.get_major_formatter(), FixedFormatter):
        return False
    axis.set_major_locator(FixedLocator(ticks[::2]))
    axis.set_major_formatter(FixedFormatter(labels[::2]))
    return True


def _thinned(ticks: Sequence[float]) -> list[float]:
    """Returns at most MOST_TICKS of the ticks, including the last one."""
    return list(ticks[::-(-len(ticks) // MOST_TICKS)]) if ticks else []


def _round_numbers(low: float, high: float) -> list[float]:
    """Returns multiples of powers of ten within [low, high] for a log axis: the wider the range, the fewer
    multiples."""
    powers: Iterable[int] = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    digits = next(digits for ratio, digits in TICK_DIGITS if high <= ratio * low)
    return [digit * 10.0**power for power in powers for digit in digits if low <= digit * 10.0**power <= high]
