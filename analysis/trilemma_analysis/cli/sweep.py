"""The command `sweep`: table and figure of a sweep."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence

import pandas as pd

from ..io.run_file import rounded_up
from ..io.words import number, rate, wrapped
from ..io.writing import records
from ..model.combinations import plain
from ..model.labels import as_word, short
from ..model.sizes import size
from ..model.sweep import Sweep
from ..stats.final_table import BITS
from ..stats.summary import HEADINGS, summary
from . import options
from .files import print_note
from .options import add_selection, words_of
from .table import UNKNOWN, as_csv
from .tables import aligned


def summary_text(sweep: Sweep, metric: str = "auto", best_of: Sequence[str] = (), sort: str | None = None) -> str:
    """The summary for people, the number of done cells, and why cells failed."""
    figures = summary(sweep, metric, best_of, sort)
    axes = [axis for axis in sweep.axes if axis != "seed"]
    chosen = figures.attrs["metric"]
    form = ".4f" if chosen == "accuracy" else "#.4g"
    shown = pd.DataFrame({axis: [as_word(plain(value)) for value in figures[axis].tolist()] for axis in axes},
                         index=figures.index)
    shown["seeds"] = figures["seeds"]
    shown[chosen] = figures[chosen].map(lambda value: number(value, form).rstrip("."))
    shown["interval"] = ["-" if math.isnan(row.low) else f"[{row.low:{form}}, {row.high:{form}}]"
                         for row in figures.itertuples()]
    shown["interval_of"] = figures["interval_of"].replace({"none": "-", "median": "95 %", "range": "min-max"})
    shown["baseline_score"] = figures["baseline_score"].map(lambda value: number(value, form))
    for name in BITS:
        shown[name] = figures[name].map(size)
    shown["wall_seconds"] = figures["wall_seconds"].map(lambda value: number(value, ".3g"))
    shown["rounds_per_second"] = figures["rounds_per_second"].map(rate)
    shown["epsilon_accounted"] = ["-" if not row.seeds else rounded_up(row.epsilon_accounted)
                                  for row in figures.itertuples()]
    differing = figures.attrs["differing"]
    for name in ("claim", *differing):
        shown[name] = figures[name]
    heads = [HEADINGS.get(name, "eps" if name == "privacy.epsilon" else short(name, axes)) for name in shown]
    words = [i for i, name in enumerate(shown) if name in ("interval", "claim", *differing)
             or name in axes and any(isinstance(value, str) for value in figures[name])]
    lines = aligned([heads, *shown.astype(str).values.tolist()], words, UNKNOWN) + wrapped(figures.attrs["notes"])
    return "\n".join([*lines, "", sweep.progress(), *_failures(sweep)]) + "\n"


def _failures(sweep: Sweep) -> list[str]:
    """A line for every reason why cells failed, with the first of them, are refused or skipped."""
    failed = sweep.table[(sweep.table["state"] == "failed") & ~sweep.table["index"].isin(sweep.refused)]
    lines = []
    for reason, cells in failed.groupby("reason", sort=False):
        more = f" and {len(cells) - 1} more" if len(cells) > 1 else ""
        lines.append(f"  failed: {cell_name(sweep, cells.iloc[0])}{more}: {reason}")
    return lines + [f"  {line}" for line in (*sweep.refusals(), *sweep.skipped())]


def sweep_json(sweep: Sweep, metric: str = "auto", best_of: Sequence[str] = (), sort: str | None = None) -> str:
    """Cells, units and summary; unknown and infinite values are null."""
    figures = summary(sweep, metric, best_of, sort)
    content = {"schema": "trilemma-sweep-table", "schema_version": 1, "name": sweep.name,
               "experiment": sweep.experiment, "axes": list(sweep.axes), "units": sweep.units,
               "cells": records(sweep.table), "summary": records(figures), "notes": figures.attrs["notes"]}
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def cell_name(sweep: Sweep, row: pd.Series) -> str:
    """Number, file and values of a cell."""
    values = " ".join(f"{axis}={as_word(plain(row[axis]))}" for axis in sweep.axes)
    return f"cell {row['index']} ({row['file']}{': ' if values else ''}{values})"


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Prints one line per combination of the axes of a sweep (median and interval over the seeds), and "
        "which cells are done. Writes a table with a row per cell, and a figure over the whole sweep.")
    parser.add_argument("folder", metavar="FOLDER", nargs="+",
                       help="folders of sweeps, with sweep.json and run files; several become one sweep")
    options.add_tables(parser, "the cells", "cells, units and summary")
    options.add_metric(parser, "auto (default) takes the score on test records where there is one, else the mean "
                       "squared gradient norm. The table shows the first one")
    options.add_choice(parser)
    options.add_output(parser, required=False)
    add_selection(parser)


def run(chosen: argparse.Namespace) -> None:
    from ..model.combinations import combinations
    from ..plot.series import coloured
    from ..model.sweep import read_sweep

    sweep = read_sweep(*chosen.folder)
    for note in sweep.notes:
        print_note(f"warning: {note}")
    coloured(sweep, combinations(sweep), chosen.by)  # a mistake in --by is reported without a figure too
    metric = (chosen.metric or ["auto"])[0]
    best_of = words_of(chosen.best_of)
    sys.stdout.write(summary_text(sweep, metric, best_of, chosen.sort))
    # The table first: it works without any finished cell, the figure does not.
    options.write_tables({chosen.csv: lambda: as_csv(sweep.table),
                          chosen.json: lambda: sweep_json(sweep, metric, best_of, chosen.sort)})
    if chosen.output:
        from ..plot.sweep_figure import draw_sweep

        options.write(draw_sweep(sweep, options.choice_of(chosen, chosen.metric)), chosen)
