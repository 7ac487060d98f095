"""Cells of a sweep that differ only in seed and repetition: figures with intervals over the seeds."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from . import metrics, terms
from .baselines import baseline_notes, final_score
from .groups import spent, spent_word
from .intervals import interval
from .labels import EPSILON, as_word, describe, label_of, rank, short, telling, told_words
from .reader import Run, RunFileError, rounded_up
from .replicates import what_seeds_change
from .selection import best_note, best_rows, in_order, named
from .sizes import IN_BYTES, size
from .step_sizes import unequal
from .sweep import Sweep, table_of
from .sweep_files import SKIPPED
from .sweep_folders import RANKS
from .table import BITS, UNKNOWN, aligned, number, rate, records, wrapped
from .tuning import skipped
from .words import cut

COLUMNS = {"utility": "utility", "objective": "objective_final", "accuracy": "accuracy",
           "test_error": "test_error", "test_loss": "test_loss", "gradient_norm_squared": "gradient_norm_squared"}
TIMES = ("wall_seconds", "rounds_per_second")
HEADINGS = {"interval": "interval", "interval_of": "of median", "baseline_score": "best constant", **BITS,
            "wall_seconds": "wall seconds", "rounds_per_second": "rounds/s", "epsilon_accounted": "accounted eps",
            "claim": "private"} | {name: metric.name for name, metric in metrics.METRICS.items()}


@dataclass(frozen=True)
class Combination:
    """One value of every axis but the seed. `seeds` has a row a seed for results, times averaged over its repetitions,
    and `runs` the run of every row; `tuning` has the same of the seeds for tuning. `cells` counts those for results.
    `spent` is the word for its epsilon where none was asked for."""

    values: dict[str, Any]
    label: str
    cells: int
    seeds: pd.DataFrame
    runs: tuple[Run, ...]
    tuning: pd.DataFrame
    spent: str

    @property
    def method(self) -> str:
        """The method, as far as a done cell or an axis tells it."""
        return str(self.runs[0].attributes["method"] if self.runs else self.values.get("method", ""))

    @property
    def compressed(self) -> bool:
        """Whether the clients send compressed messages."""
        return self.runs[0].compressed

    def median(self, column: str) -> float:
        """Median of a column of the table over the seeds for results."""
        return _median(self.seeds[column])

    def tuning_median(self, column: str) -> float:
        """Median of a column of the table over the seeds for tuning."""
        return _median(self.tuning[column])

    @property
    def epsilon(self) -> float:
        """The largest accounted epsilon of the seeds: no combination must promise more than its weakest run."""
        return spent(self.runs)


def combinations(sweep: Sweep) -> list[Combination]:
    """All combinations of a sweep, in the order of their values, without cells that are skipped. Raises RunFileError
    where there are no others."""
    axes = [axis for axis in sweep.axes if axis != "seed"]
    members: dict[tuple, list[int]] = {}
    for row, (values, state) in enumerate(zip(_filled(sweep)[axes].astype(object).values.tolist(),
                                              sweep.table["state"])):
        if state != SKIPPED:
            members.setdefault(tuple(map(_plain, values)), []).append(row)
    if not members:
        raise RunFileError(f"{sweep.folder}: every cell is skipped ({'; '.join(sweep.skipped())}).")
    keys = sorted(members, key=lambda key: [rank(value) for value in key])
    told = telling(axes, keys)
    asked = {describe(EPSILON, epsilon, told, "") for key in keys if (epsilon := dict(zip(axes, key)).get(EPSILON))}
    found = []
    for key in keys:
        cells = sweep.table.iloc[members[key]]
        done = cells[cells["state"] == "done"]
        seeds, tuning = (_over_repetitions(done[done["tuning"] == chosen]) for chosen in (False, True))
        runs = tuple(sweep.runs[index] for index in seeds["index"])
        values = dict(zip(axes, key))
        epsilon = spent_word(spent(runs), asked)
        label = label_of(told_words(values, told, told, epsilon))
        label = label or cut(str(runs[0].attributes["method"]) if runs else sweep.name)
        found.append(Combination(values, label, int((~cells["tuning"]).sum()), seeds, runs, tuning,
                                 epsilon))
    return found


def _filled(sweep: Sweep) -> pd.DataFrame:
    """The table, where the number of ranks is an axis with a number for cells that have not run: that of a done cell
    with the same other values, so that they count among its cells."""
    if RANKS not in sweep.axes:
        return sweep.table
    others = [axis for axis in sweep.axes if axis not in (RANKS, "seed")]
    table = sweep.table.astype({RANKS: object})
    keys = [tuple(map(repr, values)) for values in table[others].astype(object).values.tolist()]
    known: dict[tuple, Any] = {}
    for key, ranks in zip(keys, table[RANKS]):
        if not pd.isna(ranks):
            known.setdefault(key, ranks)
    table[RANKS] = [known.get(key) if pd.isna(ranks) else ranks for key, ranks in zip(keys, table[RANKS])]
    return table


def choose_metric(found: Sequence[Combination]) -> str:
    """Accuracy where combinations end at different accuracies, else the first metric that has any value."""
    return metrics.choose({name: [each.median(column) for each in found] for name, column in COLUMNS.items()})


def summary(sweep: Sweep, metric: str = "auto", best_of: Sequence[str] = (), sort: str | None = None) -> pd.DataFrame:
    """One row per combination: cells, seeds, median and interval of the metric, medians of bits and seconds. With
    `best_of` only the best combinations over these axes, sorted by the column `sort`. `interval_of` says which
    interval: "median" (95 %), "range" (min to max) or "none". `attrs["differing"]` names the parts in which the terms
    of the epsilons differ, `attrs["notes"]` has what stands below the table."""
    found = combinations(sweep)
    metric = choose_metric(found) if metric == "auto" else metric
    if metric not in metrics.METRICS:
        raise RunFileError(f"'{metric}' is not a metric; use one of auto, {', '.join(metrics.METRICS)}.")
    notes = [IN_BYTES, *skipped(sweep.tuned_on)]
    if best_of:
        over = [name for word in best_of for name in named(word, list(found[0].values))]
        finals, tuning = ([take(COLUMNS[metric]) for take in takes] for takes in (
            [each.median for each in found], [each.tuning_median for each in found]))
        kept = best_rows([each.values for each in found], finals, over, metric, tuning)
        notes.append(best_note(over, metric, len(kept), len(found), tuning))
        found = [found[row] for row in kept]
    figures = table_of([_summary_row(each, metric) for each in found], sweep.axes)
    rows = [each.runs for each in found]
    notes += baseline_notes([(each.label, [final_score(run) for run in each.runs]) for each in found])
    notes += unequal([run for each in found for run in each.runs], sweep.axes)
    notes += what_seeds_change(rows)
    notes += terms.footer(rows, sweep.axes, list(sweep.runs.values()))
    figures.attrs |= {"differing": terms.differing(rows), "notes": notes, "metric": metric}
    return in_order(figures, sort, HEADINGS) if sort else figures


def _summary_row(each: Combination, metric: str) -> dict[str, Any]:
    over = interval(each.seeds[COLUMNS[metric]].astype(float))
    return {
        **each.values, "cells": each.cells, "seeds": len(each.seeds),
        metric: over.median, "low": over.low, "high": over.high, "interval_of": over.kind,
        "baseline_score": each.median("baseline_score") if metric in metrics.SCORES else math.nan,
        **{name: each.median(name) for name in (*BITS, *TIMES)},
        "epsilon_accounted": each.epsilon,
        "claim": terms.claim_cell(each.runs),
        **{part: terms.column(each.runs, part) for part in terms.PARTS},
    }


def summary_text(sweep: Sweep, metric: str = "auto", best_of: Sequence[str] = (), sort: str | None = None) -> str:
    """The summary for people, the number of done cells, and why cells failed."""
    figures = summary(sweep, metric, best_of, sort)
    axes = [axis for axis in sweep.axes if axis != "seed"]
    chosen = figures.attrs["metric"]
    form = ".4f" if chosen == "accuracy" else "#.4g"
    shown = pd.DataFrame({axis: [as_word(_plain(value)) for value in figures[axis].tolist()] for axis in axes},
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
    values = " ".join(f"{axis}={as_word(_plain(row[axis]))}" for axis in sweep.axes)
    return f"cell {row['index']} ({row['file']}{': ' if values else ''}{values})"


def _median(values: pd.Series) -> float:
    known = values.astype(float).dropna()
    return float(known.median()) if len(known) else math.nan


def _over_repetitions(cells: pd.DataFrame) -> pd.DataFrame:
    """One row a seed: its first repetition, with the mean times of all of them."""
    times = [name for name in cells if name in TIMES or name.startswith("seconds_")]
    rows = []
    for _, same in cells.groupby("seed", sort=True):
        row = same.sort_values("repetition").iloc[0].copy()
        row[times] = same[times].astype(float).mean()
        rows.append(row)
    return pd.DataFrame(rows, columns=cells.columns)


def _plain(value: Any) -> Any:
    """Python's own value; pandas replaces missing values by NaN, and integers in the same column by floats."""
    if isinstance(value, float) and math.isnan(value) or value is pd.NA:
        return None
    return tuple(value) if isinstance(value, list) else value
