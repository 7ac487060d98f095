"""Files that jobs write next to the run files of a study: records of other load, and measured networks."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from ..io import checked
from ..io.guard import Crash, apart
from ..io.manifest import is_integer
from ..io.words import NO_EVIDENCE, Warn

SCHEMA = "trilemma-network"
TOLERANCE = 0.1  # cores that the system itself may use
OPERATIONS = ("broadcast", "gather", "reduce")


def record_of(path: Path) -> dict[str, Any] | None:
    """The record that the job wrote next to a run file; None if it is missing or not such a record."""
    try:
        record = json.loads(path.with_suffix(".json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    known = isinstance(record, dict) and is_integer(record.get("cores")) and is_integer(record.get("ranks_here"))
    return record if known else None


def number_of(value: Any) -> float:
    """A number of a record; NaN where there is none."""
    return float(value) if isinstance(value, (int, float)) else math.nan


@dataclass(frozen=True)
class Load:
    """The load during a run: load averages, and the cores that others used (NaN if not known)."""

    before: float
    after: float
    others: float


def load_of(record: dict[str, Any]) -> Load:
    """The load in a record."""
    return Load(*(number_of(record.get(key)) for key in ("load_before", "load_after", "others")))


def measured_networks(folder: Path, manifest: dict[str, Any], notes: list[str]) -> dict[int, dict[str, tuple]]:
    """By ranks and operation: bytes and medians of what was calibrated; `notes` grow by what cannot be used."""
    found = {}
    for ranks in sorted({run["ranks"] for run in manifest["runs"]}):
        path = folder / f"network-{ranks}.h5"
        if not path.is_file():
            continue
        record = record_of(path)
        if record and number_of(record.get("others")) + record["ranks_here"] > record["cores"] + TOLERANCE:
            notes.append(Warn(f"{NO_EVIDENCE}: others used {record['others']:.1f} of {record['cores']} cores while "
                              f"{path.name} was calibrated"))
        try:
            found[ranks] = apart(partial(_network, path.absolute(), ranks))
        except (checked.Damage, Crash, OSError, ValueError) as error:
            notes.append(f"skipped: {path}: no measured network of {ranks} ranks ({error})")
    return found


def _network(path: Path, ranks: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    with h5py.File(path, "r") as file:
        if checked.attribute(file, "schema", "text") != SCHEMA:
            raise checked.Damage("is none")
        if checked.array(file, "/facts/ranks", "an integer", 1).tolist() != [ranks]:
            raise checked.Damage("was measured on others")
        if checked.has(file, "/facts/warning"):
            raise checked.Damage("was measured on ranks that shared cores")
        return {name: (checked.array(file, f"/{name}/bytes", "a number", 1).astype(float),
                       checked.array(file, f"/{name}/median", "a number", 1)) for name in OPERATIONS}
