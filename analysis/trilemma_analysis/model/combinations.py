"""Cells of a sweep that differ only in seed and repetition: figures with intervals over the seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..io.words import cut
from . import metrics
from .groups import spent, spent_word
from .labels import EPSILON, describe, label_of, rank, telling, told_words
from .sweep import Sweep
from .sweep_files import SKIPPED
from .sweep_folders import RANKS

COLUMNS = {"utility": "utility", "objective": "objective_final", "accuracy": "accuracy",
           "test_error": "test_error", "test_loss": "test_loss", "gradient_norm_squared": "gradient_norm_squared",
           **{name: name for name in metrics.NODES}}
TIMES = ("wall_seconds", "rounds_per_second")


@dataclass(frozen=True)
class Combination:
    """One value of every axis but the seed. `seeds` has a row a seed for results, times averaged over its repetitions,
    and `runs` the run of every row; `tuning` has the same of the seeds for tuning. `cells` counts those for results.
    `spent` is the word for its epsilon where none was asked for, `diverged` the number of its cells, done or failed,
    whose run diverged, and `done` that of its done cells."""

    values: dict[str, Any]
    label: str
    cells: int
    seeds: pd.DataFrame
    runs: tuple[Run, ...]
    tuning: pd.DataFrame
    spent: str
    diverged: int = 0
    done: int = 0

    @property
    def method(self) -> str:
        """Returns the method, as far as a done cell or an axis tells it."""
        return str(self.runs[0].attributes["method"] if self.runs else self.values.get("method", ""))

    @property
    def compressed(self) -> bool:
        """Returns whether the clients send compressed messages."""
        return self.runs[0].compressed

    def median(self, column: str) -> float:
        """Returns the median of a column of the table over the seeds for results."""
        return _median(self.seeds[column])

    def mean(self, column: str) -> float:
        """Returns the mean of a column of the table over the seeds for results."""
        return _mean(self.seeds[column])

    def tuning_mean(self, column: str) -> float:
        """Returns the mean of a column over the seeds for tuning, by which settings are chosen."""
        return _mean(self.tuning[column])

    @property
    def epsilon(self) -> float:
        """Returns the largest accounted epsilon of the seeds. No combination may promise more than its weakest run."""
        return spent(self.runs)


def combinations(sweep: Sweep) -> list[Combination]:
    """Returns all combinations of a sweep in the order of their values, without skipped cells. Raises RunFileError if
    there are no others."""
    axes = [axis for axis in sweep.axes if axis != "seed"]
    members: dict[tuple, list[int]] = {}
    for row, (values, state) in enumerate(zip(_filled(sweep)[axes].astype(object).values.tolist(),
                                              sweep.table["state"])):
        if state != SKIPPED:
            members.setdefault(tuple(map(plain, values)), []).append(row)
    if not members:
        raise RunFileError(f"{sweep.folder}: every cell is skipped ({'; '.join(sweep.skipped())}).")
    keys = sorted(members, key=lambda key: [rank(value) for value in key])
    told = telling(axes, keys)
    asked = {describe(EPSILON, epsilon, told, "") for key in keys if (epsilon := dict(zip(axes, key)).get(EPSILON))}
    found = []
    for key in keys:
        cells = sweep.table.iloc[members[key]]
        done = cells[cells["state"] == "done"]
        seeds, tuning = (_over_repetitions(done[done["tuning"] == chosen]) for chosen in (False, True))
        runs = tuple(sweep.runs[index] for index in seeds["index"])
        values = dict(zip(axes, key))
        epsilon = spent_word(spent(runs), asked)
        label = label_of(told_words(values, told, told, epsilon))
        label = label or cut(str(runs[0].attributes["method"]) if runs else sweep.name)
        judged = ~cells["tuning"]
        found.append(Combination(values, label, int(judged.sum()), seeds, runs, tuning, epsilon,
                                 int((judged & cells["diverged"]).sum()),
                                 int((judged & (cells["state"] == "done")).sum())))
    return found


def _filled(sweep: Sweep) -> pd.DataFrame:
    """Returns the table with the numbers of ranks of done cells filled in for cells with the same other values that
    have not run, so that these count among the same cells."""
    if RANKS not in sweep.axes:
        return sweep.table
    others = [axis for axis in sweep.axes if axis not in (RANKS, "seed")]
    table = sweep.table.astype({RANKS: object})
    keys = [tuple(map(repr, values)) for values in table[others].astype(object).values.tolist()]
    known: dict[tuple, Any] = {}
    for key, ranks in zip(keys, table[RANKS]):
        if not pd.isna(ranks):
            known.setdefault(key, ranks)
    table[RANKS] = [known.get(key) if pd.isna(ranks) else ranks for key, ranks in zip(keys, table[RANKS])]
    return table


def choose_metric(found: Sequence[Combination]) -> str:
    """Returns accuracy if combinations end at different accuracies, else the first metric that has any value."""
    return metrics.choose({name: [each.median(column) for each in found] for name, column in COLUMNS.items()})


def _median(values: pd.Series) -> float:
    """Returns the median of the known values, NaN where there are none."""
    known = values.astype(float).dropna()
    return float(known.median()) if len(known) else math.nan


def _mean(values: pd.Series) -> float:
    """Returns the mean of the known values, NaN where there are none."""
    known = values.astype(float).dropna()
    return float(known.mean()) if len(known) else math.nan


def _over_repetitions(cells: pd.DataFrame) -> pd.DataFrame:
    """Returns one row per seed: its first repetition, with the mean times of all repetitions."""
    times = [name for name in cells if name in TIMES or name.startswith("seconds_")]
    rows = []
    for _, same in cells.groupby("seed", sort=True):
        row = same.sort_values("repetition").iloc[0].copy()
        row[times] = same[times].astype(float).mean()
        rows.append(row)
    return pd.DataFrame(rows, columns=cells.columns)


def plain(value: Any) -> Any:
    """Returns Python's own value. pandas replaces missing values by NaN, and integers in the same column by floats."""
    if isinstance(value, float) and math.isnan(value) or value is pd.NA:
        return None
    return tuple(value) if isinstance(value, list) else value
