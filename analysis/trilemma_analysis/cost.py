"""What privacy costs: utility against the epsilon that was asked for, and the epsilon that was really spent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from . import captions, figures, style, terms
from .drawable import LARGEST, NOTE
from .groups import Group
from .reader import Run, RunFileError
from .table import wrapped
from .words import TITLE, cut

METRICS = {
    "utility": "Utility: mean of ‖∇f‖² (lower is better)",
    "objective": "Objective f (lower is better)",
    "accuracy": "Test accuracy (higher is better)",
}
PROMISED = {"color": style.SOFT, "linewidth": 0.8}
HEIGHT, LINE = 4.6, 0.19  # inches: without the notes, and of each of their lines


@dataclass(frozen=True)
class Curve:
    """Runs of one method, claim and terms, by nominal epsilon."""

    method: str
    holds: bool
    runs: dict[float, list[Run]]

    @property
    def all_runs(self) -> list[Run]:
        """All runs of the curve."""
        return [run for _, runs in sorted(self.runs.items()) for run in runs]

    def medians(self, column: str) -> list[float]:
        """The last value of a column by nominal epsilon, in medians over the seeds."""
        return [median(float(run.evaluated(column).iloc[-1]) for run in runs) for _, runs in sorted(self.runs.items())]


def draw_cost(runs: Sequence[Run], metric: str = "utility") -> Figure:
    """Left: the last value of `metric` against the nominal epsilon, median over the seeds; solid where the claim
    holds, dashed where it does not. Right: the accounted epsilon of the same runs. Raises RunFileError where no
    run has a nominal epsilon."""
    curves = _curves(runs, metric, LARGEST)
    if not curves:
        raise RunFileError(f"none of the files has both a nominal epsilon and a value of '{metric}'.")
    parts = terms.differing([curve.all_runs for curve in curves])
    labels = [captions.with_terms(cut(curve.method), curve.all_runs, parts) for curve in curves]
    groups = [Group(cut(curve.method), tuple(curve.all_runs)) for curve in curves]
    notes = captions.footnote_of_claims(groups, folded=True)
    notes += [NOTE] if sum(map(_count, curves)) < sum(map(_count, _curves(runs, metric))) else []
    with mpl.rc_context(style.RC):
        looks = _looks(curves)
        marks = _marks(curves, labels, looks)
        below = LINE * len(notes) + 0.26 * -(-len(marks) // 2) + 0.15
        height = HEIGHT + below
        figure = Figure(figsize=(11, height), dpi=150)
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2)
        for curve, look in zip(curves, looks):
            left.plot(sorted(curve.runs), curve.medians(metric), **look)
            right.plot(sorted(curve.runs), curve.medians("epsilon"), **look)
        _dress(left, right, curves, metric)
        figure.legend(handles=marks, loc="lower left", bbox_to_anchor=(0.05, (LINE * len(notes) + 0.1) / height),
                      ncols=2, frameon=False, fontsize=9)
        names = ", ".join(dict.fromkeys(str(run.attributes["data"]).split(",")[0] for run in runs))
        figure.suptitle(cut(f"What privacy costs: {names}", TITLE), x=0.01, ha="left", fontsize=12)
        figure.tight_layout(rect=(0, below / height, 1, 0.97))
        figures.write_notes(figure, notes, LINE * len(notes) - 0.05)
    return figure


def cost_table(runs: Sequence[Run], metric: str = "utility") -> list[dict]:
    """The numbers of the figure: one row a method, nominal epsilon, claim and terms of the epsilon."""
    return [
        {"method": curve.method, "claim": "holds" if curve.holds else "does not hold", "epsilon_nominal": epsilon,
         "epsilon_accounted": accounted, metric: value,
         **{part: terms.column(curve.all_runs, part) for part in terms.PARTS}}
        for curve in _curves(runs, metric)
        for epsilon, accounted, value in zip(sorted(curve.runs), curve.medians("epsilon"), curve.medians(metric))
    ]


def cost_text(runs: Sequence[Run], metric: str = "utility") -> str:
    """The table for people, with the terms of the epsilons in columns where they differ, else below."""
    rows = [curve.all_runs for curve in _curves(runs, metric)]
    same = [part for part in terms.PARTS if part not in terms.differing(rows)]
    table = pd.DataFrame(cost_table(runs, metric)).drop(columns=same, errors="ignore")
    return "\n".join([table.to_string(index=False, float_format="{:.6g}".format),
                      *wrapped(terms.footer(rows))]) + "\n"


def _count(curve: Curve) -> int:
    return len(curve.all_runs)


def _curves(runs: Sequence[Run], metric: str, largest: float = math.inf) -> list[Curve]:
    """Runs that end with a value of the metric and an epsilon of at most `largest`, by what makes a curve."""
    found: dict[tuple, Curve] = {}
    for run in runs:
        nominal = float(run.attributes["epsilon_nominal"])
        ends = [run.evaluated(column) for column in (metric, "epsilon")]
        if not 0 < nominal <= largest or not all(len(values) and abs(values.iloc[-1]) <= largest for values in ends):
            continue
        key = (run.attributes["method"], run.private, terms.terms_of(run))
        found.setdefault(key, Curve(key[0], key[1], {})).runs.setdefault(nominal, []).append(run)
    return list(found.values())


def _looks(curves: Sequence[Curve]) -> list[dict]:
    """Keyword arguments of plot() for every curve: a method has its own colour; a second curve of it with the same
    dashes, which then differs in what is protected, gets a spare one."""
    spare = iter(style.SPARE_COLOURS * (1 + len(curves)))
    own: dict[str, str] = {}
    seen: set[tuple[str, bool]] = set()
    looks = []
    for curve in curves:
        if curve.method not in own:
            own[curve.method] = style.COLOURS.get(curve.method) or next(spare)
        colour = next(spare) if (curve.method, curve.holds) in seen else own[curve.method]
        seen.add((curve.method, curve.holds))
        looks.append({"color": colour, "linewidth": 1.9, **_dashes(curve.holds)})
    return looks


def _dashes(holds: bool) -> dict:
    return {"linestyle": "-" if holds else (0, (5, 2)), "marker": "o" if holds else "x", "markersize": 5}


def _dress(left: Axes, right: Axes, curves: Sequence[Curve], metric: str) -> None:
    epsilons = sorted({epsilon for curve in curves for epsilon in curve.runs})
    for axes in (left, right):
        style.dress(axes)
        axes.set_xscale("log")
        axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
        axes.minorticks_off()
        axes.set_xlabel("nominal ε: what is asked for, or claimed by the published formula")
    left.set_ylabel(METRICS[metric])
    right.set_ylabel("accounted ε: what is really spent")
    right.plot(epsilons, epsilons, **PROMISED)
    for axes, column in ((left, metric), (right, "epsilon")):
        least = min(min(curve.medians(column)) for curve in curves)
        style.value_axis(axes, "percent" if column == "accuracy" else "log" if least > 0 else "linear")


def _marks(curves: Sequence[Curve], labels: Sequence[str], looks: Sequence[dict]) -> list[Line2D]:
    words = {True: "solid: noise by the accountant, the claim holds", False: "dashed: the claim does not hold"}
    return [
        *(Line2D([], [], **look, label=label) for look, label in zip(looks, labels)),
        *(Line2D([], [], color=style.INK, label=words[holds], **_dashes(holds))
          for holds in (True, False) if any(curve.holds is holds for curve in curves)),
        Line2D([], [], **PROMISED, label="as promised: accounted = nominal"),
    ]
