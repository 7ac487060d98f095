"""What privacy costs: utility against the epsilon that was asked for, and the epsilon that was really spent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from . import style
from .reader import Run, RunFileError

METRICS = {
    "utility": "Utility: mean of ‖∇f‖² (lower is better)",
    "objective": "Objective f (lower is better)",
    "accuracy": "Test accuracy (higher is better)",
}
Curve = dict[float, list[float]]


def draw_cost(runs: Sequence[Run], metric: str = "utility") -> Figure:
    """Left: the last value of `metric` against the nominal epsilon, median over the seeds; solid where the claim
    holds, dashed where it does not. Right: the accounted epsilon of the same runs. Raises RunFileError where no
    run has a nominal epsilon."""
    values, spent = _curves(runs, metric)
    if not values:
        raise RunFileError(f"none of the files has both a nominal epsilon and a value of '{metric}'.")
    with mpl.rc_context(style.RC):
        figure = Figure(figsize=(11, 4.6), dpi=150)
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2)
        methods = list(dict.fromkeys(method for method, _ in values))
        colours = _colours(methods)
        for (method, holds), curve in values.items():
            _line(left, curve, colours[method], holds)
        for (method, holds), curve in spent.items():
            _line(right, curve, colours[method], holds)
        _dress(left, right, values, metric)
        _legend(figure, methods, colours)
        names = ", ".join(dict.fromkeys(str(run.attributes["data"]).split(",")[0] for run in runs))
        figure.suptitle(f"What privacy costs: {names}", x=0.01, ha="left", fontsize=12)
        figure.tight_layout(rect=(0, 0.1, 1, 0.97))
    return figure


def cost_table(runs: Sequence[Run], metric: str = "utility") -> list[dict]:
    """The numbers of the figure: one row a method, nominal epsilon and claim."""
    values, spent = _curves(runs, metric)
    return [
        {"method": method, "claim": "holds" if holds else "does not hold", "epsilon_nominal": epsilon,
         "epsilon_accounted": median(spent[method, holds][epsilon]), metric: median(numbers)}
        for (method, holds), curve in values.items() for epsilon, numbers in sorted(curve.items())
    ]


def _curves(runs: Sequence[Run], metric: str) -> tuple[dict, dict]:
    values: dict[tuple[str, bool], Curve] = defaultdict(lambda: defaultdict(list))
    spent: dict[tuple[str, bool], Curve] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        nominal = float(run.attributes["epsilon_nominal"])
        last = run.evaluated(metric)
        accounted = run.evaluated("epsilon")
        if nominal != nominal or not len(last) or not len(accounted):
            continue
        key = (run.attributes["method"], run.private)
        values[key][nominal].append(float(last.iloc[-1]))
        spent[key][nominal].append(float(accounted.iloc[-1]))
    return values, spent


def _colours(methods: Sequence[str]) -> dict[str, str]:
    spare = [method for method in methods if method not in style.COLOURS]
    return style.COLOURS | {method: style.SPARE_COLOURS[i % len(style.SPARE_COLOURS)]
                            for i, method in enumerate(spare)}


def _line(axes: Axes, curve: Curve, colour: str, holds: bool) -> None:
    x = sorted(curve)
    axes.plot(x, [median(curve[epsilon]) for epsilon in x], color=colour, linewidth=1.9,
              linestyle="-" if holds else (0, (5, 2)), marker="o" if holds else "x", markersize=5)


def _dress(left: Axes, right: Axes, values: dict, metric: str) -> None:
    epsilons = sorted({epsilon for curve in values.values() for epsilon in curve})
    for axes in (left, right):
        style.dress(axes)
        axes.set_xscale("log")
        axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
        axes.minorticks_off()
        axes.set_xlabel("nominal ε: what is asked for, or claimed by the published formula")
    left.set_ylabel(METRICS[metric])
    right.set_yscale("log")
    right.set_ylabel("accounted ε: what is really spent")
    right.plot(epsilons, epsilons, color=style.SOFT, linewidth=0.8)
    right.annotate("as promised", (epsilons[-1], epsilons[-1]), xytext=(-4, -12), textcoords="offset points",
                   ha="right", color=style.SOFT, fontsize=9)
    if metric == "accuracy":
        style.value_axis(left, "percent")
    else:
        left.set_yscale("log")


def _legend(figure: Figure, methods: Sequence[str], colours: dict[str, str]) -> None:
    marks = [Line2D([], [], color=colours[method], linewidth=1.9, label=method) for method in methods]
    marks.append(Line2D([], [], color=style.INK, marker="o", label="noise by the accountant: the claim holds"))
    marks.append(Line2D([], [], color=style.INK, marker="x", linestyle=(0, (5, 2)),
                        label="published settings: it does not"))
    figure.legend(handles=marks, loc="lower center", ncols=4, frameon=False, fontsize=9)
