"""Runs of private personalised learning, tuned for every epsilon: what the PMTL rules look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .rules import Column

TUNING_SEED = 0
NAMES = {"pmtl": "PMTL", "dp-fedavg-clip": "FedAvg", "local": "local", "naive-dp-mtl": "naive", "pp-sgd": "PP-SGD"}
EPSILONS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 4.0)
# Settings that the tuning seed chooses for every epsilon; the pull must be the same for all epsilons.
CHOSEN = ["sigma", "threshold", "round", "rate", "ratio", "tune_steps", "tune_rate", "tune_pull"]
# Settings of which one value may be asked for, so that the best state of each value is kept.
KEPT_APART = ["name", "tune", "pull", "rate", "ratio"]
# What the columns of states_of() mean; that of the score is the rule's.
COLUMNS = {
    "name": Column("method; local: local training, naive: all models together as one private vector"),
    "tune": Column("kind of finetuning"), "sigma": Column("standard deviation of the noise on the mean", "1"),
    "threshold": Column("threshold of the bound; inf without one", "1"),
    "pull": Column("pull of local steps to the model of the round", "1"), "rate": Column("local step size", "1"),
    "ratio": Column("step size of a client's own part, relative to the common one; 1 where there is none", "1"),
    "tune_steps": Column("steps of the finetuning; 0 without", "1"),
    "tune_rate": Column("step size of the finetuning; 0 without", "1"),
    "tune_pull": Column("pull of the finetuning to the common model; 0 without", "1"),
    "seed": Column(f"seed; {TUNING_SEED} tunes"),
    "round": Column("round of the evaluated state", "round"), "epsilon": Column("accounted epsilon until then", "1"),
    "work": Column("local steps of a client until then, in expectation, with those of the finetuning", "1"),
}


@dataclass(frozen=True)
class Curves:
    """Scores of all runs; `sign` is -1 where smaller is better. Scores handed out are always larger = better."""

    rows: pd.DataFrame  # a row an evaluated state, with the columns of COLUMNS and the score
    sign: int
    found: dict[tuple, pd.DataFrame] = field(default_factory=dict, repr=False, compare=False)  # by what was asked for

    @property
    def names(self) -> set[str]:
        """Methods there are runs of."""
        return set(self.rows["name"])

    @property
    def judged_seeds(self) -> int:
        """How many seeds were not used for tuning."""
        return len(set(self.rows["seed"]) - {TUNING_SEED})

    def at(self, name: str, epsilon: float, tune: str = "none", **fixed: float) -> pd.Series:
        """Scores by seed of the settings and the round that the tuning seed finds best for at most this epsilon;
        `fixed` are values of settings that it may not choose."""
        return self._judged(name, epsilon, tune, fixed)["score"]

    def best_kind(self, name: str, epsilon: float, kinds: Sequence[str]) -> str | None:
        """The kind of finetuning that the tuning seed finds best for at most this epsilon; None without judged runs."""
        scores = {kind: self._allowed(name, epsilon, kind, {}).query(f"seed == {TUNING_SEED}")["score"].max()
                  for kind in kinds if len(self.at(name, epsilon, kind))}
        return max(scores, key=scores.__getitem__) if scores else None

    def work_at(self, name: str, epsilon: float, tune: str) -> float:
        """Expected local steps of a client until the state of at()."""
        found = self._judged(name, epsilon, tune, {})["work"]
        return float(found.iloc[0]) if len(found) else np.nan

    def local_after(self, work: float) -> pd.Series:
        """Scores by seed of local training after at most `work` local steps."""
        local = self.rows[(self.rows["name"] == "local") & (self.rows["seed"] != TUNING_SEED)]
        local = local[local["work"] <= work]
        return local.sort_values("work").groupby("seed")["score"].last()

    def _judged(self, name: str, epsilon: float, tune: str, fixed: dict[str, float]) -> pd.DataFrame:
        """Score and work by seed of the state that the tuning seed finds best."""
        key = name, epsilon, tune, *fixed.items()
        if key not in self.found:
            self.found[key] = self._best(name, epsilon, tune, fixed)
        return self.found[key]

    def _allowed(self, name: str, epsilon: float, tune: str, fixed: dict[str, float]) -> pd.DataFrame:
        """The states of a method and a kind of finetuning that cost at most an epsilon."""
        table = self.rows[(self.rows["name"] == name) & (self.rows["tune"] == tune)]
        for setting, value in fixed.items():
            table = table[table[setting] == value]
        table = _with_best_pull(table)
        if np.isinf(epsilon):
            table = table[table["sigma"] == 0]
        elif name != "local":
            table = table[(table["sigma"] > 0) & (table["epsilon"] <= epsilon)]
        return table

    def _best(self, name: str, epsilon: float, tune: str, fixed: dict[str, float]) -> pd.DataFrame:
        """What _judged() returns, looked for."""
        table = self._allowed(name, epsilon, tune, fixed)
        tuning = table[table["seed"] == TUNING_SEED]
        judged = table[table["seed"] != TUNING_SEED]
        if tuning.empty or judged.empty:
            return pd.DataFrame({"score": [], "work": []}, dtype=float)
        best = tuning.loc[tuning["score"].idxmax(), CHOSEN]
        return judged[(judged[CHOSEN] == best).all(axis=1)].set_index("seed")[["score", "work"]].sort_index()


def _with_best_pull(table: pd.DataFrame) -> pd.DataFrame:
    """The rows with the pull whose best scores on the tuning seed are highest in the mean over the epsilons."""
    private = table[(table["seed"] == TUNING_SEED) & (table["sigma"] > 0)]
    if private["pull"].nunique() < 2:
        return table
    by_pull = dict(iter(private.groupby("pull")))
    least = max(states["epsilon"].min() for states in by_pull.values())
    scores = {pull: np.mean([states.loc[states["epsilon"] <= max(e, least), "score"].max() for e in EPSILONS])
              for pull, states in by_pull.items()}
    return table[table["pull"] == max(scores, key=scores.__getitem__)]


def states_of(sweep: Sweep, column: str, sign: int = 1) -> pd.DataFrame:
    """A row an evaluated state but the start; `column` is the score of the clients' own models, and `sign` -1 where
    smaller is better. States that no epsilon chooses on the tuning seed are left out."""
    tables = []
    for run in sweep.runs.values():
        table = _states_of_run(run, column)
        if table is not None:
            tables.append(table.dropna(subset=["score"]))
    if not tables:
        raise RunFileError(f"no run of {', '.join(NAMES)}; name the sweeps of docs/results/verdicts.md.")
    states = pd.concat(tables, ignore_index=True)
    return _choosable(states[states["round"] > 0], sign)


def _states_of_run(run: Run, column: str) -> pd.DataFrame | None:
    """The evaluated states of a run; none of a method that the rules do not know."""
    settings = typed_settings(run)
    name = NAMES.get(run.attributes["method"])
    if name is None:
        return None
    if name == "FedAvg" and float(settings["local.pull"]) > 0:
        name = "FedProx"
    tune = settings.get("finetune.kind", "none")
    score = column.replace("client_score", "finetuned_score") if tune != "none" else column
    tuned = {f"tune_{key}": float(settings.get(f"finetune.{key}", 0)) if tune != "none" else 0.0
             for key in ("steps", "rate", "pull")}
    share = float(settings.get("participation.rate", 1))
    rounds = run.rounds["round"]
    return run.rounds[["round", "epsilon"]].assign(
        name=name, tune=tune, seed=int(run.attributes["seed"]), sigma=float(run.attributes["noise_sigma"]),
        threshold=float(settings.get("bound.threshold", np.inf)), pull=float(settings.get("local.pull", 0)),
        rate=float(settings.get("local.rate", 0)), ratio=float(settings.get("local.personal_ratio", 1)), **tuned,
        work=rounds * share * float(settings.get("local.steps", 0)) + tuned["tune_steps"], score=run.rounds[score])


def _choosable(states: pd.DataFrame, sign: int) -> pd.DataFrame:
    """The states that an epsilon can choose, and all of local training, which is also compared by its steps."""
    settings = ["name", "tune", "pull", *(setting for setting in CHOSEN if setting != "round"), "round"]
    tuning = states[(states["seed"] == TUNING_SEED) & (states["name"] != "local")].assign(score=sign * states["score"])
    private, free = tuning[tuning["sigma"] > 0], tuning[tuning["sigma"] == 0]
    reached = [private[private["epsilon"] <= epsilon] for epsilon in EPSILONS]
    best = {row for table in (*reached, free) for row in table.groupby(KEPT_APART)["score"].idxmax()}
    kept = states.merge(tuning.loc[sorted(best), settings], on=settings)
    return pd.concat([kept, states[states["name"] == "local"]], ignore_index=True)


def curves_of(states: pd.DataFrame, sign: int = 1) -> Curves:
    """The scores of states_of(), with `sign` -1 where smaller is better."""
    return Curves(states.assign(score=sign * states["score"]), sign)
