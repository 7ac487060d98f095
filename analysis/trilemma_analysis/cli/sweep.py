"""The command `sweep`: table and figure of a sweep."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from ..io.forms import UNKNOWN, share_or_figure, span
from ..io.words import in_short, wrapped
from ..io.writing import records
from ..model import guarantees
from ..model.combinations import plain
from ..model.labels import EPSILON, as_word, short
from ..model.metrics import METRICS
from ..model.sweep import Sweep
from ..stats.intervals import coverage
from ..stats.summary import summary
from . import options
from .files import print_note
from .options import add_selection, words_of
from .table import as_csv, other_bits, privacy_columns, spent_cell, times
from .tables import Column, seeds_each, table

MOST_AXES = 4  # with a column of their own; the values of further ones share one


def summary_text(sweep: Sweep, metric: str = "auto", best_of: Sequence[str] = (), sort: str | None = None,
                 wide: bool = False) -> str:
    """Returns the summary for people, the number of done cells, and the reasons of failures."""
    figures = summary(sweep, metric, best_of, sort)
    notes = list(figures.attrs["notes"])
    axes = _axes(sweep, figures)
    # A part of the guarantee that is an axis has its column there.
    columns = [*axes, *(column for column in _values(figures) if column.heading not in guarantees.NAMES.values()
                        or not any(_alike(column, axis) for axis in axes))]
    lines = table(columns, wide) + wrapped([*_interval_notes(figures), *(notes if wide else in_short(notes))])
    return "\n".join([*lines, "", *wrapped([sweep.progress(), *_failures(sweep)])]) + "\n"


def _alike(one: Column, other: Column) -> bool:
    """Returns whether two columns are equal in every row in which both have a value."""
    return all(UNKNOWN in pair or len(set(pair)) == 1
               for pair in zip(one.cells, other.cells)) and set(one.cells) - {UNKNOWN} \
        == set(other.cells) - {UNKNOWN}


def _axes(sweep: Sweep, figures: pd.DataFrame) -> list[Column]:
    """Returns the columns of the axes. Where many axes differ, the last ones share a column."""
    axes = [axis for axis in sweep.axes if axis != "seed"]
    words = {axis: [as_word(plain(value)) for value in figures[axis].tolist()] for axis in axes}
    differ = [axis for axis in axes if len(set(words[axis])) > 1 or len(figures) == 1]
    own = differ if len(differ) <= MOST_AXES else differ[:MOST_AXES - 1]
    rest = [axis for axis in differ if axis not in own]
    columns = [Column(short(axis, axes), words[axis], any(isinstance(value, str) for value in figures[axis]),
                      stays=True,
                      kind="epsilon" if axis == EPSILON else "") for axis in own]
    if rest:
        cells = [", ".join(f"{short(axis, axes)} = {words[axis][row]}" for axis in rest) for row in range(len(figures))]
        columns.append(Column("settings", cells, words=True, stays=True))
    return columns + [Column(short(axis, axes), words[axis], below="{heading} = {cell}") for axis in axes
                      if axis not in differ]


def _values(figures: pd.DataFrame) -> list[Column]:
    """Returns the columns of results, the most important first."""
    chosen = figures.attrs["metric"]
    show = share_or_figure(METRICS[chosen].is_share)
    kinds = set(figures["interval_of"]) - {"none"}
    heading = {frozenset(["range"]): "min to max", frozenset(["median"]): "95 % interval"}.get(frozenset(kinds),
                                                                                               "interval")
    rows = list(figures.itertuples())
    return [
        Column(METRICS[chosen].name, figures[chosen].map(show).tolist(), stays=True),
        Column(heading, [span(row.low, row.high, show) for row in rows], words=True, firm=True),
        Column("of", [{"range": "min to max", "median": "95 %"}.get(row.interval_of, UNKNOWN) for row in rows]
               if len(kinds) > 1 else [UNKNOWN] * len(rows), words=True),
        Column("state", [cells_word(row.diverged, row.done, row.cells) for row in rows], words=True, firm=True),
        *privacy_columns(figures, [spent_cell(row.epsilon_accounted, row.claim_status) for row in rows]),
        Column("seeds", [str(row.seeds or UNKNOWN) for row in rows], below=seeds_each(figures["seeds"]), may_lack=True),
        Column("best constant", figures["baseline_score"].map(show).tolist(), below="best constant model {cell}",
               may_lack=True),
        *other_bits(figures),
        *times(figures, "wall_seconds"),
    ]


def cells_word(diverged: int, done: int, cells: int) -> str:
    """Returns the state of a row: the number of diverged runs, or of done cells; a dash where all are done."""
    if diverged:
        return f"diverged {diverged}/{cells}"
    return UNKNOWN if done == cells else f"done {done}/{cells}"


def _interval_notes(figures: pd.DataFrame) -> list[str]:
    """Returns the sentences that explain the intervals."""
    counts = {kind: figures.loc[figures["interval_of"] == kind, "seeds"].tolist() for kind in ("range", "median")}
    found = {kind: sorted(set(seeds)) for kind, seeds in counts.items() if seeds}
    lines = [f"medians over the seeds; min to max of {_or(found['range'])} seeds covers the true median in "
             f"{_or(f'{coverage(n):.3g} %' for n in found['range'])} of all cases"] if "range" in found else []
    return lines + ([f"medians over the seeds with a 95 % interval by order statistics ({_or(found['median'])} seeds)"]
                    if "median" in found else [])


def _or(values: Iterable[object]) -> str:
    """Returns the values joined by "or"."""
    return " or ".join(map(str, values))


def _failures(sweep: Sweep) -> list[str]:
    """Returns one line for every reason why cells failed, are refused or skipped, with the first such cell."""
    failed = sweep.table[(sweep.table["state"] == "failed") & ~sweep.table["index"].isin(sweep.refused)]
    lines = []
    # Of one reason are those that differ in the cell's own file alone.
    own = [re.sub(rf"\S*{re.escape(Path(row.file).stem)}\S*", "its file", row.reason) for row in failed.itertuples()]
    for _, cells in failed.assign(own=own).groupby("own", sort=False):
        more = f" and {len(cells) - 1} more" if len(cells) > 1 else ""
        lines.append(f"failed: {cell_name(sweep, cells.iloc[0])}{more}: {cells.iloc[0]['reason']}")
    return [*lines, *sweep.refusals(), *sweep.skipped()]


def sweep_json(sweep: Sweep, metric: str = "auto", best_of: Sequence[str] = (), sort: str | None = None) -> str:
    """Returns cells, units and summary as JSON. Unknown and infinite values are null."""
    figures = summary(sweep, metric, best_of, sort)
    content = {"schema": "trilemma-sweep-table", "schema_version": 2, "name": sweep.name,
               "experiment": sweep.experiment, "axes": list(sweep.axes), "units": sweep.units,
               "cells": records(sweep.table), "summary": records(figures), "notes": figures.attrs["notes"]}
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def cell_name(sweep: Sweep, row: pd.Series) -> str:
    """Returns number, file and values of a cell."""
    values = " ".join(f"{axis}={as_word(plain(row[axis]))}" for axis in sweep.axes)
    return f"cell {row['index']} ({row['file']}{': ' if values else ''}{values})"


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Prints one line per combination of the axes of a sweep (median and interval over the "
        "seeds), and which cells are done. Writes a table with a row per cell, and a figure over the whole sweep.")
    parser.add_argument("folder", metavar="FOLDER", nargs="+",
                       help="folders of sweeps, with sweep.json and run files; several become one sweep")
    options.add_tables(parser, "the cells", "cells, units and summary")
    options.add_metric(parser, "auto (default) takes the score on test records where there is one, else the mean "
                       "squared gradient norm. The table shows the first one")
    options.add_choice(parser)
    options.add_output(parser, required=False)
    add_selection(parser)


def run(chosen: argparse.Namespace) -> None:
    """Prints the table, and draws and writes what was asked for."""
    from ..model.combinations import combinations
    from ..plot.series import coloured
    from ..model.sweep import read_sweep

    sweep = read_sweep(*chosen.folder)
    for note in sweep.notes:
        print_note(f"warning: {note}")
    coloured(sweep, combinations(sweep), chosen.by)  # a mistake in --by is reported without a figure too
    metric = (chosen.metric or ["auto"])[0]
    best_of = words_of(chosen.best_of)
    sys.stdout.write(summary_text(sweep, metric, best_of, chosen.sort, chosen.wide))
    # The table first: it works without any finished cell, the figure does not.
    options.write_tables({chosen.csv: lambda: as_csv(sweep.table),
                          chosen.json: lambda: sweep_json(sweep, metric, best_of, chosen.sort)})
    if chosen.output:
        from ..plot.sweep_figure import draw_sweep

        options.write(draw_sweep(sweep, options.choice_of(chosen, chosen.metric)), chosen)
