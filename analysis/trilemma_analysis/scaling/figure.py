"""The figures of a scaling study: time, efficiency and what a round consists of; of a comparison, ratios."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..io import forms
from ..io.words import Brief, NO_EVIDENCE, cut, in_rounds, joined
from ..plot import names, style
from ..plot.page import Draw, Sheet, Words, compose
from ..stats import intervals
from ..stats.intervals import Interval
from .model import calibrated, fit
from .points import Compared, Line, Point, Study, efficiency, name_of, scaled
from .text import (answer_compared, answers, compared_lines, details, doubts, in_ranks, on_nodes, with_interval)
from .timing import PARTS

MOST_LINES = 6
MARKERS = {"strong": "o", "weak": "s"}
MOST_BARS = 12
GREY = 1 / 4  # of the axis, at most, for ranks that share cores
DODGE = 0.035  # between lines at the same ranks, as a power of two
PARTS_COLOURS = dict(zip(PARTS, (style.AREA_COLOURS[i] for i in (0, 6, 4, 3, 2))))
PERFECT, MODEL = (0, (1, 2)), (0, (4, 2))  # dashes
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
NOT_SHOWN = ("not shown: evaluation, recording, checkpoints and the start of a run, which are no part of a round; what "
             "another machine or network would do")


class Scene:
    """The lines of a figure, with their looks and the places of their ranks on the axis."""

    def __init__(self, study: Study, lines: Sequence[Line], model: bool = True) -> None:
        self.study, self.lines, self.model = study, lines, model
        kinds = _kinds(lines)
        # By id: lines of the two kinds that are alike have one colour, and markers of their own.
        self.names = {id(line): name_of(line, [other for other in lines if other.kind == line.kind]) for line in lines}
        words = list(dict.fromkeys(self.names.values() if len(lines) > len(kinds) else map(str, kinds)))
        colours = dict(zip(words, style.colours(words, False)))
        self.looks = {id(line): {"color": colours.get(self.names[id(line)]) or colours[line.kind],
                                 "marker": MARKERS[line.kind]} for line in lines}
        self.places = places_of(lines)

    def place(self, line: Line, point: Point) -> float:
        """The place of a point: lines at the same ranks next to each other, and placements of one line too."""
        at = next(i for i, other in enumerate(self.lines) if other is line)
        alike = [each for each in line.points if each.ranks == point.ranks]
        way = next(i for i, each in enumerate(alike) if each is point)
        return (self.places[point.ranks] + DODGE * (2 * at - len(self.lines) + 1)
                + DODGE / 2 * (2 * way - len(alike) + 1))


def places_of(lines: Sequence[Line]) -> dict[int, float]:
    """Numbers of ranks on the axis, log2. Those beyond the last one with evidence share at most a quarter of it."""
    ranks = sorted({point.ranks for line in lines for point in line.points})
    last = max((point.ranks for line in lines for point in line.usable), default=ranks[-1])
    beyond = [each for each in ranks if each > last]
    room = math.log2(last / ranks[0]) * GREY / (1 - GREY) or math.inf
    shrink = min(1.0, room / math.log2(beyond[-1] * 1.25 / last)) if beyond else 1.0
    return {each: math.log2(min(each, last)) + shrink * math.log2(max(each, last) / last) for each in ranks}


def draw_scaling(study: Study, sheet: Sheet = Sheet()) -> Figure:
    """Time per round for strong and weak series, efficiency, and the parts of a round."""
    lines = study.lines[:MOST_LINES]
    scene = Scene(study, lines)
    panels: list[Draw] = [partial(_draw_times, scene=scene, kind=kind) for kind in _kinds(lines)]
    panels += [partial(_draw_ratios, scene=scene, of=efficiency, title="Parallel efficiency (dots: nothing lost)"),
               partial(_draw_parts, scene=scene)]
    parts = [Patch(color=PARTS_COLOURS[name], label=words) for name, words in PARTS.items()]
    return compose(sheet, panels, lambda axes: [_entries(scene), parts], partial(_words, scene))


def draw_comparison(studies: Sequence[Study], compared: Sequence[Compared], sheet: Sheet = Sheet()) -> Figure:
    """Time per round of what is compared, and the ratios of the pairs."""
    shown = [each for each in compared if each.ratios][:MOST_LINES]
    lines = tuple({id(line): line for each in shown for line in (each.other, each.line)}.values())
    first = studies[0]
    whole = Study(first.path, " and ".join(study.name for study in studies), first.warm_up, first.axes, lines,
                  simulation=first.simulation)
    scene = Scene(whole, lines, model=False)
    panels: list[Draw] = [partial(_draw_times, scene=scene, kind=kind) for kind in _kinds(lines)]
    panels.append(partial(_draw_compared, compared=shown, scene=scene))
    return compose(sheet, panels, lambda axes: [_entries(scene)], partial(_words_compared, studies, scene, shown))


def _kinds(lines: Sequence[Line]) -> list[str]:
    return [kind for kind in ("strong", "weak") if any(line.kind == kind for line in lines)]


def _draw_line(axes: Axes, scene: Scene, line: Line, values: Sequence[tuple[Point, Interval]]) -> list[float]:
    """Draws points with their intervals, open if they are no evidence, solid where they are; returns what was drawn."""
    look, solid = scene.looks[id(line)], []
    for point, value in values:
        place = scene.place(line, point)
        if math.isfinite(value.low):
            axes.plot([place, place], [value.low, value.high], color=look["color"], linewidth=1.0, zorder=3)
        axes.plot(place, value.median, **look, markersize=5, linestyle="", zorder=4,
                  markerfacecolor="white" if point.doubt else look["color"])
        solid += [] if point.doubt else [(place, value.median)]
        if point.ranks in line.placed_in_several_ways:
            axes.annotate(cut(point.placement.words or "unknown", 16), (place, value.median), xytext=(4, 2),
                          textcoords="offset points", fontsize=0.75 * style.font_size(axes), color=look["color"])
    if solid and not line.placed_in_several_ways:
        axes.plot(*zip(*solid), color=look["color"], linewidth=0.9, alpha=0.6)
    return [number for _, value in values for number in (value.median, value.low, value.high) if math.isfinite(number)]


def _ranks_axis(axes: Axes, scene: Scene) -> None:
    """The axis of ranks, with the numbers that were measured, and a mark over those that share cores."""
    first, *_, last = sorted(scene.places.values())
    axes.set_xlim(first - 0.3, last + 0.3)
    axes.set_xticks(list(scene.places.values()), [str(ranks) for ranks in scene.places])
    axes.set_xlabel("ranks (log)")
    crowded = {point.ranks for line in scene.lines for point in line.points if point.crowded}
    before = [ranks for ranks in scene.places if not crowded or ranks < min(crowded)]
    if crowded:
        left = (scene.places[before[-1]] + scene.places[min(crowded)]) / 2 if before else first - 0.3
        axes.axvspan(left, last + 0.3, color=style.SLOT, zorder=0)
        axes.text(last + 0.27, 0.985, "ranks\nshare cores", transform=axes.get_xaxis_transform(), ha="right", va="top",
                  fontsize=0.85 * style.font_size(axes), color=style.WARNING)


def _draw_times(axes: Axes, scene: Scene, kind: str) -> list[str]:
    lines = [line for line in scene.lines if line.kind == kind]
    drawn, notes = [], []
    for line in lines:
        colour = scene.looks[id(line)]["color"]
        drawn += _draw_line(axes, scene, line, [(point, point.seconds) for point in line.points])
        usable = sorted({point.ranks for point in line.usable} | {line.base.ranks})
        perfect = [line.base.seconds.median * (line.base.ranks / ranks if kind == "strong" else 1.0) for ranks in usable]
        axes.plot([scene.places[ranks] for ranks in usable], perfect, color=colour, linewidth=0.8, linestyle=PERFECT)
        drawn += perfect
        if scene.model and (fitted := fit(line)):
            grid = np.unique(np.rint(np.geomspace(usable[0], usable[-1], 200)).astype(int))
            axes.plot(np.log2(grid), [fitted.seconds(int(ranks)) for ranks in grid], color=colour, linewidth=1.1,
                      linestyle=MODEL)
    low, high = min(drawn) / 1.2, max(drawn) * 1.45
    for line in lines if scene.model else ():
        notes += _draw_calibrated(axes, scene, line, low, high)
    axes.set_yscale("log")
    style.dress(axes)
    _ranks_axis(axes, scene)
    axes.set_ylim(low, high)
    style.log_axis(axes.yaxis, low, high)
    style.label_ticks(axes.yaxis, forms.seconds)
    axes.set_ylabel("time of a round (log)")
    per_rank = sorted({line.clients_per_rank for line in lines if line.clients_per_rank})
    clients = sorted({point.clients for line in lines for point in line.points})
    what = f"{joined(clients)} clients" if kind == "strong" else f"{joined(per_rank)} clients a rank"
    axes.set_title(f"{'SIMULATED time' if scene.study.simulation else 'Time'} of a round, {what}", loc="left")
    for line in (line for line in lines if line.usable and len(lines) > 1):
        end = line.usable[-1]
        names.at_end(axes, scene.place(line, end), end.seconds.median, scene.names[id(line)].replace(", ", ",\n"),
                     scene.looks[id(line)]["color"])
    return ["off the axis, with messages as calibrated: " + "; ".join(notes)] if notes else []


def _draw_calibrated(axes: Axes, scene: Scene, line: Line, low: float, high: float) -> list[str]:
    """Crosses for messages as calibrated; what is off the axis is said, and does not stretch it."""
    notes = []
    for point in line.points:
        if point.ranks > 1 and (network := scene.study.networks.get(point.ranks)):
            value = calibrated(line, point, network)
            if low <= value <= high:
                axes.plot(scene.place(line, point), value, marker="x", markersize=5, color=style.INK, linestyle="", zorder=5)
            else:
                notes.append(f"{name_of(line, scene.lines)} on {in_ranks(point.ranks)} {forms.seconds(value)}")
    return notes


def _draw_ratios(axes: Axes, scene: Scene, of: Callable[[Line, Point], Interval], title: str) -> list[str]:
    base = min(line.base.ranks for line in scene.lines)
    axes.axhline(1.0, color=style.SOFT, linewidth=0.8, linestyle=PERFECT)
    values = [value for line in scene.lines
              for value in _draw_line(axes, scene, line, [(point, of(line, point)) for point in line.points])]
    top = 1.15 * max([*values, 1.0])
    style.dress(axes)
    _ranks_axis(axes, scene)
    axes.set_ylim(0, top)
    style.linear_axis(axes.yaxis, 0, top)
    axes.set_ylabel(f"efficiency over {in_ranks(base)}")
    axes.set_title(title, loc="left")
    return []


def _draw_compared(axes: Axes, compared: Sequence[Compared], scene: Scene) -> list[str]:
    ends = [1.0]
    for each in compared:
        ends += _draw_line(axes, scene, each.line, [(at.point, at.ratio) for at in each.ratios])
    axes.axhline(1.0, color=style.SOFT, linewidth=0.9)
    axes.set_yscale("log")
    style.dress(axes)
    _ranks_axis(axes, scene)
    low, high = min(ends) / 1.15, max(ends) * 1.3
    axes.set_ylim(low, high)
    style.log_axis(axes.yaxis, low, high)
    axes.set_ylabel(f"time of a round, {joined(list(dict.fromkeys(each.words for each in compared)))} (log)")
    axes.set_title("Pair by pair (below 1: faster)", loc="left")
    return []


def _draw_parts(axes: Axes, scene: Scene) -> list[str]:
    """Bars of the parts of a round in seconds, of points that are evidence, under the names of their lines."""
    lines = [line for line in scene.lines if line.usable]
    bars = [(line, point) for line in lines for point in _spread(line.usable, max(2, MOST_BARS // len(lines)))]
    most = max(sum(point.median(name) for name in PARTS) for _, point in bars)
    unit = next(unit for unit, factor in UNITS.items() if most >= factor or unit == "µs")
    place, ticks, before = -1.0, [], None
    for line, point in bars:
        place += 1.0 if line is before else 2.1
        if line is not before:
            axes.annotate(cut(name_of(line, scene.lines), 40), (0, place - 1), ha="left", va="center", xytext=(1, 0),
                          textcoords="offset points", fontsize=0.88 * style.font_size(axes))
        before, start = line, 0.0
        for name in PARTS:
            value = point.median(name) / UNITS[unit]
            axes.barh(place, value, left=start, height=0.78, color=PARTS_COLOURS[name], edgecolor="white", linewidth=0.4)
            start += value
        ticks.append((place, str(point.ranks) + (f": {cut(point.placement.words or 'unknown', 16)}"
                      if len(point.placement.blocks) > 1 or point.ranks in line.placed_in_several_ways else "")))
    style.dress(axes)
    axes.grid(False, axis="y")
    axes.set_ylim(place + 0.6, -0.6)
    axes.set_yticks(*zip(*ticks))
    axes.set_ylabel("ranks")
    axes.set_xlim(0, 1.05 * most / UNITS[unit])
    style.linear_axis(axes.xaxis, 0, 1.05 * most / UNITS[unit])
    axes.set_xlabel(f"time ({unit})")
    axes.set_title("What a round consists of", loc="left")
    there = sum(len(line.points) for line in scene.lines)
    return [f"bars: {len(bars)} of {there} points"] if len(bars) < there else []


def _spread(points: Sequence[Point], most: int) -> list[Point]:
    """At most that many of the points, the first and the last included."""
    return [points[i] for i in sorted({round(at) for at in np.linspace(0, len(points) - 1, min(most, len(points)))})]


def _entries(scene: Scene) -> list[Line2D]:
    points, entries = [point for line in scene.lines for point in line.points], []
    if len(kinds := _kinds(scene.lines)) > 1:
        entries += [Line2D([], [], color=style.SOFT, marker=MARKERS[kind], markersize=5, linestyle="", label=kind)
                    for kind in kinds]
    if why := sorted({point.doubt.value for point in points if point.doubt}):
        entries.append(Line2D([], [], color=style.INK, marker="o", markerfacecolor="white", markersize=5, linestyle="",
                              label=f"open: {NO_EVIDENCE} ({joined(why)})"))
    entries.append(Line2D([], [], color=style.INK, linewidth=0.8, linestyle=PERFECT, label="perfect, from the fewest ranks"))
    if scene.model and any(map(fit, scene.lines)):
        entries.append(Line2D([], [], color=style.INK, linewidth=1.1, linestyle=MODEL, label="model"))
    if scene.model and any(point.ranks in scene.study.networks and point.ranks > 1 for point in points):
        entries.append(Line2D([], [], color=style.INK, marker="x", linestyle="", markersize=5,
                              label="computing as measured, messages as calibrated"))
    return entries


def _of_intervals(scene: Scene) -> str:
    found: dict[str, set[int]] = {}
    for point in (point for line in scene.lines for point in line.points):
        found.setdefault(point.seconds.kind, set()).add(point.seconds.n)
    told = "; ".join(intervals.words(kind, sorted(counts), "repetition") for kind, counts in found.items())
    return Brief(f"points: median over repetitions; bars: {told}; efficiency: median over pairs of one repetition")


def _subtitle(scene: Scene) -> str:
    planned = sorted({point.planned for line in scene.lines for point in line.points})
    return (f"Study {scene.study.name}, {joined(planned)} repetitions, {in_rounds(scene.study.warm_up)} of warm-up left "
            "out")


def _words(scene: Scene, notes: list[str]) -> Words:
    study, lines = scene.study, scene.lines
    more = [f"the first {MOST_LINES} of {len(study.lines)} lines are drawn"] if len(study.lines) > len(lines) else []
    bases = [f"{name_of(line, lines)} {with_interval(line.base.seconds)} on {in_ranks(line.base.ranks)}" for line in lines]
    return Words("SIMULATED: " * bool(study.simulation) + "; ".join(answers(study, brief=True)), _subtitle(scene),
                 [*doubts(study), *study.notes, _of_intervals(scene), *map(Brief, (*more, *notes)), *answers(study), *details(study),
                  f"base: {'; '.join(bases)}", *on_nodes(lines), *_of_fits(lines), NOT_SHOWN])


def _of_fits(lines: Sequence[Line]) -> list[str]:
    """What the models are made of; none where there are no models."""
    told = []
    for line in lines:
        if model := fit(line):
            speed = f"{8 / model.beta / 1e9:.2g} Gbit/s" if model.beta > 0 else "no term in bytes"
            told.append(f"{name_of(line, lines)} {forms.seconds(model.alpha)} a step, {speed}, fitted on "
                        f"{joined(model.fitted)}")
    return [f"model, work / ranks + server + messages: {'; '.join(told)}"] if told else []


def _words_compared(studies: Sequence[Study], scene: Scene, shown: Sequence[Compared], notes: list[str]) -> Words:
    doubted = list(dict.fromkeys(doubt for study in studies for doubt in (*doubts(study), *study.notes)))
    pairs = sorted({at.ratio.n for each in shown for at in each.ratios})
    kinds = sorted({at.ratio.kind for each in shown for at in each.ratios})
    told = "; ".join(intervals.words(kind, pairs, "pair") for kind in kinds)
    return Words("SIMULATED: " * bool(scene.study.simulation) + answer_compared(shown), _subtitle(scene),
                 [*doubted, Brief(f"ratios: median over pairs of one repetition; bars: {told}"), *compared_lines(shown),
                  *on_nodes(scene.lines), *notes, NOT_SHOWN])
