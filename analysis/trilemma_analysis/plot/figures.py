"""The figure of run files: metrics against rounds and against communicated bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from ..io.run_file import Run
from ..model import metrics
from ..model.combinations import COLUMNS, combinations
from ..model.sweep import Sweep, sweep_of_runs
from .curves import CLOCK, has_bits
from .sweep_figure import Choice, draw_sweep

__all__ = ["draw_curves", "save"]


def draw_curves(runs: Sequence[Run], choice: Choice = Choice()) -> Figure:
    """Draws runs as a sweep whose axes are the settings that differ; by default the mean squared gradient norm, and
    accuracy where it differs or else the objective, against rounds and bits."""
    return draw_runs(sweep_of_runs(runs), choice)


def draw_runs(sweep: Sweep, choice: Choice) -> Figure:
    """The same of runs that are a sweep already."""
    runs = sweep.runs.values()
    first = "clock" if all(CLOCK["clock"] in run.rounds for run in runs) else "rounds"
    default = (first, "bits") if has_bits(runs) else (first,)
    return draw_sweep(sweep, replace(choice, panels=choice.panels or default, metrics=choice.metrics or _both(sweep)))


def _both(sweep: Sweep) -> list[str]:
    finals = {name: [each.median(column) for each in combinations(sweep)] for name, column in COLUMNS.items()}
    there = {name: values for name, values in finals.items() if any(value == value for value in values)}
    second = metrics.choose(there, otherwise=("objective", "accuracy"))
    return list(dict.fromkeys(name for name in ("utility", second) if name in there)) or ["auto"]
