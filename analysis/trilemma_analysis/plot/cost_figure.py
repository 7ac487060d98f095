"""What privacy costs against the epsilon that was asked for, and the epsilon that was really spent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..io.run_file import Run
from ..model import metrics
from ..stats.baselines import score
from ..stats.cost import NO_PRIVACY, Point
from ..stats.paired import mean
from . import names, scales, style
from .cost_views import Line, Plan, View, plan_of
from .cost_words import HOLLOW, words_of
from .dots import Dot, limits
from .page import Draw, Sheet, compose

FREE = {"color": style.INK, "linewidth": 0.9}
PROMISED = {"color": style.SOFT, "linewidth": 0.8}
ACROSS = (0, (1, 1.5))
OPEN = {"linestyle": "", "marker": "o", "markersize": 4.5, "markerfacecolor": "white", "zorder": 3}
DODGE = 0.012  # of the axis of epsilon, between the marks of two methods


def draw_cost(runs: Sequence[Run], metric: str = "auto", sheet: Sheet = Sheet(), absolute: bool = False,
              gaps: Sequence[str] = ()) -> Figure:
    """Draws what privacy costs each method against its own runs without noise, or with `absolute` the metric itself;
    `gaps` are those of the folders of the runs.

    A panel at equal rounds; one at the rounds that are best for every epsilon, unless they are worse than equal ones on
    the seeds for results; one of the epsilon spent where it is not as promised. Raises RunFileError where no run has a
    nominal epsilon.
    """
    plan = plan_of(runs, metric, absolute)
    panels: list[Draw] = [partial(_draw_lost if plan.lost else _draw_metric, plan=plan, view=view)
                          for view in plan.views]
    panels += [partial(_draw_spent, lines=plan.spent)] if plan.spent else []
    return compose(sheet, panels, partial(_legends, plan), partial(words_of, runs, plan, gaps))


def _draw_lost(axes: Axes, plan: Plan, view: View) -> list[str]:
    """Draws what the methods lose, and the line of no loss."""
    share = metrics.METRICS[plan.metric].is_share
    factor = 100.0 if share else 1.0
    dots = [Dot(*(factor * each for each in (over.centre, over.low, over.high)), line.colour)
            for each in plan.views for line in each.private for _, over in each.marks(line)]
    low, high, cut_off = limits(dots, (0.0,))
    axes.set_ylim(low, high)
    axes.axhline(0, zorder=1.5, **FREE)
    _draw_lines(axes, view, plan.metric, factor)
    style.dress(axes)
    style.linear_axis(axes.yaxis, low, high)
    axes.set_title(view.title, loc="left")
    axes.set_xlabel(_x_label(view))
    axes.set_ylabel(f"{metrics.METRICS[plan.metric].name} lost{' (points)' if share else ''}\n"
                    "0 = as good as without noise")
    return [scales.CUT] if cut_off else []


def _draw_metric(axes: Axes, plan: Plan, view: View) -> list[str]:
    """Draws the metric itself, with lines across for runs without privacy."""
    points = [point for each in plan.views for found in each.points.values() for point in found]
    scale = scales.widened(scales.scale_of(*(np.array([getattr(point.over, name) for point in points])
                                             for name in ("centre", "low", "high")), plan.metric),
                           scales.baseline((run for point in points for run in point.runs), plan.metric))
    axes.set_ylim(scale.low, scale.high)
    for line in view.public:
        axes.axhline(view.points[line][0].over.centre, color=line.colour, linestyle=ACROSS, linewidth=1.3)
    scales.draw_baseline(axes, scale, (run for found in view.points.values() for point in found for run in point.runs),
                         plan.metric)
    _draw_lines(axes, view, plan.metric, 1.0)
    scales.dress(axes, scale, plan.metric, view.title, _x_label(view))
    for line in view.public:
        names.at_end(axes, axes.get_xlim()[1], view.points[line][0].over.centre, f"{line.label}, {NO_PRIVACY}",
                     line.colour)
    return scale.notes


def _x_label(view: View) -> str:
    """Returns the label of the axis of epsilon, with what marks and intervals are."""
    counts = sorted({over.n for line in view.private for _, over in view.marks(line)})
    seeds = f"{' or '.join(map(str, counts))} seed{'' if counts == [1] else 's'}"
    return f"nominal ε (log)\nmean, 95 % t interval, {seeds}{', paired' if view.lost else ''}"


def _draw_lines(axes: Axes, view: View, metric: str, factor: float) -> None:
    """Draws the private lines with their intervals; methods stand a little apart."""
    epsilons = sorted({point.nominal for line in view.private for point, _ in view.marks(line)})
    _epsilons(axes, epsilons)
    step = (epsilons[-1] / epsilons[0]) ** DODGE if len(epsilons) > 1 else 1.0
    for place, line in enumerate(view.private):
        marks = view.marks(line)
        x = [point.nominal * step ** (place - (len(view.private) - 1) / 2) for point, _ in marks]
        axes.plot(x, [factor * over.centre for _, over in marks], **line.look)
        open_ = [(place, factor * over.centre) for place, (point, over) in zip(x, marks) if _no_better(point, metric)]
        if open_:
            axes.plot(*zip(*open_), gid=HOLLOW, **OPEN | {"color": line.colour})
        for place, (_, over) in zip(x, marks):
            if over.n > 1:
                axes.vlines(place, factor * over.low, factor * over.high, color=line.colour, linewidth=1.1)
        names.at_end(axes, x[-1], factor * marks[-1][1].centre, line.label, line.colour)


def _no_better(point: Point, metric: str) -> bool:
    """Returns whether the mean score of a point is no better than that of the best constant model."""
    return mean([score(run, metric, point.values[run.attributes["seed"]]).ahead for run in point.runs]).centre <= 0


def _draw_spent(axes: Axes, lines: Sequence[Line]) -> list[str]:
    """Draws the accounted epsilon against the nominal one."""
    drawn = [(line, line.curve.best()) for line in lines]
    for line, points in drawn:
        axes.plot([point.nominal for point in points], [point.spent for point in points], **line.look)
    epsilons = sorted({point.nominal for _, points in drawn for point in points})
    axes.plot(epsilons, epsilons, **PROMISED)
    spent = [point.spent for _, points in drawn for point in points] + epsilons
    style.dress(axes)
    if min(spent) > 0:
        low, high = min(spent) / 1.3, max(spent) * 1.3
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        style.log_axis(axes.yaxis, low, high)
    else:
        axes.set_ylim(0, 1.06 * max(spent))
        style.linear_axis(axes.yaxis, 0, 1.06 * max(spent))
    axes.set_title("What is really spent", loc="left")
    axes.set_xlabel("nominal ε")
    axes.set_ylabel("accounted ε")
    _epsilons(axes, epsilons)
    return []


def _epsilons(axes: Axes, epsilons: Sequence[float]) -> None:
    """Gives a panel the axis of epsilon."""
    axes.set_xscale("log")
    room = (epsilons[-1] / epsilons[0]) ** 0.06 * 1.05
    axes.set_xlim(epsilons[0] / room, epsilons[-1] * room)
    style.ticks_at(axes.xaxis, epsilons)


def _legends(plan: Plan, panels: Sequence[Axes]) -> list[list[Line2D]]:
    """Returns the entries for marks and line styles, as far as they differ. Methods are named at the ends of their
    lines."""
    private = [line for line in plan.drawn if not line.curve.public]
    words = {True: "the claim holds", False: "the claim does not hold"}
    kinds = {line.curve.holds: line for line in private}
    marks = [Line2D([], [], **(kinds[holds].look | {"color": style.INK}), label=words[holds])
             for holds in (True, False) if holds in kinds and len(kinds) > 1]
    marks += [Line2D([], [], color=style.INK, linestyle=ACROSS, linewidth=1.3, label=NO_PRIVACY)] \
        if not plan.lost and any(view.public for view in plan.views) else []
    marks += [Line2D([], [], **PROMISED, label="as promised: accounted = nominal")] if plan.spent else []
    marks += [Line2D([], [], label=scales.BASELINE_ID, **scales.BASELINE)] if scales.has_baseline(panels) else []
    marks += [Line2D([], [], label=HOLLOW, **OPEN | {"color": style.INK})] \
        if any(line.get_gid() == HOLLOW for axes in panels for line in axes.get_lines()) else []
    return [marks]
