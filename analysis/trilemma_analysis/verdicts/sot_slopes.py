"""SOT-TABLE1, slopes: how the tuned utility depends on epsilon, records, clients and compression."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ..io.errors import RunFileError
from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .chosen_runs import judged
from .rules import Column, Rule, Statement, Verdict, outcome

METHOD, BOUND = "soteriafl-gd", 2.9  # judged; the bound is one that no record reaches
FREE = ["rate", "rounds"]
CELL = ["method", "threshold", "epsilon", "records", "clients", "k"]
CONFIDENCE = 0.95
NEAR = 0.1  # of an exponent: a grid of steps and rounds does not find the best of each exactly
WIDEST = 0.2  # half the width of an interval that decides


@dataclass(frozen=True)
class Slope:
    """A predicted exponent, and the points that show it."""

    name: str
    axis: str  # a column, or "omega": 1 + omega = d / k
    predicted: float
    fixed: dict[str, float]  # what the points have in common


SLOPES = (
    Slope("epsilon", "epsilon", -1.0, {"records": 3256, "clients": 10, "k": 6}),
    Slope("m", "records", -1.0, {"epsilon": 4, "clients": 10, "k": 6}),
    Slope("n", "clients", -0.5, {"epsilon": 8, "records": 651, "k": 6}),
    Slope("omega", "omega", 0.5, {"epsilon": 4, "records": 3256, "clients": 10}),
)


@dataclass(frozen=True)
class Fit:
    """An exponent with its interval, from a line through logarithms."""

    exponent: float
    half: float  # half the width of the interval
    points: int
    seeds: int

    def words(self) -> str:
        """The exponent, its interval, and what it rests on."""
        return (f"{self.exponent:+.2f} [{self.exponent - self.half:+.2f}, {self.exponent + self.half:+.2f}], "
                f"{self.points} points, {self.seeds} seeds")


def rows(sweep: Sweep) -> pd.DataFrame:
    """A row a run: the point, what may be chosen, and the utility."""
    found = []
    for run in sweep.runs.values():
        settings, clients = typed_settings(run), int(run.attributes["clients"])
        found.append({
            "method": run.attributes["method"], "threshold": float(settings["bound.threshold"]),
            "epsilon": float(settings["privacy.epsilon"]), "records": int(settings["data.rows"]) // clients,
            "clients": clients, "k": int(settings["compressor.k"]), "dimension": int(run.attributes["dimension"]),
            "rate": float(settings["server.rate"]), "rounds": int(run.attributes["rounds"]),
            "seed": int(run.attributes["seed"]), "utility": float(run.rounds["utility"].iloc[-1])})
    return pd.DataFrame(found)


def judge(table: pd.DataFrame) -> Verdict:
    """The exponents of table 1, for the method and the bound that the theory is about; others are reported separately."""
    cells = judged(table, CELL, FREE)
    chosen = pd.concat([cell.reset_index() for cell in cells.values()], ignore_index=True)
    chosen["omega"] = chosen["dimension"] / chosen["k"]
    statements = [_statement(slope, fitted(chosen, slope, METHOD, BOUND)) for slope in SLOPES]
    others = sorted(set(zip(chosen["method"], chosen["threshold"])) - {(METHOD, BOUND)})
    notes = [f"{method}, G = {bound:g}: " + "; ".join(
        f"{slope.name} {fitted(chosen, slope, method, bound).words()}" for slope in SLOPES) for method, bound in others]
    notes += [f"{method}, G = {bound:g}, epsilon {epsilon:g}, m {records}, n {clients}, k {k}: U "
              f"{cell['utility'].mean():.4f}, T {cell['rounds'].iloc[0]}, step {cell['rate'].iloc[0]:g}"
              for (method, bound, epsilon, records, clients, k), cell in cells.items()]
    return Verdict("SOT-TABLE1, slopes", tuple(statements), tuple(notes), seeds=chosen["seed"].nunique(),
                   ours=", ".join(f"{s.name} {s.evidence.split(' [')[0]}" for s in statements))


def _statement(slope: Slope, fit: Fit) -> Statement:
    """Whether the interval of an exponent, widened by NEAR, has the predicted one; too wide an interval decides nothing."""
    decided = fit.half <= WIDEST
    return Statement(slope.name, f"utility grows with {slope.axis.replace('omega', '1 + omega')} to the power "
                     f"{slope.predicted:+g}", outcome(decided and abs(fit.exponent - slope.predicted) <= fit.half + NEAR),
                     fit.words() if decided else f"not decided: interval {fit.words()}")


def fitted(chosen: pd.DataFrame, slope: Slope, method: str, bound: float) -> Fit:
    """The exponent of a slope, by least squares through the logarithms of all points and seeds."""
    table = chosen[(chosen["method"] == method) & (chosen["threshold"] == bound)]
    for column, value in slope.fixed.items():
        table = table[table[column] == value]
    points = table[slope.axis].nunique()
    if points < 3:
        raise RunFileError(f"{points} points of {method} with G = {bound:g} for the slope in {slope.name}, and 3 are "
                           "needed; name the sweeps of docs/results/verdicts.md.")
    x, y = np.log(table[slope.axis].to_numpy(float)), np.log(table["utility"].to_numpy(float))
    spread = float(((x - x.mean()) ** 2).sum())
    exponent = float(((x - x.mean()) * (y - y.mean())).sum() / spread)
    rest = y - y.mean() - exponent * (x - x.mean())
    free = len(x) - 2
    error = math.sqrt(float((rest ** 2).sum()) / free / spread)
    return Fit(exponent, error * float(stdtrit(free, 0.5 + CONFIDENCE / 2)), points, table["seed"].nunique())


COLUMNS = {
    "method": Column("method"), "threshold": Column("bound G of the gradient of a record", "1"),
    "epsilon": Column("epsilon", "1"), "records": Column("records m of a client", "record"),
    "clients": Column("number of clients n", "client"), "k": Column("coordinates in a message", "1"),
    "dimension": Column("coordinates of the model d", "1"), "rate": Column("step size of the server", "1"),
    "rounds": Column("number of rounds T", "round"), "seed": Column("seed"),
    "utility": Column("mean squared norm of the gradient over the evaluated states (U)", "1"),
}
RULES = (Rule("sot-slopes", ("SOT-TABLE1",), rows, judge, COLUMNS,
              "utility ~ 1/(m epsilon), 1/sqrt(n), sqrt(1 + omega)", chooses=True, seeds=3),)
