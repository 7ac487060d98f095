"""The final figures of runs: one row for every method and setting, medians over the seeds."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from typing import Any

import pandas as pd

from . import terms
from .groups import Group, group_runs
from .reader import Run

HEADINGS = {
    "label": "method", "mode": "mode", "seeds": "seeds", "rounds": "rounds", "objective_final": "f final",
    "objective_best": "f best", "utility": "utility", "accuracy": "accuracy", "bits_up_model": "bits up",
    "bits_up_payload": "(payload)", "bits_down_model": "bits down", "seconds": "seconds",
    "rounds_per_second": "rounds/s", "epsilon_nominal": "nominal eps", "accounted_epsilon": "accounted eps",
    "claim": "private",
}
NOTE_WIDTH = 118
COUNTS = ("bits_up_model", "bits_up_payload", "bits_down_model")


def final_figures(runs: Sequence[Run]) -> pd.DataFrame:
    """One row a group of runs; numbers are medians over the seeds, at the last evaluated state. `attrs["differing"]`
    names the columns in which the terms of the epsilons differ, `attrs["notes"]` has what stands below the table."""
    groups = group_runs(runs)
    figures = pd.DataFrame([_row(group) for group in groups])
    rows = [group.runs for group in groups]
    figures.attrs |= {"differing": terms.differing(rows), "notes": terms.footer(rows)}
    return figures


def _row(group: Group) -> dict:
    single = pd.DataFrame([run_figures(run) for run in group.runs])
    accounted = dict.fromkeys(str(run.attributes["accounted_epsilon"]) for run in group.runs)
    return {
        "label": group.label,
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
    }


def run_figures(run: Run) -> dict[str, float]:
    """The figures of one run, metrics at the last evaluated state."""
    seconds = float(run.attributes["wall_seconds"])
    last = run.rounds.iloc[-1]
    return {
        "rounds": run.rounds_done,
        "objective_final": last_known(run.evaluated("objective")),
        "objective_best": run.evaluated("objective").min(),
        "utility": last_known(run.evaluated("utility")),
        "accuracy": last_known(run.evaluated("accuracy")),
        **{name: float(last[name]) for name in (*COUNTS, "bits_down_payload", "bits_up_mpi", "bits_down_mpi")},
        "seconds": seconds,
        "rounds_per_second": run.rounds_done / seconds if seconds > 0 else math.nan,
    }


def last_known(values: pd.Series) -> float:
    """The last value of a metric, NaN where there is none."""
    return float(values.iloc[-1]) if len(values) else math.nan


def as_csv(figures: pd.DataFrame) -> str:
    """All figures in full precision."""
    return figures.to_csv(index=False)


def as_json(figures: pd.DataFrame) -> str:
    """All figures as a list of objects; unknown and infinite values are null."""
    return json.dumps(records(figures), indent=2, allow_nan=False) + "\n"


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as objects for JSON; unknown and infinite values are None."""
    rows = table.astype(object).where(table.notna(), None).to_dict(orient="records")
    return [{name: None if isinstance(value, float) and math.isinf(value) else value for name, value in row.items()}
            for row in rows]


def as_text(figures: pd.DataFrame) -> str:
    """The table for people: rounded, bits with decimal prefixes, a star at incomplete runs."""
    differing = figures.attrs["differing"]
    headings = HEADINGS | {part: part for part in differing}
    shown = figures[list(headings)].astype(object)
    for name in ("objective_final", "objective_best", "utility"):
        shown[name] = figures[name].map(lambda value: number(value, ".4g"))
    for name in COUNTS:
        shown[name] = figures[name].map(prefixed)
    shown["accuracy"] = figures["accuracy"].map(lambda value: number(value, ".4f"))
    shown["seconds"] = figures["seconds"].map(lambda value: number(value, ".3g"))
    shown["rounds_per_second"] = figures["rounds_per_second"].map(lambda value: number(value, ",.0f"))
    shown["epsilon_nominal"] = figures["epsilon_nominal"].map(lambda value: number(value, "g"))
    shown["rounds"] = [f"{row.rounds:g}{'' if row.complete else '*'}" for row in figures.itertuples()]
    if "delta" in headings:
        shown["delta"] = figures["delta"].map(lambda value: number(value, "g"))
    left = ("label", "mode", "accounted_epsilon", "claim", *differing)
    words = [i for i, name in enumerate(headings) if name in left]
    lines = aligned([list(headings.values()), *shown.astype(str).values.tolist()], words)
    if not figures["complete"].all():
        lines.append("* incomplete run: not all rounds are in the file")
    return "\n".join([*lines, *wrapped(figures.attrs["notes"])]) + "\n"


def wrapped(notes: Sequence[str]) -> list[str]:
    """Notes below a table, as lines that fit into a terminal."""
    return [line for note in notes for line in textwrap.wrap(note, NOTE_WIDTH, subsequent_indent="  ",
                                                             break_on_hyphens=False)]


def aligned(rows: list[list[str]], words: Sequence[int]) -> list[str]:
    """Lines of a table whose first row is its heading; columns of words stand left, numbers right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if i in words else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return lines


def number(value: float, form: str) -> str:
    """The number in a format, or a dash where it is not known."""
    return "-" if math.isnan(value) else format(value, form)


def prefixed(value: float) -> str:
    """Three significant digits with a decimal prefix: 63360 is '63.4 k'."""
    power = 0
    while abs(value) >= 999.5 and power < 5:
        value /= 1000
        power += 1
    return f"{value:.3g} {'kMGTP'[power - 1]}" if power else f"{value:.3g}"
