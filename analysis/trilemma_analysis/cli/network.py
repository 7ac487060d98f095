"""The command `network`: times of runs on networks, predicted by `trilemma predict --json`, and measured ones."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..io.errors import RunFileError
from ..network.prediction import Measured, predicted_runs, read_prediction, seconds_until
from . import options


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Draws the time of runs against the bandwidth of a network's links, as `trilemma predict RUN... "
        "--json` has it for several bandwidths, and marks where compression begins to pay. Next to it, times that were "
        "measured on networks.")
    parser.add_argument("file", metavar="FILE", help="output of `trilemma predict --json`")
    parser.add_argument("--measured", action="append", default=[], metavar="NAME=FOLDER",
                         help="a panel with the times of the runs in a folder, made on a network of this name; may be "
                         "given several times")
    options.add_output(parser)


def run(chosen: argparse.Namespace) -> None:
    # Imported late: other commands must not wait for matplotlib.
    from ..network.figure import draw_network

    answer = read_prediction(Path(chosen.file))
    measured = [_measured(each, answer["accuracy"]) for each in chosen.measured]
    options.write(draw_network(answer, predicted_runs(answer), measured, options.sheet_of(chosen)), chosen)


def _measured(words: str, accuracy: float | None) -> Measured:
    from ..io.run_file import read_run

    name, equals, folder = words.partition("=")
    files = sorted(Path(folder).glob("*.h5"))
    if not equals or not files:
        raise RunFileError(f"--measured {words}: expected NAME=FOLDER with run files in the folder.")
    runs = [read_run(file) for file in files]
    return Measured(name, {(run.attributes["method"], run.attributes["compressor"]): seconds_until(run, accuracy)
                           for run in runs})
