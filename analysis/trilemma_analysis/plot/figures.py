"""The figure of run files: a metric against rounds and against communicated bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from ..io.run_file import Run
from ..model.sweep import Sweep, sweep_of_runs
from .sweep_figure import Choice, draw_sweep
from .ways import CLOCK, has_bits


def draw_curves(runs: Sequence[Run], choice: Choice = Choice()) -> Figure:
    """Draws runs as a sweep whose axes are the settings that differ, by default against rounds and bits."""
    return draw_runs(sweep_of_runs(runs), choice)


def draw_runs(sweep: Sweep, choice: Choice) -> Figure:
    """Draws the curves of runs that are a sweep already."""
    runs = sweep.runs.values()
    first = "clock" if all(CLOCK["clock"] in run.rounds for run in runs) else "rounds"
    return draw_sweep(sweep, replace(choice, panels=choice.panels or ((first, "bits") if has_bits(runs) else (first,))))
