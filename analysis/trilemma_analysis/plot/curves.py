"""Panels of what happens on the way: a metric against rounds, communicated bits, time, and time and local steps of the
simulated clock."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..io.errors import RunFileError
from ..io.run_file import Run, rounded_up
from ..model.phases import ALL_SECONDS, SECONDS, of_simulation
from ..model.uploads import Upload, chance_of
from ..stats.intervals import bounds
from . import style
from .front import draw_front
from .scales import Scale, baseline, draw_baseline, dress, runs_of, scale_of, widened
from .series import Series, at_best

MOST_CURVES = 10  # of several variants; as many single ones as there are colours
MARKERS = 7  # of a line
LOG_RATIO = 4.0  # between the ends of lines
MARKED = 12  # states: where fewer were evaluated each of them has a marker
GAP = 0.25  # of all rounds, or of a clock's time: states further apart are not joined, nothing being known between
BUDGET = 1.02  # end of an axis by the smallest budget
LEAST_AFTER_START = 4  # points of a line: of fewer, most would be drawn outside of the axis
ZOOM = 0.6  # of the axis: where all states but the first take less, the first has no place on it
ON_THE_WAY = "on the way"  # mark of lines whose style is that of their variant
SEEN = 0.003  # of the axis: smaller differences cannot be seen
COVERED = 2.4  # points that a line is wider by for each equal one that covers it
START = "states before the first round may lie beyond the axis"
LOG_AXIS = "(logarithmic, but linear up to the first point)"
NOT_JOINED = ("points that are not joined lie more than a quarter of the run apart; lower evaluate.every for more of "
              "them")


CLOCK = {"clock": "simulated_time", "steps": "local_steps"}  # panels of methods on the simulated clock


def draw_way(axes: Axes, series: Sequence[Series], metric: str, against: str, bits: Upload = Upload(),
             equal_bits: bool = True, evaluation: bool = False, with_front: bool = False) -> list[str]:
    """Metric against "rounds", "bits", "seconds", "clock" or "steps" with its interval; returns notes for the
    caption."""
    chosen, only = few(series)
    spent: dict[str, Callable[[Run], pd.Series]] = {
        "rounds": lambda run: run.rounds["round"], "bits": bits.of,
        "seconds": lambda run: run.rounds[ALL_SECONDS if evaluation else SECONDS],
        **{name: _on_clock(column) for name, column in CLOCK.items()}}
    curves = [(each, curve) for each in chosen if len(curve := _curve(each, metric, spent[against]))]
    if not curves:
        raise RunFileError(f"none of the files has a value of '{metric}' at a state that all seeds have evaluated; "
                           "choose another metric.")
    whole = pd.concat([curve for _, curve in curves])
    if not whole["x"].max() > 0:
        raise RunFileError(_nothing(against, bits))
    equal = against == "bits" and equal_bits
    seldom = _too_seldom(curves) if equal else []
    end = _end([curve for _, curve in curves], equal and not seldom)
    scale, notes = _scale([curve[curve["x"] <= end] for _, curve in curves], metric)
    scale = widened(scale, baseline(runs_of(chosen), metric))
    hidden = _hidden(curves, scale)
    joined = [_draw(axes, each, curve, scale, i, len(curves), against, len(hidden.get(i, ())))
              for i, (each, curve) in enumerate(curves)]
    best = draw_front(axes, curves, metric, end) if with_front and against == "bits" else []
    draw_baseline(axes, scale, runs_of(chosen), metric)
    what = {"rounds": "rounds", "bits": "uploaded bits", "seconds": "time", "clock": "simulated time",
            "steps": "local steps"}[against]
    title = f"Against {what}{', equal budget' if end < whole['x'].max() else ''}"
    title += at_best(chosen)
    label = {"rounds": "communication rounds", "bits": bits.label,
             "seconds": f"time (s), {'with' if evaluation else 'without'} evaluation and recording",
             "clock": "simulated time (units of the clock)", "steps": "local steps of all contacted clients"}
    dress(axes, scale, metric, title + (f"\n({only} only)" if only else ""), label[against])
    _x_axis(axes, [curve["x"] for _, curve in curves], end, against)
    same = [f"{each.name} is drawn wide because {' and '.join(curves[j][0].name for j in hidden[i])} "
            f"{'has the same values and covers' if len(hidden[i]) == 1 else 'have the same values and cover'} it"
            for i, (each, _) in enumerate(curves) if i in hidden]
    return [*best, *notes, *scale.notes, *same, *_to_the_end(seldom),
            *(of_simulation(named(chosen)) if against == "seconds" else []),
            *(chance_of(runs_of(chosen)) if against == "bits" and bits.count == "payload" else []),
            *(_spent_by(end, curves, spent[against]) if end < whole["x"].max() else []),
            *([] if all(joined) else [NOT_JOINED])]


def _spent_by(end: float, curves: Sequence[tuple[Series, pd.DataFrame]], spent: Callable[[Run], pd.Series]
              ) -> list[str]:
    """What private runs that go on beyond `end` have spent there: less than their epsilon, with noise for all."""
    found = []
    for each, curve in curves:
        if curve["x"].max() <= end:
            continue
        cut = [run.rounds.loc[spent(run) <= end, "epsilon"].max() for run in each.combination.runs
               if run.released and spent(run).max() > end]
        if any(map(math.isfinite, cut)):
            found.append(f"{each.name} ε = {rounded_up(np.nanmax(cut))}")
    return [f"where the equal budget ends, longer runs have spent less ({', '.join(found)}), with noise and step size "
            "made for all their rounds; runs made for this budget (budget.upload) may rank otherwise"] if found else []


def _hidden(curves: Sequence[tuple[Series, pd.DataFrame]], scale: Scale) -> dict[int, list[int]]:
    """Which curves are covered entirely, by those that are drawn later at the same places as far as one can see."""
    def covers(one: pd.DataFrame, other: pd.DataFrame) -> bool:
        if not one["x"].equals(other["x"]):
            return False
        values = [np.log10(curve["median"]) if scale.log else curve["median"] for curve in (one, other)]
        return bool((values[0] - values[1]).abs().max() <= SEEN * scale.span)

    found = {i: [j for j in range(i + 1, len(curves)) if covers(curve, curves[j][1])]
             for i, (_, curve) in enumerate(curves)}
    return {i: later for i, later in found.items() if later}


def few(series: Sequence[Series]) -> tuple[list[Series], str]:
    """At most MOST_CURVES series, and which variants they are of where some are skipped: variants from the first to
    the last in even steps, or the middle one of those that most colours have. A colour of a single line keeps it."""
    if len(series) <= MOST_CURVES:
        return list(series), ""
    lines: dict[str, int] = {}
    for each in series:
        lines[each.group] = lines.get(each.group, 0) + 1
    several = [each for each in series if lines[each.group] > 1]
    single = len(series) - len(several)
    counts: dict[str, int] = {}
    for each in sorted(several, key=lambda one: one.order):
        counts[each.variant] = counts.get(each.variant, 0) + 1
    common = [variant for variant, count in counts.items() if count == max(counts.values())]
    fit = max(1, (MOST_CURVES - single) // max(1, len({each.group for each in several})))
    kept = [common[len(common) // 2]] if fit == 1 and common else \
        [common[round(i * (len(common) - 1) / (fit - 1))] for i in range(min(fit, len(common)))]
    chosen = [each for each in series if lines[each.group] == 1 or each.variant in kept]
    return chosen[:max(MOST_CURVES, len(lines))], "; ".join(dict.fromkeys(kept)) if any(kept) else ""


def only_ends(series: Sequence[Series], metric: str) -> bool:
    """Whether nothing was evaluated between start and end, so that nothing is known of the way."""
    return all(len(run.evaluated(metric)) <= 2 < run.rounds_done for each in series for run in each.combination.runs)


def has_bits(runs: Iterable[Run]) -> bool:
    """Whether anything was sent; where clients train alone there is no axis of bits."""
    return any(run.rounds[Upload().column].iloc[-1] > 0 for run in runs)


def has_seconds(series: Sequence[Series]) -> bool:
    """Whether any run was timed."""
    return any(run.rounds[SECONDS].iloc[-1] > 0 for each in series for run in each.combination.runs)


def named(series: Iterable[Series]) -> Iterator[tuple[str, tuple[Run, ...]]]:
    """Names of lines and their runs."""
    return ((each.name, each.combination.runs) for each in series)


def has_clock(series: Sequence[Series]) -> bool:
    """Whether all runs are on the simulated clock."""
    return all(CLOCK["clock"] in run.rounds for each in series for run in each.combination.runs)


def _on_clock(column: str) -> Callable[[Run], pd.Series]:
    def spent(run: Run) -> pd.Series:
        if column not in run.rounds:
            why = "was made in real time; take --panel seconds" if "real_time" in run.rounds else \
                f"method {run.attributes['method']} is not on the simulated clock, so there is no such panel; draw another one"
            raise RunFileError(f"{run.path}: {why}.")
        return run.rounds[column]
    return spent


def _curve(each: Series, metric: str, spent: Callable[[Run], pd.Series]) -> pd.DataFrame:
    """Median of x, median and interval of the metric over the seeds, at rounds that all seeds have evaluated."""
    tables = [pd.DataFrame({"x": spent(run).astype(float), "y": run.evaluated(metric), "round": run.rounds["round"]})
              .dropna().set_index("round") for run in each.combination.runs]
    ys = pd.concat([table["y"] for table in tables], axis=1, join="inner")
    xs = pd.concat([table["x"] for table in tables], axis=1, join="inner")
    low, high = bounds(ys.to_numpy())
    return pd.DataFrame({"x": xs.median(axis=1), "median": ys.median(axis=1), "low": low, "high": high})


def _scale(curves: Sequence[pd.DataFrame], metric: str) -> tuple[Scale, list[str]]:
    """The y axis; where the start would take most of it and a line has enough points after it, what comes after it."""
    found = []
    after = [curve[curve["x"] > 0] for curve in curves]
    enough = max((int(curve["median"].notna().sum()) for curve in after), default=0) >= LEAST_AFTER_START
    for parts in (curves, after) if enough else (curves,):
        table = pd.concat(parts)
        if table["median"].notna().any():
            found.append(scale_of(*(table[name].to_numpy() for name in ("median", "low", "high")), metric))
    if len(found) < 2 or found[1].log != found[0].log or found[1].span > ZOOM * found[0].span:
        return found[0], []
    return found[1], [START]


def _end(curves: Sequence[pd.DataFrame], equal: bool) -> float:
    """Where the axis ends: with the smallest budget, or with the longest line."""
    finals = [curve["x"].max() for curve in curves if curve["x"].max() > 0]
    return BUDGET * min(finals) if equal else max(finals)


def _too_seldom(curves: Sequence[tuple[Series, pd.DataFrame]]) -> list[str]:
    """The lines that have nothing to show but their start up to the smallest budget, where others go on beyond it."""
    end = _end([curve for _, curve in curves], equal=True)
    longer = any(curve["x"].max() > end for _, curve in curves)
    return [each.name for each, curve in curves if longer and (curve["x"] <= end).sum() < 2]


def _to_the_end(seldom: Sequence[str]) -> list[str]:
    """The sentence on a figure that could not be drawn at equal bits."""
    return [f"bits: every run is drawn to its end and not at equal bits, for which {', '.join(seldom)} "
            f"{'was' if len(seldom) == 1 else 'were'} evaluated too seldom; lower evaluate.every"] if seldom else []


def _draw(axes: Axes, each: Series, curve: pd.DataFrame, scale: Scale, place: int, count: int, against: str,
          covered: int) -> bool:
    """Draws a line, which is broken where states are far apart, wider where others cover it; returns whether all are
    joined."""
    rounds = curve.index.to_numpy()
    # A round of one method may last as long as ten of another, so on a clock it is time that counts.
    places = curve["x"].to_numpy() if against == "clock" else rounds
    wide = (np.diff(rounds) > 1) & (np.diff(places) > GAP * (places[-1] - places[0]))
    joined = len(rounds) > 1 and not wide.all()
    if joined and wide.any():
        curve = _broken(curve, wide)
    # Steps: until a round's last bit has arrived, the model of the round before is all there is.
    steps = against == "bits" and joined
    every = max(1, len(curve) // MARKERS)
    low = curve["low"].clip(lower=scale.low / 2 if scale.log else None)
    axes.plot(curve["x"], curve["median"], color=each.colour, linestyle=each.look.dashes if joined else "",
              linewidth=1.4 + COVERED * covered, marker=each.look.marker, markersize=3.4 + COVERED * covered,
              markeredgecolor="white", markeredgewidth=0.4,
              markevery=1 if len(curve) <= MARKED or wide.any() else (place * every // count, every),
              drawstyle="steps-post" if steps else "default", zorder=3, gid=ON_THE_WAY)
    known = curve["low"].notna()
    if joined and known.any():
        axes.fill_between(curve["x"], low, curve["high"], color=each.colour, alpha=0.13, linewidth=0,
                          step="post" if steps else None)
    if known.any() and (wide.any() or not joined):
        axes.vlines(curve["x"], low, curve["high"], color=each.colour, linewidth=1.0, alpha=0.7)
    return not wide.any()


def _broken(curve: pd.DataFrame, wide: np.ndarray) -> pd.DataFrame:
    """The curve with a state of no value behind every one that a wide gap follows."""
    gaps = curve.iloc[:-1][wide].copy()
    gaps[gaps.columns.drop("x")] = np.nan
    return pd.concat([curve, gaps]).sort_index(kind="stable")


def _x_axis(axes: Axes, x: Sequence[pd.Series], end: float, against: str) -> None:
    """A linear axis, or a log one where lines end far from each other."""
    finals = [values.max() for values in x if values.max() > 0]
    if against not in ("rounds", "clock") and min(end, max(finals)) > LOG_RATIO * min(finals):
        first = min(float(values[values > 0].min()) for values in x if (values > 0).any())
        style.budget_axis(axes, first, 1.1 * end, against in ("bits", "seconds"))
        axes.set_xlabel(f"{axes.get_xlabel()}\n{LOG_AXIS}")
        return
    axes.set_xlim(-0.015 * end, end if end < max(finals) else 1.025 * end)
    style.linear_axis(axes.xaxis, 0, end, prefixes=against in ("bits", "seconds"))


def _nothing(against: str, bits: Upload) -> str:
    if against == "bits":
        return f"'{bits.column}' is 0 in all files (no round is done, or a single process hands nothing to MPI); " \
            "take other bits."
    if against == "seconds":
        return "no run was timed (timing.enabled = false), so there is no time axis; draw another panel."
    return "no round is done in any file, so there is nothing to draw against."
