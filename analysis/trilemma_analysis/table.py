"""The final figures of runs: one row for every method and setting, medians over the seeds."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from . import terms
from .baselines import baseline_notes, final_score
from .finals import run_figures
from .groups import Group, all_settings, group_runs, settings
from .metrics import METRICS, choose
from .reader import Run
from .replicates import what_seeds_change
from .selection import best_note, best_rows, in_order, named
from .sizes import IN_BYTES, size
from .tuning import skipped, seeds_of
from .writing import csv_of

BITS = {  # columns of bits, in the order in which they are shown
    "bits_up_payload": "bytes up", "bits_up_per_client": "per client", "bits_up_largest_client": "largest client",
    "bits_up_model": "(papers' count)", "bits_down_payload": "bytes down",
}
HEADINGS = {
    "short_label": "method", "mode": "mode", "seeds": "seeds", "rounds": "rounds",
    "simulated_time": "simulated time", "objective_final": "f final",
    "objective_best": "f best", "utility": "mean |grad f|^2", "accuracy": "accuracy",
    "test_error": "test error", "baseline_score": "best constant", **BITS, "seconds": "wall seconds",
    "rounds_per_second": "rounds/s",
    "epsilon_nominal": "nominal eps", "accounted_epsilon": "accounted eps", "claim": "private",
}
NOTE_WIDTH = 118
# Columns that are skipped where no row has a value.
UNKNOWN = ("accuracy", "test error", "best constant", "largest client", "simulated time")
UTILITY_NOTE = "mean |grad f|^2: squared gradient norm of the objective, mean over the states evaluated so far"


def final_figures(runs: Sequence[Run], best_of: Sequence[str] = (), sort: str | None = None) -> pd.DataFrame:
    """One row per group of runs; numbers are medians over the seeds for results, at the last evaluated state. With
    `best_of` only the best groups over these settings, sorted by the column `sort`. `attrs["differing"]` names the
    columns in which the terms of the epsilons differ, `attrs["notes"]` has what stands below the table."""
    every = [group for group in group_runs(runs) if not all(run.tuning for run in group.runs)]
    groups = [replace(group, runs=tuple(run for run in group.runs if not run.tuning)) for group in every]
    figures = pd.DataFrame([_row(group) for group in groups])
    more = skipped(seeds_of(runs))
    if best_of:
        rows, note = _best(every, figures, best_of)
        groups, figures, more = [groups[row] for row in rows], figures.iloc[rows], [*more, note]
    rows = [group.runs for group in groups]
    notes = [IN_BYTES, *([UTILITY_NOTE] if figures["utility"].notna().any() else [])]
    below = baseline_notes([(group.label, [final_score(run) for run in group.runs]) for group in groups])
    notes += [*more, *below, *what_seeds_change(rows), *terms.footer(rows, among=runs)]
    figures.attrs |= {"differing": terms.differing(rows), "notes": notes}
    return in_order(figures, sort, HEADINGS) if sort else figures


def _best(groups: Sequence[Group], figures: pd.DataFrame, words: Sequence[str]) -> tuple[list[int], str]:
    """The rows that are best over the settings that words name, and a note on the choice. The groups have the runs for
    tuning too."""
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
    tuning = [float(pd.Series([run_figures(run)[column] for run in group.runs if run.tuning], dtype=float).median())
              for group in groups]
    rows = best_rows(known, figures[column].tolist(), over, metric, tuning)
    return rows, best_note(over, metric, len(rows), len(groups), tuning)


def _row(group: Group) -> dict:
    single = pd.DataFrame([run_figures(run) for run in group.runs])
    accounted = dict.fromkeys(str(run.attributes["accounted_epsilon"]) for run in group.runs)
    return {
        "label": group.full,
        "name": group.first.attributes["name"],
        "method": group.method,
        "mode": group.first.attributes["mode"],
        "seeds": len(group.runs),
        "complete": all(run.complete for run in group.runs),
        **single.median().to_dict(),
        "epsilon_nominal": group.first.attributes["epsilon_nominal"],
        "delta": group.first.attributes["delta"],
        "accounted_epsilon": " | ".join(accounted),
        "private": all(run.private for run in group.runs),
        "claim": terms.claim_cell(group.runs),
        **{part: terms.column(group.runs, part) for part in terms.PARTS if part != "delta"},
        "short_label": group.label,
    }


def as_csv(figures: pd.DataFrame) -> str:
    """All figures in full precision."""
    return csv_of(figures)


def as_json(figures: pd.DataFrame) -> str:
    """All figures as a list of objects; unknown and infinite values are null."""
    return json.dumps(records(figures), indent=2, allow_nan=False) + "\n"


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as objects for JSON; unknown and infinite values are None."""
    rows = table.astype(object).where(table.notna(), None).to_dict(orient="records")
    return [{name: None if isinstance(value, float) and math.isinf(value) else value for name, value in row.items()}
            for row in rows]


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


def wrapped(notes: Sequence[str]) -> list[str]:
    """Notes below a table, as lines that fit into a terminal."""
    return [line for note in notes for line in textwrap.wrap(note, NOTE_WIDTH, subsequent_indent="  ",
                                                             break_on_hyphens=False)]


def aligned(rows: list[list[str]], words: Sequence[int], may_go: Sequence[str] = ()) -> list[str]:
    """Lines of a table whose first row is its heading; columns of words stand left, numbers right. Columns with a
    heading of `may_go` and no value in any row are skipped."""
    kept = [i for i, column in enumerate(zip(*rows))
            if column[0] not in may_go or any(cell != "-" for cell in column[1:])]
    rows, words = [[row[i] for i in kept] for row in rows], [place for place, i in enumerate(kept) if i in words]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if i in words else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return lines


def rate(value: float) -> str:
    """Rounds per second: whole numbers from 100 on, else three digits."""
    return number(value, ",.0f" if value >= 100 else ".3g")


def number(value: float, form: str) -> str:
    """The number in a format, or a dash where it is not known."""
    return "-" if math.isnan(value) else format(value, form)
