"""The columns of a run file: rounds, messages through MPI, phases, classes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

from . import checked
from .checked import Damage
from .errors import RunFileError
from .words import printable

BETTER = ("higher", "lower")  # values of the attribute `better` of a column; or "neither"
MOST_COUNT = 2**62  # bits, messages, ...: a count beyond it is damage


def class_accuracy(file: h5py.File, most: int) -> pd.DataFrame | None:
    """Returns the accuracies by class of the evaluated states, one row each, with the rounds as index."""
    if not checked.has(file, "/classes"):
        return None
    rounds = checked.array(file, "/classes/round", "an integer", 1, most)
    accuracy = checked.array(file, "/classes/accuracy", "a number", 2, most)
    rows = min(len(rounds), len(accuracy))  # a writer that was killed between the two leaves one of them longer
    return pd.DataFrame(accuracy[:rows], index=pd.Index(rounds[:rows], name="round"))


def columns(path: Path, file: h5py.File, attributes: dict[str, Any]
             ) -> tuple[dict[str, np.ndarray], dict[str, str], dict[str, str], dict[str, tuple[float, float]]]:
    """Returns the columns of /rounds and /mpi with their units, which values are better, and the least and largest
    possible value where files have them. Columns that privacy.strict withholds are None."""
    columns, units, better, possible = {}, {}, {}, {}
    for place, suffix in (("/rounds", ""), ("/mpi", "_mpi")):
        group = checked.group(file, place)
        there = checked.texts_attribute(group, "columns")
        for name in map(printable, checked.texts_attribute(group, "withheld")):
            columns[name + suffix], units[name + suffix] = None, ""
        for name in there:
            values, found = checked.column(file, f"{place}/{name}", "a number", attributes["rounds"] + 1)
            if f"{place}/{name}" != "/rounds/round":
                _check_column(f"{place}/{name}", values)
            columns[name + suffix] = values
            units[name + suffix] = checked.attribute_or(found, "units", "text", "")
            if (way := checked.attribute_or(found, "better", "text", "")) in BETTER:
                better[name + suffix] = way
            ends = tuple(checked.attribute_or(found, end, "a number", None) for end in ("least", "most"))
            if None not in ends:
                possible[name + suffix] = tuple(map(float, ends))
    if columns.get("round") is None:
        raise Damage("lacks the data set '/rounds/round'")
    return columns, units, better, possible


def phases(path: Path, file: h5py.File, attributes: dict[str, Any]) -> tuple[tuple[str, ...], np.ndarray]:
    """Returns the names of the phases, and their seconds."""
    seconds = checked.array(file, "/phases/seconds", "a number", 3, attributes["rounds"] + 1)
    names = tuple(map(printable, checked.texts(file, "/phases/name")))
    if seconds.shape[2] != len(names):
        raise RunFileError(f"{path}: /phases/seconds does not fit /phases/name; the file is damaged; repeat the run.")
    return names, seconds


def energy(path: Path, file: h5py.File, attributes: dict[str, Any], names: tuple[str, ...]) -> np.ndarray | None:
    """Returns the joules of the phases of all nodes, None where they were not counted."""
    if not checked.has(file, "/phases/joules"):
        return None
    joules = checked.array(file, "/phases/joules", "a number", 2, attributes["rounds"] + 1)
    if joules.shape[1] != len(names):
        raise RunFileError(f"{path}: /phases/joules does not fit /phases/name; the file is damaged; repeat the run.")
    return joules


def common_rows(path: Path, columns: dict[str, np.ndarray | None], phase_seconds: np.ndarray,
                 joules: np.ndarray | None, attributes: dict[str, Any]
                 ) -> tuple[pd.DataFrame, np.ndarray, np.ndarray | None]:
    """Returns the columns as a table, and the seconds and joules of the phases, cut to the rows that all of them have.
    A writer that was killed between two columns leaves some a few rows longer."""
    lengths = {len(values) for values in (*columns.values(), phase_seconds, joules) if values is not None}
    rows = min(lengths)
    if rows == 0:
        raise RunFileError(f"{path}: the file holds no rounds yet.")
    if attributes["complete"] and len(lengths) > 1:
        raise RunFileError(f"{path}: columns differ in length, so the file is damaged; repeat the run.")
    table = pd.DataFrame({name: np.full(rows, np.nan) if values is None else values[:rows]
                          for name, values in columns.items()})
    numbers = table["round"].to_numpy()
    if numbers[0] < 0 or (np.diff(numbers) <= 0).any() or numbers[-1] > attributes["rounds"]:
        raise Damage(f"holds numbers in /rounds/round that do not rise from 0 to at most {attributes['rounds']}")
    return table, phase_seconds[:rows], None if joules is None else joules[:rows]


def _check_column(source: str, values: np.ndarray) -> None:
    """Checks that whole numbers do not decrease, since they count from the start."""
    if values.dtype.kind in "iu" and len(values) and (
            (values[1:] < values[:-1]).any() or values[0] < 0 or values[-1] > MOST_COUNT):
        raise Damage(f"holds counts in {source} that go down or beyond all bounds")
