"""The final figures of runs: one row for every method and setting, medians over the seeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from ..io.run_file import Run
from ..model import guarantees
from ..model.evidence import with_evidence
from ..model.finals import run_figures
from ..model.groups import Group, all_settings, group_runs, settings, spent, typed_settings
from ..model.labels import rank
from ..model.metrics import METRICS, choose
from ..model.replicates import what_seeds_change
from ..model.states import above_start, diverged
from ..model.tuning import seeds_of, skipped
from .baselines import baseline_notes, final_score
from .judgement import grown_words
from .selection import best_note, best_rows, in_order, named

UP = "bits_up_per_client"
BITS = {  # columns of bits, in the order of their importance
    UP: "up/client", "bits_down_per_client": "down/client", "bits_up_largest_client": "up, largest client",
    "bits_up_payload": "up, all clients", "bits_up_model": "up, all clients, the paper's own count",
    "bits_down_payload": "down, all clients",
    "bits_edges_payload": "edges, all nodes", "bits_edges_model": "edges, all nodes, the paper's own count",
}
OF_ALL = ("bits_up_payload", "bits_down_payload", "bits_edges_payload", "bits_edges_model")  # and not of one client
HEADINGS = {
    "short_label": "method", "mode": "mode", "seeds": "seeds", "rounds": "rounds",
    "simulated_time": "simulated time", "objective_final": "objective f",
    "objective_best": "least f", "utility": "mean |grad f|²", "accuracy": "accuracy",
    "test_error": "test error", "baseline_score": "best constant", **BITS, "wall_seconds": "wall time",
    "rounds_per_second": "rounds/s",
    "epsilon_nominal": "nominal ε", "epsilon_accounted": "ε spent", "claim_status": "private",
}
UTILITY_NOTE = "mean |grad f|²: squared norm of the gradient of the objective f, mean over the evaluated states"


def final_figures(runs: Sequence[Run], best_of: Sequence[str] = (), sort: str | None = None) -> pd.DataFrame:
    """Returns one row per group of runs. Numbers are medians over the seeds for results, at the last evaluated state.
    With `best_of` only the best groups over these settings are returned, sorted by the column `sort`.
    `attrs["differing"]` names the columns in which the terms of the epsilons differ, `attrs["notes"]` has the lines
    below the table."""
    every = sorted((group for group in group_runs(runs) if not all(run.tuning for run in group.runs)), key=_place(runs))
    groups = [replace(group, runs=tuple(run for run in group.runs if not run.tuning)) for group in every]
    figures = pd.DataFrame([_row(group) for group in groups])
    more = skipped(seeds_of(runs))
    if best_of:
        rows, note = _best(every, figures, best_of)
        groups, figures, more = [groups[row] for row in rows], figures.iloc[rows], [*more, note]
    rows = [group.runs for group in groups]
    notes = [UTILITY_NOTE] if figures["utility"].notna().any() else []
    below = baseline_notes([(group.label, [final_score(run) for run in group.runs]) for group in groups])
    notes += ["medians over the seeds"] if any(len(group.runs) > 1 for group in groups) else []
    notes += [*more, *below, *grown_words([(group.label, above_start(group.runs)) for group in groups])]
    notes += [*what_seeds_change(rows), *guarantees.footer(rows, among=runs)]
    figures.attrs |= {"differing": guarantees.differing(rows), "notes": notes,
                      "timed": with_evidence(run for group in groups for run in group.runs)}
    return in_order(figures, sort, HEADINGS) if sort else figures


def _place(runs: Sequence[Run]) -> Callable[[Group], list[tuple]]:
    """Returns the sort key of groups: method, nominal epsilon, and then the settings that differ."""
    names = ["method", "epsilon", *dict.fromkeys(name for run in runs for name in typed_settings(run)), "complete"]

    def place(group: Group) -> list[tuple]:
        asked = float(group.first.attributes["epsilon_nominal"])
        known = typed_settings(group.first) | {"method": group.method, "epsilon": None if math.isnan(asked) else asked,
                                               "complete": not group.first.complete}
        return [rank(known.get(name)) for name in names if name != "seed"]

    return place


def _best(groups: Sequence[Group], figures: pd.DataFrame, words: Sequence[str]) -> tuple[list[int], str]:
    """Returns the rows that are best over the settings named by `words`, and a note on the choice. The groups contain
    the runs for tuning."""
    known = [{name: group.first.attributes[name] for name in ("method", "mode", "name", "ranks", "complete")}
             | settings(group.first.config)
             | {"privacy.epsilon": all_settings(group.first.config).get("privacy.epsilon")} for group in groups]
    differ = [name for name in dict.fromkeys(name for each in known for name in each)
              if len({repr(each.get(name)) for each in known}) > 1]
    over = [name for word in words for name in named(word, differ)]
    columns = {name: "objective_final" if name == "objective" else name for name in METRICS if name in HEADINGS
               or name == "objective"}
    metric = choose({name: figures[column] for name, column in columns.items()})
    column = columns[metric]
    tuning, results = ([float(pd.Series([run_figures(run)[column] for run in group.runs if run.tuning == chosen],
                                        dtype=float).mean()) for group in groups] for chosen in (True, False))
    rows = best_rows(known, results, over, metric, tuning)
    return rows, best_note(over, metric, len(rows), len(groups), tuning)


def _row(group: Group) -> dict:
    """Returns the row of a group: medians over its seeds, and what its runs share."""
    single = pd.DataFrame([run_figures(run) for run in group.runs])
    return {
        "label": group.full,
        "name": group.first.attributes["name"],
        "method": group.method,
        "mode": group.first.attributes["mode"],
        "seeds": len(group.runs),
        "complete": all(run.complete for run in group.runs),
        "diverged": diverged(group.runs),
        **single.median().to_dict(),
        "epsilon_nominal": group.first.attributes["epsilon_nominal"],
        "delta": group.first.attributes["delta"],
        "epsilon_accounted": spent(group.runs),
        "private": all(run.private for run in group.runs),
        "claim_status": guarantees.status_of(group.runs),
        **{part: guarantees.column(group.runs, part) for part in guarantees.PARTS if part != "delta"},
        "short_label": group.label,
    }
