"""The summary of a sweep: one row for each combination, with the interval of its metric over the seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..io.errors import RunFileError
from ..model import guarantees, metrics
from ..model.combinations import COLUMNS, Combination, TIMES, choose_metric, combinations
from ..model.evidence import with_evidence
from ..model.replicates import what_seeds_change
from ..model.states import above_start
from ..model.step_sizes import unequal
from ..model.sweep import Sweep, table_of
from ..model.tuning import skipped
from .baselines import baseline_notes, final_score
from .final_table import BITS
from .intervals import interval
from .judgement import grown_words
from .selection import best_note, best_rows, in_order, named

# How the table for people names the columns, by which `sort` may name them too.
HEADINGS = {"interval_of": "of", "baseline_score": "best constant", **BITS,
            "wall_seconds": "wall time", "rounds_per_second": "rounds/s", "epsilon_accounted": "ε spent",
            "claim_status": "private"} | {name: metric.name for name, metric in metrics.METRICS.items()}


def summary(sweep: Sweep, metric: str = "auto", best_of: Sequence[str] = (), sort: str | None = None) -> pd.DataFrame:
    """Returns one row per combination: cells, seeds, median and interval of the metric, medians of bits and seconds.
    With `best_of` only the best combinations over these axes are returned, sorted by the column `sort`. `interval_of`
    has the kind of interval: "median" (95 %), "range" (min to max) or "none". `attrs["differing"]` names the parts in
    which the terms of the epsilons differ, `attrs["notes"]` has the lines below the table."""
    found = combinations(sweep)
    metric = choose_metric(found) if metric == "auto" else metric
    if metric not in metrics.METRICS:
        raise RunFileError(f"'{metric}' is not a metric; use one of auto, {', '.join(metrics.METRICS)}.")
    notes = skipped(sweep.tuned_on)
    if best_of:
        over = [name for word in best_of for name in named(word, list(found[0].values))]
        finals, tuning = ([take(COLUMNS[metric]) for take in takes] for takes in (
            [each.mean for each in found], [each.tuning_mean for each in found]))
        kept = best_rows([each.values for each in found], finals, over, metric, tuning)
        notes.append(best_note(over, metric, len(kept), len(found), tuning))
        found = [found[row] for row in kept]
    figures = table_of([_summary_row(each, metric) for each in found], sweep.axes)
    rows = [each.runs for each in found]
    notes += baseline_notes([(each.label, [final_score(run) for run in each.runs]) for each in found])
    notes += grown_words([(each.label, above_start(each.runs)) for each in found])
    notes += unequal([run for each in found for run in each.runs], sweep.axes)
    notes += what_seeds_change(rows)
    notes += guarantees.footer(rows, sweep.axes, list(sweep.runs.values()))
    figures.attrs |= {"differing": guarantees.differing(rows), "notes": notes, "metric": metric,
                      "timed": with_evidence(run for runs in rows for run in runs)}
    return in_order(figures, sort, HEADINGS) if sort else figures


def _summary_row(each: Combination, metric: str) -> dict[str, Any]:
    """Returns the row of a combination: its values, the median of the metric with its interval, and medians of bits and
    times."""
    over = interval(each.seeds[COLUMNS[metric]].astype(float))
    return {
        **each.values, "cells": each.cells, "done": each.done, "seeds": len(each.seeds), "diverged": each.diverged,
        metric: over.median, "low": over.low, "high": over.high, "interval_of": over.kind,
        "baseline_score": each.median("baseline_score") if metric in metrics.SCORES else math.nan,
        **{name: each.median(name) for name in (*BITS, *TIMES)},
        "epsilon_accounted": each.epsilon,
        "claim_status": guarantees.status_of(each.runs),
        **{part: guarantees.column(each.runs, part) for part in guarantees.PARTS},
    }
