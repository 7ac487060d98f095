"""The command `network`: times of runs on networks, predicted by `trilemma predict --json`, and measured ones."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from ..io import forms
from ..io.errors import RunFileError
from ..io.run_file import Run, read_run
from ..io.words import printable, wrapped
from ..model.evidence import doubts
from ..network.prediction import (CLOSE, Prediction, RATES, Row, answer, measured_times, read_prediction, rows_of,
                                  slowest)
from . import options
from .tables import Column, table

MOST_PREDICTED = 4  # networks that are shown without --at


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Prints and draws the time of runs on networks: a row per method and compressor, a mark per "
                          "network on which the runs were measured, a tick for what `trilemma predict RUN... --json` "
                          "predicts. Runs of one method and compressor (seeds) are one row with an interval.")
    parser.add_argument("file", metavar="FILE", help="output of `trilemma predict --json`")
    parser.add_argument("--measured", action="append", default=[], metavar="NAME=FOLDER",
                        help="marks for the times of the runs in a folder, made on a network of this name; may be "
                             "given several times")
    parser.add_argument("--at", action="append", default=[], metavar="BANDWIDTH",
                        help="shows the prediction for this bandwidth, such as 100Mbit; may be given several times "
                             "(default: all, at most four powers of ten; none with --measured if there are several)")
    parser.add_argument("--panel", choices=("runs", "bandwidth"), default="runs",
                        help="runs (default): a row per method and compressor; bandwidth: the predicted time of the "
                             "best run with and without compression against the bandwidth")
    options.add_output(parser, required=False)


def run(chosen: argparse.Namespace) -> None:
    """Prints and draws a prediction with measured runs."""
    prediction = read_prediction(Path(chosen.file))
    folders = dict(_folder(words) for words in chosen.measured)
    networks = _networks(prediction, chosen.at, bool(folders))
    rows = rows_of(prediction, networks, [measured_times(name, runs, prediction.accuracy)
                                          for name, runs in folders.items()])
    doubted = {name: "; ".join(why) for name, runs in folders.items() if (why := doubts(runs))}
    notes = [f"{name}: {why}" for name, why in doubted.items()]
    last = slowest(rows)
    lines = [*wrapped([answer(rows, last, doubted) if last else "No run reaches the accuracy"]), "",
             *as_text(rows, [*folders, *networks]), *wrapped(notes)]
    sys.stdout.write("".join(printable(line) + "\n" for line in lines))
    if chosen.output:
        # Imported late: a table must not wait for matplotlib.
        from ..network.figure import draw_bandwidths, draw_rows

        sheet = options.sheet_of(chosen)
        options.write(draw_bandwidths(prediction, sheet) if chosen.panel == "bandwidth" else
                      draw_rows(prediction, rows, networks, doubted, sheet), chosen)


def as_text(rows: Sequence[Row], networks: Sequence[str]) -> list[str]:
    """Returns a line per row with its seconds on every network; predicted times are marked."""
    columns = [Column("method, compressor", [row.name for row in rows], words=True, stays=True)]
    for name in networks:
        for word, times in ((name, [row.measured for row in rows]),
                            (f"{name} (predicted)", [row.predicted for row in rows])):
            texts = [forms.seconds(found[name].median) if name in found else forms.UNKNOWN for found in times]
            columns.append(Column(word, texts))
    return table(columns)


def _folder(words: str) -> tuple[str, list[Run]]:
    """Returns the name and the runs of NAME=FOLDER."""
    name, equals, folder = words.partition("=")
    files = sorted(Path(folder).glob("*.h5"))
    if not equals or not files:
        raise RunFileError(f"--measured {words}: expected NAME=FOLDER with run files in the folder.")
    return name, [read_run(file) for file in files]


def _networks(prediction: Prediction, asked: Sequence[str], is_measured: bool) -> list[str]:
    """Returns the names of the predicted networks to show, the slowest first."""
    if asked:
        return [_network(prediction, words) for words in asked]
    names = list(prediction.networks)
    if len(names) == 1 or is_measured:
        return names if len(names) == 1 else []
    tens = [name for name in names if math.isclose(math.log10(prediction.networks[name]) % 1, 0, abs_tol=1e-6)] or names
    return tens[::-(-len(tens) // MOST_PREDICTED)]


def _network(prediction: Prediction, words: str) -> str:
    """Returns the predicted network of a bandwidth such as 100Mbit."""
    units = {unit.removesuffix("/s"): factor for factor, unit in RATES}
    given = re.fullmatch(r"([0-9.]+) ?([kMG]?bit)(/s)?", words)
    value = float(given[1]) * units[given[2]] if given and given[1].count(".") < 2 else 0.0
    for name, bandwidth in prediction.networks.items():
        if bandwidth / CLOSE <= value <= bandwidth * CLOSE:
            return name
    raise RunFileError(f"--at {words}: the prediction is for {', '.join(prediction.networks)}; name one of these, such "
                       "as 100Mbit, or predict with --bandwidth.")
