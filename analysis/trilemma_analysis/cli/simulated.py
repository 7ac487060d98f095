"""The command `simulated`: the time of a round against the ranks on networks that jobs/simulate has simulated."""

from __future__ import annotations

import argparse
import json
import sys

from ..io.run_file import read_run
from ..io.words import number, printable
from ..network.simulation import Simulated, read_simulated
from . import options
from .tables import aligned


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Prints and draws the time of a round, without evaluation and recording, against the number of ranks: "
        "a panel per platform, a line per exchange, from runs of one experiment on simulated ranks (jobs/simulate).")
    parser.add_argument("files", nargs="+", metavar="RUN.h5", help="run files of jobs/simulate")
    parser.add_argument("--json", metavar="FILE", help="writes the points in full precision as JSON")
    options.add_output(parser, required=False)


def run(chosen: argparse.Namespace) -> None:
    found = read_simulated([read_run(file) for file in chosen.files])
    sys.stdout.write(as_text(found))
    options.write_tables({chosen.json: lambda: json.dumps([vars(point) for point in found.points], indent=1) + "\n"})
    if chosen.output:
        # Imported late: a table must not wait for matplotlib.
        from ..network.simulated_figure import draw_simulated

        options.write(draw_simulated(found, options.sheet_of(chosen)), chosen)


def as_text(found: Simulated) -> str:
    """A line per platform and number of ranks, with the time of a round by every exchange and the fastest."""
    exchanges = list(dict.fromkeys(point.exchange for point in found.points))
    times = {(point.platform, point.ranks, point.exchange): point.seconds for point in found.points}
    rows = []
    for platform, ranks in sorted({(point.platform, point.ranks) for point in found.points}):
        seconds = {exchange: times[platform, ranks, exchange] for exchange in exchanges if (platform, ranks, exchange) in times}
        least = min(seconds.values())
        rows.append([printable(platform), str(ranks),
                     *(number(1e3 * seconds[exchange], ".3g") if exchange in seconds else "-" for exchange in exchanges),
                     ", ".join(exchange for exchange, value in seconds.items() if value <= 1.02 * least)])
    heads = ["platform", "ranks", *(f"{exchange}, ms" for exchange in exchanges), "fastest (2 %)"]
    return "\n".join([*aligned([heads, *rows], [0, len(heads) - 1]),
                      f"SIMULATED times of a round ({printable(found.computing)}), no measurements"]) + "\n"
