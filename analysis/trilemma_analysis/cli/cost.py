"""The command `cost`: what privacy costs, as a table and a figure."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import pandas as pd

from ..io.run_file import Run
from ..io.words import wrapped
from ..model import guarantees
from ..model.finals import last_known
from ..model.metrics import METRICS, choose
from ..model.tuning import seeds_of, skipped
from ..plot.cost_figure import no_better
from ..stats.cost import curves_of, without_nominal
from . import options
from .files import read_runs


def cost_table(runs: Sequence[Run], metric: str = "utility") -> list[dict]:
    """The numbers of the figure: one row per method, claim, terms, nominal epsilon and number of rounds, each at its
    best settings."""
    return [
        {"method": curve.method, "claim": curve.word, "epsilon_nominal": point.nominal, "rounds": point.rounds,
         "epsilon_accounted": point.spent, metric: point.over.median, "low": point.over.low, "high": point.over.high,
         **{part: guarantees.column(point.runs, part) for part in guarantees.PARTS}}
        for curve in curves_of(runs, metric) for point in curve.points
    ]


def cost_text(runs: Sequence[Run], metric: str = "utility") -> str:
    """The table for people, with the terms of the epsilons in columns where they differ, else below."""
    rows = [curve.runs for curve in curves_of(runs, metric)]
    same = [part for part in guarantees.PARTS if part not in guarantees.differing(rows)]
    table = pd.DataFrame(cost_table(runs, metric)).drop(columns=same, errors="ignore")
    return "\n".join([table.to_string(index=False, float_format="{:.6g}".format, na_rep="-"),
                      *wrapped([*no_better([(curve.method, point) for curve in curves_of(runs, metric)
                                           for point in curve.points], metric), *skipped(seeds_of(runs)),
                                *without_nominal(runs), *guarantees.footer(rows, among=runs)])]) + "\n"


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Draws the final metric of runs against the epsilon that was asked for, at equal rounds and at the "
        "best rounds as far as there are such runs, with a line for runs without privacy; and the epsilon that was "
        "spent where it is another one. Prints the numbers as a table.")
    parser.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    parser.add_argument("--metric", choices=("auto", *METRICS), default="auto",
                        help="what is drawn; auto (default) takes the score on test records where there is one, else the "
                        "mean squared gradient norm")
    options.add_output(parser)


def run(chosen: argparse.Namespace) -> None:
    from ..plot.cost_figure import draw_cost

    runs = read_runs(chosen.files)
    metric = choose({name: [last_known(run.evaluated(name)) for run in runs] for name in METRICS}) \
        if chosen.metric == "auto" else chosen.metric
    figure = draw_cost(runs, metric, options.sheet_of(chosen))
    sys.stdout.write(cost_text(runs, metric))
    options.write(figure, chosen)
