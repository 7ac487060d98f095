"""SOT-TABLE2: record gradients that the estimators of SoteriaFL need for a given utility."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .chosen_runs import TUNING_SEED, judged, lower
from .rules import Column, Rule, Statement, Verdict, outcome

GD, SGD, SVRG, SAGA = METHODS = ("soteriafl-gd", "soteriafl-sgd", "soteriafl-svrg", "soteriafl-saga")
LEVELS = (0.5, 0.4, 0.3, 0.25, 0.2, 0.175, 0.15, 0.125, 0.1, 0.08, 0.06)  # of the utility
EPSILON = 5.0
FREE = ["rate", "rounds"]
NEAR = 3.0  # factor within which SVRG and SAGA count as equal


def column(level: float) -> str:
    """The column of a level."""
    return f"gradients_{level:g}"


def rows(sweep: Sweep) -> pd.DataFrame:
    """A row a run: record gradients of one client until the utility is at most each level."""
    found = []
    for run in filter(is_compared, sweep.runs.values()):
        method, settings, clients = run.attributes["method"], typed_settings(run), int(run.attributes["clients"])
        records, rounds = int(settings["data.rows"]) // clients, run.rounds
        batch = records if method == GD else int(settings["local.batch"])
        counts = gradients(method, rounds["round"], rounds["batch_records"] / clients, records, batch)
        found.append({
            "method": method, "epsilon": EPSILON, "records": records, "batch": batch,
            "dimension": int(run.attributes["dimension"]), "clients": clients, "k": int(settings["compressor.k"]),
            "rate": float(settings["server.rate"]), "rounds": int(run.attributes["rounds"]),
            "seed": int(run.attributes["seed"]),
            **{column(level): _first(counts, rounds["utility"], level) for level in LEVELS}})
    if not found:
        raise RunFileError(f"no run of {', '.join(METHODS)} at epsilon {EPSILON:g}; name the sweeps of docs/results/verdicts.md.")
    return pd.DataFrame(found)


def is_compared(run: Run) -> bool:
    """Whether a run is one of an estimator at the epsilon of the table."""
    return run.attributes["method"] in METHODS and float(typed_settings(run)["privacy.epsilon"]) == EPSILON


def gradients(method: str, rounds: pd.Series, drawn: pd.Series, records: int, batch: int) -> pd.Series:
    """Record gradients of a client so far, from the records that it has drawn so far. SVRG takes two of a record drawn,
    and those of all records at the start and for a snapshot, with probability batch / records in a round: as many as
    batch in the mean. SAGA takes those of all records at the start."""
    if method == SVRG:
        return 2 * drawn + records + batch * rounds
    return drawn + records if method == SAGA else drawn.astype(float)


def _first(counts: pd.Series, utility: pd.Series, level: float) -> float:
    """The count at the first evaluated state with a utility of at most a level, or nan."""
    reached = counts[utility <= level]
    return float(reached.iloc[0]) if len(reached) else math.nan


def judge(table: pd.DataFrame) -> Verdict:
    """The orders of table 2, at the lowest level of the utility that all four methods reach."""
    counts = {level: found for level in LEVELS if (found := _counts(table, level)) is not None}
    if not counts:
        raise RunFileError(f"no utility of {LEVELS[0]:g} is reached by {', '.join(METHODS)}; name the sweep of "
                           "docs/results/verdicts.md.")
    level = min(counts)
    logs = {method: np.log(cell) for method, cell in counts[level].items()}
    means = {method: math.exp(log.mean()) for method, log in logs.items()}
    text = f"record gradients of a client until U = {level:g}: " + ", ".join(f"{m} {means[m]:.3g}" for m in METHODS)
    ratio = means[SVRG] / means[SAGA]
    reduced = [lower(logs[method], logs[GD]) for method in (SVRG, SAGA)]
    fewest = [lower(logs[SGD], logs[method]) for method in (GD, SVRG, SAGA)]
    statements = (
        Statement("G1", "SVRG and SAGA need fewer record gradients than GD",
                  outcome(all(reduced), any(lower(logs[GD], logs[method]) for method in (SVRG, SAGA))), text),
        Statement("G2", "SGD needs fewest", outcome(all(fewest)), text),
        Statement("G3", f"SVRG and SAGA are within a factor {NEAR:g}", outcome(1 / NEAR <= ratio <= NEAR),
                  f"SVRG / SAGA {ratio:.2f}"))
    notes = [f"predicted orders relative to SGD: {_predicted(table)}"]
    notes += [f"until U = {each:g}: " + ", ".join(f"{m} {math.exp(np.log(cell[m]).mean()):.3g}" for m in METHODS)
              for each, cell in counts.items()]
    return Verdict("SOT-TABLE2", statements, tuple(notes), seeds=min(map(len, logs.values())), ours=text)


def _counts(table: pd.DataFrame, level: float) -> dict[str, pd.Series] | None:
    """Record gradients by method, a value a judged seed; None where a method does not reach the level. With runs of the
    tuning seed, each method has the settings that need fewest there; without, it has one setting."""
    name = column(level)
    tuning = table[table["seed"] == TUNING_SEED]
    if len(tuning) and not set(METHODS) <= set(tuning.loc[tuning[name].notna(), "method"]):
        return None
    found = {key[0]: cell[name] for key, cell in judged(table, ["method", "epsilon"], FREE, by=name).items()}
    return None if any(cell.isna().any() for cell in found.values()) else found


def _predicted(table: pd.DataFrame) -> str:
    """The orders of table 2 divided by that of SGD: (1 + sqrt(tau)) b for SGD, (1 + sqrt(tau)) m for GD, and
    (1 + tau) m^(2/3) for SVRG and SAGA."""
    first = table.iloc[0]
    batch = float(table.loc[table["method"] == SGD, "batch"].iloc[0])
    tau = (first["dimension"] / first["k"]) ** 1.5 / math.sqrt(first["clients"])
    sgd = (1 + math.sqrt(tau)) * batch
    return (f"GD {first['records'] / batch:.3g}, SVRG and SAGA "
            f"{(1 + tau) * first['records'] ** (2 / 3) / sgd:.3g} (tau {tau:.3g})")


COLUMNS = {
    "method": Column("method"), "epsilon": Column("epsilon", "1"),
    "records": Column("records m of a client", "record"),
    "batch": Column("records in a minibatch", "record"), "clients": Column("number of clients", "client"),
    "dimension": Column("coordinates of the model d", "1"), "k": Column("coordinates in a message", "1"),
    "rate": Column("step size of the server", "1"), "rounds": Column("number of rounds T", "round"),
    "seed": Column("seed"),
    **{column(level): Column(f"record gradients of a client until U is at most {level:g}; unknown if never", "record")
       for level in LEVELS},
}
RULES = (Rule("sot-table2", ("SOT-TABLE2",), rows, judge, COLUMNS, "GD m, SVRG and SAGA m^(2/3)", chooses=True,
              seeds=3, keeps=is_compared),)
