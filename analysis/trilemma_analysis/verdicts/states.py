"""Cells of private personalised learning: of every run the state that the tuning seed finds best for an epsilon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from .cells import TUNING_SEED, Cells, View, matching
from .values import CHOSEN, EPSILONS

BEST = "best"  # in place of a kind of finetuning
KINDS = ("vanilla", "mean-regularised", "symmetrised-kl", "ewc")


class StateCells(Cells):
    """Score and work by seed, by method, epsilon and kind of finetuning; more values are of settings that the tuning
    seed may not choose. An infinite epsilon stands for runs without privacy; local training has no epsilon."""

    def __init__(self, table: pd.DataFrame, view: View, names: Mapping[str, str] | None = None):
        sign = -1 if view.score in view.smaller else 1
        self.rows = table.assign(signed=sign * table[view.score])
        self.found: dict[tuple, pd.DataFrame] = {}
        super().__init__(table, view, names)

    @property
    def judged(self) -> int:
        """Returns how many seeds were not used for tuning."""
        return len(set(self.rows["seed"]) - {TUNING_SEED})

    def key(self, **values: Any) -> dict[str, Any]:
        """Returns the values that name a cell."""
        return {**self.fixed, **values}

    def has(self, labels: Mapping[str, Any]) -> bool:
        """Returns whether there are judged runs with some values."""
        return not {"name", "epsilon"} <= set(labels) or self.get(**labels) is not None

    def get(self, **values: Any) -> pd.DataFrame | None:
        """Returns score and work by seed of the settings and the round that the tuning seed finds best for at most an
        epsilon; None without judged runs."""
        wanted = self.key(**values)
        name, epsilon, tune = wanted.pop("name"), float(wanted.pop("epsilon")), wanted.pop("tune")
        if tune == BEST:
            tune = self.best_kind(name, epsilon)
            if tune is None:
                return None
        key = name, epsilon, tune, *wanted.items()
        if key not in self.found:
            self.found[key] = self._best(self._allowed(name, epsilon, tune, wanted))
        return self.found[key] if len(self.found[key]) else None

    def best_kind(self, name: str, epsilon: float) -> str | None:
        """Returns the kind of finetuning that the tuning seed finds best for at most an epsilon; None without judged
        runs."""
        scores = {kind: matching(self._allowed(name, epsilon, kind, {}), {"seed": TUNING_SEED})["signed"].max()
                  for kind in KINDS if self.get(name=name, epsilon=epsilon, tune=kind) is not None}
        return max(scores, key=scores.__getitem__) if scores else None

    def local_after(self, work: float) -> pd.Series:
        """Returns the scores by seed of local training after at most `work` local steps."""
        rows = self.rows
        local = rows[(rows["name"] == "local") & (rows["seed"] != TUNING_SEED) & (rows["work"] <= work)]
        return local.sort_values("work").groupby("seed")["score"].last()

    def _allowed(self, name: str, epsilon: float, tune: str, fixed: Mapping[str, float]) -> pd.DataFrame:
        """Returns the states of a method and a kind of finetuning that cost at most an epsilon."""
        table = _with_best_pull(matching(self.rows, {"name": name, "tune": tune, **fixed}))
        if np.isinf(epsilon):
            return table[table["sigma"] == 0]
        return table if name == "local" else table[(table["sigma"] > 0) & (table["epsilon"] <= epsilon)]

    @staticmethod
    def _best(table: pd.DataFrame) -> pd.DataFrame:
        """Returns score and work by seed of the state that the tuning seed finds best."""
        tuning, judged = table[table["seed"] == TUNING_SEED], table[table["seed"] != TUNING_SEED]
        if tuning.empty or judged.empty:
            return judged.iloc[:0]
        best = tuning.loc[tuning["signed"].idxmax(), CHOSEN]
        return judged[(judged[CHOSEN] == best).all(axis=1)].set_index("seed")[["score", "work"]].sort_index()


def _with_best_pull(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the rows with the pull whose best scores on the tuning seed are highest in the mean over the epsilons."""
    private = table[(table["seed"] == TUNING_SEED) & (table["sigma"] > 0)]
    if private["pull"].nunique() < 2:
        return table
    by_pull = dict(iter(private.groupby("pull")))
    least = max(states["epsilon"].min() for states in by_pull.values())
    scores = {pull: np.mean([states.loc[states["epsilon"] <= max(e, least), "signed"].max() for e in EPSILONS])
              for pull, states in by_pull.items()}
    return table[table["pull"] == max(scores, key=scores.__getitem__)]
