"""How the combinations of a sweep look in a figure: a colour for one axis, line style and marker for epsilon and mode,
and of what else differs the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..io.errors import RunFileError
from ..io.run_file import rounded_up
from ..io.words import cut
from ..model import metrics
from ..model.combinations import COLUMNS, Combination
from ..model.labels import EPSILON, as_word, describe, rank, short, telling, told_words
from ..model.sweep import Sweep
from ..model.sweep_files import TASK, VARIANTS
from ..model.tuning import to_choose_by
from ..stats.intervals import Interval, interval
from . import style

MOST_COLOURS = len(style.MARKERS)
MOST_SHADES = 8  # of numbers, which go from dark to light
# Axes that get line styles and markers; the best value is taken of all others but that of the colours.
STYLED = ("method", "mode", *TASK, EPSILON, *VARIANTS, "clock.slow_share", "ranks", "incomplete")


@dataclass(frozen=True)
class Series:
    """A combination with its metric and its look. `group` and `variant` are the legend's words for colour and line
    style, `order` is the place of the variant in the legend; `value`, `styled` and `tuned` are the values of the axes
    of the colour, of the line styles and of all others."""

    combination: Combination
    over: Interval
    group: str
    colour: str
    variant: str
    order: int
    look: style.Look
    value: Any
    styled: dict[str, Any]
    tuned: dict[str, Any]
    axis: str = ""  # of the colour, as in the legend
    word: str = ""  # its value, or `group` where there is none

    @property
    def name(self) -> str:
        """Colour and line style in the legend's words."""
        return self.group + (f" ({self.variant})" if self.variant else "")

    @property
    def epsilon(self) -> tuple[float, bool]:
        """The accounted epsilon and True, or the nominal one and False; NaN where there is neither."""
        accounted = self.combination.epsilon
        return (accounted, True) if math.isfinite(accounted) else (self.combination.median("epsilon_nominal"), False)

    @property
    def no_privacy(self) -> bool:
        """Whether these runs neither requested privacy nor have an epsilon."""
        return not 0 < self.epsilon[0] < math.inf


def make_series(sweep: Sweep, found: Sequence[Combination], metric: str,
                by: str | None) -> tuple[list[Series], list[str]]:
    """The combinations that have a value of the metric, sorted, and notes on what is skipped."""
    axis = coloured(sweep, found, by)
    names = [name for name in dict.fromkeys((axis, *found[0].values)) if name]
    told = telling(names, [tuple(each.values.get(name) for name in names) for each in found])
    styled = [name for name in told if name != axis and name in STYLED]
    tuned = [name for name in told if name != axis and name not in STYLED]
    drawn = [(each, over) for each in found
             if math.isfinite((over := interval(each.seeds[COLUMNS[metric]].astype(float))).median)]
    values = sorted({_value(each, axis): None for each, _ in drawn}, key=rank)
    chosen = _thinned(values)
    notes = [f"drawn are {len(chosen)} of {len(values)} values of {axis}; the table has all"] \
        if len(chosen) < len(values) else []
    drawn = [pair for pair in drawn if _value(pair[0], axis) in chosen]
    colours = dict(zip(chosen, style.colours(chosen, all(map(is_number, chosen)))))
    keys = sorted({_key(each, styled): None for each, _ in drawn}, key=lambda key: [rank(value) for value in key])
    looks = dict(zip(keys, style.looks(len(keys))))
    # Where no variant has the line styles and markers, they help to tell the colours apart.
    own_looks = dict(zip(chosen, style.looks_beside_colours(len(chosen)))) if not styled else {}
    order = {key: i for i, key in enumerate(keys)}
    notes += ["line styles and markers repeat; the table says which is which"] * (len(keys) > len(style.MARKERS))
    series = [Series(each, over, _group(each, axis, told), colours[_value(each, axis)],
                     ", ".join(told_words(each.values, styled, told, each.spent)),
                     order[_key(each, styled)],
                     own_looks.get(_value(each, axis)) or looks[_key(each, styled)], _value(each, axis),
                     {name: each.values[name] for name in styled}, {name: each.values[name] for name in tuned}, *_axis_and_word(each, axis, told))
              for each, over in drawn]
    return sorted(series, key=lambda each: (rank(each.value), each.order)), notes


def same_as(chosen: Sequence[Series], series: Sequence[Series]) -> list[Series]:
    """The combinations of some series among those of another metric."""
    values = {repr(each.combination.values) for each in chosen}
    return [each for each in series if repr(each.combination.values) in values]


def best_of(series: Sequence[Series], metric: str, keep: str | None = None) -> list[Series]:
    """Of every colour, line style and value of the axis `keep` the combination with the best metric at the end, on the
    seeds for tuning where there are any."""
    rivals: dict[tuple, list[Series]] = {}
    for each in series:
        kept = repr(each.tuned.get(keep)) if keep else ""
        rivals.setdefault((each.group, each.variant, kept), []).append(each)
    return [each[metrics.best(to_choose_by([one.combination.tuning_median(COLUMNS[metric]) for one in each],
                                           [one.over.median for one in each]), metric)] for each in rivals.values()]


def tuned_values(series: Sequence[Series]) -> list[str]:
    """The values of the axes of which the best were taken, one text for every different choice."""
    words = (", ".join(f"{name} = {as_word(value)}" for name, value in each.tuned.items() if value is not None)
             for each in series)
    return [found for found in dict.fromkeys(words) if found]


def chosen_words(series: Sequence[Series]) -> str:
    """Which line has which values of the axes of which the best were taken; empty where there are none."""
    found: dict[str, list[str]] = {}
    for each in series:
        for words in tuned_values([each]):
            found.setdefault(words, []).append(each.name)
    if len(found) == 1 and len(next(iter(found.values()))) == len(series):
        return f"{next(iter(found))} for all lines"
    return "; ".join(f"{words} for {', '.join(labels)}" for words, labels in found.items())


def at_best(series: Sequence[Series], but: str | None = None) -> str:
    """A second line for the title of a panel: of which axes the best value was taken; empty where of none."""
    names = dict.fromkeys(name for each in series for name in each.tuned if name != but)
    values = tuned_values(series)
    if not names:
        return ""
    if len(values) == 1 and but is None:
        return f"\n(best: {cut(values[0])})"
    return f"\n(each at its best {cut(', '.join(names))})"


def coloured(sweep: Sweep, found: Sequence[Combination], by: str | None) -> str | None:
    """The axis that gets the colours: `by`, else the method, else the first axis of words, else the first one. Raises
    RunFileError where `by` is not an axis."""
    axes = [axis for axis in sweep.axes if axis != "seed"]
    if by is not None:
        named = [axis for axis in axes if axis == by or axis.endswith("." + by)]
        if len(named) != 1:
            known = ", ".join(axes) or "(none)"
            raise RunFileError(f"{sweep.folder}: '{by}' is not an axis of the sweep; use one of {known}.")
        return named[0]
    told = telling(axes, [tuple(each.values.values()) for each in found])
    words = [axis for axis in told if any(isinstance(each.values[axis], str) for each in found)]
    # A single method keeps its colour where line styles tell the rest.
    if "method" in told or not any(name for name in told if name not in STYLED):
        return "method" if "method" in told else None
    return next(iter([*words, *(name for name in told if name not in STYLED), *told]), None)


def is_number(value: Any) -> bool:
    """Whether a value of an axis has a place on a numeric axis."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _thinned(values: Sequence[Any], fewer: int = 0) -> list[Any]:
    """At most as many values as can be distinguished, less `fewer`: numbers evenly spread, of words the first ones."""
    if len(values) > 1 and values[-1] is None:  # methods that have no such axis
        return [*_thinned(values[:-1], fewer + 1), None]
    are_numbers = all(map(is_number, values))
    most = (MOST_SHADES if are_numbers else MOST_COLOURS) - fewer
    if len(values) <= most:
        return list(values)
    if not are_numbers:
        return list(values[:most])
    return [values[round(i * (len(values) - 1) / (most - 1))] for i in range(most)]


def _value(each: Combination, axis: str | None) -> Any:
    return _level(each, axis) if axis else each.method


def _key(each: Combination, names: Sequence[str]) -> tuple:
    """What lines of one look have in common; an epsilon that was asked for has another one than its equal that was only
    accounted."""
    asked = (each.values[EPSILON] is not None,) if EPSILON in names else ()
    return (*(_level(each, name) for name in names), *asked)


def _level(each: Combination, axis: str) -> Any:
    """The value of an axis; where no epsilon was asked for the accounted one, rounded as in its label."""
    value = each.values[axis]
    if axis == EPSILON and value is None and 0 < each.epsilon < math.inf:
        return float(rounded_up(each.epsilon))
    return value


def _axis_and_word(each: Combination, axis: str | None, told: Sequence[str]) -> tuple[str, str]:
    """The axis of the colours and its value, for a title."""
    if axis is None:
        return "", _group(each, axis, told)
    name, value = short(axis, [*told, axis]), each.values[axis]
    if value is not None:
        return name, as_word(value)
    is_accounted = axis == EPSILON and 0 < each.epsilon < math.inf
    return name, rounded_up(each.epsilon) if is_accounted else _group(each, axis, told)


def _group(each: Combination, axis: str | None, told: Sequence[str]) -> str:
    return describe(axis, each.values[axis], [*told, axis], each.spent) if axis else as_word(each.method)
