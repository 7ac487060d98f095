"""The figures of a scaling study: time, efficiency and what a round consists of; of a comparison, ratios."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

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
from .points import Line, Point, Ratio, Study, efficiency, name_of
from .text import answer_compared, answers, compared_lines, details, doubts, in_ranks, on_nodes
from .timing import PARTS

MOST_LINES = 6
MOST_BARS = 12
MARKERS = {"strong": "o", "weak": "s"}
GREY = 1 / 4  # of the axis, at most, for ranks without evidence
ROOM = 0.3  # next to the first and the last ranks, as a power of two
DODGE = 0.035  # between lines at the same ranks, as a power of two
PARTS_COLOURS = dict(zip(PARTS, (style.AREA_COLOURS[i] for i in (0, 6, 4, 3, 2))))
PERFECT, MODEL = (0, (1, 2)), (0, (4, 2))  # dashes
NOT_SHOWN = ("not shown: evaluation, recording, checkpoints and the start of a run, which are no part of a round; what "
             "another machine or network would do")


class Scene:
    """The lines of a figure, with their colours and the places of their ranks on the axis."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.kinds = [kind for kind in MARKERS if any(line.kind == kind for line in lines)]
        self.places = places_of(lines)
        # Lines that differ in the kind alone have one colour; markers tell the kinds apart.
        alike = [name_of(line, [other for other in lines if other.kind == line.kind]) for line in lines]
        colours = dict(zip(dict.fromkeys(alike), style.colours(list(dict.fromkeys(alike)), False)))
        self.colours = {id(line): colours[name] for line, name in zip(lines, alike)}

    def place(self, line: Line, point: Point) -> float:
        """Returns the place of a point: lines at the same ranks are next to each other, and so are placements of one
        line."""
        at = next(i for i, other in enumerate(self.lines) if other is line)
        alike = [each for each in line.points if each.ranks == point.ranks]
        way = next(i for i, each in enumerate(alike) if each is point)
        return self.places[point.ranks] + DODGE * (2 * at - len(self.lines) + 1 + way - (len(alike) - 1) / 2)


def places_of(lines: Sequence[Line]) -> dict[int, float]:
    """Returns numbers of ranks on the axis, log2. Those beyond the last one with evidence share at most a quarter of
    it."""
    ranks = sorted({point.ranks for line in lines for point in line.points})
    last = max((point.ranks for line in lines for point in line.usable), default=ranks[-1])
    room = math.log2(last / ranks[0]) * GREY / (1 - GREY) or math.inf
    shrink = min(1.0, room / math.log2(ranks[-1] * 1.25 / last))
    return {each: math.log2(min(each, last)) + shrink * math.log2(max(each, last) / last) for each in ranks}


def draw_scaling(study: Study, sheet: Sheet = Sheet()) -> Figure:
    """Draws the time per round for strong and weak series, efficiency, and the parts of a round."""
    scene = Scene(study.lines[:MOST_LINES])
    panels: list[Draw] = [partial(_draw_times, study=study, scene=scene, kind=kind) for kind in scene.kinds]
    panels += [partial(_draw_efficiency, scene=scene), partial(_draw_parts, scene=scene)]
    parts = [Patch(color=PARTS_COLOURS[name], label=words) for name, words in PARTS.items()]
    return compose(sheet, panels, lambda axes: [_entries(study, scene), parts], partial(_words, study, scene))


def draw_comparison(studies: Sequence[Study], ratios: Sequence[Ratio], sheet: Sheet = Sheet()) -> Figure:
    """Draws the ratios of the pairs."""
    scene = Scene(list({id(each.line): each.line for each in ratios}.values())[:MOST_LINES])
    return compose(sheet, [partial(_draw_compared, ratios=ratios, scene=scene)],
                   lambda axes: [_entries(None, scene)], partial(_words_compared, studies, ratios))


def _draw_line(axes: Axes, scene: Scene, line: Line, values: Sequence[tuple[Point, Interval]],
               among: Sequence[Line]) -> list[float]:
    """Draws points with their intervals, open if they are no evidence, joined where they are, and named if they are not
    alone; returns what was drawn."""
    colour, solid = scene.colours[id(line)], []
    for point, value in values:
        place = scene.place(line, point)
        if math.isfinite(value.low):
            axes.plot([place, place], [value.low, value.high], color=colour, linewidth=1.0, zorder=3)
        axes.plot(place, value.median, marker=MARKERS[line.kind], color=colour, markersize=5, linestyle="", zorder=4,
                  markerfacecolor="white" if point.doubt else colour)
        solid += [] if point.doubt else [(place, value.median)]
        if point.ranks in line.placed_in_several_ways:
            axes.annotate(cut(point.placement.words or "unknown", 16), (place, value.median), xytext=(4, 2),
                          textcoords="offset points", fontsize=0.75 * style.font_size(axes), color=colour)
    if solid and not line.placed_in_several_ways:
        axes.plot(*zip(*solid), color=colour, linewidth=0.9, alpha=0.6)
    if solid and len(among) > 1:
        text = name_of(line, among).replace(", ", ",\n")
        if solid[-1][0] < list(scene.places.values())[-1] - ROOM:  # no leader through points that are no evidence
            names.at_point(axes, *solid[-1], text, colour)
        else:
            names.at_end(axes, *solid[-1], text, colour)
    return [number for _, value in values for number in (value.median, value.low, value.high) if math.isfinite(number)]


def _dress(axes: Axes, scene: Scene, low: float, high: float) -> None:
    """Sets the axis of ranks, with the measured numbers and a mark over those that share cores, and the axis of values,
    which is logarithmic unless it begins at 0."""
    places = list(scene.places.values())
    style.dress(axes)
    axes.set_xlim(places[0] - ROOM, places[-1] + ROOM)
    axes.set_xticks(places, [str(ranks) for ranks in scene.places])
    axes.set_xlabel("ranks (log)")
    if crowded := {point.ranks for line in scene.lines for point in line.points if point.crowded}:
        before = [scene.places[ranks] for ranks in scene.places if ranks < min(crowded)]
        left = (before[-1] + scene.places[min(crowded)]) / 2 if before else places[0] - ROOM
        axes.axvspan(left, places[-1] + ROOM, color=style.SLOT, zorder=0)
        axes.text(places[-1] + 0.9 * ROOM, 0.985, "ranks\nshare cores", transform=axes.get_xaxis_transform(),
                  ha="right", va="top", fontsize=0.85 * style.font_size(axes), color=style.WARNING)
    axes.set_yscale("log" if low else "linear")
    axes.set_ylim(low, high)
    (style.log_axis if low else style.linear_axis)(axes.yaxis, low, high)


def _draw_times(axes: Axes, study: Study, scene: Scene, kind: str) -> list[str]:
    """Draws the panel of the time of a round in the lines of a kind."""
    lines = [line for line in scene.lines if line.kind == kind]
    drawn = []
    for line in lines:
        drawn += _draw_line(axes, scene, line, [(point, point.seconds) for point in line.points], lines)
        usable, base = sorted({point.ranks for point in line.usable} | {line.base.ranks}), line.base
        perfect = [base.seconds.median * (base.ranks / ranks if kind == "strong" else 1.0) for ranks in usable]
        drawn += perfect
        look = {"color": scene.colours[id(line)], "linewidth": 0.9}
        axes.plot([scene.places[ranks] for ranks in usable], perfect, linestyle=PERFECT, **look)
        if model := fit(line):
            grid = np.unique(np.rint(np.geomspace(usable[0], usable[-1], 200)).astype(int))
            axes.plot(np.log2(grid), [model.seconds(int(ranks)) for ranks in grid], linestyle=MODEL, **look)
    low, high = min(drawn) / 1.2, max(drawn) * 1.45
    _dress(axes, scene, low, high)
    style.label_ticks(axes.yaxis, forms.seconds)
    axes.set_ylabel("time of a round (log)")
    per_rank = sorted({line.clients_per_rank for line in lines if line.clients_per_rank})
    clients = sorted({point.clients for line in lines for point in line.points})
    what = f"{joined(clients)} clients" if kind == "strong" else f"{joined(per_rank)} clients a rank"
    axes.set_title(f"{'SIMULATED time' if study.simulation else 'Time'} of a round, {what}", loc="left")
    return [note for line in lines for note in _draw_calibrated(axes, study, scene, line)]


def _draw_calibrated(axes: Axes, study: Study, scene: Scene, line: Line) -> list[str]:
    """Draws crosses for messages as calibrated. Crosses outside the axis are named, and do not stretch it."""
    notes, (low, high) = [], axes.get_ylim()
    for point in line.points:
        if point.ranks > 1 and (network := study.networks.get(point.ranks)):
            value = calibrated(line, point, network)
            if low <= value <= high:
                axes.plot(scene.place(line, point), value, marker="x", markersize=5, color=style.INK, zorder=5)
            else:
                notes.append(Brief(f"off the axis: {forms.seconds(value)} with messages as calibrated, "
                                   f"{name_of(line, scene.lines)} on {in_ranks(point.ranks)}"))
    return notes


def _draw_efficiency(axes: Axes, scene: Scene) -> list[str]:
    """Draws the panel of the parallel efficiency of all lines."""
    axes.axhline(1.0, color=style.SOFT, linewidth=0.8, linestyle=PERFECT)
    drawn = [value for line in scene.lines for value in
             _draw_line(axes, scene, line, [(point, efficiency(line, point)) for point in line.points], scene.lines)]
    _dress(axes, scene, 0.0, 1.15 * max([*drawn, 1.0]))
    axes.set_ylabel(f"efficiency over {in_ranks(min(line.base.ranks for line in scene.lines))}")
    axes.set_title("Parallel efficiency (dots: nothing lost)", loc="left")
    return []


def _draw_compared(axes: Axes, ratios: Sequence[Ratio], scene: Scene) -> list[str]:
    """Draws the panel of ratios, pair by pair."""
    drawn = [1.0]
    for line in scene.lines:
        drawn += _draw_line(axes, scene, line, [(each.point, each.ratio) for each in ratios if each.line is line],
                            scene.lines)
    axes.axhline(1.0, color=style.SOFT, linewidth=0.9)
    _dress(axes, scene, min(drawn) / 1.15, max(drawn) * 1.3)
    axes.set_ylabel(f"time of a round, {joined(list(dict.fromkeys(each.words for each in ratios)))} (log)")
    axes.set_title("Pair by pair (below 1: faster)", loc="left")
    there = len({id(each.line) for each in ratios})
    return [Brief(f"the first {MOST_LINES} of {there} lines are drawn")] if there > MOST_LINES else []


def _draw_parts(axes: Axes, scene: Scene) -> list[str]:
    """Draws the panel of bars: parts of a round of points that are evidence, below the names of their lines."""
    lines = [line for line in scene.lines if line.usable]
    place, ticks = -1.0, {}
    for line in lines:
        place += 1.1
        axes.annotate(cut(name_of(line, scene.lines), 40), (0, place), ha="left", va="center", xytext=(1, 0),
                      textcoords="offset points", fontsize=0.88 * style.font_size(axes))
        for point in _spread(line.usable, max(2, MOST_BARS // len(lines))):
            place, start = place + 1.0, 0.0
            for name in PARTS:
                axes.barh(place, point.median(name), left=start, height=0.78, color=PARTS_COLOURS[name],
                          edgecolor="white", linewidth=0.4)
                start += point.median(name)
            several = len(point.placement.blocks) > 1 or point.ranks in line.placed_in_several_ways
            ticks[place] = f"{point.ranks}" + f": {cut(point.placement.words or 'unknown', 16)}" * several
    style.dress(axes)
    axes.grid(False, axis="y")
    axes.set_ylim(place + 0.6, -0.6)
    axes.set_yticks(list(ticks), list(ticks.values()))
    axes.set_ylabel("ranks")
    axes.set_xlabel("time")
    axes.set_xlim(0, high := 1.05 * max(axes.dataLim.x1, 1e-9))
    style.linear_axis(axes.xaxis, 0, high)
    style.label_ticks(axes.xaxis, forms.seconds)
    axes.set_title("What a round consists of", loc="left")
    there = sum(len(line.points) for line in scene.lines)
    return [Brief(f"bars: {len(ticks)} of {there} points")] if len(ticks) < there else []


def _spread(points: Sequence[Point], most: int) -> list[Point]:
    """Returns at most `most` of the points, including the first and the last."""
    return [points[i] for i in sorted({round(at) for at in np.linspace(0, len(points) - 1, min(most, len(points)))})]


def _entries(study: Study | None, scene: Scene) -> list[Line2D]:
    """Returns the legend: kinds of series if there are two, what is no evidence, and with a `study` what lines mean."""
    points = [point for line in scene.lines for point in line.points]
    look = {"color": style.INK, "markersize": 5, "linestyle": "", "linewidth": 0.9}
    entries = [Line2D([], [], **look, marker=MARKERS[kind], label=kind) for kind in scene.kinds if len(scene.kinds) > 1]
    if why := sorted({point.doubt.value for point in points if point.doubt}):
        entries.append(Line2D([], [], **look, marker="o", markerfacecolor="white",
                              label=f"{NO_EVIDENCE}: {joined(why)}"))
    if study:
        entries.append(Line2D([], [], **look | {"linestyle": PERFECT}, label="perfect, from the fewest ranks"))
    if study and (models := list(filter(None, map(fit, scene.lines)))):
        entries.append(Line2D([], [], **look | {"linestyle": MODEL},
                              label=f"model, off by up to {100 * max(model.worst[1] for model in models):.0f} %"))
    if study and any(point.ranks in study.networks and point.ranks > 1 for point in points):
        entries.append(Line2D([], [], **look, marker="x", label="computing as measured, messages as calibrated"))
    return entries


def _of_intervals(found: Sequence[Interval], unit: str) -> str:
    """Returns what the bars of points mean."""
    counts: dict[str, set[int]] = {}
    for each in found:
        counts.setdefault(each.kind, set()).add(each.n)
    return "; ".join(intervals.words(kind, sorted(n), unit) for kind, n in counts.items())


def _words(study: Study, scene: Scene, notes: list[str]) -> Words:
    """Returns the texts of a study."""
    points = [point for line in scene.lines for point in line.points]
    there = len(study.lines)
    beyond = [Brief(f"the first {MOST_LINES} of {there} lines are drawn")] if there > MOST_LINES else []
    of = _of_intervals([point.seconds for point in points], "repetition")
    planned = joined(sorted({point.planned for point in points}))
    return Words("SIMULATED: " * bool(study.simulation) + "; ".join(answers(study, brief=True)),
                 f"Study {study.name}, {planned} repetitions, {in_rounds(study.warm_up)} of warm-up left out",
                 [*doubts(study), *study.notes,
                  Brief(f"points: median over repetitions; bars: {of}"),
                  Brief("efficiency: median over pairs of a repetition"),
                  *beyond, *notes,
                  *answers(study), *details(study), *on_nodes(scene.lines), NOT_SHOWN])


def _words_compared(studies: Sequence[Study], ratios: Sequence[Ratio], notes: list[str]) -> Words:
    """Returns the texts of a comparison."""
    doubted = list(dict.fromkeys(doubt for study in studies for doubt in (*doubts(study), *study.notes)))
    of = _of_intervals([each.ratio for each in ratios], "pair")
    return Words("SIMULATED: " * bool(studies[0].simulation) + answer_compared(ratios),
                 f"Study {' and '.join(study.name for study in studies)}",
                 [*doubted, Brief(f"ratios: median over pairs of one repetition; bars: {of}"), *compared_lines(ratios),
                  *notes, NOT_SHOWN])
