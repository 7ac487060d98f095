"""How the combinations of a sweep look in its figure: a colour for one axis, a marker for the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.colors import to_hex

from . import style
from .combinations import COLUMNS, Combination, as_word, describe, short, telling
from .intervals import Interval, interval
from .reader import RunFileError
from .sweep import Sweep

MARKERS = ("o", "s", "^", "D", "v", "P")
MOST_COLOURS = 8
EPSILON = "privacy.epsilon"


@dataclass(frozen=True)
class Series:
    """A combination with its metric and its look. `group` and `variant` are the legend's words for colour and
    marker; `others` are the values of all telling axes but that of the colour."""

    combination: Combination
    over: Interval
    group: str
    colour: str
    variant: str
    marker: str
    others: dict[str, Any]

    @property
    def dashes(self) -> Any:
        """Dashed lines for uncompressed messages, as in the other figures."""
        return "-" if self.combination.compressed else (0, (5, 2))

    @property
    def epsilon(self) -> tuple[float, bool]:
        """The accounted epsilon and True, or the nominal one and False; NaN where there is neither."""
        accounted = self.combination.epsilon
        return (accounted, True) if math.isfinite(accounted) else (self.combination.median("epsilon_nominal"), False)


def make_series(sweep: Sweep, found: Sequence[Combination], metric: str,
                by: str | None) -> tuple[list[Series], list[str]]:
    """The combinations that have a value of the metric, and notes on what is left out."""
    axis = _coloured(sweep, found, by)
    told = telling([name for name in (axis, *found[0].values) if name],
                   [tuple(each.values.get(name) for name in (axis, *found[0].values) if name) for each in found])
    others = [name for name in told if name != axis]
    drawn = [(each, over) for each in found
             if math.isfinite((over := interval(each.seeds[COLUMNS[metric]].astype(float))).median)]
    values = list(dict.fromkeys(each.values[axis] if axis else each.method for each, _ in drawn))
    chosen = _thinned(values)
    notes = [f"drawn are {len(chosen)} of {len(values)} values of {axis}; the table has all"] \
        if len(chosen) < len(values) else []
    drawn = [pair for pair in drawn if (pair[0].values[axis] if axis else pair[0].method) in chosen]
    colours = dict(zip(chosen, _colours(chosen)))
    words = dict.fromkeys(_variant(each, others) for each, _ in drawn)
    if len(words) > len(MARKERS):
        notes.append(f"points of one colour differ in {', '.join(short(name, others) for name in others)}; "
                     "the table tells which is which")
        words = dict.fromkeys(words, "o")
    else:
        words = dict(zip(words, MARKERS))
    return [Series(each, over, _group(each, axis, told), colours[each.values[axis] if axis else each.method],
                   _variant(each, others), words[_variant(each, others)], {name: each.values[name] for name in others})
            for each, over in drawn], notes


def _coloured(sweep: Sweep, found: Sequence[Combination], by: str | None) -> str | None:
    """The axis that gets the colours: `by`, else the method, else the first axis of words, else the first one."""
    axes = [axis for axis in sweep.axes if axis != "seed"]
    if by is not None:
        named = [axis for axis in axes if axis == by or axis.endswith("." + by)]
        if len(named) != 1:
            known = ", ".join(axes) or "(none)"
            raise RunFileError(f"{sweep.folder}: '{by}' is no axis of the sweep; use one of {known}.")
        return named[0]
    told = telling(axes, [tuple(each.values.values()) for each in found])
    words = [axis for axis in told if any(isinstance(each.values[axis], str) for each in found)]
    return "method" if "method" in told else next(iter([*words, *told]), None)


def _thinned(values: Sequence[Any]) -> list[Any]:
    """At most MOST_COLOURS values: numbers evenly spread, of words the first ones."""
    if len(values) <= MOST_COLOURS:
        return list(values)
    if not all(is_number(value) for value in values):
        return list(values[:MOST_COLOURS])
    return [values[round(i * (len(values) - 1) / (MOST_COLOURS - 1))] for i in range(MOST_COLOURS)]


def _colours(values: Sequence[Any]) -> list[str]:
    """Methods keep their colours, numbers go from dark to light, other words get the methods' colours in turn."""
    if all(is_number(value) for value in values):
        scale = mpl.colormaps["viridis"]
        return [to_hex(scale(0.85 * i / max(1, len(values) - 1))) for i in range(len(values))]
    spare = iter([*style.SPARE_COLOURS, *style.COLOURS.values()] if any(value in style.COLOURS for value in values)
                 else [*list(style.COLOURS.values())[1:], *style.SPARE_COLOURS])
    return [style.COLOURS[value] if value in style.COLOURS else next(spare) for value in values]


def is_number(value: Any) -> bool:
    """Whether a value of an axis has a place on a numeric axis."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _group(each: Combination, axis: str | None, told: Sequence[str]) -> str:
    return describe(axis, each.values[axis], [*told, axis]) if axis else as_word(each.method)


def _variant(each: Combination, others: Sequence[str]) -> str:
    return ", ".join(describe(name, each.values[name], others) for name in others)


def lines_along(series: Sequence[Series], axis: str) -> list[list[Series]]:
    """Series that differ in one axis alone, to be joined by a line."""
    lines: dict[tuple, list[Series]] = {}
    for each in series:
        rest = tuple((name, as_word(value)) for name, value in each.others.items() if name != axis)
        lines.setdefault((each.group, rest), []).append(each)
    return list(lines.values())
