"""The command `cost`: what privacy costs, as a table and a figure."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence

from ..io.forms import UNKNOWN, epsilon, figure, share_or_figure, signed, signed_points, span
from ..io.run_file import Run
from ..io.words import in_short, wrapped
from ..model import guarantees
from ..model.metrics import METRICS
from ..model.tuning import seeds_of, skipped
from ..plot.cost_words import no_better
from ..stats.cost import NO_PRIVACY, curves_of, losses, metric_of, public_of, without_nominal
from ..stats.paired import mean
from . import options
from .files import gaps_among, read_runs
from .tables import Column, table


def cost_table(runs: Sequence[Run], metric: str = "auto") -> list[dict]:
    """Returns the numbers of the figure: one row per method, claim, terms, nominal epsilon and number of rounds, each
    at its best settings. `lost` is the mean loss against the same method without noise after as many rounds, seed by
    seed, NaN without such runs. `low` and `high` are the ends of 95 % intervals."""
    metric = metric_of(runs, metric)
    curves = curves_of(runs, metric)
    rows = []
    for curve in curves:
        free = None if curve.public else public_of(curve, curves)
        lost = {id(loss.point): loss.over for loss in losses(curve.points, free.points, metric)} if free else {}
        for point in curve.points:
            over = lost.get(id(point), mean([]))
            rows.append({"method": curve.method, "claim": curve.word, "epsilon_nominal": point.nominal,
                         "rounds": point.rounds,
                         "epsilon_accounted": point.spent, metric: point.over.centre, "low": point.over.low,
                         "high": point.over.high, "lost": over.centre, "lost_low": over.low, "lost_high": over.high,
                         **{part: guarantees.column(point.runs, part) for part in guarantees.PARTS}})
    return rows


def cost_text(runs: Sequence[Run], metric: str = "auto", wide: bool = False, gaps: Sequence[str] = ()) -> str:
    """Returns the table for people. `gaps` are sentences on the folders of the runs."""
    metric = metric_of(runs, metric)
    curves = curves_of(runs, metric)
    rows = [curve.runs for curve in curves]
    notes = [*gaps, *no_better([(curve.method, point) for curve in curves for point in curve.points], metric),
             *skipped(seeds_of(runs)), *without_nominal(runs), *guarantees.footer(rows, among=runs)]
    lines = table(_columns(cost_table(runs, metric), metric, guarantees.differing(rows)), wide)
    return "\n".join([*lines, *wrapped(notes if wide else in_short(notes))]) + "\n"


def _columns(rows: Sequence[dict], metric: str, differing: Sequence[str]) -> list[Column]:
    """Returns the columns of the table; losses of shares are in percentage points."""
    is_share = METRICS[metric].is_share
    show = share_or_figure(is_share)
    lost = signed_points if is_share else lambda value: signed(value, figure)
    return [
        Column("method", [row["method"] for row in rows], words=True, stays=True),
        Column("ε", [figure(row["epsilon_nominal"]) for row in rows], stays=True, kind="epsilon"),
        Column("rounds", [f"{row['rounds']:,}" for row in rows], below="{cell} rounds each"),
        Column(METRICS[metric].name, [show(row[metric]) for row in rows], stays=True),
        Column("95 % interval", [span(row["low"], row["high"], show) for row in rows], words=True, firm=True),
        Column("points lost" if is_share else "lost",
               [UNKNOWN if math.isnan(row["lost"]) else lost(row["lost"]) for row in rows], firm=True),
        Column("95 % interval", [span(row["lost_low"], row["lost_high"], lost) for row in rows], words=True, firm=True),
        Column("ε spent",
               [UNKNOWN if row["claim"] == NO_PRIVACY else epsilon(row["epsilon_accounted"]) for row in rows],
               kind="epsilon"),
        Column("claim", [row["claim"] for row in rows], words=True, firm=True),
        *(Column(guarantees.NAMES[part], [row[part] for row in rows], words=True, firm=True) for part in differing),
    ]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Draws what privacy costs each method: how much worse its final metric is than that of its "
        "own runs without noise, against the epsilon that was asked for, at equal rounds and at the best rounds as far "
        "as there are such runs; and the epsilon that was spent where it is another one. Prints the numbers as a "
        "table.")
    parser.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    parser.add_argument("--metric", choices=("auto", *METRICS), default="auto", metavar="NAME",
                        help=f"what is drawn: {', '.join(METRICS)}; auto (default) takes the score on test records "
                             "where there is one, else the mean squared gradient norm")
    parser.add_argument("--absolute", action="store_true", help="draws the metric itself, with lines for runs without "
                        "privacy, in place of what is lost")
    options.add_wide(parser)
    options.add_output(parser)


def run(chosen: argparse.Namespace) -> None:
    """Draws the figure and prints its numbers."""
    from ..plot.cost_figure import draw_cost

    runs = read_runs(chosen.files)
    gaps = gaps_among(chosen.files, runs)
    figure = draw_cost(runs, chosen.metric, options.sheet_of(chosen), chosen.absolute, gaps)
    sys.stdout.write(cost_text(runs, chosen.metric, chosen.wide, gaps))
    options.write(figure, chosen)
