"""The command `table`: the final figures of runs."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable

import pandas as pd

from ..io.forms import UNKNOWN, bits, epsilon, figure, percent, seconds, share_or_figure
from ..io.run_file import NOT_PRIVATE
from ..io.words import in_short, rate, wrapped
from ..io.writing import csv_of, records
from ..model import guarantees
from ..model.states import State
from ..stats.final_table import BITS, HEADINGS, OF_ALL, UP, final_figures
from . import options
from .files import gaps_among, read_runs
from .options import add_selection, words_of
from .tables import Column, latex, seeds_each, table


def as_csv(figures: pd.DataFrame) -> str:
    """Returns all figures in full precision."""
    return csv_of(figures)


def as_json(figures: pd.DataFrame) -> str:
    """Returns all figures as a list of objects. Unknown and infinite values are null."""
    return json.dumps(records(figures), indent=2, allow_nan=False) + "\n"


def as_text(figures: pd.DataFrame, wide: bool = False) -> str:
    """Returns the table for people: rounded values with units, and a column for runs in an unusual state."""
    values = figures.attrs["notes"]
    return "\n".join([*table(columns_of(figures), wide), *wrapped(values if wide else in_short(values))]) + "\n"


def columns_of(figures: pd.DataFrame) -> list[Column]:
    """Returns the columns of the table for people."""
    rows = list(figures.itertuples())
    share, plain = ({"show": percent}, {"show": figure})
    return [
        Column("method", figures["short_label"].tolist(), words=True, stays=True),
        Column("state", [_state(row) for row in rows], words=True, firm=True),
        *(_numbers(figures, name, **form) for name, form in (
            ("accuracy", share), ("test_error", plain), ("objective_final", plain), ("utility", plain))),
        *privacy_columns(figures, [spent_cell(row.epsilon_accounted, row.claim_status) for row in rows]),
        Column("seeds", figures["seeds"].astype(str).tolist(), below=seeds_each(figures["seeds"])),
        Column("rounds", [f"{row.rounds:,.10g}" for row in rows], below="{cell} rounds"),
        Column("nominal ε", [UNKNOWN if math.isnan(value) else f"{value:g}" for value in figures["epsilon_nominal"]],
               kind="epsilon"),
        _numbers(figures, "simulated_time", **plain),
        Column("best constant", [share_or_figure(math.isnan(row.test_error))(row.baseline_score) for row in rows],
               below="best constant model {cell}"),
        Column(HEADINGS["objective_best"], figures["objective_best"].map(figure).tolist(), extra=True),
        # The mode "private" is a word about private methods alone.
        Column("mode", [UNKNOWN if (row.mode, row.claim_status) == ("private", NOT_PRIVATE) else row.mode
                        for row in rows], words=True,
               below="mode {cell}", may_lack=True, extra=True),
        *other_bits(figures),
        *times(figures, "wall_seconds"),
    ]


def _numbers(figures: pd.DataFrame, name: str, show: Callable[[float], str]) -> Column:
    """Returns a column of numbers in a form."""
    return Column(HEADINGS[name], figures[name].map(show).tolist())


def _state(row) -> str:
    """Returns what is unusual about the runs of a row."""
    if row.diverged:
        return f"diverged {row.diverged}/{row.seeds}"
    return UNKNOWN if row.complete else State.INCOMPLETE.value


def other_bits(figures: pd.DataFrame) -> list[Column]:
    """Returns the columns of all bits except those that a client sends, which privacy_columns() has. Bits of all
    clients are extra columns."""
    return [Column(BITS[name], figures[name].map(bits).tolist(), extra=name in OF_ALL, kind="bits")
            for name in BITS if name != UP]


def times(figures: pd.DataFrame, name: str) -> list[Column]:
    """Returns the columns of times, marked where they are no evidence."""
    doubt = "" if figures.attrs["timed"] else " (unreliable)"
    return [Column(f"wall time{doubt}", figures[name].map(seconds).tolist(), stays=True, extra=True),
            Column(f"rounds/s{doubt}", figures["rounds_per_second"].map(rate).tolist(), stays=True, extra=True)]


def spent_cell(spent: float, status: str) -> str:
    """Returns the accounted epsilon of a row; a dash where nothing is claimed."""
    return UNKNOWN if math.isnan(spent) and status in (UNKNOWN, NOT_PRIVATE) else epsilon(spent)


def privacy_columns(figures: pd.DataFrame, spent: list[str]) -> list[Column]:
    """Returns the columns of cost and privacy: bits sent by a client, epsilon, the claim, and terms that differ."""
    return [Column(BITS[UP], figures[UP].map(bits).tolist(), kind="bits", firm=True),
            Column("ε spent", spent, firm=True, kind="epsilon"),
            Column("private", figures["claim_status"].map(guarantees.status_words).tolist(), words=True,
                   below="private: {cell}"),
            *(Column(guarantees.NAMES[part], [f"{cell:g}" if isinstance(cell, float) else str(cell)
                                              for cell in figures[part]], words=True)
              for part in figures.attrs["differing"])]


def run(chosen: argparse.Namespace) -> None:
    """Prints the table, and writes what was asked for."""
    runs = read_runs(chosen.files)
    figures = final_figures(runs, words_of(chosen.best_of), chosen.sort)
    figures.attrs["notes"] += gaps_among(chosen.files, runs)
    sys.stdout.write(latex(columns_of(figures)) if chosen.latex else as_text(figures, chosen.wide))
    options.write_tables({chosen.csv: lambda: as_csv(figures), chosen.json: lambda: as_json(figures)})


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = "Prints the final figures of runs, one line per method; medians over the seeds."
    parser.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    options.add_tables(parser, "the rows", "the rows")
    parser.add_argument("--latex", action="store_true",
                        help="prints the table for LaTeX with the package booktabs, without notes")
    add_selection(parser)
