"""What a run file records about the machine during the rounds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import h5py

from . import checked


@dataclass(frozen=True)
class TimeRecord:
    """The attributes of /environment on evidence of time (docs/reference/run-file-fields.md): the program's judgement
    (empty: not recorded) and the numbers behind it, of the node with the least to spare; NaN or 0 where not known. And
    the peak memory of each rank."""

    status: str = ""
    cores_per_rank: float = math.nan
    node_cores: float = math.nan
    node_ranks: int = 0
    load_from_others: float = math.nan  # cores
    waiting_share: float = math.nan
    steal_share: float = math.nan
    timed_rounds: int = 0
    peak_memory: tuple[float, ...] = ()  # B, of each rank's process; empty: not recorded


def read_times(file: h5py.File) -> TimeRecord:
    """Returns the time record of an open run file. Files of older programs have none."""
    memory = tuple(checked.array(file, "/phases/peak_memory", "a number", 1).tolist()) \
        if checked.has(file, "/phases/peak_memory") else ()
    group = checked.group(file, "/environment") if checked.has(file, "/environment") else None
    if group is None or "time_evidence" not in group.attrs:
        return TimeRecord(peak_memory=memory)
    numbers = {name: float(checked.attribute(group, name, "a number"))
               for name in ("cores_per_rank", "node_cores", "load_from_others", "waiting_share", "steal_share")}
    counts = {name: checked.attribute(group, name, "an integer") for name in ("node_ranks", "timed_rounds")}
    return TimeRecord(checked.attribute(group, "time_evidence", "text"), **numbers, **counts,
                      peak_memory=memory)
