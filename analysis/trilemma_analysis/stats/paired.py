"""Means over seeds and paired differences of seeds, with their 95 % interval by Student's t. Tables and figures show
medians (intervals.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

LEVEL = 0.975  # of a two-sided interval of 95 %


@dataclass(frozen=True)
class Mean:
    """Mean of n values with its 95 % interval; `kind` is "mean", or "none" where there is no interval (ends NaN)."""

    n: int
    centre: float
    low: float
    high: float
    kind: str

    @property
    def contains_zero(self) -> bool:
        """Returns whether 0 lies in the interval; False without an interval."""
        return self.low <= 0 <= self.high

    @property
    def is_zero(self) -> bool:
        """Returns whether all values are 0."""
        return self.low == self.high == 0

    def within(self, least: float, most: float) -> Mean:
        """Returns the mean with its interval cut at the possible values; unchanged without an interval.

        >>> Mean(2, 0.9, 0.6, 1.2, "mean").within(0, 1).high
        1
        """
        return self if math.isnan(self.low) else replace(self, low=max(self.low, least), high=min(self.high, most))


def mean(values: Sequence[float]) -> Mean:
    """Returns the mean of the known values, with its 95 % interval: mean -+ t s / sqrt(n)."""
    known = np.asarray([value for value in values if not math.isnan(value)], dtype=float)
    n = len(known)
    if n < 2:
        return Mean(n, float(known[0]) if n else math.nan, math.nan, math.nan, "none")
    with np.errstate(invalid="ignore", over="ignore"):  # a diverged seed makes the interval unknown
        centre, half = float(known.mean()), float(stdtrit(n - 1, LEVEL) * known.std(ddof=1) / math.sqrt(n))
    return Mean(n, centre, centre - half, centre + half, "mean")
