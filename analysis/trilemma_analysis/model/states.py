"""Whether a run came to its end, and whether it diverged on the way."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

import numpy as np

from ..io.run_file import Run
from .metrics import SCORES


FAR = 1000.0  # times the objective of the start


class State(Enum):
    """The state of a run; its value is the word for tables."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    DIVERGED = "diverged"


def state_of(run: Run) -> State:
    """Returns the state of a run. A run whose objective ended above that of the start, but not FAR, has not
    diverged."""
    if is_lost(run):
        return State.DIVERGED
    return State.COMPLETE if run.complete else State.INCOMPLETE


def diverged(runs: Iterable[Run]) -> int:
    """Returns the number of runs that diverged."""
    return sum(state_of(run) is State.DIVERGED for run in runs)


def above_start(runs: Iterable[Run]) -> int:
    """Returns the number of runs that ended with an objective above that of the start, and have not diverged."""
    return sum(_above_start(run) and not is_lost(run) for run in runs)


def is_lost(run: Run) -> bool:
    """Returns whether a run has no place among results: its objective is infinite at any state, not a number at the
    last evaluated state, or beyond FAR times that of the start. An objective that ended a little above the start, as
    noise can leave it, may still classify well."""
    objective = _column(run, "objective")
    if np.isnan(objective).all():  # withheld, or never evaluated
        return False
    scored = any(np.isfinite(_column(run, name)[-1]) for name in SCORES)
    known = objective[~np.isnan(objective)]
    return bool(np.isinf(objective).any() or (np.isnan(objective[-1]) and scored) or known[-1] > FAR * abs(known[0]))


def _above_start(run: Run) -> bool:
    """Returns whether the last finite objective is above the first one."""
    known = run.evaluated("objective")
    return len(known) > 1 and bool(known.iloc[-1] > known.iloc[0])


def _column(run: Run, name: str) -> np.ndarray:
    """Returns a column of the rounds, NaN if the file has none."""
    return run.rounds[name].to_numpy(dtype=float) if name in run.rounds else np.full(len(run.rounds), np.nan)
