"""The Pareto front of curves: the best value of a metric that any of them has reached, for every budget of bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes

from ..model.metrics import METRICS
from . import style
from .series import Series

FRONT_ID = "best for its bits (Pareto front)"
LOOK = {"color": style.INK, "linewidth": 5.0, "alpha": 0.18, "solid_capstyle": "butt"}
MOST_NAMED = 8  # parts of the front in a caption


@dataclass(frozen=True)
class Step:
    """From these bits on, this curve is the best, with this value."""

    bits: float
    value: float
    name: str


def front(curves: Sequence[tuple[str, pd.DataFrame]], metric: str) -> list[Step]:
    """The steps of the front by ascending bits, each better than all before it. A curve has columns x and median."""
    sign = 1.0 if METRICS[metric].higher_is_better else -1.0
    points = sorted(((x, -sign * y, name) for name, curve in curves for x, y in zip(curve["x"], curve["median"])))
    steps: list[Step] = []
    for x, worse, name in points:
        value = -sign * worse
        if not steps or sign * value > sign * steps[-1].value:
            steps.append(Step(x, value, name))
    return steps


def draw_front(axes: Axes, curves: Sequence[tuple[Series, pd.DataFrame]], metric: str, end: float) -> list[str]:
    """Draws the front up to `end` behind the curves; returns who is on it, for the caption."""
    steps = [step for step in front([(each.name, curve) for each, curve in curves], metric) if 0 < step.bits <= end]
    if not steps:
        return []
    axes.plot([*(step.bits for step in steps), end], [*(step.value for step in steps), steps[-1].value],
              drawstyle="steps-post", zorder=2, gid=FRONT_ID, **LOOK)
    changes = [step for before, step in zip([None, *steps], steps) if before is None or before.name != step.name]
    shown = [f"{step.name} from {style.ENGINEERING(float(f'{step.bits:.3g}'))}bit" for step in changes[:MOST_NAMED]]
    return ["best for its bits: " + "; ".join([*shown, *(["..."] if len(changes) > MOST_NAMED else [])])]
