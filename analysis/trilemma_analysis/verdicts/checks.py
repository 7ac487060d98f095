"""Statistics of rules that are more than comparisons of cells, by the names that rules use."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ..io.errors import RunFileError
from .cells import Cells, TUNING_SEED, judged, matching
from .engine import Found, Judgement
from .pairs import combinations
from .rules import Outcome, beats, marks
from .terms import Line, Part, filled

CONFIDENCE = 0.95
READINGS = ["speed", "law", "unit"]  # what the FAVANO paper leaves open
READING = ("time", "geometric", "step")  # of the rule
METHODS = 4  # of the FAVANO paper
LATE = 5  # evaluations
GRADIENTS = "gradients_"  # start of the columns with record gradients until a level of the utility
LEVELS = (0.5, 0.4, 0.3, 0.25, 0.2, 0.175, 0.15, 0.125, 0.1, 0.08, 0.06)
ESTIMATORS = ("soteriafl-gd", "soteriafl-sgd", "soteriafl-svrg", "soteriafl-saga")


def spread(judgement: Judgement, part: Part) -> Found:
    """Judges the largest mean of cells divided by the smallest, for each combination."""
    cells, factors = judgement.views[part.view], []
    for labels in combinations(part.each, cells):
        means = [float(cells.of(**labels, **ours)[part.columns[0]].mean()) for ours in combinations(part.ours, cells)]
        factors.append({**labels, "factor": max(means) / min(means)})
    return Found(all(each["factor"] <= part.most for each in factors), False,
                 filled(part.evidence, {"items": part.join.join(filled(part.item, each) for each in factors)}))


def gap_of_groups(judgement: Judgement, part: Part) -> Found:
    """Judges whether the mean of `ours` minus the best of `theirs` is smaller in the last combination than in the
    first."""
    cells, gaps = judgement.views[part.view], []
    for labels in combinations(part.each, cells):
        ours, theirs = ([float(cells.of(**labels, **one)[part.columns[0]].mean()) for one in combinations(side, cells)]
                        for side in (part.ours, part.theirs))
        gaps.append({**labels, "gap": float(np.mean(ours)) - max(theirs)})
    return Found(gaps[-1]["gap"] < gaps[0]["gap"], False, part.join.join(filled(part.item, each) for each in gaps))


def root_of_clients(judgement: Judgement, part: Part) -> Found:
    """Judges whether the geometric mean of the quotients of all cells theirs / ours is the square root of the number of
    clients, within the factor `most`."""
    pairs, _ = judgement.pairs(part)
    ratio = float(np.exp(np.mean(np.log([1 / pair.ratio for pair in pairs]))))
    expected = math.sqrt(judgement.views[part.view].fixed["clients"])
    return Found(expected / part.most <= ratio <= expected * part.most, False, f"{ratio:.2f}", {"expected": expected})


@dataclass(frozen=True)
class Fit:
    """An exponent with its interval, from a line through logarithms."""

    exponent: float
    half: float  # half the width of the interval
    points: int
    seeds: int

    def words(self) -> str:
        """Returns the exponent, its interval, and what it rests on."""
        return (f"{self.exponent:+.2f} [{self.exponent - self.half:+.2f}, {self.exponent + self.half:+.2f}], "
                f"{self.points} points, {self.seeds} seeds")


def fitted(chosen: pd.DataFrame, slope: Mapping[str, Any], place: Mapping[str, Any]) -> Fit:
    """Returns the exponent of the utility in an axis, by least squares through the logarithms of all points and
    seeds."""
    axis, table = slope["axis"], matching(chosen, {**place, **slope["fixed"]})
    points = table[axis].nunique()
    if points < 3:
        raise RunFileError(f"{points} points of {place['method']} with G = {place['threshold']:g} for the slope in "
                           f"{slope['name']}, and 3 are needed; name the sweeps of jobs/reproductions.toml.")
    x, y = np.log(table[axis].to_numpy(float)), np.log(table["utility"].to_numpy(float))
    spread_of_x = float(((x - x.mean()) ** 2).sum())
    exponent = float(((x - x.mean()) * (y - y.mean())).sum() / spread_of_x)
    rest = y - y.mean() - exponent * (x - x.mean())
    free = len(x) - 2
    error = math.sqrt(float((rest ** 2).sum()) / free / spread_of_x)
    return Fit(exponent, error * float(stdtrit(free, 0.5 + CONFIDENCE / 2)), points, table["seed"].nunique())


def _points(judgement: Judgement) -> pd.DataFrame:
    """Returns the judged runs of all cells, with 1 + omega."""
    chosen = pd.concat([cell.reset_index() for cell in judgement.views["main"].cells.values()], ignore_index=True)
    return chosen.assign(omega=chosen["dimension"] / chosen["k"])


def slope(judgement: Judgement, part: Part) -> Found:
    """Judges whether the interval of an exponent, widened by a tolerance, has the predicted one; too wide an interval
    decides nothing."""
    options = part.options
    fit = fitted(_points(judgement), options, part.ours)
    decided = fit.half <= options["widest"]
    start = "" if decided else "not decided: interval "
    return Found(decided and abs(fit.exponent - options["predicted"]) <= fit.half + options["within"], False,
                 start + fit.words(), {"exponent": f"{start}{fit.exponent:+.2f}"})


def other_slopes(judgement: Judgement, _: Line) -> list[str]:
    """Returns the exponents of all other methods and bounds than those of the statements."""
    chosen, parts = _points(judgement), [claim.parts[0] for claim in judgement.claims]
    main = parts[0].ours["method"], parts[0].ours["threshold"]
    return [f"{method}, G = {bound:g}: " + "; ".join(
        f"{slope['name']} {fitted(chosen, slope, {'method': method, 'threshold': bound}).words()}"
        for slope in (part.options for part in parts))
            for method, bound in sorted(set(zip(chosen["method"], chosen["threshold"])) - {main})]


def reached_levels(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the judged runs with their record gradients at each level of the utility that all estimators reach, a row
    a run and level, and the orders of table 2 relative to SGD. With runs of the tuning seed, each method has the
    settings that need fewest there; without, it has one setting."""
    tuning, found = table[table["seed"] == TUNING_SEED], []
    for level in LEVELS:
        name = f"{GRADIENTS}{level:g}"
        if len(tuning) and not set(ESTIMATORS) <= set(tuning.loc[tuning[name].notna(), "method"]):
            continue
        cells = judged(table, ["method", "epsilon"], ["rate", "rounds"], by=name)
        if not any(cell[name].isna().any() for cell in cells.values()):
            found += [cell.reset_index().assign(method=key[0], level=level, gradients=cell[name].to_numpy())
                      for key, cell in cells.items()]
    if not found:
        raise RunFileError(f"no utility of {LEVELS[0]:g} is reached by {', '.join(ESTIMATORS)}; name the sweep of "
                           "jobs/reproductions.toml.")
    return pd.concat(found, ignore_index=True).assign(predicted=_predicted(table))


def _predicted(table: pd.DataFrame) -> str:
    """Returns the orders of table 2 divided by that of SGD: (1 + sqrt(tau)) b for SGD, (1 + sqrt(tau)) m for GD, and
    (1 + tau) m^(2/3) for SVRG and SAGA."""
    first = table.iloc[0]
    batch = float(table.loc[table["method"] == "soteriafl-sgd", "batch"].iloc[0])
    tau = (first["dimension"] / first["k"]) ** 1.5 / math.sqrt(first["clients"])
    sgd = (1 + math.sqrt(tau)) * batch
    return (f"GD {first['records'] / batch:.3g}, SVRG and SAGA "
            f"{(1 + tau) * first['records'] ** (2 / 3) / sgd:.3g} (tau {tau:.3g})")


def late_means(table: pd.DataFrame) -> pd.DataFrame:
    """Returns a row a run: the means of its last evaluations."""
    late = table.sort_values("round").groupby(["model", "method", "seed"]).tail(LATE)
    return late.groupby(["model", "method", "seed"]).mean().reset_index()


def with_systems(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the rows with the method, and with its compressor where two are compared."""
    both = table["method"] + " " + table["compressor"]
    return table.assign(system=table["method"].where(~table["method"].isin(("porter-dp", "choco-sgd")), both))


def equal_traffic(judgement: Judgement, part: Part) -> Found:
    """Judges a cell against the method of `theirs` with fewer rounds, so that its messages up and its models down have
    as many bits as ours, or hardly fewer."""
    cells, theirs = judgement.views[part.view], judgement.views["all rounds"]
    ours = cells.get(**part.ours)
    if ours is None:
        return Found(False, False, "", needs=str(part.ours["system"]))
    limit, column = ours["bits_edges"].mean(), part.columns[0]
    for rounds, group in matching(theirs.table, part.theirs).groupby("rounds"):
        total = (group["bits_edges"] + group["bits_down"]).mean()
        if part.least * limit <= total <= limit:
            [other] = judged(group, ["system", "lambda"], cells.view.free, column).values()
            return Found(beats(other[column], ours[column]), beats(ours[column], other[column]),
                         f"{ours[column].mean():.4f} against {other[column].mean():.4f} after {rounds} rounds, "
                         f"{limit:.4g} and {total:.4g} bits in all")
    return Found(False, False, "", needs=f"{part.theirs['system']} with {limit:.4g} bits up and down")


def with_readings(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the rows by what speed means. That concerns methods with interrupts alone; the others are the same in
    every reading of it. Refuses runs without the reading of the rule for all methods."""
    speeds, plain = [speed for speed in dict.fromkeys(table["speed"]) if speed], table[table["speed"] == ""]
    table = pd.concat([table[table["speed"] != ""], *(plain.assign(speed=speed) for speed in speeds)],
                      ignore_index=True)
    methods = table.groupby(READINGS)["method"].transform("nunique")
    table = table[methods == METHODS]
    if matching(table, dict(zip(READINGS, READING))).empty:
        raise RunFileError(f"no run reads the paper as {', '.join(READING)}; name the sweeps of "
                           "jobs/reproductions.toml.")
    return table


def with_place(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the rows with the step size of the server in words, where the method has one."""
    words = [f" and {rate:g} at the server" if method == "fedbuff" else ""
             for method, rate in zip(table["method"], table["server_rate"])]
    return table.assign(at_server=words)


def drops(judgement: Judgement, part: Part) -> Found:
    """Judges what `ours` and `theirs` lose between two combinations: ours at most `most`, theirs twice as much or
    more."""
    cells, column = judgement.views[part.view], part.columns[0]
    first, last = combinations(part.each, cells)
    lost = [float(cells.of(**first, **side)[column].mean()) - float(cells.of(**last, **side)[column].mean())
            for side in (part.ours, part.theirs)]
    return Found(lost[0] <= part.most and lost[1] >= 2 * max(lost[0], 0), False,
                 part.evidence.format(*lost))


def less_steady(judgement: Judgement, part: Part) -> Found:
    """Judges whether `ours` are less steady than `theirs`: over seeds, or from one evaluation to the next."""
    cells = judgement.views[part.view]
    runs = [cells.of(**part.each, **side) for side in (part.ours, part.theirs)]
    deviations = [float(run[part.columns[0]].std(ddof=1)) for run in runs]
    changes = [matching(cells.table, side)[part.columns[1]].mean() for side in (part.ours, part.theirs)]
    return Found(deviations[0] > deviations[1] or changes[0] > changes[1], False,
                 part.evidence.format(*deviations, *changes))


def on_another_clock(judgement: Judgement, part: Part) -> Found:
    """Judges a statement with a cell whose runs have another clock, at the settings that were chosen."""
    [claim] = [claim for claim in judgement.claims if claim.name == part.options["of"]]
    cells, key = judgement.views["main"], tuple(part.ours.values())
    chosen = cells.cells.get(key)
    wanted = {} if chosen is None else {name: chosen[name].iloc[0] for name in cells.view.free}
    runs = matching(judgement.views["all clocks"].table, {**part.ours, **part.options["clock"], **wanted})
    runs = runs[runs["seed"] != TUNING_SEED].drop_duplicates("seed").set_index("seed").sort_index()
    if chosen is None or runs.empty:
        return Found(False, False, "", needs="runs at the best rates")
    found, fields = judgement.with_cells({**cells.cells, key: runs}).statement(claim)
    end = f", FedBuff {runs['score'].mean():.1f}"
    return Found(found.outcome is Outcome.HOLDS, found.outcome is Outcome.REVERSED, found.evidence + end,
                 needs=fields["needs"] + end if found.outcome is Outcome.NOT_RUN else "")


def marked(judgement: Judgement, line: Line) -> list[str]:
    """Returns how the statements `of` end in a view, where all of its cells `run` have runs."""
    other = judgement.with_cells(judgement.views[line.view].cells)
    if line.options.get("run") and not all(other.views["main"].get(**key) is not None
                                           for key in combinations(line.options["run"], other.views["main"])):
        return []
    return [line.line
            + marks(other.statement(claim)[0] for claim in judgement.claims if claim.name in line.options["of"])]


def other_readings(judgement: Judgement, line: Line) -> list[str]:
    """Returns how the statements `of` end, and all scores, in other readings of the paper than the rule's."""
    texts, table = [], judgement.views["all"].table
    for reading, rows in table.groupby(READINGS):
        if reading == READING:
            continue
        views = {name: Cells(rows, judgement.views[name].view, judgement.words)
                 for name in ("plain", "code", "stochastic")}
        start = f"read as {', '.join(reading)}"
        seeds = rows.loc[rows["method"] == "favano", "seed"].nunique()
        for name in ("plain", "code"):
            other = judgement.with_cells(views[name].cells)
            texts.append(f"{start}, preset {name} ({seeds} seeds): " + marks(
                other.statement(claim)[0] for claim in judgement.claims if claim.name in line.options["of"]))
        for column in line.options["columns"]:
            for name, view in (("plain, deterministic", "plain"), ("code, stochastic", "stochastic")):
                other = judgement.with_cells(views[view].cells)
                texts += other.lines(Line(f"{start}, {name}: {column}: {{methods}}", lists={"methods": {
                    **line.options["methods"], "each": {"column": column, **line.options["methods"]["each"]}}}))
    return texts


DERIVED: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "reached levels": reached_levels, "late means": late_means, "systems": with_systems,
    "readings": with_readings, "place": with_place}
CHECKS: dict[str, Callable[[Judgement, Part], Found]] = {
    "spread": spread, "gap of groups": gap_of_groups, "root of clients": root_of_clients, "slope": slope,
    "equal traffic": equal_traffic, "drops": drops, "less steady": less_steady, "another clock": on_another_clock}
TEXTS: dict[str, Callable[[Judgement, Line], list[str]]] = {
    "other slopes": other_slopes, "marks": marked, "other readings": other_readings}
