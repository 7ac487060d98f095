"""Intervals of the median over seeds, by order statistics: of 95 % where there are seeds enough, else min to max."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrik

MEDIAN_SEEDS = 6  # min to max of fewer values covers the median in less than 95 % of all cases


@dataclass(frozen=True)
class Interval:
    """Median of n values with an interval; `kind` says which: "median" (95 %), "range" (min to max), or "none" (then
    its ends are NaN)."""

    n: int
    median: float
    low: float
    high: float
    kind: str


def kind_of(n: int) -> str:
    """Returns the kind of interval that n values allow."""
    return "median" if n >= MEDIAN_SEEDS else "range" if n >= 2 else "none"


def words(kind: str, counts: Sequence[int], unit: str = "seed") -> str:
    """Returns the description of an interval of a kind over the given numbers of seeds, for a caption."""
    seeds = f"{' or '.join(map(str, sorted(set(counts))))} {unit}{'' if set(counts) == {1} else 's'}"
    if kind == "median":
        return f"95 % interval of the median by order statistics ({seeds})"
    if kind == "range":
        covered = " or ".join(f"{coverage(n):.3g} %" for n in sorted(set(counts)))
        return f"min to max ({seeds}), which covers the true median in {covered} of all cases"
    return f"none for one {unit}"


def coverage(n: int) -> float:
    """Returns how often, in percent, min to max of n values covers the median of their distribution."""
    return 100 * (1 - 2.0 ** (1 - n))


def interval(values: Sequence[float]) -> Interval:
    """Returns median and interval of the values that are known."""
    known = np.asarray([value for value in values if not math.isnan(value)], dtype=float)
    if not len(known):
        return Interval(0, math.nan, math.nan, math.nan, "none")
    low, high = bounds(known[np.newaxis, :])
    return Interval(len(known), float(np.median(known)), float(low[0]), float(high[0]), kind_of(len(known)))


def bounds(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the ends of the interval of every row (rows x seeds)."""
    n = values.shape[1]
    if n < 2:
        return np.full(len(values), math.nan), np.full(len(values), math.nan)
    ordered = np.sort(values, axis=1)
    k = order_of(n) if n >= MEDIAN_SEEDS else 1
    return ordered[:, k - 1], ordered[:, n - k]


def order_of(n: int) -> int:
    """Returns the largest k for which [k-th smallest, k-th largest] of n values covers the median with 95 % or more: 2
    P(Binomial(n, 1/2) < k) <= 5 %."""
    return math.ceil(bdtrik(0.025, n, 0.5))
