"""Numbers that a figure can show: what a run that diverges leaves behind has no place on an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..io.run_file import Run

LARGEST = 1e100  # beyond it, and below its inverse, axes and their ticks overflow
NOTE = f"values beyond {LARGEST:g} are not drawn"


def drawable(runs: Sequence[Run]) -> tuple[list[Run], list[str]]:
    """Returns the runs without values that are too large to draw, and a note if there were any."""
    drawn = [replace(run, rounds=within(run.rounds, run.rounds.columns)) for run in runs]
    lost = any(new.rounds is not old.rounds and new.rounds.isna().sum().sum() > old.rounds.isna().sum().sum()
               for new, old in zip(drawn, runs))
    return drawn, [NOTE] if lost else []


def within(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Returns the table with NaN for values that are too large, and 0 for values that are too small, in its float
    columns."""
    names = [name for name in columns if table[name].dtype.kind == "f"]
    values = table[names].to_numpy()
    sizes = np.abs(values)
    if not ((sizes > LARGEST) | (sizes < 1 / LARGEST) & (sizes > 0)).any():
        return table
    values = np.where(sizes <= LARGEST, np.where(sizes < 1 / LARGEST, 0.0, values), np.nan)
    return table.assign(**dict(zip(names, values.T)))
