"""A sweep as one table, a row a cell: axes, state, and what came out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..io.manifest import MANIFEST
from ..io.run_file import Run
from ..io.words import Warn
from . import guarantees
from .finals import EDGES, PER_CLIENT, last_known, run_figures
from .metrics import NODES, learn
from .phases import KINDS, MEAN, MOST
from .sweep_files import Cell, Folder, SKIPPED, STATES, read_folder
from .sweep_folders import merged, names_of, of_runs

BIT_COUNTS = tuple(f"bits_{way}_{count}" for count in ("model", "payload", "mpi") for way in ("up", "down"))
# What repetitions of a cell have in common; only times, and bits through MPI with the number of ranks, may differ.
REPEATABLE = ("objective_final", "objective_best", "utility", "accuracy", "test_error", "test_loss",
              "gradient_norm_squared", *NODES, *(count for count in BIT_COUNTS if not count.endswith("mpi")), *EDGES,
              "rounds")
PHASES = tuple(phase for phases in KINDS.values() for phase in phases)
UNITS = {
    **dict.fromkeys(("index", "hash", "file", "state", "reason", "seed", "tuning", "diverged", "repetition", "method",
                     "mode"),
                    ""),
    **dict.fromkeys(("objective_final", "objective_best", "utility", "accuracy", "test_error", "test_loss",
                     *NODES, "baseline_score", "gradient_norm_squared", "epsilon_nominal", "delta",
                     "epsilon_accounted"), "1"),
    **dict.fromkeys(("claim_status", "unit", "relation", "against"), ""),
    **dict.fromkeys((*BIT_COUNTS, *EDGES, *PER_CLIENT), "bit"),
    "rounds": "round", "wall_seconds": "s", "rounds_per_second": "round/s", "ranks": "rank", "starts": "start",
    **{form.format(phase): "s" for phase in PHASES for form in (MOST, MEAN)},
}


@dataclass(frozen=True)
class Sweep:
    """A sweep in memory.

    `table` has a row a cell; `table.attrs["units"]` and `units` name the unit of every column ("" = none, "1" =
    dimensionless; values of axes have the unit of the setting). Figures of cells that are not done are NaN. Column
    `tuning` tells cells whose seed is one for tuning, `diverged` those whose run diverged (states.py).
    `runs` holds the run of every done cell by its index, without model and times of single rounds.
    """

    folder: Path
    name: str
    experiment: str
    axes: tuple[str, ...]
    table: pd.DataFrame
    runs: dict[int, Run]
    notes: tuple[str, ...]
    tuning: tuple[int, ...] = ()  # seeds that choose settings and do not judge them
    refused: frozenset[int] = frozenset()  # indices of cells that the experiment refuses
    around: tuple[str, ...] = ()  # gaps of the folders from which runs were taken

    @property
    def units(self) -> dict[str, str]:
        """Returns the unit of every column of the table."""
        return self.table.attrs["units"]

    def count(self, state: str) -> int:
        """Returns the number of cells in a state: done, running, failed, interrupted, missing, left out."""
        return int((self.table["state"] == state).sum())

    @property
    def complete(self) -> bool:
        """Returns whether all cells that can run are done."""
        return self.count("done") + len(self.refused) + self.count(SKIPPED) == len(self.table)

    def refusals(self) -> list[str]:
        """Returns one line for every reason why cells are refused."""
        return list(map(Warn, self._told(self.table["index"].isin(self.refused), "refused")))

    def gaps(self) -> list[str]:
        """Returns sentences on cells that should have a result and have none, which every table and figure shows."""
        return [*([] if self.complete else [Warn(f"incomplete sweep: {self.progress()}")]), *self.refusals(),
                *self.around]

    @property
    def tuned_on(self) -> list[int]:
        """Returns the seeds for tuning that cells have."""
        return sorted(set(self.table.loc[self.table["tuning"], "seed"].tolist()))

    def skipped(self) -> list[str]:
        """Returns one line for every reason why cells are skipped."""
        return self._told(self.table["state"] == SKIPPED, SKIPPED)

    def _told(self, cells: pd.Series, word: str) -> list[str]:
        """Returns one line for each reason of the cells, with their number."""
        reasons = self.table.loc[cells, "reason"]
        return [f"{count} cell{'s' if count > 1 else ''} {word}: {reason}"
                for reason, count in reasons.groupby(reasons, sort=False).size().items()]

    def progress(self) -> str:
        """Returns the number of done cells, and the states of the others."""
        others = [f", {self.count(state)} {state}" for state in STATES[1:] if self.count(state)]
        return f"{self.count('done')} of {len(self.table)} cells done{''.join(others)}"


def read_sweep(*folders: str | Path) -> Sweep:
    """Reads the folder of a sweep (docs/reference/sweep-files.md): sweep.json and the run files, or run files alone.
    Several folders become one sweep, with an axis for everything that tells their runs apart.

    >>> sweep = read_sweep("runs/sweeps/demo")
    >>> sweep.table.query("state == 'done'").groupby(["method", "privacy.epsilon"])["utility"].median()

    Raises RunFileError where the folder holds no sweep. `notes` of the result tell what is odd.
    """
    return _sweep(Path(names_of(folders)), merged([read_folder(Path(folder)) for folder in folders]))


def sweep_of_runs(runs: Sequence[Run], around: Sequence[str] = ()) -> Sweep:
    """Returns runs as a sweep, whose axes are the settings that differ. Incomplete runs are cells as others are.
    `around` are the gaps of their folders."""
    found = of_runs(runs)
    return replace(_sweep(runs[0].path.parent, found), around=tuple(around))


def gaps_of(folders: Sequence[Path], runs: Sequence[Run]) -> list[str]:
    """Returns the gaps of folders with a list of cells, of which `runs` have been read; for several folders with their
    names."""
    found = [_sweep(folder, read_folder(folder, {run.path.name: run for run in runs if run.path.parent == folder}))
             for folder in folders if (folder / MANIFEST).is_file()]
    return gaps_in(found)


def gaps_in(sweeps: Sequence[Sweep]) -> list[str]:
    """Returns the gaps of sweeps, for several with their names."""
    return [Warn(f"{sweep.name}: {line}") if len(sweeps) > 1 else line for sweep in sweeps for line in sweep.gaps()]


def _sweep(folder: Path, found: Folder) -> Sweep:
    """Returns the sweep of the cells found: its table with types and units, and its runs."""
    rows = [_row(cell, found.axes, found.fixed) for cell in found.cells]
    # All columns, in one order, also where no cell is done.
    phases = dict.fromkeys([*(name for row in rows for name in row if name.startswith("seconds_")),
                            *(name for name in UNITS if name.startswith("seconds_"))])
    columns = dict.fromkeys([*("index", "hash", "file", "state", "reason"), *found.axes,
                             *(name for name in UNITS if not name.startswith("seconds_")), *phases])
    table = table_of(rows, found.axes, list(columns))
    table["seed"] = table["seed"].astype("Int64")
    table["tuning"] = table["seed"].isin(found.tuning).astype(bool)
    table["diverged"] = table["diverged"].astype(bool)
    for name in ("rounds", "ranks", "starts", *BIT_COUNTS):
        if name not in found.axes:  # whose values may be of any kind
            table[name] = table[name].astype("Int64")
    table.attrs["units"] = {name: "s" if name in phases else UNITS.get(name, "") for name in columns}
    runs = {cell.index: cell.run for cell in found.cells if cell.run}
    learn(runs.values())
    notes = (*found.notes, *_odd_repetitions(table))
    refused = frozenset(cell.index for cell in found.cells if cell.refused)
    axes = tuple(axis for axis in found.axes if not _is_seed(axis, table))
    return Sweep(folder, found.name, found.experiment, axes, table, runs, notes, found.tuning, refused)


def _is_seed(axis: str, table: pd.DataFrame) -> bool:
    """Returns whether an axis is a further seed: a key that ends so, whose values go in step with those of `seed`."""
    if not axis.endswith(".seed"):
        return False
    pairs = table[["seed", axis]].astype(str).drop_duplicates()
    return len(pairs) > 1 and pairs["seed"].is_unique and pairs[axis].is_unique


def _row(cell: Cell, axes: Sequence[str], fixed: dict[str, Any]) -> dict[str, Any]:
    """Returns the row of a cell."""
    known = {"index": cell.index, "hash": cell.hash, "file": cell.file, "state": cell.state, "reason": cell.reason,
             "diverged": cell.diverged, "repetition": cell.repetition,
             **{name: fixed.get(name) for name in ("method", "mode", "seed")}}
    figures = _figures(cell) if cell.run else {}
    # An axis keeps its own value where it has the name of a figure. A method that has no such axis has no value of it,
    # but always a seed.
    return known | figures | {axis: cell.values.get(axis) for axis in axes if axis in cell.values or axis != "seed"}


def _figures(cell: Cell) -> dict[str, Any]:
    """Returns the columns of a cell that come from its run."""
    run = cell.run
    figures = run_figures(run)
    attributes = ("method", "mode", "seed", "epsilon_nominal", "delta", "epsilon_accounted", "ranks")
    return {
        **figures,
        **{name: run.attributes[name] for name in attributes},
        "gradient_norm_squared": last_known(run.evaluated("gradient_norm_squared")),
        "claim_status": guarantees.status_of([run]),
        **{part: guarantees.column([run], part) for part in guarantees.PARTS if part != "delta"},
        "starts": run.starts,
        **cell.phases,
    }


def table_of(rows: Sequence[dict[str, Any]], axes: Sequence[str], columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Returns the rows as a table. Whole numbers of axes stay whole if some rows have none."""
    table = pd.DataFrame(rows, columns=columns)
    for axis in axes:
        known = [row[axis] for row in rows if row.get(axis) is not None]
        if 0 < len(known) < len(rows) and all(type(value) is int for value in known):
            table[axis] = pd.array([row.get(axis) for row in rows], dtype="Int64")
    return table


def _odd_repetitions(table: pd.DataFrame) -> list[str]:
    """Returns one sentence per cell whose repetitions differ in what they should share."""
    odd = []
    for mark, cells in table[table["state"] == "done"].groupby("hash", sort=False):
        names = [name for name in REPEATABLE if cells[name].nunique(dropna=False) > 1]
        if names:
            odd.append(f"repetitions of {mark} differ in {', '.join(names)}, and only times may; the first one counts "
                       "(runs with a secret generator cannot be repeated)")
    return odd
