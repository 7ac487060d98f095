"""What is shown of several seeds, in tables and figures alike: their mean with its 95 % interval by Student's t."""

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
WORDS = {
    "mean": "95 % interval of the mean by Student's t",
    "none": "no interval",
}


@dataclass(frozen=True)
class Interval:
    """Mean of n values with its 95 % interval; `kind` is "mean", or "none" where there is no interval (ends NaN)."""

    n: int
    centre: float
    low: float
    high: float
    kind: str

    @property
    def median(self) -> float:
        """The centre, under the name by which the figures know it."""
        return self.centre

    @property
    def contains_zero(self) -> bool:
        """Whether 0 lies in the interval; False where there is none."""
        return self.low <= 0 <= self.high


def kind_of(n: int) -> str:
    """What n values allow an interval of: a key of WORDS."""
    return "mean" if n >= 2 else "none"


def interval(values: Sequence[float]) -> Interval:
    """Mean and 95 % interval of the values that are known."""
    known = np.asarray([value for value in values if not math.isnan(value)], dtype=float)
    if not len(known):
        return Interval(0, math.nan, math.nan, math.nan, "none")
    low, high = bounds(known[np.newaxis, :])
    return Interval(len(known), float(centres(known[np.newaxis, :])[0]), float(low[0]), float(high[0]),
                    kind_of(len(known)))


def centres(values: np.ndarray) -> np.ndarray:
    """The mean of every row (rows x seeds), which lies in the middle of its interval."""
    with np.errstate(invalid="ignore", over="ignore"):
        return values.mean(axis=1)


def bounds(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the 95 % interval of the mean of every row (rows x seeds): mean -+ t s / sqrt(n)."""
    n = values.shape[1]
    if n < 2:
        return np.full(len(values), math.nan), np.full(len(values), math.nan)
    with np.errstate(invalid="ignore", over="ignore"):  # a diverged seed makes the interval unknown
        half = student(n - 1) * values.std(axis=1, ddof=1) / math.sqrt(n)
        return centres(values) - half, centres(values) + half


def student(degrees: int) -> float:
    """The 97.5 % point of Student's t, to 1e-4 (beyond the table by the expansion of Abramowitz and Stegun 26.7.5)."""
    if degrees <= len(STUDENT):
        return STUDENT[degrees - 1]
    x = NORMAL
    return x + (x**3 + x) / (4 * degrees) + (5 * x**5 + 16 * x**3 + 3 * x) / (96 * degrees**2)
