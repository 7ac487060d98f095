"""Means over seeds and paired differences of seeds, with their 95 % interval by Student's t. Tables and figures show
medians (intervals.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# The 97.5 % points of Student's t with 1, 2, ... degrees of freedom.
STUDENT = (12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
           2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963,
           2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272)
NORMAL = 1.959964  # the 97.5 % point of the normal distribution


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
        """Whether 0 lies in the interval; False where there is none."""
        return self.low <= 0 <= self.high


def mean(values: Sequence[float]) -> Mean:
    """Mean of the values that are known, with its 95 % interval: mean -+ t s / sqrt(n)."""
    known = np.asarray([value for value in values if not math.isnan(value)], dtype=float)
    n = len(known)
    if n < 2:
        return Mean(n, float(known[0]) if n else math.nan, math.nan, math.nan, "none")
    with np.errstate(invalid="ignore", over="ignore"):  # a diverged seed makes the interval unknown
        centre, half = float(known.mean()), float(student(n - 1) * known.std(ddof=1) / math.sqrt(n))
    return Mean(n, centre, centre - half, centre + half, "mean")


def student(degrees: int) -> float:
    """The 97.5 % point of Student's t, to 1e-4 (beyond the table by the expansion of Abramowitz and Stegun 26.7.5)."""
    if degrees <= len(STUDENT):
        return STUDENT[degrees - 1]
    x = NORMAL
    return x + (x**3 + x) / (4 * degrees) + (5 * x**5 + 16 * x**3 + 3 * x) / (96 * degrees**2)
