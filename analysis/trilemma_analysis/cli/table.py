"""The command `table`: the final figures of runs."""

from __future__ import annotations

import argparse
import json
import sys

import pandas as pd

from ..io.words import number, rate, wrapped
from ..io.writing import csv_of, records
from ..model.sizes import size
from ..stats.final_table import BITS, HEADINGS, final_figures
from . import options
from .files import read_runs
from .options import add_selection, words_of
from .tables import aligned

# Columns that are skipped where no row has a value.
UNKNOWN = ("accuracy", "test error", "best constant", "largest client", "simulated time")


def as_csv(figures: pd.DataFrame) -> str:
    """All figures in full precision."""
    return csv_of(figures)


def as_json(figures: pd.DataFrame) -> str:
    """All figures as a list of objects; unknown and infinite values are null."""
    return json.dumps(records(figures), indent=2, allow_nan=False) + "\n"


def as_text(figures: pd.DataFrame) -> str:
    """The table for people: rounded, sizes in bytes, a star at incomplete runs."""
    differing = figures.attrs["differing"]
    headings = HEADINGS | {part: part for part in differing}
    shown = figures[list(headings)].astype(object)
    for name in ("objective_final", "objective_best", "utility"):
        shown[name] = figures[name].map(lambda value: number(value, ".4g"))
    for name in BITS:
        shown[name] = figures[name].map(size)
    for name in ("accuracy", "test_error", "baseline_score"):
        shown[name] = figures[name].map(lambda value: number(value, ".4f"))
    shown["simulated_time"] = figures["simulated_time"].map(lambda value: number(value, ".4g"))
    shown["seconds"] = figures["seconds"].map(lambda value: number(value, ".3g"))
    shown["rounds_per_second"] = figures["rounds_per_second"].map(rate)
    shown["epsilon_nominal"] = figures["epsilon_nominal"].map(lambda value: number(value, "g"))
    # The mode "private" is a word about private methods alone.
    shown["mode"] = ["-" if (row.mode, row.claim) == ("private", "NO") else row.mode for row in figures.itertuples()]
    shown["rounds"] = [f"{row.rounds:,.10g}{'' if row.complete else '*'}" for row in figures.itertuples()]
    if "delta" in headings:
        shown["delta"] = figures["delta"].map(lambda value: number(value, "g"))
    left = ("short_label", "mode", "accounted_epsilon", "claim", *differing)
    words = [i for i, name in enumerate(headings) if name in left]
    lines = aligned([list(headings.values()), *shown.astype(str).values.tolist()], words, UNKNOWN)
    if not figures["complete"].all():
        lines.append("* incomplete run: not all rounds are in the file")
    return "\n".join([*lines, *wrapped(figures.attrs["notes"])]) + "\n"


def run(chosen: argparse.Namespace) -> None:
    figures = final_figures(read_runs(chosen.files), words_of(chosen.best_of), chosen.sort)
    sys.stdout.write(as_text(figures))
    options.write_tables({chosen.csv: lambda: as_csv(figures), chosen.json: lambda: as_json(figures)})


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = "Prints the final figures of runs, one line per method; medians over the seeds."
    parser.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    options.add_tables(parser, "the rows", "the rows")
    add_selection(parser)
