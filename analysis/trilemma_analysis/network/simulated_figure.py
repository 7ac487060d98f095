"""The figure of the command `simulated`: a panel per platform, a line per exchange."""

from __future__ import annotations

from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..plot import style
from ..plot.page import Draw, Sheet, Words, compose
from .simulation import Point, Simulated

SEEN = 0.02  # smaller differences cannot be seen on the axis


def draw_simulated(found: Simulated, sheet: Sheet = Sheet()) -> Figure:
    """Median time of a round against the ranks."""
    exchanges = list(dict.fromkeys(point.exchange for point in found.points))
    looks = {exchange: {"color": colour, "linestyle": look.dashes, "marker": look.marker, "linewidth": 1.4,
                        "markersize": 4.5, "markeredgecolor": "white", "markeredgewidth": 0.4}
             for exchange, colour, look in zip(exchanges, style.colours(exchanges, False), style.looks(len(exchanges)))}
    alone = ["each rank has a host of its own, where hierarchical does what reduce does"] if found.host_each else []
    platforms = list(dict.fromkeys(point.platform for point in found.points))
    panels: list[Draw] = [partial(_panel, [point for point in found.points if point.platform == platform], looks)
                          for platform in platforms]
    return compose(sheet, panels,
                   lambda axes: [[Line2D([], [], **looks[exchange], label=exchange) for exchange in exchanges]],
                   lambda notes: Words(
                       "Which exchange is fastest on how many ranks? A SIMULATION, no measurement",
                       f"{found.method}, {found.compressor}; {found.clients:,} clients on all ranks together; lower is better",
                       [*notes, *alone, f"SIMULATED (SimGrid) on the platforms named above the panels, {found.computing}: "
                        "median time of a round, without evaluation and recording"]))


def _panel(points: list[Point], looks: dict[str, dict], axes: Axes) -> list[str]:
    lines = {exchange: sorted((point.ranks, point.seconds) for point in points if point.exchange == exchange)
             for exchange in looks}
    for exchange, line in lines.items():
        if line:
            axes.plot(*zip(*line), **looks[exchange])
    ranks = sorted({point.ranks for point in points})
    seconds = [point.seconds for point in points]
    axes.set_xscale("log")
    axes.set_yscale("log")
    style.dress(axes)
    axes.set_xlim(ranks[0] / 1.25, ranks[-1] * 1.25)
    axes.set_xticks(ranks, [f"{each:,}" for each in ranks])
    axes.minorticks_off()
    style.log_axis(axes.yaxis, min(seconds) / 1.3, max(seconds) * 1.3)
    axes.set_xlabel("ranks")
    axes.set_ylabel("simulated time of a round (s)")
    axes.set_title(points[0].platform, loc="left")
    return _covered(lines, points[0].platform)


def _ranks(line: list[tuple[int, float]]) -> list[int]:
    return [ranks for ranks, _ in line]


def _covered(lines: dict[str, list], platform: str) -> list[str]:
    """Which lines cannot be seen, because others are drawn over them."""
    found, names = [], list(lines)
    for i, name in enumerate(names):
        over = [other for other in names[i + 1:] if lines[name] and _ranks(lines[name]) == _ranks(lines[other])
                and np.allclose(lines[name], lines[other], rtol=SEEN, atol=0)]
        if over:
            found.append(f"{platform}: {' and '.join(over)} take{'s' * (len(over) == 1)} as long as {name} and "
                         f"cover{'s' * (len(over) == 1)} its line")
    return found
