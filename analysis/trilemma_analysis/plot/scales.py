"""The y axis of a metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from ..io.forms import of_metric
from ..io.run_file import Run
from ..io.words import Warn
from ..model.groups import task_but_seeds
from ..model.metrics import METRICS, SCORES
from ..stats.baselines import baseline_notes, final_score
from ..stats.paired import mean
from . import names, style
from .captions import NOTHING_LEARNT
from .series import Series

LOG_RATIO = 2.5  # a log axis from this ratio of its ends on
SPREADS = 2.0  # of the medians, or of a typical interval: what intervals may take beyond the medians
# Nodes start at the same model; a log axis leaves the zero out, and a linear one would hide all small distances.
ZERO_AT_START = ("consensus_error", "consensus_most")
LEAST_PERCENT = 0.02  # of accuracies: a narrower axis would make differences look large that mean nothing
CUT = "intervals that leave a panel are cut"
BASELINE_ID = "best constant model"
BASELINE = {"color": style.INK, "linewidth": 0.7}


@dataclass(frozen=True)
class Scale:
    """The y axis of a metric: linear or log, its ends, and whether intervals leave it."""

    log: bool
    low: float
    high: float
    cut: bool

    @property
    def span(self) -> float:
        """Returns the length of the axis, in decades for a log axis."""
        return math.log10(self.high / self.low) if self.log else self.high - self.low

    @property
    def notes(self) -> list[str]:
        """Returns the notes for the caption."""
        return [CUT] if self.cut else []


def scale_of(medians: np.ndarray, lows: np.ndarray, highs: np.ndarray, metric: str) -> Scale:
    """Returns an axis for the medians, and for their intervals as far as they do not squeeze the medians."""
    known = np.isfinite(medians)
    if metric in ZERO_AT_START and (medians[known] > 0).any():
        known &= medians > 0
    medians = medians[known]
    lows, highs = (np.where(np.isfinite(ends[known]), ends[known], medians) for ends in (lows, highs))
    least, most = medians.min(), medians.max()
    log = bool(metric != "accuracy" and least > 0 and most > LOG_RATIO * least)
    if log:
        low, high = np.maximum(lows, least / 2).min(), np.minimum(highs, most * 2).max()
        room = (high / low) ** 0.06
        return Scale(log, low / room, high * room, bool((lows < low).any() or (highs > high).any()))
    width = float(np.median(highs - lows)) if np.isfinite(highs - lows).all() else 0.0
    spread = max(most - least, width) or max(0.05 * abs(most), 1e-12)
    low, high = np.maximum(lows, least - SPREADS * spread).min(), np.minimum(highs, most + SPREADS * spread).max()
    if metric == "accuracy":
        middle = (low + high) / 2
        low, high = min(low, middle - LEAST_PERCENT / 2), max(high, middle + LEAST_PERCENT / 2)
    room = 0.06 * (high - low) or 0.06 * spread
    return Scale(log, low - room, high + room, bool((lows < low).any() or (highs > high).any()))


def scale_of_ends(series: Sequence[Series], metric: str) -> Scale:
    """Returns the y axis of final values; from 0 to 1 if all runs diverged."""
    known = [each.over for each in series if not each.gone]
    ends = scale_of(*(np.array([getattr(over, name) for over in known]) for name in ("median", "low", "high")),
                    metric) if known else Scale(False, 0.0, 1.0, False)
    return widened(ends, baseline(runs_of(series), metric))


def widened(scale: Scale, lines: Sequence[float]) -> Scale:
    """Returns the axis with room for lines across that are close to the drawn values."""
    span = scale.high - scale.low
    near = [line for line in lines if scale.low - span < line < scale.high + span]
    low = min([scale.low, *(line - 0.06 * span for line in near)])
    high = max([scale.high, *(line + 0.06 * span for line in near)])
    return scale if scale.log else Scale(scale.log, low, high, scale.cut)


def runs_of(series: Sequence[Series]) -> list[Run]:
    """Returns the runs of the series."""
    return [run for each in series for run in each.combination.runs]


def baseline(runs: Iterable[Run], metric: str) -> list[float]:
    """Returns the score of the best constant model on every task, if the run files have it. It is the mean over the
    splits of a task."""
    if metric not in SCORES:
        return []
    found: dict[tuple, set[float]] = {}
    for run in runs:
        score = float(run.attributes.get("baseline_score", math.nan))
        if math.isfinite(score):
            found.setdefault(task_but_seeds(run), set()).add(score)
    return sorted({float(np.mean(sorted(scores))) for scores in found.values()})


def dress(axes: Axes, scale: Scale, metric: str, title: str, label: str) -> None:
    """Gives a panel of a metric its axes and words."""
    style.dress(axes)
    if scale.log:
        axes.set_yscale("log")
    axes.set_ylim(scale.low, scale.high)
    if scale.log:
        style.log_axis(axes.yaxis, scale.low, scale.high)
    else:
        style.linear_axis(axes.yaxis, scale.low, scale.high, percent=METRICS[metric].is_share)
    axes.set_title(title, loc="left")
    axes.set_xlabel(label)
    axes.set_ylabel(METRICS[metric].axis + (" (log)" if scale.log else ""))


def draw_baseline(axes: Axes, scale: Scale, runs: Iterable[Run], metric: str, named: bool = False) -> list[str]:
    """Draws a line across at the score of the best constant model, with its name at the end if `named`. Returns notes
    on scores that are outside the axis or not known."""
    runs = list(runs)
    found = baseline(runs, metric)
    away = [score for score in found if not scale.low <= score <= scale.high]
    for score in found:
        if score not in away:
            axes.axhline(score, zorder=1.5, gid=BASELINE_ID, **BASELINE)
            if named:
                names.at_end(axes, 1, score, "best constant\nmodel", style.INK, across=True)
    known = {task_but_seeds(run)
             for run in runs if math.isfinite(float(run.attributes.get("baseline_score", math.nan)))}
    unknown = len({task_but_seeds(run) for run in runs} - known) if found else 0
    show = [of_metric(score, METRICS[metric].is_share) for score in away]
    return ([f"the {BASELINE_ID} ({', '.join(show)}) lies outside of the axis"] if show else []) + \
        ([f"the {BASELINE_ID} is not known for {unknown} of {unknown + len(known)} tasks"] if unknown else [])


def has_baseline(panels: Sequence[Axes]) -> bool:
    """Returns whether any panel has a line of the best constant model."""
    return any(line.get_gid() == BASELINE_ID for axes in panels for line in axes.get_lines())


def not_learnt(series: Sequence[Series]) -> list[str]:
    """Returns the remarks of tables on the last accuracy or test error, for a figure that shows neither."""
    rows = [(each.name, [final_score(run) for run in each.combination.runs]) for each in series]
    if rows and all(found.n and found.centre <= 0
                    for found in (mean([each.ahead for each in scores]) for _, scores in rows)):
        return [Warn(f"{NOTHING_LEARNT}, which looks at no feature (accuracy or test error, not drawn)")]
    return baseline_notes(rows)


def no_better(series: Sequence[Series], metric: str) -> list[str]:
    """Returns a remark on combinations whose score is no better than that of the best constant model."""
    def better(score: float, constant: list[float]) -> bool:
        return score > max(constant) if METRICS[metric].higher_is_better else score < min(constant)

    worse = [each for each in series
             if not each.gone and (constant := baseline(each.combination.runs, metric))
             and not better(each.over.median, constant)]
    if not worse:
        return []
    if len(worse) == len(series):
        return [Warn(f"{NOTHING_LEARNT}, which looks at no feature")]
    return [f"no better than the best constant model: {', '.join(dict.fromkeys(each.name for each in worse))}"]
