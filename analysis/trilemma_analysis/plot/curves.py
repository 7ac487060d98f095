"""Panels of what happens on the way: a metric against rounds, communicated bits, time, and time and local steps of the
simulated clock."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..io.forms import bits as in_bits, of_metric
from ..io.run_file import rounded_up
from ..model.metrics import METRICS
from ..model.uploads import chance_of
from . import names, style
from .scales import Scale, draw_baseline, dress, runs_of
from .series import Series, at_best
from .sweep_times import of_times
from .ways import GAP, Way, references

MARKERS = 7  # of a line
LOG_RATIO = 4.0  # between the ends of lines
MARKED = 12  # states: where fewer were evaluated each of them has a marker
ON_THE_WAY = "on the way"  # mark of lines whose style is that of their variant
SEEN = 0.003  # of the axis: smaller differences cannot be seen
NOT_JOINED = ("points that are not joined lie more than a quarter of the run apart; lower evaluate.every for more of "
              "them")
ON_EDGES = "Against bits on edges"  # of methods without a server, which upload nothing
TITLES = {"rounds": "Against rounds", "bits": "Against uploaded bits", "seconds": "Against time",
          "joules": "Against energy", "clock": "Against simulated time", "steps": "Against local steps"}


def draw(axes: Axes, way: Way, scale: Scale, by: str, focus: str | None = None, named: bool = True,
         title: str = "") -> list[str]:
    """Draws the lines with their intervals and, if `named`, their names at their ends; with `focus` those of one group
    before all others in grey. `title` replaces what the panel shows. Returns notes."""
    left_out = references(way)
    drawn = [(each, curve) for each, curve in way.curves if each not in left_out]
    several = sum(each.group == focus for each, _ in drawn) > 1
    joined = []
    for i, (each, curve) in enumerate(drawn):
        grey = focus is not None and each.group != focus
        joined.append(_draw(axes, each, curve, scale, i, len(drawn), way.against, grey))
        last = curve[curve["x"] <= way.end].iloc[-1]
        if named and not grey and (focus is None or several):
            names.at_end(axes, last["x"], last["median"], each.name if focus is None else each.variant, each.colour)
    for each, curve in way.curves:
        if each in left_out:
            axes.axhline(curve["median"].iloc[-1], color=each.colour, linestyle=(0, (1, 2)), linewidth=1.0, zorder=1.8)
            if named and focus is None:
                end = f"after {in_bits(curve['x'].iloc[-1])}" if way.against == "bits" else "at its end"
                names.at_end(axes, 1, curve["median"].iloc[-1], f"{each.name}, {end}", each.colour, across=True)
    if way.equal:
        axes.axvline(way.budget, color=style.SOFT, linestyle=(0, (4, 3)), linewidth=0.9, zorder=1.2)
    notes = draw_baseline(axes, scale, runs_of([each for each, _ in way.curves]), way.metric, named and focus is None)
    shown = [each for each, _ in way.curves]
    title = title or title_of(way) + (", equal budget" if way.equal else "") + at_best(shown, by)
    dress(axes, scale, way.metric, title if focus is None else focus, label_of(way))
    if focus is not None:
        axes.title.set_color(next(each.colour for each in shown if each.group == focus))
    _x_axis(axes, [curve["x"] for _, curve in way.curves], way.end, way.against)
    return [*notes, *scale.notes, *_remarks(way, drawn, scale, left_out), *([] if all(joined) else [NOT_JOINED])]


def _remarks(way: Way, drawn: Sequence[tuple[Series, pd.DataFrame]], scale: Scale,
             left_out: Sequence[Series]) -> list[str]:
    """Returns the notes on a panel."""
    ends = [f"{each.name} {of_metric(curve['median'].iloc[-1], METRICS[way.metric].is_share)}"
            for each, curve in way.curves if each in left_out]
    runs = runs_of([each for each, _ in way.curves])
    return [*([f"without privacy, shown by the value at the end alone: {', '.join(ends)}"] if ends else []),
            *_same(drawn, scale),
            *_not_equal(way),
            *([*of_times([each for each, _ in way.curves]),
               "time is the number of rounds times the median time of a round, without evaluation and recording"]
              if way.against == "seconds" else []),
            *(chance_of(runs) if way.against == "bits" and way.bits.count == "payload" else []),
            *(_spent_by(way) if way.equal else [])]


def _not_equal(way: Way) -> list[str]:
    """Returns why lines are not compared at an equal budget of bits: too few evaluations, or rounds as large as the
    budget."""
    drawn = "bits: every run is drawn to its end and not at equal bits"
    budget = f"the budget of the others, {in_bits(way.least)}{' per client' if way.bits.per_client else ''}"
    told = [f"one round of {name} ({in_bits(size)}) "
            f"{'exceeds' if size > way.least else 'takes more than a quarter of'} {budget}"
            for name, size in way.coarse.items()]
    was = "was" if len(way.seldom) == 1 else "were"
    seldom = f"{', '.join(way.seldom)} {was} evaluated too seldom; lower evaluate.every"
    return [*([f"{drawn}, for which {seldom}"] if way.seldom else []),
            *([f"{drawn}: {'; '.join(told)}"] if told else [])]


def _spent_by(way: Way) -> list[str]:
    """Returns the epsilon spent at the last drawn state by private runs that continue beyond the end. It is less than
    their final epsilon, with noise calibrated for all rounds."""
    found = []
    for each, curve in way.curves:
        if curve["x"].max() <= way.end:
            continue
        last = curve.index[curve["x"] <= way.end].max()
        spent = [run.rounds.loc[run.rounds["round"] == last, "epsilon"].max() for run in each.combination.runs
                 if run.released]
        if any(map(math.isfinite, spent)):
            found.append(f"{each.name} ε = {rounded_up(np.nanmax(spent))}")
    return [f"where the equal budget ends, longer runs have spent less ({', '.join(found)}), with noise and step size "
            "made for all their rounds; runs made for this budget (budget.upload) may rank otherwise"] if found else []


def _same(drawn: Sequence[tuple[Series, pd.DataFrame]], scale: Scale) -> list[str]:
    """Returns which lines visibly cover others."""
    def covers(one: pd.DataFrame, other: pd.DataFrame) -> bool:
        if not one["x"].equals(other["x"]):
            return False
        values = [np.log10(curve["median"].where(curve["median"] > 0)) if scale.log else curve["median"]
                  for curve in (one, other)]
        return bool((values[0] - values[1]).abs().max() <= SEEN * scale.span)

    return [f"{each.name} lies under {' and '.join(later)}, with the same values"
            for i, (each, curve) in enumerate(drawn)
            if (later := [other.name for other, values in drawn[i + 1:] if covers(curve, values)])]


def _draw(axes: Axes, each: Series, curve: pd.DataFrame, scale: Scale, place: int, count: int, against: str,
          grey: bool) -> bool:
    """Draws a line, which is broken where states are far apart; returns whether all are joined."""
    if scale.log:  # which has no place for a start at 0
        curve = curve[~(curve["median"] <= 0)]
    rounds = curve.index.to_numpy()
    # A round of one method may last as long as ten of another, so on a clock it is time that counts.
    places = curve["x"].to_numpy() if against == "clock" else rounds
    wide = (np.diff(rounds) > 1) & (np.diff(places) > GAP * (places[-1] - places[0]))
    joined = len(rounds) > 1 and not wide.all()
    if joined and wide.any():
        curve = _broken(curve, wide)
    # Steps: until a round's last bit has arrived, the model of the round before is all there is.
    steps = "steps-post" if against == "bits" and joined else "default"
    if grey:
        axes.plot(curve["x"], curve["median"], color=style.OUT_OF_FOCUS, linewidth=0.8, drawstyle=steps, zorder=1,
                  linestyle="-" if joined else "", marker="" if joined else ".")
        return not wide.any()
    every = max(1, len(curve) // MARKERS)
    low = curve["low"].clip(lower=scale.low / 2 if scale.log else None)
    axes.plot(curve["x"], curve["median"], color=each.colour, linestyle=each.look.dashes if joined else "",
              linewidth=1.4, marker=each.look.marker, markersize=3.4, markeredgecolor="white", markeredgewidth=0.4,
              markevery=1 if len(curve) <= MARKED or wide.any() else (place * every // count, every),
              drawstyle=steps, zorder=3, gid=ON_THE_WAY)
    known = curve["low"].notna()
    if joined and known.any():
        axes.fill_between(curve["x"], low, curve["high"], color=each.colour, alpha=0.2, linewidth=0,
                          step="post" if steps != "default" else None)
    if known.any() and (wide.any() or not joined):
        axes.vlines(curve["x"], low, curve["high"], color=each.colour, linewidth=1.0, alpha=0.7)
    return not wide.any()


def _broken(curve: pd.DataFrame, wide: np.ndarray) -> pd.DataFrame:
    """Returns the curve with a state without value after every state that a wide gap follows."""
    gaps = curve.iloc[:-1][wide].copy()
    gaps[gaps.columns.drop("x")] = np.nan
    return pd.concat([curve, gaps]).sort_index(kind="stable")


def title_of(way: Way) -> str:
    """Returns what the curves of a panel are drawn against."""
    return ON_EDGES if way.against == "bits" and way.bits.count == "edges" else TITLES[way.against]


def label_of(way: Way) -> str:
    """Returns the label of the x axis."""
    return {"rounds": "communication rounds", "bits": way.bits.label, "seconds": "time (s), rounds x median of a round",
            "joules": "energy of all nodes (J), without evaluation and recording",
            "clock": "simulated time (units of the clock)",
            "steps": "local steps of all contacted clients"}[way.against]


def _x_axis(axes: Axes, x: Sequence[pd.Series], end: float, against: str) -> None:
    """Sets a linear axis, or a log one if lines end far from each other."""
    finals = [values.max() for values in x if values.max() > 0]
    prefixes = against in ("bits", "seconds", "joules")
    if against not in ("rounds", "clock") and min(end, max(finals)) > LOG_RATIO * min(finals):
        first = min(float(values[values > 0].min()) for values in x if (values > 0).any())
        style.budget_axis(axes, first, 1.1 * end, prefixes)
        axes.set_xlabel(f"{axes.get_xlabel()} (log, linear up to the first point)")
        return
    axes.set_xlim(-0.015 * end, end if end < max(finals) else 1.025 * end)
    style.linear_axis(axes.xaxis, 0, end, prefixes=prefixes)
