"""Cells: the judged runs of a rule by the values of some columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..io.errors import RunFileError

TUNING_SEED = 0
Key = Mapping[str, Any]


def matching(table: pd.DataFrame, where: Key) -> pd.DataFrame:
    """Returns the rows with the values `where`: one, one of several, the largest ("most"), all `but` one, or between
    `least` and `most`."""
    for column, wanted in where.items():
        if wanted == "most":
            table = table[table[column] == table[column].max()]
        elif isinstance(wanted, Mapping) and "but" in wanted:
            table = table[table[column] != wanted["but"]]
        elif isinstance(wanted, Mapping):
            table = table[table[column].between(wanted.get("least", -np.inf), wanted.get("most", np.inf))]
        else:
            table = table[table[column].isin(wanted if isinstance(wanted, list) else [wanted])]
    return table


def judged(table: pd.DataFrame, cell: Sequence[str], free: Sequence[str],
           by: str = "utility") -> dict[tuple, pd.DataFrame]:
    """Returns the runs that are judged, by the values of the columns `cell` (two or more), ordered by seed: those of
    the other seeds with the settings (columns `free`) for which the tuning seed has the lowest `by`. If that seed has
    no run, all runs of a cell must have the same settings."""
    found = {}
    for key, group in table.groupby(list(cell)):
        tuning, others = group[group["seed"] == TUNING_SEED], group[group["seed"] != TUNING_SEED]
        name = ", ".join(f"{column} {value}" for column, value in zip(cell, key, strict=True))
        if len(tuning):
            best = tuning.loc[tuning[by].fillna(np.inf).idxmin(), list(free)]
            others = others[(others[list(free)] == best).all(axis=1)]
            if others.empty:
                settings = ", ".join(f"{column} {best[column]:g}" for column in free)
                raise RunFileError(f"no run of {name} has the settings that seed {TUNING_SEED} chooses ({settings}); "
                                   "run the sweep with these.")
        elif len(others[list(free)].drop_duplicates()) > 1:
            raise RunFileError(f"the runs of {name} have several settings, and no run of seed {TUNING_SEED} chooses; "
                               "name the sweep that tunes, too.")
        found[key] = others.set_index("seed").sort_index()
    return found


def best_on_judged(table: pd.DataFrame, cell: Sequence[str], free: Sequence[str], by: str) -> dict[tuple, pd.DataFrame]:
    """Returns the runs by the values of the columns `cell`, ordered by seed, with the settings `free` of the best
    mean."""
    found = {}
    for key, group in table.groupby(list(cell)):
        best = group.groupby(list(free))[by].mean().idxmax()
        found[key] = group[(group[list(free)] == best).all(axis=1)].set_index("seed").sort_index()
    return found


def best_of_tuning(table: pd.DataFrame, cell: Sequence[str], free: Sequence[str], by: str) -> dict[tuple, pd.DataFrame]:
    """Returns the runs of the other seeds by the values of the columns `cell`, ordered by seed, with the settings
    `free` that are best on the tuning seed; only cells that have such runs, and each seed once: sweeps share cells."""
    tuning, found = table[table["seed"] == TUNING_SEED], {}
    if tuning.empty:
        raise RunFileError(f"no run of the seed {TUNING_SEED}, which tunes; name the sweeps of "
                           "jobs/reproductions.toml.")
    for key, row in tuning.sort_values(list(free)).groupby(list(cell))[by].idxmax().items():
        wanted = dict(zip(cell, key, strict=True)) | dict(tuning.loc[row, list(free)])
        runs = matching(table, wanted)
        runs = runs[runs["seed"] != TUNING_SEED].drop_duplicates("seed")
        if len(runs):
            found[key] = runs.set_index("seed").sort_index()
    return found


def all_runs(table: pd.DataFrame, cell: Sequence[str], *_: Any) -> dict[tuple, pd.DataFrame]:
    """Returns all runs by the values of the columns `cell`, ordered by seed."""
    return {key if isinstance(key, tuple) else (key,): group.set_index("seed").sort_index()
            for key, group in table.groupby(list(cell) if len(cell) > 1 else cell[0])}


CHOICES = {"all": all_runs, "tuning seed": judged, "best mean": best_on_judged,
           "best of tuning seed": best_of_tuning}


@dataclass(frozen=True)
class View:
    """Which rows a statement looks at, and how they become cells."""

    by: Sequence[str] = ()
    where: Mapping[str, Any] = field(default_factory=dict)
    either: Sequence[Mapping[str, Any]] = ()  # rows that match any of these
    choose: str = "all"  # of several settings: a key of CHOICES
    free: Sequence[str] = ()  # columns of the settings that are chosen
    score: str = "utility"  # by which they are chosen
    first: Mapping[str, Any] = field(default_factory=dict)  # rows that `derive` looks at
    derive: str = ""  # a function of DERIVED that adds columns
    fixed: Mapping[str, Any] = field(default_factory=dict)  # values of `by` unless a statement names others
    smaller: Sequence[str] = ()  # columns that `derive` adds and of which smaller values are better
    logarithms: Sequence[str] = ()  # columns of which the logarithms are compared
    missing: str = ""  # sentence where a cell has no run


class Cells:
    """The judged runs of a view."""

    def __init__(self, table: pd.DataFrame, view: View, names: Mapping[str, str] | None = None):
        if view.either:
            table = table.loc[sorted({row for each in view.either for row in matching(table, each).index})]
        self.table, self.view, self.by, self.names = table, view, tuple(view.by), names or {}
        self.cells = CHOICES[view.choose](table, self.by, view.free, view.score) if view.choose in CHOICES else {}
        self.fixed = {name: table[name].max() if value == "most" else value for name, value in view.fixed.items()}

    def values(self, name: str) -> list:
        """Returns the values of a column in order."""
        return sorted(set(self.table[name]))

    @property
    def fewest(self) -> int:
        """Returns how many seeds the cell with fewest has."""
        return min(map(len, self.cells.values()), default=0)

    @property
    def judged(self) -> int:
        """Returns how many seeds the cells have together."""
        return len({seed for cell in self.cells.values() for seed in cell.index})

    def key(self, **values: Any) -> dict[str, Any]:
        """Returns the values that name a cell."""
        return {name: (self.fixed | values)[name] for name in self.by if name in self.fixed or name in values}

    def get(self, **values: Any) -> pd.DataFrame | None:
        """Returns the runs of a cell by seed; None where there is none."""
        key = self.key(**values)
        return self.cells.get(tuple(key[name] for name in self.by))

    def has(self, labels: Key) -> bool:
        """Returns whether there are runs with some values."""
        wanted = [(place, labels[name]) for place, name in enumerate(self.by) if name in labels]
        return any(all(key[place] == value for place, value in wanted) for key in self.cells)

    def knows(self, key: Key, columns: Sequence[str]) -> bool:
        """Returns whether there are runs of a cell with some values of each of the columns."""
        found = self.get(**key)
        return found is not None and bool(found[list(columns)].notna().any().all())

    def alike(self, key: Key, column: str, share: float, limit: float) -> dict[str, Any]:
        """Returns the values that name the first cell with a mean of a column of at most a limit and at least a share
        of it, of those with the values of a key; the key where there is none."""
        for values, cell in self.cells.items():
            named = dict(zip(self.by, values, strict=True))
            if {**named, **key} == named and share * limit <= cell[column].mean() <= limit:
                return named
        return {**key, **dict.fromkeys(name for name in self.by if name not in key)}

    def of(self, **values: Any) -> pd.DataFrame:
        """Returns the runs of a cell by seed; raises RunFileError where there is none."""
        found = self.get(**values)
        if found is None:
            named = {name: self.names.get(str(value), value) for name, value in self.key(**values).items()}
            text = self.view.missing.format_map(named) or "no run of " + ", ".join(
                f"{name} {value}" for name, value in self.key(**values).items())
            raise RunFileError(f"{text}; name the sweeps of jobs/reproductions.toml.")
        return found
