"""Numbers that a figure can show: what a run that diverges leaves behind has no place on an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from .reader import Run

LARGEST = 1e100  # beyond it, and below its inverse, axes and their ticks overflow
NOTE = f"values beyond {LARGEST:g} are not drawn"


def drawable(runs: Sequence[Run]) -> tuple[list[Run], list[str]]:
    """The runs without values that are too large to draw, and a note where there were any."""
    drawn = [replace(run, rounds=within(run.rounds, run.rounds.columns)) for run in runs]
    lost = any(new.rounds[name].isna().sum() > old.rounds[name].isna().sum()
               for new, old in zip(drawn, runs) for name in old.rounds)
    return drawn, [NOTE] if lost else []


def within(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The table with NaN for what is too large, and 0 for what is too small, in its columns of floats."""
    floats = {name: table[name] for name in columns if table[name].dtype.kind == "f"}
    changed = {name: values.where(values.abs() <= LARGEST, np.nan).where(~(values.abs() < 1 / LARGEST), 0.0)
               for name, values in floats.items()}
    return table.assign(**changed)
