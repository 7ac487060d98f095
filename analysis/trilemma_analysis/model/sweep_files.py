"""What lies in the folder of a sweep: its list of cells and the state of every cell."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ..io.content import CHECKSUM, ChangedFileWarning
from ..io.errors import RunFileError
from ..io.manifest import MANIFEST, read_manifest, tuning_of
from ..io.run_file import IncompleteRunWarning, Run, read_end, read_run
from ..io.words import printable
from .groups import all_settings
from .phases import phase_figures, with_seconds
from .states import State, state_of

try:
    import fcntl
except ImportError:  # not on Windows; nothing counts as running there
    fcntl = None

SKIPPED = "skipped"  # since the method of the cell does not read a setting of the sweep
# Settings that make variants of a method as it is published.
VARIANTS = ("server.preset", "server.alpha", "problem.quantise")
# What is learnt from what: nothing else may seem to be the reason for a difference between runs of several tasks.
TASK = ("data.source", "data.train", "data.images", "problem.kind")
STATES = ("done", "running", "failed", "interrupted", "missing", SKIPPED)
# Settings that do not count as axes where no sweep.json names the axes.
NO_AXES = ("name", "start.file", "server_hosts", "hosting")
NO_AXES_TABLES = ("timing.", "checkpoint.", "watchdog.", "debug.")
MOST_NAMED = 5  # files in one sentence
MOST_LETTERS = 10_000  # of a reason


Found = tuple[()] | tuple[Run, dict[str, float]]  # what a complete run file gives


@dataclass(frozen=True)
class Cell:
    """One cell: the values of the axes that its method has, its state, and where it is done its run (without model and
    times of single rounds, which would fill the memory) and its seconds per phase."""

    index: int
    hash: str
    file: str
    values: dict[str, Any]
    repetition: int
    state: str
    reason: str = ""
    run: Run | None = None
    phases: dict[str, float] = field(default_factory=dict)
    refused: bool = False  # by the experiment, so that it will never be run
    lost: bool = False  # whether the run of a failed cell diverged

    @property
    def diverged(self) -> bool:
        """Returns whether the run diverged, complete or not."""
        return self.lost or self.run is not None and state_of(self.run) is State.DIVERGED


@dataclass(frozen=True)
class Folder:
    """All that is known of a sweep from its folder. `fixed` are the settings that all cells share."""

    name: str
    experiment: str
    axes: tuple[str, ...]
    fixed: dict[str, Any]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...]
    tuning: tuple[int, ...] = ()


def read_folder(folder: Path, known: Mapping[str, Run] = MappingProxyType({})) -> Folder:
    """Reads sweep.json and the files it names; without it, all run files of the folder. `known` are runs that were read
    already, by the names of their files."""
    if not folder.is_dir():
        raise RunFileError(f"{folder}: a file, not the folder of a sweep; `curves` and `table` take run files."
                           if folder.is_file() else f"{folder}: there is no such folder.")
    if (folder / MANIFEST).is_file():
        return _with_manifest(folder, read_manifest(folder), known)
    files = sorted(path for path in folder.glob("*.h5") if path.is_file())
    if not files:
        raise RunFileError(f"{folder}: neither {MANIFEST} nor run files; name the folder of a sweep.")
    return _without_manifest(folder, files)


def _with_manifest(folder: Path, manifest: dict[str, Any], known: Mapping[str, Run]) -> Folder:
    """Returns the cells that sweep.json lists, in the order of their indices."""
    names = set(os.listdir(folder))
    listed = sorted(manifest["cells"], key=itemgetter("index"))
    cells = tuple(_cell(folder, names, cell, known.get(cell["file"])) for cell in listed)
    notes = [f"{cell.file}: the fingerprint of its settings does not begin with {cell.hash}; was it renamed?"
             for cell in cells if cell.run and not cell.run.attributes["fingerprint"].startswith(cell.hash)]
    others = sum(name.endswith(".h5") for name in names - {cell.file for cell in cells})
    if others:
        notes.append(f"{folder}: {others} run file{'s' if others > 1 else ''} of no cell of {MANIFEST} "
                     "(other settings, perhaps): left out.")
    return Folder(manifest["name"], manifest["experiment"], tuple(manifest["axes"]), manifest["set"], cells,
                  (*notes, *_skipped(folder, cells, names)), tuning_of(manifest))


def _cell(folder: Path, names: set[str], cell: dict[str, Any], known: Run | None) -> Cell:
    """Returns a cell of sweep.json with the content of its files, or of the `known` run."""
    state, reason, found = _state(folder, names, cell, known)
    run, phases = found or (None, {})
    partial = f"{cell['file']}.partial"
    lost = state == "failed" and partial in names and _is_lost(folder / partial)
    return Cell(cell["index"], cell["hash"], cell["file"], cell["values"], cell["repetition"], state,
                _one_line(reason), run, phases, state == "failed" and bool(cell.get("refused")), lost)


def _is_lost(path: Path) -> bool:
    """Returns whether the run of a partial file diverged; False if it cannot be read."""
    try:
        return state_of(_quietly(path)) is State.DIVERGED
    except RunFileError:
        return False


def _skipped(folder: Path, cells: Sequence[Cell], names: set[str]) -> list[str]:
    """Returns one sentence on run files that cannot be used; the table has the reason for each."""
    there = [cell for cell in cells if cell.file in names]
    return skipped(folder, [cell.file for cell in there if cell.run is None], len(there))


def skipped(folder: Path, damaged: Sequence[str], files: int) -> list[str]:
    """Returns one sentence on the run files of a folder that cannot be used, if there are any."""
    if not damaged:
        return []
    more = f" and {len(damaged) - MOST_NAMED} more" if len(damaged) > MOST_NAMED else ""
    return [f"{folder}: {len(damaged)} of {files} run files cannot be used and are skipped: "
            f"{', '.join(damaged[:MOST_NAMED])}{more}."]


def _one_line(text: str) -> str:
    """Returns a text of several lines as one printable line."""
    return printable(" ".join(text.split()))


def _why(path: Path) -> str:
    """Returns the sentence that a failed run has left."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MOST_LETTERS) or "no reason is known"
    except OSError as error:
        return f"the reason cannot be read ({error.strerror})"


def _state(folder: Path, names: set[str], cell: dict[str, Any], known: Run | None) -> tuple[str, str, Found]:
    """Returns state, reason and run of a cell, by the rules of `trilemma sweep` (docs/reference/sweep-files.md)."""
    file = cell["file"]
    partial, failed = f"{file}.partial", f"{Path(file).stem}.failed"
    found, broken = _read(folder / file, known) if file in names else ((), "")
    if found:
        return "done", "", found
    if partial in names and _is_locked(folder / partial):
        return "running", "", ()
    if cell.get("refused"):
        return SKIPPED if cell.get("skipped") else "failed", cell["refused"], ()
    if failed in names and (folder / failed).is_file():
        return "failed", _why(folder / failed), ()
    if partial in names:
        failure = read_end(folder / partial).failure
        return ("failed" if failure else "interrupted"), failure, ()
    if broken:
        return "failed", broken, ()
    # Checkpoints carry the name of the run file.
    return ("interrupted" if any(name.startswith(f"{file}.checkpoint-") for name in names) else "missing"), "", ()


def _read(path: Path, known: Run | None = None) -> tuple[Found, str]:
    """Returns a complete run with its seconds per phase, or nothing and the reason why the file cannot be used."""
    try:
        run = known or _quietly(path)
    except RunFileError as error:
        return (), str(error)
    if not run.complete:
        return (), f"{path}: not a complete run file; remove it."
    if run.changed:
        return (), f"{path}: its content has changed since it was written ({CHECKSUM} says so); take a copy that is " \
            "whole, or remove it and run the cell again."
    return found_in(run), ""


def _quietly(path: Path) -> Run:
    """Returns the run of a file without warnings, since the table of the sweep has its state."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteRunWarning)
        warnings.simplefilter("ignore", ChangedFileWarning)
        return read_run(path)


def found_in(run: Run) -> tuple[Run, dict[str, float]]:
    """Returns a run without its large parts, and its seconds per phase."""
    return replace(with_seconds(run), model=None, phase_seconds=np.empty((0, 0, 0)),
                   phase_joules=None), phase_figures(run)


def _is_locked(path: Path) -> bool:
    """Returns whether a program has the file open: HDF5 locks what it writes."""
    if fcntl is None:
        return False
    try:
        with open(path, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _without_manifest(folder: Path, files: Sequence[Path]) -> Folder:
    """Returns a cell for each run file. Its axes are the settings that differ."""
    read = [_read(path) for path in files]
    runs = [found[0] for found, _ in read if found]
    axes = differing([values_of(run) for run in runs])
    times: dict[str, int] = {}
    cells = []
    for index, (path, (found, broken)) in enumerate(zip(files, read)):
        mark = found[0].attributes["fingerprint"][:12] if found else path.stem
        times[mark] = times.get(mark, 0) + 1
        values = values_of(found[0]) if found else {}
        cells.append(Cell(index, mark, path.name, {axis: values.get(axis) for axis in axes}, times[mark],
                          "done" if found else "failed", _one_line(broken), *found))
    note = f"{folder}: no {MANIFEST}, so the axes are the settings that differ and no cell counts as missing"
    names = ", ".join(dict.fromkeys(str(run.attributes["name"]) for run in runs))
    damaged = _skipped(folder, cells, {path.name for path in files})
    return Folder(printable(folder.resolve().name), names, axes, {}, tuple(cells), (note, *damaged))


def values_of(run: Run) -> dict[str, Any]:
    """Returns settings of a run that can be axes, as Python values."""
    return {key: _literal(text) for key, text in all_settings(run.config).items()
            if key not in NO_AXES and not key.startswith(NO_AXES_TABLES)}


def differing(settings: Sequence[dict[str, Any]],
              before: Sequence[str] = ("method", "mode", *TASK, "privacy.epsilon", *VARIANTS)) -> tuple[str, ...]:
    """Returns the settings that distinguish runs: those in `before` first, and last the rounds, which a budget may have
    set. Settings that follow from earlier ones are skipped."""
    first = [key for key in before if any(key in known for known in settings)]
    last = ("rounds", "seed")
    keys = dict.fromkeys([*first, *(key for known in settings for key in known if key not in last), *last])
    axes: list[str] = []
    parts = 1
    for key in keys:
        found = len({tuple(repr(known.get(name)) for name in (*axes, key)) for known in settings})
        if found > parts:
            axes, parts = [*axes, key], found
    return tuple(axes)


def _literal(text: str) -> Any:
    """Returns the value after `key =` in a resolved configuration. An array stays text."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text.strip("'\"")
