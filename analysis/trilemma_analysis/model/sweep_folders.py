"""Cells from several places as one list: several folders of sweeps, or run files that were named."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..io.content import CHECKSUM
from ..io.run_file import Run
from ..io.words import printable
from .clock_rounds import settled
from .sweep_files import Cell, Folder, differing, found_in, values_of
from .tuning import seeds_of

RANKS = "ranks"
INCOMPLETE = "incomplete"


def merged(folders: Sequence[Folder]) -> Folder:
    """Returns one list of the cells of all folders. Its axes are those of the folders, and what else distinguishes
    runs."""
    if len(folders) == 1:
        return with_ranks(folders[0])
    ran = [cell.run for folder in folders for cell in folder.cells if cell.run]
    of_run = iter(settled(ran, [told(run) for run in ran]))
    known = [(folder, cell, next(of_run) if cell.run else folder.fixed | cell.values)
             for folder in folders for cell in folder.cells]
    first = dict.fromkeys(axis for folder in folders for axis in folder.axes if axis != "seed")
    axes = differing([values for _, cell, values in known if cell.run], (*first, "method", "mode", "privacy.epsilon"))
    decimal = {axis for axis in axes if any(isinstance(values.get(axis), float) for _, _, values in known)}
    times: dict[tuple, int] = {}
    sums: set[str] = set()
    cells, copies = [], 0
    for folder, cell, values in known:
        content = str(cell.run.attributes.get(CHECKSUM, "")) if cell.run else ""
        if content and content in sums:
            copies += 1
            continue
        sums.add(content)
        # An axis of its folder that a cell lacks is none of its method, whatever the setting is by default.
        lacks = set(folder.axes) - cell.values.keys() - {"seed"}
        own = {axis: None if axis in lacks else values.get(axis) for axis in axes}
        own |= {axis: _as_float(value) for axis, value in own.items() if axis in decimal}
        key = (cell.hash, cell.run.attributes["ranks"] if cell.run else None)
        times[key] = times.get(key, 0) + 1
        cells.append(replace(cell, index=len(cells), file=f"{folder.name}/{cell.file}", values=own,
                             repetition=times[key]))
    return with_ranks(Folder(" + ".join(dict.fromkeys(folder.name for folder in folders)),
                             ", ".join(dict.fromkeys(folder.experiment for folder in folders)), axes, {}, tuple(cells),
                             (*(note for folder in folders for note in folder.notes),
                              *([f"{copies} run file{'s' if copies > 1 else ''} of one folder, copied from another; "
                                 "counted once"] if copies else [])),
                             tuple(sorted({seed for folder in folders for seed in folder.tuning}))))


def with_ranks(folder: Folder) -> Folder:
    """Returns the folder with the number of ranks as an axis if it differs. Runs on different numbers of ranks take
    different times and are no repetitions."""
    ranks = {cell.run.attributes["ranks"] for cell in folder.cells if cell.run}
    if len(ranks) < 2 or RANKS in folder.axes:
        return folder
    cells = tuple(replace(cell, values=cell.values | {RANKS: cell.run.attributes["ranks"] if cell.run else None})
                  for cell in folder.cells)
    axes = [axis for axis in folder.axes if axis != "seed"]
    return replace(folder, axes=(*axes, RANKS, *folder.axes[len(axes):]), cells=cells)


def of_runs(runs: Sequence[Run]) -> Folder:
    """Returns runs as the cells of a sweep whose axes are the settings that differ. A seed of one combination counts
    once."""
    settings = settled(runs, [told(run) for run in runs])
    axes = differing(settings)
    seen: dict[tuple, Run] = {}
    notes, cells = [], []
    for run, values in zip(runs, settings):
        own = {axis: values.get(axis) for axis in axes}
        key = (*map(repr, own.values()), run.attributes["seed"])
        if key in seen:
            notes.append(f"{printable(str(run.path))} repeats seed {run.attributes['seed']} of another file; counted "
                         "once")
            continue
        seen[key] = run
        mark = f"{run.attributes['fingerprint'][:12]}-{len(cells)}"
        cells.append(Cell(len(cells), mark, run.path.name, own, 1, "done", "", *found_in(run)))
    names = ", ".join(dict.fromkeys(run.attributes["name"] for run in runs))
    return Folder("", names, axes, {}, tuple(cells), tuple(notes), tuple(seeds_of(runs)))


def told(run: Run) -> dict[str, Any]:
    """Returns what may distinguish a run: its settings, whether it is whole, and its number of ranks."""
    epsilon = float(run.attributes["epsilon_nominal"])
    known = values_of(run) | {name: run.attributes[name] for name in ("method", "mode")}
    known["privacy.epsilon"] = None if math.isnan(epsilon) else epsilon
    return known | {INCOMPLETE: not run.complete, RANKS: run.attributes["ranks"]}


def names_of(folders: Sequence[str | Path]) -> str:
    """Returns the folders for a sentence."""
    return ", ".join(map(str, folders))


def _as_float(value: Any) -> Any:
    """Returns an integer as a float, any other value unchanged."""
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
