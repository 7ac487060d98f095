"""Runs of error feedback with smoothed normalisation, tuned over gamma: what the NEC rules look at."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .rules import Column

# Error feedback; none, with the argument of error feedback; none as equation 2 of the paper is printed.
METHODS = NORMEC, FEDAVG, LITERAL = "fed-alpha-normec", "dp-fedavg-smooth", "dp-fedavg-smooth, literal"
BEST = 0.01  # beta that the paper finds best
WINDOW = 5  # evaluations in a moving mean
ALL = 0  # records of a minibatch where all are taken
Tuned = dict[tuple[str, float, float], pd.DataFrame]


class Variant(NamedTuple):
    """What the paper leaves open or fixes for all methods: meaning of sigma, rounds, and local work in a round."""

    mode: str
    rounds: int
    batch: int
    steps: int

    def words(self) -> str:
        """The variant in words."""
        batch = "all" if self.batch == ALL else self.batch
        steps = f"{self.steps} local step{'s' * (self.steps > 1)}"
        return f"{self.mode} noise, {self.rounds} rounds, {steps} of {batch} records"


def rows(sweep: Sweep, score: Callable[[pd.DataFrame], pd.Series], mode: str) -> pd.DataFrame:
    """A row a run with its scores, and before it a row an evaluated state where the curve counts: with error feedback
    at the beta that the paper finds best. `score` makes of the rounds one that starts low. Only runs with this meaning
    of sigma count."""
    runs = [run for run in sweep.runs.values() if has_mode(run, mode)]
    if not runs:
        raise RunFileError(f'no run has privacy.noise_mode = "{mode}"; name the sweeps of docs/results/verdicts.md.')
    return pd.concat([_rows_of(run, score) for run in runs], ignore_index=True)


def has_mode(run: Run, mode: str) -> bool:
    """Whether sigma has this meaning in a run."""
    return _mode_of(run) == mode


def _mode_of(run: Run) -> str:
    """The meaning of sigma in a run."""
    return str(typed_settings(run).get("privacy.noise_mode", "per_coordinate"))


def _rows_of(run: Run, score: Callable[[pd.DataFrame], pd.Series]) -> pd.DataFrame:
    """The rows of a run: its settings, and its score smoothed over WINDOW evaluations."""
    settings = typed_settings(run)
    method = run.attributes["method"]
    if method == FEDAVG and settings.get("local.update") == "difference":
        method = LITERAL
    scores = score(run.rounds).dropna()
    smooth = scores.rolling(WINDOW, min_periods=1).mean()
    table = pd.DataFrame({
        "method": method, "p": float(settings.get("participation.rate", 1)),
        "beta": float(settings["memory.step" if method == NORMEC else "bound.threshold"]),
        "gamma": float(settings["local.rate"]), "mode": _mode_of(run),
        "rounds": int(run.attributes["rounds"]), "batch": int(settings.get("local.batch", ALL)),
        "steps": int(settings.get("local.steps", 1)), "seed": int(run.attributes["seed"]),
        "round": run.rounds["round"][scores.index], "messages": run.rounds["messages"][scores.index], "score": smooth,
        "best": np.nan, "area": np.nan})
    table.loc[table.index[-1], ["best", "area"]] = smooth.max(), float(scores.mean())
    return table if method == NORMEC and table["beta"].iloc[0] == BEST else table.iloc[[-1]]


def variants_of(table: pd.DataFrame) -> dict[Variant, pd.DataFrame]:
    """By variant a row a run: final, best and mean score, and the smoothed scores and messages of all known states."""
    found: dict[Variant, list] = {}
    for key, states in table.groupby([*Variant._fields, "method", "p", "beta", "gamma", "seed"]):
        states = states.sort_values("round")
        last = states.iloc[-1]
        mode, rounds, batch, steps = key[:4]
        found.setdefault(Variant(str(mode), int(rounds), int(batch), int(steps)), []).append(
            [*key[4:], last["score"], last["best"], last["area"], states["score"].to_numpy(),
             states["messages"].to_numpy()])
    columns = ["method", "p", "beta", "gamma", "seed", "final", "best", "area", "curve", "messages"]
    return {variant: pd.DataFrame(runs, columns=columns) for variant, runs in found.items()}


def tune(runs: pd.DataFrame) -> Tuned:
    """Runs by (method, p, beta), ordered by seed, of the gamma whose mean final score is best."""
    found = {}
    for (method, p, beta), group in runs.groupby(["method", "p", "beta"]):
        gamma = group.groupby("gamma")["final"].mean().idxmax()
        found[str(method), float(p), float(beta)] = group[group["gamma"] == gamma].sort_values("seed")
    return found


def columns(score: str, unit: str) -> dict[str, Column]:
    """What the columns mean, for a score."""
    return {
        "method": Column("method; literal: as equation 2 of the paper is printed"),
        "p": Column("participation rate", "1"),
        "beta": Column("step of the memories, or norm bound without them", "1"),
        "gamma": Column("local step size", "1"),
        "mode": Column("whether sigma is of every coordinate or of the norm of the noise"),
        "rounds": Column("rounds of the run", "round"),
        "batch": Column("records of a local step; 0: all", "1"), "steps": Column("local steps in a round", "1"),
        "seed": Column("seed"), "round": Column("round of the state", "round"),
        "messages": Column("messages from clients to the server until then", "1"),
        "score": Column(f"{score}, mean of the last {WINDOW} evaluations", unit),
        "best": Column("best such mean; only at the end of a run", unit),
        "area": Column(f"mean over all evaluations of the {score}; only at the end of a run", unit)}
