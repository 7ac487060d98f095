"""Runs whose settings were chosen on a seed of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..io.errors import RunFileError

from .rules import beats

TUNING_SEED = 0
FEW = 4  # comparisons that are named one by one


def judged(table: pd.DataFrame, cell: Sequence[str], free: Sequence[str],
           by: str = "utility") -> dict[tuple, pd.DataFrame]:
    """The runs that are judged, by the values of the columns `cell` (two or more), ordered by seed: those of the other
    seeds with the settings (columns `free`) for which the tuning seed has the lowest `by`. If that seed has no run, all
    runs of a cell must have the same settings."""
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


def lower(ours: pd.Series, theirs: pd.Series) -> bool:
    """Whether ours is below theirs by more than two standard errors of the paired difference."""
    return beats(theirs, ours)


def reversed_words(pairs: Sequence[str]) -> str:
    """What follows the evidence of a statement: the comparisons that came out the other way, or their number where there
    are many."""
    if not pairs:
        return ""
    return f"; reversed: {', '.join(pairs) if len(pairs) <= FEW else len(pairs)}"
