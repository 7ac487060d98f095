"""What panels of the way show: curves of a metric over rounds, communicated bits, time, and time and local steps of the
simulated clock, and their common y axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from ..io.forms import bits as in_bits, joules as in_joules, seconds as in_seconds
from ..io.run_file import Run
from ..io.words import in_rounds
from ..model.phases import JOULES, SECONDS
from ..model.uploads import Upload
from ..stats.intervals import bounds
from .scales import Scale, baseline, runs_of, scale_of, widened
from .series import Series
from .style import looks

GAP = 0.25  # of all rounds, of a clock's time or of a budget: states further apart are not joined
BUDGET = 1.02  # end of an axis by the smallest budget
LEAST_AFTER_START = 4  # points of a line: of fewer, most would be drawn outside of the axis
ZOOM = 0.6  # of the axis: where all states but the first take less, the first has no place on it
DOMINATES = 1.25  # times the axis of private methods: what takes more without privacy is drawn as its end alone
START = "states before the first round may lie beyond the axis"
NO_LOOK = looks(1)[0]
CLOCK = {"clock": "simulated_time", "steps": "local_steps"}  # panels of methods on the simulated clock


@dataclass(frozen=True)
class Way:
    """What one panel shows: curves (x, median, low, high by round) up to `end`, and what was spent at each round.
    `equal` says that all are compared at one budget, the least of all ends. Where they are not, `seldom` names the
    lines that were evaluated too seldom for it, and `coarse` has those of which no round ends near it, with what the
    round that goes beyond it takes."""

    metric: str
    against: str
    bits: Upload
    curves: list[tuple[Series, pd.DataFrame]]
    end: float
    equal: bool
    seldom: list[str]
    spent: Callable[[Run], pd.Series]
    coarse: dict[str, float] = field(default_factory=dict)

    @property
    def is_apart(self) -> bool:
        """Returns whether the lines cannot be compared at one budget."""
        return bool(self.seldom or self.coarse)

    @property
    def least(self) -> float:
        """Returns what the line that spends least has spent at its end."""
        return min(last for _, curve in self.curves if (last := curve["x"].max()) > 0)

    @property
    def shown(self) -> list[pd.DataFrame]:
        """Returns the states up to the end of the axis."""
        return [curve[curve["x"] <= self.end] for _, curve in self.curves]

    @property
    def budget(self) -> float:
        """Returns what all runs have spent where they are compared."""
        return self.end / BUDGET if self.equal else self.end

    @property
    def where(self) -> str:
        """Returns the end of the axis in words: 'At 76.8 kbit per client', 'After 200 rounds', 'Within 2000 units of
        time'; where curves end at other places, 'At the end of each run'."""
        if self.against == "clock":  # on which rounds, and so the last states of methods, end at different times
            return f"Within {self.end:.4g} units of time"
        ends = [curve["x"].max() for curve in self.shown if len(curve)]
        if not self.equal and min(ends) < (1 - GAP) * max(ends):
            return "At the end of each run"
        end = self.budget
        return {"bits": f"At {in_bits(end)}{' per client' if self.bits.per_client else ''}",
                "rounds": f"After {in_rounds(int(end))}", "seconds": f"After {in_seconds(end)}",
                "joules": f"At {in_joules(end)}"}.get(
                    self.against, f"At {end:.4g} local steps")

    def at_end(self, each: Series) -> dict[int, float]:
        """Returns the value of the metric of each seed at the last drawn state."""
        curve = next(curve for other, curve in self.curves if other is each)
        within = curve.index[curve["x"] <= self.end]
        return {run.attributes["seed"]: float(run.rounds.set_index("round").loc[within[-1], self.metric])
                for run in each.combination.runs} if len(within) else {}


def prepare(series: Sequence[Series], metric: str, against: str, bits: Upload = Upload(),
            equal_bits: bool = True) -> Way:
    """Returns the curves of a panel. Raises RunFileError if there is nothing to draw."""
    spent: Callable[[Run], pd.Series] = {
        "rounds": lambda run: run.rounds["round"].astype(float), "bits": bits.of, "seconds": _steady_seconds,
        "joules": _energy,
        **{name: _on_clock(column) for name, column in CLOCK.items()}}[against]
    curves = [(each, curve) for each in series if not each.gone and len(curve := _curve(each, metric, spent))]
    if not curves:
        raise RunFileError(f"none of the files has a value of '{metric}' at a state that all seeds have evaluated; "
                           "choose another metric.")
    finals = [last for _, curve in curves if (last := curve["x"].max()) > 0]
    if not finals:
        raise RunFileError(_nothing(against, bits))
    end = BUDGET * min(finals)
    equal = against == "bits" and equal_bits and max(finals) > end
    far = [each for each, curve in curves if equal and curve["x"].max() > end
           and not curve.loc[curve["x"] <= end, "x"].max() >= (1 - GAP) * end]
    coarse = {each.name: size for each in far if (size := _coarse(each, spent, end))}
    if far or not equal:
        end = max(finals)
    seldom = [each.name for each in far if each.name not in coarse]
    return Way(metric, against, bits, curves, end, equal and not far, seldom, spent, coarse)


def _coarse(each: Series, spent: Callable[[Run], pd.Series], end: float) -> float:
    """Returns what the round of a line takes that crosses the end, if no round, evaluated or not, ends near it; else
    0."""
    spent_by = [spent(run).set_axis(run.rounds["round"]) for run in each.combination.runs]
    x = pd.concat(spent_by, axis=1, join="inner").median(axis=1)
    before, after = x[x <= end].max(), x[x > end].min()
    return 0.0 if before >= (1 - GAP) * end else float(after - before)


def by_variant(way: Way) -> dict[str, Way]:
    """Returns the lines of each variant as a panel of their own, named by their groups; empty if a line has no
    variant."""
    if not all(each.variant for each, _ in way.curves):
        return {}
    ordered = sorted((each for each, _ in way.curves), key=lambda each: each.order)
    return {variant: replace(way, curves=[(replace(each, variant="", look=NO_LOOK), curve) for each, curve in way.curves
                                          if each.variant == variant])
            for variant in dict.fromkeys(each.variant for each in ordered)}


def references(way: Way) -> list[Series]:
    """Returns methods without privacy next to private ones of which only the ends are drawn: at an equal budget, and if
    their curve would fill the axis."""
    private = [curve for (each, _), curve in zip(way.curves, way.shown) if not each.no_privacy]
    open_ = [(each, curve) for (each, _), curve in zip(way.curves, way.shown) if each.no_privacy]
    if not private or not open_:
        return []
    span = _of_medians(private, way.metric).span
    return [each for each, curve in open_
            if way.equal or _of_medians([*private, curve], way.metric).span > DOMINATES * span]


def _of_medians(curves: Sequence[pd.DataFrame], metric: str) -> Scale:
    """Returns the y axis of curves without their intervals."""
    medians = pd.concat(curves)["median"].to_numpy()
    return scale_of(medians, medians, medians, metric)


def common_scale(ways: Sequence[Way]) -> tuple[Scale, list[str]]:
    """Returns one y axis for all panels of a metric. References count only with their ends."""
    curves = []
    for way in ways:
        left_out = references(way)
        curves += [shown if each not in left_out else curve.iloc[-1:]
                   for (each, curve), shown in zip(way.curves, way.shown)]
    scale, notes = _of_curves(curves, ways[0].metric)
    return widened(scale, baseline(runs_of([each for way in ways for each, _ in way.curves]), ways[0].metric)), notes


def only_ends(series: Sequence[Series], metric: str) -> bool:
    """Returns whether nothing was evaluated between start and end."""
    return all(len(run.evaluated(metric)) <= 2 < run.rounds_done for run in runs_of(series))


def has_bits(runs: Iterable[Run]) -> bool:
    """Returns whether anything was sent. If clients train alone there is no axis of bits."""
    return any(run.rounds[Upload().column].iloc[-1] > 0 for run in runs)


def _steady_seconds(run: Run) -> pd.Series:
    """Returns rounds times the median time of a round, since a single slow round is no plateau of the method."""
    steps = np.diff(run.rounds[SECONDS])
    return run.rounds["round"] * (float(np.median(steps)) if len(steps) else 0.0)


def _energy(run: Run) -> pd.Series:
    """Returns the joules of all nodes so far. Refuses runs on machines that do not count them."""
    if JOULES not in run.rounds:
        raise RunFileError(f"{run.path}: the machine did not count its energy, so there is no such panel; draw another "
                           "one.")
    return run.rounds[JOULES]


def _on_clock(column: str) -> Callable[[Run], pd.Series]:
    """Returns a function that returns a column of the simulated clock, and refuses runs without it."""
    def spent(run: Run) -> pd.Series:
        if column not in run.rounds:
            why = "was made in real time; take --panel seconds" if "real_time" in run.rounds else \
                f"method {run.attributes['method']} is not on the simulated clock, so there is no such panel; draw " \
                "another one"
            raise RunFileError(f"{run.path}: {why}.")
        return run.rounds[column]
    return spent


def _curve(each: Series, metric: str, spent: Callable[[Run], pd.Series]) -> pd.DataFrame:
    """Returns the median of x, and median and interval of the metric over the seeds, at rounds that all seeds have
    evaluated."""
    tables = [pd.DataFrame({"x": spent(run).astype(float), "y": run.evaluated(metric), "round": run.rounds["round"]})
              .dropna().set_index("round") for run in each.combination.runs]
    ys = pd.concat([table["y"] for table in tables], axis=1, join="inner")
    xs = pd.concat([table["x"] for table in tables], axis=1, join="inner")
    low, high = bounds(ys.to_numpy())
    return pd.DataFrame({"x": xs.median(axis=1), "median": ys.median(axis=1), "low": low, "high": high})


def _of_curves(curves: Sequence[pd.DataFrame], metric: str) -> tuple[Scale, list[str]]:
    """Returns the y axis of curves. If the start would take most of it and a line has enough points after the start,
    the axis shows only these."""
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


def _nothing(against: str, bits: Upload) -> str:
    """Returns why there is nothing to draw against."""
    if against == "bits":
        return f"'{bits.column}' is 0 in all files (no round is done, or a single process hands nothing to MPI); " \
            "take other bits."
    if against == "seconds":
        return "no run was timed (timing.enabled = false), so there is no time axis; draw another panel."
    return "no round is done in any file, so there is nothing to draw against."
