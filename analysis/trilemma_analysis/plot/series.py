"""How the combinations of a sweep look in a figure: a colour for one axis, line style and marker for what else differs,
and of the axes that are tuned the best."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..io.errors import RunFileError
from ..io.run_file import rounded_up
from ..io.words import cut
from ..model import metrics
from ..model.combinations import COLUMNS, Combination
from ..model.labels import EPSILON, as_word, describe, rank, short, telling, told_words
from ..model.metrics import METRICS
from ..model.sweep import Sweep
from ..model.sweep_files import VARIANTS
from ..model.tasks import CONDITIONS, Context, contexts_of, never_chosen
from ..stats.intervals import Interval, interval
from . import style

MOST_COLOURS = len(style.MARKERS)
MOST_SHADES = 8  # of numbers, which go from dark to light
# Axes that get line styles and markers. Tasks and guarantees have panels of their own (model/tasks.py). Of all other
# axes except that of the colours the best value is taken.
STYLED = ("method", "mode", EPSILON, *VARIANTS, *(name for names in CONDITIONS for name in names), "ranks",
          "incomplete")
FEW = 6  # groups with a colour each; of more, the colours tell methods apart where these follow from the groups
ALWAYS_SHOWN = ("method", EPSILON)  # also where they follow from the axis of the colours


@dataclass(frozen=True, eq=False)
class Series:
    """A combination with its metric and its look. `group` and `variant` are the legend's words for colour and line
    style, `order` is the place of the variant in the legend; `value`, `styled` and `tuned` are the values of the axes
    of the colour, of the line styles and of all others; `context` is its task and guarantee."""

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
    hue: str = ""  # what the colour stands for: the group, or the method where there are many groups
    diverged: int = 0  # runs
    context: Context = Context(())

    @property
    def name(self) -> str:
        """Returns colour and line style in the legend's words."""
        return self.group + (f" ({self.variant})" if self.variant else "")

    @property
    def path_name(self) -> str:
        """Returns the name without epsilon, for a line through several epsilons."""
        rest = [describe(name, value, list(self.styled), "") for name, value in self.styled.items()
                if name != EPSILON and value is not None and not (name == "method" and self.hue == value)]
        return self.group + (f" ({', '.join(rest)})" if rest else "")

    @property
    def gone(self) -> bool:
        """Returns whether all runs diverged, so that there is no value to show."""
        return self.diverged == len(self.combination.runs) or not math.isfinite(self.over.median)

    @property
    def epsilon(self) -> tuple[float, bool]:
        """Returns the accounted epsilon and True, or the nominal one and False; NaN where there is neither."""
        accounted = self.combination.epsilon
        return (accounted, True) if math.isfinite(accounted) else (self.combination.median("epsilon_nominal"), False)

    @property
    def no_privacy(self) -> bool:
        """Returns whether these runs neither requested privacy nor have an epsilon."""
        return not 0 < self.epsilon[0] < math.inf


def make_series(sweep: Sweep, found: Sequence[Combination], metric: str, by: str | None, lost: Collection[Path] = (),
                across: str | None = None) -> tuple[list[Series], list[str]]:
    """Returns the sorted combinations that have a value of the metric or have diverged, and notes on skipped ones.
    `lost` are the files of diverged runs. `across` is an axis of the task that is the axis of the figure."""
    axis = coloured(sweep, found, by)
    if "method" not in found[0].values and len({each.method for each in found if each.runs}) > 1:
        found = [replace(each, values=each.values | {"method": each.method}) for each in found]
    names = [name for name in dict.fromkeys((axis, *found[0].values)) if name]
    told = telling(names, [tuple(each.values.get(name) for name in names) for each in found])
    # Two lines never differ in these without a word, although another axis may imply it.
    told += [name for name in ALWAYS_SHOWN if name in names and name not in told and name != axis
             and len({repr(each.values.get(name)) for each in found if each.runs} - {"None"}) > 1]
    done = [each for each in found if each.runs]
    apart = never_chosen([name for name in names if name not in (axis, across)], [each.runs[0] for each in done])
    contexts = {id(each): context
                for each, context in zip(done, contexts_of([each.runs[0] for each in done], apart, names))}
    styled = [name for name in told if name != axis and name in STYLED and name not in apart]
    tuned = [name for name in told if name != axis and name not in STYLED and name not in apart]
    diverged = {id(each): sum(run.path in lost for run in each.runs) for each in found}
    drawn = [(each, over) for each in found
             if math.isfinite((over := interval(each.seeds[COLUMNS[metric]].astype(float))).median)
             or diverged[id(each)]]
    values = sorted({_value(each, axis): None for each, _ in drawn}, key=rank)
    chosen = _thinned(values)
    notes = [f"drawn are {len(chosen)} of {len(values)} values of {axis}; the table has all"] \
        if len(chosen) < len(values) else []
    drawn = [pair for pair in drawn if _value(pair[0], axis) in chosen]
    by_method = "method" in styled and len(chosen) > FEW
    colours = dict(zip(chosen, style.colours(chosen, all(map(is_number, chosen)))))
    if by_method:
        methods = sorted({each.method for each, _ in drawn}, key=rank)
        of_method = dict(zip(methods, style.colours(methods, False)))
    keys = sorted({_key(each, styled): None for each, _ in drawn}, key=lambda key: [rank(value) for value in key])
    looks = dict(zip(keys, style.looks(len(keys))))
    # Where no variant has the line styles and markers, they help to tell the colours apart.
    own_looks = dict(zip(chosen, style.looks_beside_colours(len(chosen)))) if not styled else {}
    order = {key: i for i, key in enumerate(keys)}
    notes += ["line styles and markers repeat; the table says which is which"] * (len(keys) > len(style.MARKERS))
    series = [Series(each, over, _group(each, axis, told),
                     of_method[each.method] if by_method else colours[_value(each, axis)],
                     ", ".join(told_words(each.values, styled, told, each.spent)),
                     order[_key(each, styled)],
                     own_looks.get(_value(each, axis)) or looks[_key(each, styled)], _value(each, axis),
                     {name: each.values[name] for name in styled}, {name: each.values[name] for name in tuned},
                     short(axis, [*told, axis]) if axis else "",
                     each.method if by_method else _group(each, axis, told), diverged[id(each)],
                     contexts.get(id(each), Context(())))
              for each, over in drawn]
    return sorted(series, key=lambda each: (rank(each.value), each.order)), notes


def same_as(chosen: Sequence[Series], series: Sequence[Series]) -> list[Series]:
    """Returns the combinations of `chosen` among the series of another metric."""
    values = {repr(each.combination.values) for each in chosen}
    return [each for each in series if repr(each.combination.values) in values]


def best_of(series: Sequence[Series], metric: str, keep: str | None = None) -> list[Series]:
    """Returns for every colour, line style and value of the axis `keep` the combination with the best metric at the
    end, on the seeds for tuning if there are any."""
    rivals: dict[tuple, list[Series]] = {}
    for each in series:
        kept = repr(each.tuned.get(keep)) if keep else ""
        rivals.setdefault((each.group, each.variant, each.context, kept), []).append(each)
    return [each[metrics.best(_chosen_by(each, metric), metric)] for each in rivals.values()]


def _chosen_by(rivals: Sequence[Series], metric: str) -> list[float]:
    """Returns the means by which rivals are chosen, as rankings choose. Rivals with fewer seeds than the fullest one,
    or with a diverged run, have NaN."""
    column = COLUMNS[metric]
    tuned = any(math.isfinite(one.combination.tuning_mean(column)) for one in rivals)
    counts = [int((one.combination.tuning if tuned else one.combination.seeds)[column].notna().sum()) for one in rivals]
    means = [one.combination.tuning_mean(column) if tuned else one.combination.mean(column) for one in rivals]
    fit = [count == max(counts) and not (one.diverged and not tuned) for count, one in zip(counts, rivals)]
    return [value if is_fit or not any(fit) else math.nan for value, is_fit in zip(means, fit)]


def tuned_words(each: Series) -> str:
    """Returns the chosen values of the tuned axes: `server.rate = 3`; empty if there are none."""
    return ", ".join(f"{name} = {as_word(value)}" for name, value in each.tuned.items() if value is not None)


def chosen_words(series: Sequence[Series]) -> str:
    """Returns which line has which chosen values of the tuned axes; empty if there are none."""
    found: dict[str, list[str]] = {}
    for each in series:
        if words := tuned_words(each):
            found.setdefault(words, []).append(each.name)
    if len(found) == 1 and len(next(iter(found.values()))) == len(series):
        return f"{next(iter(found))} for all lines"
    return "; ".join(f"{words} for {', '.join(dict.fromkeys(labels))}" for words, labels in found.items())


def at_best(series: Sequence[Series], metric: str, but: str | None = None) -> str:
    """Returns a line for the title of a panel, with the tuned axes and the metric that chose their values; empty if
    there are none."""
    names = [cut(name) for name in dict.fromkeys(name for each in series for name in each.tuned if name != but)]
    return f"\n({', '.join(names)}: best by {METRICS[metric].name})" if names else ""


def otherwise_chosen(series: Sequence[Series], chosen: Sequence[Series], metric: str) -> list[str]:
    """Returns a note on lines for which another metric would choose other values than the drawn ones."""
    drawn = {repr(each.combination.values) for each in chosen}
    others = [each.name for each in best_of(series, metric) if repr(each.combination.values) not in drawn]
    return [f"by {METRICS[metric].name} other settings would be best for {', '.join(dict.fromkeys(others))}"] \
        if others else []


def coloured(sweep: Sweep, found: Sequence[Combination], by: str | None) -> str | None:
    """Returns the axis of the colours: `by`, else the method, else the first axis of words, else the first one, but
    none that has panels of its own. Raises RunFileError if `by` is not an axis."""
    axes = [axis for axis in sweep.axes if axis != "seed"]
    apart = never_chosen(axes, [each.runs[0] for each in found if each.runs])
    if by is not None:
        named = [axis for axis in axes if axis == by or axis.endswith("." + by)]
        if len(named) != 1:
            known = ", ".join(axes) or "(none)"
            raise RunFileError(f"{sweep.folder}: '{by}' is not an axis of the sweep; use one of {known}.")
        return named[0]
    told = [axis for axis in telling(axes, [tuple(each.values.get(axis) for axis in axes) for each in found])
            if axis not in apart]
    words = [axis for axis in told if any(isinstance(each.values[axis], str) for each in found)]
    # A single method keeps its colour where line styles tell the rest.
    if "method" in told or not any(name for name in told if name not in STYLED):
        return "method" if "method" in told else None
    return next(iter([*words, *(name for name in told if name not in STYLED), *told]), None)


def across_of(sweep: Sweep, found: Sequence[Combination]) -> str | None:
    """Returns the numeric axis with most values that belongs to the task; None without one."""
    apart = never_chosen(sweep.axes, [each.runs[0] for each in found if each.runs])
    known = {name: {each.values[name] for each in found if each.runs} - {None} for name in apart}
    counts = {name: len(values) for name, values in known.items() if all(map(is_number, values))}
    return max(counts, key=counts.get) if counts and max(counts.values()) > 1 else None


def is_number(value: Any) -> bool:
    """Returns whether a value of an axis has a place on a numeric axis."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _thinned(values: Sequence[Any], fewer: int = 0) -> list[Any]:
    """Returns at most as many values as can be distinguished, less `fewer`: numbers evenly spread, of words the first
    ones."""
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
    """Returns the value that determines the colour of a combination."""
    return _level(each, axis) if axis else each.method


def _key(each: Combination, names: Sequence[str]) -> tuple:
    """Returns what lines of one look share. A requested epsilon has another look than an equal one that was only
    accounted."""
    asked = (each.values[EPSILON] is not None,) if EPSILON in names else ()
    return (*(_level(each, name) for name in names), *asked)


def _level(each: Combination, axis: str) -> Any:
    """Returns the value of an axis; if no epsilon was requested, the accounted one, rounded as in its label."""
    value = each.values[axis]
    if axis == EPSILON and value is None and 0 < each.epsilon < math.inf:
        return float(rounded_up(each.epsilon))
    return value


def _group(each: Combination, axis: str | None, told: Sequence[str]) -> str:
    """Returns the words for the colour of a line: a value that is a word alone, a number with its axis."""
    if axis is None or isinstance(each.values[axis], str):
        return as_word(each.values[axis] if axis else each.method)
    return describe(axis, each.values[axis], [*told, axis], each.spent)
