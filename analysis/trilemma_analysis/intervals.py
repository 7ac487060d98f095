"""95 % intervals over seeds: of the median by order statistics, of the mean by Student's t where seeds are few."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MEDIAN_SEEDS = 6  # min to max of fewer values covers the median in less than 95 % of all cases
# The 97.5 % point of Student's t for n values, that is n - 1 degrees of freedom.
STUDENT = {2: 12.706205, 3: 4.302653, 4: 3.182446, 5: 2.776445}
WORDS = {
    "median": "95 % interval of the median by order statistics",
    "mean": "95 % interval of the mean by Student's t",
    "none": "no interval",
}


@dataclass(frozen=True)
class Interval:
    """Median of n values with a 95 % interval; `kind` says of what: "median", "mean", or "none" (then NaN)."""

    n: int
    median: float
    low: float
    high: float
    kind: str


def kind_of(n: int) -> str:
    """What n values allow an interval of: a key of WORDS."""
    return "median" if n >= MEDIAN_SEEDS else "mean" if n >= 2 else "none"


def interval(values: Sequence[float]) -> Interval:
    """Median and 95 % interval of the values that are known."""
    known = np.asarray([value for value in values if not math.isnan(value)], dtype=float)
    if not len(known):
        return Interval(0, math.nan, math.nan, math.nan, "none")
    low, high = bounds(known[np.newaxis, :])
    return Interval(len(known), float(np.median(known)), float(low[0]), float(high[0]), kind_of(len(known)))


def bounds(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the 95 % interval of every row (rows x seeds)."""
    n = values.shape[1]
    if n >= MEDIAN_SEEDS:
        ordered, k = np.sort(values, axis=1), order_of(n)
        return ordered[:, k - 1], ordered[:, n - k]
    if n < 2:
        return np.full(len(values), math.nan), np.full(len(values), math.nan)
    with np.errstate(invalid="ignore", over="ignore"):  # a diverged seed makes the interval unknown
        half = STUDENT[n] * values.std(axis=1, ddof=1) / math.sqrt(n)
        mean = values.mean(axis=1)
        return mean - half, mean + half


def order_of(n: int) -> int:
    """The largest k for which [k-th smallest, k-th largest] of n values covers the median with 95 % or more:
    2 P(Binomial(n, 1/2) < k) <= 5 %."""
    k, below = 0, 1
    while 40 * below <= 2**n:
        k += 1
        below += math.comb(n, k)
    return k
