"""The figure of the command `network`: time against bandwidth, and times on networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..plot import style
from ..plot.page import Draw, Sheet, Words, compose
from .prediction import Measured, Predicted

MOST_LINES = 12
SEEN = 0.02  # smaller differences cannot be seen on the axis
RATES = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1, "bit/s"))

# How the messages of a prediction travel.
TOPOLOGIES = {"star": "all messages through the link of rank 0",
              "tree": "each with a link of its own, messages forwarded by the MPI library"}


def draw_network(answer: dict[str, Any], runs: Sequence[Predicted], measured: Sequence[Measured],
                 sheet: Sheet = Sheet()) -> Figure:
    """A panel of time against bandwidth, and one for each network on which runs were measured."""
    runs = runs[:MOST_LINES]
    looks = _looks(runs)
    panels: list[Draw] = [partial(_draw_times, answer=answer, runs=runs, looks=looks)]
    panels += [partial(_draw_measured, network=network, runs=runs, looks=looks) for network in measured]
    return compose(sheet, panels, lambda axes: [[Line2D([], [], **look, label=label_of(run))
                                                 for run, look in zip(runs, looks)]],
                   partial(_words, answer, runs))


def label_of(run: Predicted) -> str:
    """Method and compressor with its parameter."""
    return f"{run.method}, {run.label}"


def rate(bandwidth: float) -> str:
    """A bandwidth in bit/s with two digits."""
    rounded = float(f"{bandwidth:.2g}")
    factor, unit = next(((factor, unit) for factor, unit in RATES if rounded >= factor), RATES[-1])
    return f"{rounded / factor:g} {unit}"


def _looks(runs: Sequence[Predicted]) -> list[dict[str, Any]]:
    """Colours tell methods apart, markers and dashes the compressors."""
    methods = list(dict.fromkeys(run.method for run in runs))
    compressors = list(dict.fromkeys(run.compressor for run in runs))
    colours = dict(zip(methods, style.colours(methods, False)))
    looks = dict(zip(compressors, style.looks(len(compressors))))
    return [{"color": colours[run.method], "linestyle": looks[run.compressor].dashes, "linewidth": 1.4,
             "marker": looks[run.compressor].marker, "markersize": 4.0, "markeredgecolor": "white",
             "markeredgewidth": 0.4} for run in runs]


def _until(answer: dict[str, Any]) -> str:
    return "of the whole run" if answer["accuracy"] is None else f"to test accuracy {answer['accuracy']:g}"


def _draw_times(axes: Axes, answer: dict[str, Any], runs: Sequence[Predicted], looks: Sequence[dict]) -> list[str]:
    for run, look in zip(runs, looks):
        axes.plot(run.bandwidths, run.seconds, **look)
    seconds = [value for run in runs for value in run.seconds if not math.isnan(value)]
    axes.set_xscale("log")
    axes.set_yscale("log")
    style.dress(axes)
    style.log_axis(axes.xaxis, *_room([bandwidth for run in runs for bandwidth in run.bandwidths]), prefixes=True)
    style.log_axis(axes.yaxis, *_room(seconds))
    axes.set_xlabel("bandwidth of each link (bit/s)")
    axes.set_ylabel(f"seconds {_until(answer)}")
    axes.set_title("Predicted", loc="left")
    return [*_mark_crossing(axes, answer, runs), *_covered(runs)]


def _covered(runs: Sequence[Predicted]) -> list[str]:
    """Which lines cannot be seen, because others are drawn over them at the same places."""
    found = []
    for i, run in enumerate(runs):
        if all(map(math.isnan, run.seconds)):
            continue
        over = [label_of(other) for other in runs[i + 1:] if run.bandwidths == other.bandwidths and np.allclose(
            run.seconds, other.seconds, rtol=SEEN, equal_nan=True)]
        if over:
            found.append(f"{label_of(run)} takes as long as {' and '.join(over)}, which cover{'s' * (len(over) == 1)} its line")
    return found


def _room(values: Sequence[float]) -> tuple[float, float]:
    return min(values) / 1.15, max(values) * 1.15


def _mark_crossing(axes: Axes, answer: dict[str, Any], runs: Sequence[Predicted]) -> list[str]:
    """Where, of a method with both, the best compressed run becomes slower than the one that sends whole vectors."""
    both = {run.method for run in runs if not run.compressed} \
        & {run.method for run in runs if run.compressed}
    if len(both) != 1:
        return []
    whole = [i for i, run in enumerate(runs) if run.method in both and not run.compressed]
    small = [i for i, run in enumerate(runs) if run.method in both and i not in whole]
    method = both.pop()

    def fastest(which: Sequence[int], place: int) -> float:
        return min((seconds for i in which if not math.isnan(seconds := runs[i].seconds[place])), default=math.inf)

    pays = [fastest(small, place) < fastest(whole, place) for place in range(len(runs[0].bandwidths))]
    if all(pays) or not any(pays) or pays != sorted(pays, reverse=True):
        word = "at every bandwidth drawn" if all(pays) else "at no bandwidth drawn" if not any(pays) else "at some only"
        return [f"the fastest compressed run of {method} beats the uncompressed one {word}"]
    last, first = runs[0].bandwidths[pays.index(False) - 1], runs[0].bandwidths[pays.index(False)]
    exact = [crossing["bandwidth"] for crossing in answer["crossings"]
             if {crossing["below"], crossing["above"]} & set(whole) and crossing["below"] in small
             and last <= crossing["bandwidth"] <= first]
    at = max(exact, default=last)
    axes.axvline(at, color=style.SOFT, linewidth=0.9, linestyle=(0, (1, 1.5)))
    axes.text(at, 0.98, f"below {rate(at)} compression \nof {method} pays ", transform=axes.get_xaxis_transform(), ha="right", va="top",
              fontsize=0.9 * style.font_size(axes), color=style.INK)
    return []


def _draw_measured(axes: Axes, network: Measured, runs: Sequence[Predicted], looks: Sequence[dict]) -> list[str]:
    rows = [(network.seconds.get((run.method, run.compressor), math.nan), i) for i, run in enumerate(runs)]
    rows.sort(key=lambda row: (math.isnan(row[0]), row[0]))
    for place, (seconds, i) in enumerate(rows):
        axes.plot([0, seconds], [place, place], color=looks[i]["color"], linewidth=1.0, alpha=0.5)
        axes.plot(seconds, place, **looks[i] | {"linestyle": "", "markersize": 5.5})
    most = max((seconds for seconds, _ in rows if not math.isnan(seconds)), default=1.0)
    style.dress(axes)
    axes.set_xlim(0, 1.06 * most)
    style.linear_axis(axes.xaxis, 0, 1.06 * most)
    axes.set_yticks(range(len(rows)), [label_of(runs[i]) for _, i in rows])
    axes.invert_yaxis()
    axes.set_xlabel("seconds, fastest first")
    axes.set_title(f"Measured: {network.name}", loc="left")
    return []


def _words(answer: dict[str, Any], runs: Sequence[Predicted], notes: list[str]) -> Words:
    network = answer["networks"][0]
    links = TOPOLOGIES.get(network.get("topology"), "each with a link of its own")
    ranks = f"{network['ranks']} ranks, {links}, {1e3 * network['latency']:g} ms one way"
    beyond = [f"the first {MOST_LINES} of {len(answer['runs'])} runs are drawn"] if len(answer["runs"]) > len(runs) else []
    beyond += [answer["note"]] if answer.get("note") else []
    return Words(f"Which run is done first on a slow network? Seconds {_until(answer)}", ranks,
                 [*notes, *beyond, "predicted from the messages and the computing time of the runs; evaluation, recording and "
                  "checkpoints are skipped"])
