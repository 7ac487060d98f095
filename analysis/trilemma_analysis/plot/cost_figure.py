"""What privacy costs: a metric against the epsilon that was asked for, and the epsilon that was really spent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..io.words import cut, in_rounds
from ..model import guarantees, metrics
from ..model.drawable import LARGEST, NOTE
from ..model.finals import last_known
from ..model.groups import Group
from ..model.replicates import what_seeds_change
from ..model.tuning import seeds_of, skipped
from ..stats.baselines import baseline_notes, score
from ..stats.cost import Curve, NO_PRIVACY, Point, curves_of, equal_rounds, least_and_most, without_nominal
from . import captions, scales, style
from .page import Draw, Sheet, Words, compose

Pick = Callable[[Curve], list[Point]]
PROMISED = {"color": style.SOFT, "linewidth": 0.8}
ACROSS = (0, (1, 1.5))
AS_PROMISED = 1.05  # ratio of accounted and nominal epsilon up to which they are the same


@dataclass(frozen=True)
class Line:
    """A curve with its look; `label` has what its epsilon protects where that differs between curves."""

    curve: Curve
    label: str
    colour: str

    @property
    def look(self) -> dict:
        """Keyword arguments of plot()."""
        return {"color": self.colour, "linewidth": 1.5, "linestyle": "-" if self.curve.holds else (0, (5, 2)),
                "marker": "o" if self.curve.holds else "X", "markersize": 4.5, "markeredgewidth": 0.5,
                "markeredgecolor": "white" if self.curve.holds else self.colour}


def draw_cost(runs: Sequence[Run], metric: str = "utility", sheet: Sheet = Sheet()) -> Figure:
    """A panel at equal rounds, one at the rounds of every epsilon that are best on the tuning seeds (or given), and one
    of the epsilon spent where it is not as promised; each as far as the runs allow it. Lines across are runs without
    privacy. Raises RunFileError where no run has a nominal epsilon."""
    curves = curves_of(runs, metric, LARGEST)
    private = [curve for curve in curves if not curve.public]
    if not private:
        raise RunFileError(f"none of the files has both a nominal epsilon and a value of '{metric}'.")
    lines = _lines(curves)
    rounds = equal_rounds(curves)
    picks: dict[str, Pick] = {}
    if rounds is not None:
        picks[f"After {rounds} rounds"] = lambda curve: curve.at(rounds)
    if _rounds_differ(private):
        picks[_rounds_title(private)] = Curve.best
    shows_spent = not all(_as_promised(curve) for curve in private)
    scale = _scale(lines, metric, picks.values())
    panels: list[Draw] = [partial(_draw_metric, lines=lines, metric=metric, pick=pick, title=title, scale=scale)
                          for title, pick in picks.items()]
    if shows_spent:
        panels.append(partial(_draw_spent, lines=[line for line in lines if not line.curve.public]))
    placed = [line for line in lines if any(pick(line.curve) for pick in picks.values())]
    drawn = [line for line in lines if line in placed or (shows_spent and not line.curve.public)]
    unplaced = [line for line in lines if line not in placed]
    lost = [f"{f'{NO_PRIVACY}: ' if line.curve.public else ''}{cut(line.curve.method)} ran for "
            f"{least_and_most([line.curve])} rounds, not {rounds}, so there is no line for it" for line in unplaced]
    lost += without_nominal(runs)
    lost += [NOTE] if len(_tried(curves)) < len(_tried(curves_of(runs, metric))) else []
    return compose(sheet, panels, partial(_legends, drawn),
                   partial(_words, runs, drawn, rounds, metric, unplaced, lost))


def no_better(points: Sequence[tuple[str, Point]], metric: str) -> list[str]:
    """Remarks on points of methods whose score is no better than that of the best constant model."""
    if metric not in metrics.SCORES:
        return []
    return baseline_notes([(f"{method} (ε = {point.nominal:g}, {in_rounds(point.rounds)})",
                            [score(run, metric, last_known(run.evaluated(metric))) for run in point.runs])
                           for method, point in points if not math.isnan(point.nominal)])


def _lines(curves: Sequence[Curve]) -> list[Line]:
    """Curves in the order of their methods: a method has its own colour; a second curve of it with the same dashes,
    which then differs in what is protected, gets a spare one."""
    methods = list(dict.fromkeys(curve.method for curve in curves))
    own = dict(zip(methods, style.colours(methods, False)))
    spare = iter(style.colours([*methods, *range(len(curves))], False)[len(methods):])
    parts = guarantees.differing([curve.runs for curve in curves])
    seen: set[tuple] = set()
    lines = []
    for curve in curves:
        key = (curve.method, curve.holds, curve.public)
        lines.append(Line(curve, captions.with_terms(cut(curve.method), curve.runs, parts),
                          next(spare) if key in seen else own[curve.method]))
        seen.add(key)
    return lines


def _tried(curves: Sequence[Curve]) -> list[Run]:
    return [run for curve in curves for run in curve.tried]


def _tuned(curves: Sequence[Curve]) -> bool:
    """Whether numbers of rounds were tried."""
    return any(curve.tuned for curve in curves)


def _rounds_title(curves: Sequence[Curve]) -> str:
    """What the panel at tuned rounds shows: few seeds may choose a number of rounds that is not best for the others."""
    if not _tuned(curves):
        return "Rounds differ with ε"
    seeds = sorted({run.attributes["seed"] for run in _tried(curves) if run.tuning})
    return f"At the number of rounds that is best\non seed{'s' if len(seeds) > 1 else ''} " \
        f"{', '.join(map(str, seeds))}, shown on the others" if seeds else "At the best number of rounds"


def _best_rounds(curves: Sequence[Curve]) -> str:
    """Which number of rounds is best, by epsilon."""
    chosen = "chosen on the seeds for tuning" if any(run.tuning for run in _tried(curves)) else \
        "chosen on the seeds that are shown, which flatters them"
    return f"best rounds, by ε, {chosen}: " + "; ".join(
        f"{cut(curve.method)}{f' ({NO_PRIVACY})' if curve.public else ''} "
        f"{' | '.join(str(point.rounds) for point in curve.best())}" for curve in curves)


def _rounds_differ(curves: Sequence[Curve]) -> bool:
    return any(len({point.rounds for point in curve.points}) > 1 for curve in curves)


def _as_promised(curve: Curve) -> bool:
    return all(point.nominal / AS_PROMISED <= point.spent <= AS_PROMISED * point.nominal for point in curve.points)


def _scale(lines: Sequence[Line], metric: str, picks: Iterable[Pick]) -> scales.Scale:
    """One y axis for all panels of the metric, so that they can be compared."""
    points = [point for pick in picks for line in lines for point in pick(line.curve)]
    table = pd.DataFrame([vars(point.over) for point in points])
    return scales.widened(scales.scale_of(*(table[name].to_numpy() for name in ("median", "low", "high")), metric),
                          scales.baseline((run for point in points for run in point.runs), metric))


def _draw_metric(axes: Axes, lines: Sequence[Line], metric: str, pick: Pick, title: str,
                 scale: scales.Scale) -> list[str]:
    drawn = [(line, points) for line in lines if (points := pick(line.curve))]
    epsilons = sorted({point.nominal for line, points in drawn if not line.curve.public for point in points})
    for line, points in drawn:
        if line.curve.public:
            axes.axhline(points[0].over.median, color=line.colour, linestyle=ACROSS, linewidth=1.3)
            continue
        x = [point.nominal for point in points]
        axes.plot(x, [point.over.median for point in points], **line.look)
        low, high = [point.over.low for point in points], [point.over.high for point in points]
        if len(points) > 1:
            axes.fill_between(x, low, high, color=line.colour, alpha=0.13, linewidth=0)
        elif math.isfinite(low[0]):
            axes.vlines(x, low, high, color=line.colour, linewidth=1.1)
    tuned = any(len(point.tried) - sum(run.tuning for run in point.tried) > len(point.runs)
                for _, points in drawn for point in points)
    scales.draw_baseline(axes, scale, (run for _, points in drawn for point in points for run in point.runs), metric)
    scales.dress(axes, scale, metric, title + ("\n(each at its best other settings)" if tuned else ""), "nominal ε")
    _epsilons(axes, epsilons)
    return scale.notes


def _draw_spent(axes: Axes, lines: Sequence[Line]) -> list[str]:
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
    axes.set_xscale("log")
    room = (epsilons[-1] / epsilons[0]) ** 0.06 * 1.05
    axes.set_xlim(epsilons[0] / room, epsilons[-1] * room)
    style.ticks_at(axes.xaxis, epsilons)


def _legends(lines: Sequence[Line], panels: Sequence[Axes]) -> list[list[Line2D]]:
    """Methods; and what line styles mean, as far as they are drawn."""
    private = [line for line in lines if not line.curve.public]
    methods: dict[str, list[Line]] = {}
    for line in private:
        methods.setdefault(line.label, []).append(line)
    words = {True: "the claim holds", False: "the claim does not hold"}
    kinds = {line.curve.holds: line for line in private}
    marks = [Line2D([], [], **(kinds[holds].look | {"color": style.INK}), label=words[holds])
             for holds in (True, False) if holds in kinds and len(kinds) > 1]
    across = [Line2D([], [], color=line.colour, linestyle=ACROSS, linewidth=1.3, label=f"{NO_PRIVACY}: {line.label}")
              for line in lines if line.curve.public]
    promised = [] if all(_as_promised(line.curve) for line in private) else \
        [Line2D([], [], **PROMISED, label="as promised: accounted = nominal")]
    colours = [Line2D([], [], **each[0].look, label=label) for label, each in methods.items()]
    constant = [Line2D([], [], label=scales.BASELINE_ID, **scales.BASELINE)] if scales.has_baseline(panels) else []
    return [colours, [*marks, *across, *promised, *constant]]


def _words(among: Sequence[Run], lines: Sequence[Line], rounds: int | None, metric: str, unplaced: Sequence[Line], lost: Sequence[str],
           drawn: Sequence[str]) -> Words:
    runs = [run for line in lines for run in line.curve.runs]
    private = [line.curve for line in lines if not line.curve.public]
    groups = [Group(f"{NO_PRIVACY}: {cut(line.curve.method)}" if line.curve.public else cut(line.curve.method),
                    tuple(line.curve.runs)) for line in lines]
    notes = captions.footnote_of_claims(groups, among)
    if _rounds_differ(private) and _tuned(private):
        notes.append(_best_rounds([line.curve for line in lines]))
    elif _rounds_differ(private):
        notes.append(f"rounds differ with ε ({least_and_most(private)}), so the slope is not that of privacy alone")
    if not any(line.curve.public for line in [*lines, *unplaced]):
        notes.append("no run without privacy is among the files, so there is no line to compare with")
    if all(_as_promised(curve) for curve in private):
        notes.append("the accounted ε is the nominal one, or up to 5 % less")
    shown = {(line.label, repr(point.nominal), point.rounds): point for line in lines
             for point in (line.curve.at(rounds) if rounds else []) + line.curve.best()}
    notes.append(captions.of_intervals([point.over for point in shown.values()]))
    notes += what_seeds_change([point.runs for point in shown.values()])
    notes += no_better([(label, point) for (label, _, _), point in shown.items()], metric)
    notes += skipped(seeds_of(run for line in lines for run in line.curve.tried))
    notes += [*lost, *drawn]
    title = f"What privacy costs in {metrics.METRICS[metric].name} on {captions.data_names(runs)}"
    return Words(title, captions.parts_of(runs), notes)
