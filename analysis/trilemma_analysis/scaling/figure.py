"""The figures of a scaling study: time, speed-up, efficiency and what a round consists of; of a comparison, ratios."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..io.words import cut
from ..plot import style
from ..plot.page import Draw, Sheet, Words, compose
from ..stats import intervals
from .folder import Line, MISPLACED, Point, StudyFolder
from .model import calibrated, fit
from .parts import draw_parts
from .points import Compared, Ratio, efficiency, name_of, speed_up
from .text import (answer, answer_compared, compared_text, doubts, duration, listed, on_nodes, ranks_of, verdicts,
                   with_interval)

MOST_LINES = 6
DODGE = 0.035  # between lines at the same ranks, as a power of two
TITLES = {("strong",): "Is a round faster on more ranks?",
          ("weak",): "Does a round stay as short when clients grow with the ranks?",
          ("strong", "weak"): "Is a round faster on more ranks, and as short with more clients?"}
NOT_SHOWN = ("not shown: evaluation, recording, checkpoints and the start of a run, which are no part of a round; what "
             "another machine or network would do")


def draw_scaling(study: StudyFolder, sheet: Sheet = Sheet()) -> Figure:
    """Time per round for strong and weak series, speed-up of strong ones, efficiency, and the parts of a round."""
    lines = study.lines[:MOST_LINES]
    looks = _looks(lines)
    kinds = tuple(kind for kind in ("strong", "weak") if any(line.kind == kind for line in lines))
    panels: list[Draw] = [partial(_draw_times, study=study, lines=_of(lines, kind), kind=kind, looks=looks)
                          for kind in kinds]
    if kinds == ("strong",):
        panels.append(partial(_draw_ratio, lines=lines, looks=looks, of=speed_up, label="speed-up", perfect=True))
    panels.append(partial(_draw_ratio, lines=lines, looks=looks, of=efficiency, label="parallel efficiency",
                          perfect=False))
    panels.append(partial(draw_parts, lines=lines))
    entries = _entries(study, lines, looks)
    return compose(sheet, panels, lambda axes: [entries], partial(_words, study, lines, kinds))


def draw_comparison(studies: Sequence[StudyFolder], compared: Sequence[Compared], sheet: Sheet = Sheet()) -> Figure:
    """Time per round of what is compared, and the ratios of the pairs."""
    shown = [each for each in compared if each.ratios][:MOST_LINES]
    lines = list({id(line): line for each in shown for line in (each.other, each.line)}.values())
    looks = _looks(lines)
    whole = StudyFolder(studies[0].path, " and ".join(study.name for study in studies), studies[0].warm_up,
                        studies[0].axes, tuple(lines), simulation=studies[0].simulation)
    panels: list[Draw] = [partial(_draw_times, study=whole, lines=_of(lines, kind), kind=kind, looks=looks, model=False)
                          for kind in dict.fromkeys(line.kind for line in lines)]
    panels.append(partial(_draw_compared, compared=shown, looks=looks))
    entries = _entries(whole, lines, looks, model=False)
    return compose(sheet, panels, lambda axes: [entries], partial(_words_compared, studies, whole, shown))


def _of(lines: Sequence[Line], kind: str) -> list[Line]:
    return [line for line in lines if line.kind == kind]


def _looks(lines: Sequence[Line]) -> dict[int, dict[str, Any]]:
    names = [name_of(line, lines) for line in lines]
    colours, looks = style.colours(names, False), style.looks(len(names))
    return {id(line): {"color": colour, "marker": look.marker} for line, colour, look in zip(lines, colours, looks)}


def _dodged(lines: Sequence[Line], line: Line, ranks: Any) -> Any:
    """Places on the axis: lines at the same ranks next to each other."""
    at = next(i for i, other in enumerate(lines) if other is line)
    return ranks * 2.0 ** (DODGE * (2 * at - len(lines) + 1))


def _point(axes: Axes, look: dict[str, Any], lines: Sequence[Line], line: Line, point: Point, value: Ratio) -> float:
    """Draws a point with its interval, open if the point is no evidence, and with its placement if the same number of
    ranks was placed in several ways; returns its position on the axis."""
    alike = [each for each in line.points if each.ranks == point.ranks]
    at = next(i for i, each in enumerate(alike) if each is point)
    place = _dodged(lines, line, point.ranks) * 2.0 ** (DODGE / 2 * (2 * at - len(alike) + 1))
    if math.isfinite(value.low) and value.low != value.high:
        axes.plot([place, place], [value.low, value.high], color=look["color"], linewidth=1.0, zorder=3)
    axes.plot(place, value.value, marker=look["marker"], markersize=5, color=look["color"], linestyle="", zorder=4,
              markerfacecolor="white" if point.doubt else look["color"])
    if len(alike) > 1:
        axes.annotate(cut(point.placement.words or "unknown", 16), (place, value.value), xytext=(4, 2),
                      textcoords="offset points", fontsize=0.75 * style.font_size(axes), color=look["color"])
    return place


def _ranks_axis(axes: Axes, lines: Sequence[Line]) -> None:
    """The axis of ranks, with the numbers that were measured, and a mark over those that share cores."""
    ranks = sorted({point.ranks for line in lines for point in line.points})
    axes.set_xscale("log", base=2)
    axes.set_xlim(ranks[0] / 1.25, ranks[-1] * 1.25)
    style.ticks_at(axes.xaxis, ranks)
    axes.set_xlabel("ranks")
    crowded = {point.ranks for line in lines for point in line.points if point.crowded}
    if not crowded:
        return
    before = [each for each in ranks if each < min(crowded)]
    left = math.sqrt(before[-1] * min(crowded)) if before else ranks[0] / 1.25
    axes.axvspan(left, ranks[-1] * 1.25, color=style.SLOT, zorder=0)
    axes.text(ranks[-1] * 1.22, 0.985, "ranks share cores", transform=axes.get_xaxis_transform(), ha="right", va="top",
              fontsize=0.85 * style.font_size(axes), color=style.WARNING)


def _draw_times(axes: Axes, study: StudyFolder, lines: Sequence[Line], kind: str, looks: dict[int, dict[str, Any]],
                model: bool = True) -> list[str]:
    everything = [value for line in lines for point in line.points
                  for value in (point.seconds.median, point.seconds.low, point.seconds.high) if value > 0]
    factor, unit = next(((factor, unit) for factor, unit in ((1e6, "µs"), (1e3, "ms"))
                         if max(everything) * factor < 2000),
                        (1.0, "s"))
    for line in lines:
        look, fitted = looks[id(line)], fit(line) if model else None
        grid = np.unique(np.rint(np.geomspace(line.base.ranks, line.points[-1].ranks, 200)).astype(int))
        perfect = [line.base.seconds.median * (line.base.ranks / p if kind == "strong" else 1.0) for p in grid]
        everything += perfect
        axes.plot(grid, factor * np.array(perfect), color=look["color"], linewidth=0.8, linestyle=(0, (1, 2)))
        if fitted:
            modelled = [fitted.seconds(int(p)) for p in grid]
            everything += modelled
            axes.plot(grid, factor * np.array(modelled), color=look["color"], linewidth=1.1, linestyle=(0, (4, 2)))
        for point in line.points:
            at = point.seconds
            place = _point(axes, look, lines, line, point,
                           Ratio(*(factor * value for value in (at.median, at.low, at.high))))
            if model and (network := study.networks.get(point.ranks)) and point.ranks > 1:
                value = calibrated(line, point, network)
                everything.append(value)
                axes.plot(place, factor * value, marker="x", markersize=5, color=style.INK, linestyle="", zorder=5)
    axes.set_yscale("log")
    style.dress(axes)
    _ranks_axis(axes, lines)
    low, high = factor * min(everything) / 1.2, factor * max(everything) * 1.45
    axes.set_ylim(low, high)
    style.log_axis(axes.yaxis, low, high)
    axes.set_ylabel(f"time of a round ({unit})")
    clients = sorted({point.clients for line in lines for point in line.points})
    per_rank = sorted({line.clients_per_rank for line in lines if line.clients_per_rank})
    what = f"{listed(clients)} clients" if kind == "strong" else f"{listed(per_rank)} clients a rank"
    axes.set_title(f"{'SIMULATED time' if study.simulation else 'Time'} of a round, {what}", loc="left")
    return []


def _draw_ratio(axes: Axes, lines: Sequence[Line], looks: dict[int, dict[str, Any]], of: Callable[[Line, Point], Ratio],
                label: str, perfect: bool) -> list[str]:
    """Speed-up or efficiency; `perfect`: whether perfection is as many as ranks, or 1."""
    ranks = sorted({point.ranks for line in lines for point in line.points})
    base = min(line.base.ranks for line in lines)
    axes.plot(ranks, [each / base if perfect else 1.0 for each in ranks], color=style.SOFT, linewidth=0.8,
              linestyle=(0, (1, 2)))
    values = []
    for line in lines:
        for point in line.points:
            found = of(line, point)
            values += [value for value in (found.value, found.low, found.high) if math.isfinite(value)]
            _point(axes, looks[id(line)], lines, line, point, found)
    top = 1.15 * max([*values, ranks[-1] / base if perfect else 1.0])
    style.dress(axes)
    _ranks_axis(axes, lines)
    if perfect:
        axes.set_yscale("log")
        axes.set_ylim(low := 0.8 * min([1.0, *values]), 1.3 * top)
        style.log_axis(axes.yaxis, low, 1.3 * top)
    else:
        axes.set_ylim(0, top)
        style.linear_axis(axes.yaxis, 0, top)
    axes.set_ylabel(f"{label} over {ranks_of(base)}")
    axes.set_title("Speed-up (dots: as many as ranks)" if perfect else "Parallel efficiency (dots: nothing lost)",
                   loc="left")
    return []


def _draw_compared(axes: Axes, compared: Sequence[Compared], looks: dict[int, dict[str, Any]]) -> list[str]:
    lines = [each.line for each in compared]
    ends = [1.0]
    for each in compared:
        for at in each.ratios:
            found = Ratio(at.ratio.median, at.ratio.low, at.ratio.high)
            ends += [value for value in (found.value, found.low, found.high) if math.isfinite(value)]
            _point(axes, looks[id(each.line)], lines, each.line, at.point, found)
    axes.axhline(1.0, color=style.SOFT, linewidth=0.9)
    axes.set_yscale("log")
    style.dress(axes)
    _ranks_axis(axes, lines)
    low, high = min(ends) / 1.15, max(ends) * 1.3
    axes.set_ylim(low, high)
    style.log_axis(axes.yaxis, low, high)
    words = listed(list(dict.fromkeys(each.words for each in compared)))
    axes.set_ylabel(f"time of a round, {words}")
    axes.set_title("Pair by pair (below 1: faster)", loc="left")
    return []


def _entries(study: StudyFolder, lines: Sequence[Line], looks: dict[int, dict[str, Any]],
             model: bool = True) -> list[Line2D]:
    entries = [Line2D([], [], linestyle="", markersize=5, **looks[id(line)], label=name_of(line, lines))
               for line in lines]
    doubts_there = {point.doubt for line in lines for point in line.points if point.doubt}
    if doubts_there:
        why = "ranks were not placed as asked" if doubts_there == {MISPLACED} else "no core for each rank"
        why += ", or not placed as asked" if MISPLACED in doubts_there and len(doubts_there) > 1 else ""
        entries.append(Line2D([], [], color=style.INK, marker="o", markerfacecolor="white", markersize=5, linestyle="",
                              label=f"open: {why}, no evidence of time"))
    entries.append(Line2D([], [], color=style.INK, linewidth=0.8, linestyle=(0, (1, 2)),
                          label="perfect, from the fewest ranks"))
    if model and any(map(fit, lines)):
        entries.append(Line2D([], [], color=style.INK, linewidth=1.1, linestyle=(0, (4, 2)), label="model"))
    if model and any(point.ranks in study.networks and point.ranks > 1 for line in lines for point in line.points):
        entries.append(Line2D([], [], color=style.INK, marker="x", linestyle="", markersize=5,
                              label="computing as measured, messages as calibrated"))
    return entries


def _of_intervals(lines: Sequence[Line]) -> str:
    found: dict[str, set[int]] = {}
    for line in lines:
        for point in line.points:
            found.setdefault(point.seconds.kind, set()).add(point.seconds.n)
    told = "; ".join(intervals.words(kind, sorted(counts), "repetition") for kind, counts in found.items())
    return (f"points: median over repetitions of a run's mean; bars: {told}; ratios: median over pairs of one "
            "repetition, with the same interval")


def _subtitle(study: StudyFolder, lines: Sequence[Line], answers: Sequence[str]) -> str:
    planned = sorted({point.planned for line in lines for point in line.points})
    return (f"{'; '.join(answers)}. Study {study.name}, {listed(planned)} repetitions, {study.warm_up} "
            f"round{'s' * (study.warm_up != 1)} of warm-up left out")


def _words(study: StudyFolder, lines: Sequence[Line], kinds: tuple[str, ...], notes: list[str]) -> Words:
    more = [f"the first {MOST_LINES} of {len(study.lines)} lines are drawn"] if len(study.lines) > len(lines) else []
    bases = [f"{name_of(line, lines)} {with_interval(line.base.seconds)} on {ranks_of(line.base.ranks)}"
             for line in lines]
    answers = [answer([line for line in lines if line.series == name], lines)
               for name in dict.fromkeys(line.series for line in lines)]
    return Words("SIMULATED: " * bool(study.simulation) + TITLES[kinds], _subtitle(study, lines, answers),
                 [*doubts(study), *study.notes, *verdicts(study), f"base: {'; '.join(bases)}", *on_nodes(lines),
                  *_of_fits(lines), *more, *notes, _of_intervals(lines), NOT_SHOWN])


def _of_fits(lines: Sequence[Line]) -> list[str]:
    """What the models are made of and how far they are off; none where there are no models."""
    told = []
    for line in lines:
        if model := fit(line):
            speed = f"{8 / model.beta / 1e9:.2g} Gbit/s" if model.beta > 0 else "no term in bytes"
            told.append(f"{name_of(line, lines)} {duration(model.alpha)} a step, {speed}, fitted on "
                        f"{listed(model.fitted)}, off "
                        f"by {100 * model.error:.0f} % in the median on {listed(model.checked)}")
    return [f"model, work / ranks + server + messages: {'; '.join(told)}"] if told else []


def _words_compared(studies: Sequence[StudyFolder], whole: StudyFolder, shown: Sequence[Compared],
                    notes: list[str]) -> Words:
    words = list(dict.fromkeys(each.words for each in shown))
    title = f"Is {words[0].replace(' over ', ' faster than ')}?" if len(words) == 1 else "Which is faster?"
    title = "SIMULATED: " * bool(whole.simulation) + title
    doubted = list(dict.fromkeys(doubt for study in studies for doubt in (*doubts(study), *study.notes)))
    pairs = sorted({at.ratio.n for each in shown for at in each.ratios})
    kinds = sorted({at.ratio.kind for each in shown for at in each.ratios})
    told = "; ".join(intervals.words(kind, pairs, "pair") for kind in kinds)
    return Words(title, _subtitle(whole, whole.lines, [answer_compared(shown)]),
                 [*doubted, *compared_text(shown).splitlines(), *on_nodes(whole.lines),
                  f"ratios: median over pairs of one repetition; bars: {told}", *notes, NOT_SHOWN])
