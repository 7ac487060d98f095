"""The figure of the command `simulated`: a panel per platform, a line per exchange."""

from __future__ import annotations

from functools import partial

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..io import forms
from ..io.words import Brief, Warn
from ..plot import style
from ..plot.page import Draw, Sheet, Words, compose
from .simulation import Simulated, answer, spikes, title


def draw_simulated(found: Simulated, sheet: Sheet = Sheet()) -> Figure:
    """Draws the median time of a round against the ranks."""
    times, reasons = found.times, spikes(found)
    names = list(next(iter(times.values())))
    looks = {name: {"color": colour, "marker": "o", "linewidth": 1.4, "markersize": 4.5}
             for name, colour in zip(names, style.colours(names, False))}
    alone = [Brief("each rank has a host of its own, where hierarchical does what reduce does")] * found.host_each
    panels: list[Draw] = [partial(_panel, platform, part, looks, [(ranks, why) for where, ranks, why in reasons
                                                                  if where == platform])
                          for platform, part in times.items()]
    return compose(sheet, panels, lambda axes: [[Line2D([], [], **looks[name], label=name) for name in names]],
                   lambda notes: Words(
                       title(found),
                       f"{found.method}, {found.compressor}; {found.clients:,} clients on all ranks together",
                       [*notes, Warn(f"SIMULATED (SimGrid), {found.computing}; no measurement"), *alone,
                        Brief("median time of a round, without evaluation and recording"), answer(found)]))


def _panel(platform: str, times: pd.DataFrame, looks: dict[str, dict], reasons: list[tuple[int, str]],
           axes: Axes) -> list[str]:
    """Draws the panel of a platform."""
    for name in times:
        line = times[name].dropna()
        axes.plot(line.index, line.to_numpy(), **looks[name])
    low, high = times.min().min() / 1.3, times.max().max() * 1.3
    ranks = list(times.index)
    axes.set_xscale("log")
    axes.set_yscale("log")
    style.dress(axes)
    axes.set_xlim(ranks[0] / 1.25, ranks[-1] * 1.25)
    axes.set_xticks(ranks, [f"{each:,}" for each in ranks])
    axes.minorticks_off()
    high *= 1.6 if reasons else 1.0
    axes.set_ylim(low, high)
    style.log_axis(axes.yaxis, low, high)
    style.label_ticks(axes.yaxis, forms.seconds)
    for at, why in reasons:
        axes.annotate(why, (at, times.loc[at].max()), xytext=(0, 10), textcoords="offset points", ha="center",
                      fontsize=0.85 * style.font_size(axes), arrowprops={"arrowstyle": "-", "color": style.SOFT})
    axes.set_xlabel("ranks (log)")
    axes.set_ylabel("SIMULATED time of a round (log)")
    axes.set_title(platform, loc="left")
    return []
