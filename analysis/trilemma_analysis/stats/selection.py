"""Rows of a table: the best ones over some settings, and their order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..io.errors import RunFileError
from ..model import metrics
from ..model.step_sizes import AXIS, STEP_SIZES
from ..model.tuning import to_choose_by

# Columns of which more is better; they are sorted from the largest to the smallest.
MORE_IS_BETTER = ("accuracy", "rounds_per_second", "rounds/s")


def named(word: str, names: Sequence[str]) -> list[str]:
    """Returns the settings that `word` means: one of that name, or all that end with it. For a method's own step size
    it is the common axis, if there is one."""
    found = [name for name in names if name == word] or [name for name in names if name.endswith("." + word)]
    if not found and AXIS in names and any(key == word or key.endswith("." + word) for key in STEP_SIZES):
        return [AXIS]
    if not found:
        raise RunFileError(f"'{word}' is not a setting in which the runs differ; use one of "
                           f"{', '.join(names) or '(none)'}.")
    return found


def best_rows(settings: Sequence[Mapping[str, Any]], values: Sequence[float], over: Sequence[str], metric: str,
              tuning: Sequence[float]) -> list[int]:
    """Returns the rows with the best value of the metric among those that differ only in the settings `over`. `tuning`
    has the values on the seeds for tuning, which choose if there are any."""
    rivals: dict[tuple, list[int]] = {}
    for row, known in enumerate(settings):
        key = tuple((name, repr(value)) for name, value in known.items() if name not in over)
        rivals.setdefault(key, []).append(row)
    return sorted(rows[metrics.best(to_choose_by([tuning[row] for row in rows], [values[row] for row in rows]), metric)]
                  for rows in rivals.values())


def best_note(over: Sequence[str], metric: str, kept: int, of: int, tuning: Sequence[float]) -> str:
    """Returns the note on what a table with the best rows does not show."""
    told = "the seeds that are shown, which flatters them" if all(map(math.isnan, tuning)) else \
        "seeds for tuning" if not any(map(math.isnan, tuning)) else "seeds for tuning where there are any"
    return f"of {of} combinations {kept} are shown: the best over {', '.join(over)} by " \
        f"{metrics.METRICS[metric].name}, chosen on {told}"


def in_order(figures: pd.DataFrame, column: str, headings: Mapping[str, str]) -> pd.DataFrame:
    """Returns the rows sorted by a column, given by its name, its heading or the end of a dotted name. The best is
    first: numbers ascend, but those of MORE_IS_BETTER descend. Rows without a value are last."""
    names = [name for name in figures if column in (name, headings.get(name))] \
        or [name for name in figures if name.endswith("." + column)]
    if not names:
        known = ", ".join(figures.columns)
        raise RunFileError(f"--sort {column}: the table has no such column; use one of {known}.")
    down = names[0] in MORE_IS_BETTER
    order = figures[names[0]]
    words = order.dropna().map(lambda value: isinstance(value, str)).any()
    order = order.map(str, na_action="ignore") if words else order.astype(float)
    rows = order.sort_values(ascending=not down, kind="stable", na_position="last").index
    sorted_ = figures.loc[rows]
    sorted_.attrs |= figures.attrs
    return sorted_
