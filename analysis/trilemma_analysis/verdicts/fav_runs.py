"""Runs of FAVANO and its rivals: what the FAV rules look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .rules import Column, difference

FAVANO, FEDBUFF, QUAFL, FEDAVG = METHODS = ("favano", "fedbuff", "quafl", "fedavg-timed")
NAMES = dict(zip(METHODS, ("FAVANO", "FedBuff", "QuAFL", "FedAvg"), strict=True))
IID, MOST_FAST, MOST_SLOW = COLUMNS = ("IID", "2/3 fast", "1/9 fast")
WHOLE, QUANTISED = 32, 4  # bits that training computes with: of derivatives
# What the columns of runs_of() mean.
ROWS = {
    "method": Column("method"), "column": Column("column of table 2"),
    "variant": Column("alpha of FAVANO, or preset of QuAFL and FedBuff"),
    "speed": Column("reading of the paper: what speed means; empty without interrupts"),
    "law": Column("reading of the paper: law of the time of a local step"),
    "unit": Column("reading of the paper: unit of K"), "bits": Column("width of the derivatives in training", "bit"),
    "contacted": Column("clients contacted in a server step", "1"), "rate": Column("local step size", "1"),
    "server_rate": Column("step size of the server; 1 where the method has none", "1"),
    "restart": Column("when a client goes on after its report; empty where it does not report"),
    "draw": Column("whether a time is drawn per step or per job"), "seed": Column("seed"),
    "score": Column("test accuracy at the end", "%"),
    "change": Column("mean absolute change between the evaluations of the second half", "%"),
}


@dataclass(frozen=True)
class Scores:
    """Final accuracies in percent by column and method, Series by seed."""

    cells: dict[tuple[str, str], pd.Series]

    def of(self, column: str, method: str) -> pd.Series:
        """Those of one method."""
        if (column, method) not in self.cells:
            raise RunFileError(f"no run of {NAMES[method]} for the column {column}; name the sweeps of "
                               "docs/results/verdicts.md.")
        return self.cells[column, method]

    def mean(self, column: str, method: str) -> float:
        """Mean over the seeds."""
        return float(self.of(column, method).mean())

    def slower(self, column: str) -> str:
        """The better of QuAFL and FedAvg."""
        return max((QUAFL, FEDAVG), key=lambda method: self.mean(column, method))

    def gap(self, column: str, better: str, worse: str) -> float:
        """Mean paired difference."""
        return float(difference(self.of(column, better), self.of(column, worse)).mean())


def runs_of(sweep: Sweep, all_clocks: bool = False) -> pd.DataFrame:
    """A row a run, with the columns of ROWS. Runs in which one time is drawn per job, or clients go on differently from
    the preset, are left out unless `all_clocks`."""
    rows = []
    for run in sweep.runs.values():
        settings = typed_settings(run)
        method = run.attributes["method"]
        if method not in METHODS or not (all_clocks or _has_usual_clock(settings)):
            continue
        accuracy = 100 * run.rounds["accuracy"].dropna().to_numpy()
        rows.append({
            "method": method, "seed": int(run.attributes["seed"]), "score": float(accuracy[-1]),
            "change": float(np.abs(np.diff(accuracy[len(accuracy) // 2:])).mean()),
            "variant": settings.get("server.alpha", settings.get("server.preset", "plain")),
            "column": _column(settings),
            "bits": WHOLE if settings.get("problem.quantise", "none") == "none" else QUANTISED,
            "contacted": int(settings.get("participation.size", 0)), "rate": float(settings.get("local.rate", np.nan)),
            "server_rate": float(settings.get("server.rate", 1)), "restart": settings.get("clock.restart", ""),
            "draw": settings.get("clock.draw", "step"),
            "speed": settings.get("clock.speed", ""), "law": settings["clock.law"], "unit": settings["local.unit"]})
    if not rows:
        raise RunFileError(f"no run of {', '.join(METHODS)}; name the sweeps of docs/results/verdicts.md.")
    return pd.DataFrame(rows)


def _has_usual_clock(settings: dict) -> bool:
    """False if one time is drawn per job, or clients continue differently from the preset."""
    restart = "consumed" if settings.get("server.preset") == "code" else "at-once"
    return settings.get("clock.draw", "step") == "step" and settings.get("clock.restart", restart) == restart


def _column(settings: dict) -> str:
    """The column of table 2 that a run belongs to."""
    if settings["partition.kind"] != "shards":
        return IID
    return MOST_FAST if float(settings["clock.slow_share"]) < 0.5 else MOST_SLOW


def scores_of(runs: pd.DataFrame, preset: str, alpha: str = "deterministic") -> Scores:
    """Final scores by column and method, of one variant of each method."""
    wanted = {FAVANO: alpha, FEDBUFF: preset, QUAFL: preset, FEDAVG: "plain"}
    chosen = runs[runs["variant"] == runs["method"].map(wanted)]
    return Scores({(str(column), str(method)): cell.set_index("seed")["score"].sort_index()
                   for (column, method), cell in chosen.groupby(["column", "method"])})


def row_of(start: str, runs: pd.DataFrame, preset: str, alpha: str, column: str) -> str:
    """A line of means and deviations in a column, for the notes."""
    cells = scores_of(runs, preset, alpha).cells
    return f"{start}: " + ", ".join(
        f"{NAMES[m]} {cells[column, m].mean():.1f} +- {cells[column, m].std(ddof=1):.1f}"
        for m in METHODS if (column, m) in cells)
