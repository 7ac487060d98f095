"""The command `simulated`: the time of a round against the ranks on networks that jobs/simulate has simulated."""

from __future__ import annotations

import argparse
import json
import sys

from ..io import forms
from ..io.run_file import read_run
from ..io.words import printable, wrapped
from ..io.writing import records
from ..network.simulation import Simulated, answer, fastest, read_simulated, spikes
from . import options
from .tables import aligned


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Prints and draws the time of a round, without evaluation and recording, against the number "
                          "of ranks: a panel per platform, a line per exchange, from runs of one experiment on "
                          "simulated ranks (jobs/simulate).")
    parser.add_argument("files", nargs="+", metavar="RUN.h5", help="run files of jobs/simulate")
    parser.add_argument("--json", metavar="FILE", help="writes the points in full precision as JSON")
    options.add_output(parser, required=False)


def run(chosen: argparse.Namespace) -> None:
    """Prints and draws simulated runs."""
    found = read_simulated([read_run(file) for file in chosen.files])
    sys.stdout.write(as_text(found))
    options.write_tables({chosen.json: lambda: json.dumps(records(found.points), indent=1) + "\n"})
    if chosen.output:
        # Imported late: a table must not wait for matplotlib.
        from ..network.simulated_figure import draw_simulated

        options.write(draw_simulated(found, options.sheet_of(chosen)), chosen)


def as_text(found: Simulated) -> str:
    """Returns the answer, then one line per platform and number of ranks with the time of a round by every exchange and
    the fastest exchange."""
    tables = found.times
    names = list(next(iter(tables.values())))
    rows = [[platform, str(ranks), *(forms.seconds(times.loc[ranks, name]) for name in names), ", ".join(first)]
            for platform, times in tables.items() for ranks, first in fastest(times).items()]
    notes = [f"{platform}, {ranks} ranks: {why}" for platform, ranks, why in spikes(found)]
    lines = [*wrapped([answer(found)]), "", *aligned([["platform", "ranks", *names, "fastest (2 %)"], *rows],
                                                     [0, len(names) + 2]),
             *wrapped([*notes, f"SIMULATED times of a round ({found.computing}), no measurements"])]
    return "\n".join(map(printable, lines)) + "\n"
