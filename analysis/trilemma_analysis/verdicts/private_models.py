"""Runs of private personalised learning, tuned for every epsilon: what the PMTL rules look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .rules import Column

TUNING_SEED = 0
NAMES = {"pmtl": "PMTL", "dp-fedavg-clip": "FedAvg", "local": "local", "naive-dp-mtl": "naive", "pp-sgd": "PP-SGD"}


# What the columns of states_of() mean; that of the score is the rule's.
COLUMNS = {
    "name": Column("method; local: local training, naive: all models together as one private vector"),
    "tune": Column("kind of finetuning"), "sigma": Column("standard deviation of the noise on the mean", "1"),
    "threshold": Column("threshold of the bound; inf without one", "1"), "seed": Column(f"seed; {TUNING_SEED} tunes"),
    "round": Column("round of the evaluated state", "round"), "epsilon": Column("accounted epsilon until then", "1"),
}


@dataclass(frozen=True)
class Curves:
    """Scores of all runs; `sign` is -1 where smaller is better. Scores handed out are always larger = better."""

    rows: pd.DataFrame  # a row an evaluated state: name, tune (finetuning), sigma, threshold, seed, round, epsilon, score
    sign: int

    @property
    def names(self) -> set[str]:
        """Methods there are runs of."""
        return set(self.rows["name"])

    @property
    def judged_seeds(self) -> int:
        """How many seeds were not used for tuning."""
        return len(set(self.rows["seed"]) - {TUNING_SEED})

    def at(self, name: str, epsilon: float, tune: str = "none") -> pd.Series:
        """Scores by seed of the noise, bound and round that the tuning seed finds best for at most this epsilon."""
        table = self.rows[(self.rows["name"] == name) & (self.rows["tune"] == tune)]
        if np.isinf(epsilon):
            table = table[table["sigma"] == 0]
        elif name != "local":
            table = table[(table["sigma"] > 0) & (table["epsilon"] <= epsilon)]
        cells = ["sigma", "threshold", "round"]
        tuning = table[table["seed"] == TUNING_SEED]
        judged = table[table["seed"] != TUNING_SEED]
        if tuning.empty or judged.empty:
            return pd.Series(dtype=float)
        best = tuning.loc[tuning["score"].idxmax(), cells]
        return judged[(judged[cells] == best).all(axis=1)].set_index("seed")["score"].sort_index()


def states_of(sweep: Sweep, column: str) -> pd.DataFrame:
    """A row an evaluated state but the start; `column` is the score of the clients' own models."""
    tables = []
    for run in sweep.runs.values():
        settings = typed_settings(run)
        name = NAMES.get(run.attributes["method"])
        if name is None:
            continue
        if name == "FedAvg" and float(settings["local.pull"]) > 0:
            name = "FedProx"
        tune = settings.get("finetune.kind", "none")
        score = column.replace("client_score", "finetuned_score") if tune != "none" else column
        table = run.rounds[["round", "epsilon"]].assign(
            name=name, tune=tune, seed=int(run.attributes["seed"]), sigma=float(run.attributes["noise_sigma"]),
            threshold=float(settings.get("bound.threshold", np.inf)), score=run.rounds[score])
        tables.append(table.dropna(subset=["score"]))
    if not tables:
        raise RunFileError(f"no run of {', '.join(NAMES)}; name the sweeps of docs/results/verdicts.md.")
    states = pd.concat(tables, ignore_index=True)
    return states[states["round"] > 0]


def curves_of(states: pd.DataFrame, sign: int = 1) -> Curves:
    """The scores of states_of(), with `sign` -1 where smaller is better."""
    return Curves(states.assign(score=sign * states["score"]), sign)
