"""Whether a run came to its end, and whether it diverged on the way."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

import numpy as np

from ..io.run_file import Run
from .metrics import METRICS

OBJECTIVE = "objective"


class State(Enum):
    """The state of a run; its value is the word for tables."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    DIVERGED = "diverged"


def state_of(run: Run) -> State:
    """The state of a run. It diverged if a metric that was evaluated is not finite, or if its last objective lies above
    that of the start."""
    if _diverged(run):
        return State.DIVERGED
    return State.COMPLETE if run.complete else State.INCOMPLETE


def diverged(runs: Iterable[Run]) -> int:
    """How many of the runs diverged."""
    return sum(state_of(run) is State.DIVERGED for run in runs)


def _diverged(run: Run) -> bool:
    """Whether a metric is not finite, or the last objective lies above the first one."""
    names = [name for name in (*METRICS, *run.better) if name in run.rounds]
    values = run.rounds[names].to_numpy(dtype=float)
    if np.isinf(values).any():
        return True
    if OBJECTIVE not in names:
        return False
    objective = values[:, names.index(OBJECTIVE)]
    if np.isnan(objective[0]):  # not evaluated at the start, so nothing tells which states were evaluated
        return False
    evaluated = ~np.isnan(values).all(axis=1)
    last = objective[evaluated][-1]
    return bool(np.isnan(objective[evaluated]).any() or last > objective[0])
