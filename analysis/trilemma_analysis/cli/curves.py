"""The command `curves`: metrics of runs against rounds, communicated bits or time."""

from __future__ import annotations

import argparse

from ..io.errors import RunFileError
from ..model.metrics import METRICS
from . import options
from .files import gaps_among, print_note, read_runs


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Draws metrics of runs against rounds, communicated bits or time. Colours tell methods "
        "apart, line styles epsilon, mode and presets; of what else differs the best is drawn. Seeds become a median "
        "with an interval.")
    parser.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    options.add_metric(parser, "auto (default) takes the score on test records where there is one, else the mean "
                       "squared gradient norm")
    options.add_choice(parser)
    options.add_output(parser)


def run(chosen: argparse.Namespace) -> None:
    """Draws the runs that record a metric."""
    # Imported late: a table must not wait for matplotlib.
    from ..plot.figures import draw_runs
    from ..model.sweep import sweep_of_runs

    runs = read_runs(chosen.files)
    measured = [run for run in runs if any(len(run.evaluated(metric)) for metric in METRICS)]
    for run in runs:
        if run not in measured:
            print_note(f"warning: {run.path}: records no metric, as with privacy.strict = true, and is not drawn.")
    if not measured:
        raise RunFileError("none of the files records a metric, so there is nothing to draw.")
    sweep = sweep_of_runs(measured, gaps_among(chosen.files, runs))
    for gap in sweep.gaps():
        print_note(f"warning: {gap}")
    for note in sweep.notes:
        print_note(f"note: {note}")
    options.write(draw_runs(sweep, options.choice_of(chosen, chosen.metric or ["auto"])), chosen)
