"""Comparisons of cells, and the tests that they pass or not."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from .cells import Cells, Key
from .rules import beats, difference, mean_and_error, not_worse

ALL, FIRST, LAST, FALLING = WANTED = "all", "first", "last", "falling"


@dataclass(frozen=True)
class Side:
    """A cell of a comparison: its values, and a number a seed."""

    key: Key
    values: pd.Series

    @property
    def mean(self) -> float:
        """Returns the mean over the seeds."""
        return float(self.values.mean())

    @property
    def deviation(self) -> float:
        """Returns the standard deviation over the seeds."""
        return float(self.values.std(ddof=1))

    def names(self) -> dict[str, Any]:
        """Returns what a text can say of it."""
        return {**self.key, "mean": self.mean, "deviation": self.deviation, "seeds": len(self.values)}


@dataclass(frozen=True)
class Pair:
    """Two cells that are compared, or a cell and a published value."""

    labels: Key
    column: str
    sign: int  # -1 where smaller is better
    ours: Side
    theirs: Side | None
    least: float
    most: float
    is_log: bool = False  # both sides are logarithms

    @property
    def first(self) -> Any:
        """Returns the first of its labels."""
        return next(iter(self.labels.values()), None)

    @cached_property
    def gap(self) -> float:
        """Returns the mean paired difference."""
        return mean_and_error(difference(self.ours.values, self.theirs.values))[0]

    @property
    def lead(self) -> float:
        """Returns how far ours is ahead in the mean."""
        return self.sign * (self.ours.mean - self.theirs.mean)

    @property
    def error(self) -> float:
        """Returns the standard error of the mean paired difference."""
        return mean_and_error(difference(self.ours.values, self.theirs.values))[1]

    @cached_property
    def ratio(self) -> float:
        """Returns the quotient of the means."""
        return self.ours.mean / self.theirs.mean

    @property
    def factor(self) -> float:
        """Returns the quotient of the geometric means, of logarithms."""
        return math.exp(self.gap)

    @property
    def mean(self) -> float:
        """Returns the mean of our cell."""
        return self.ours.mean

    @property
    def signed(self) -> tuple[pd.Series, pd.Series]:
        """Returns both sides such that larger is better."""
        return self.sign * self.ours.values, self.sign * self.theirs.values

    def names(self) -> dict[str, Any]:
        """Returns what a text can say of it."""
        found = {**self.labels, "measure": self.column, "ours": self.ours.names(), "mean": self.mean}
        if self.theirs is not None:
            found |= {"theirs": self.theirs.names(), "gap": self.gap, "error": self.error, "ratio": self.ratio,
                      "lead": self.lead, "loss": 1 - self.ratio}
            found |= {"factor": self.factor} if self.is_log else {}
        return found


def _within(number: float, pair: Pair) -> bool:
    """Returns whether a number is in the range of a comparison."""
    return bool(pair.least <= number <= pair.most)


# Whether a comparison comes out as stated.
TESTS: dict[str, Callable[[Pair], bool]] = {
    "beats": lambda pair: beats(*pair.signed),
    "beats by": lambda pair: beats(*pair.signed) and _within(pair.gap, pair),
    "not worse": lambda pair: not_worse(*pair.signed),
    "not worse by": lambda pair: not_worse(*pair.signed) and _within(pair.gap, pair),
    "always": lambda pair: bool((difference(*pair.signed) > 0).all()) or beats(*pair.signed),
    "gap": lambda pair: _within(pair.gap, pair),
    "ratio": lambda pair: _within(pair.ratio, pair),
    "factor": lambda pair: _within(pair.factor, pair),
    "mean": lambda pair: _within(pair.mean, pair),
    "better mean": lambda pair: pair.signed[0].mean() > pair.signed[1].mean(),
    "no lower mean": lambda pair: pair.ours.mean >= pair.theirs.mean,
    "relative": lambda pair: _within(pair.lead / abs(pair.theirs.mean), pair),
    "about": lambda pair: math.isfinite(pair.error) and abs(pair.gap) <= max(pair.most, 2 * pair.error),
    "steadier": lambda pair: pair.ours.deviation < pair.theirs.deviation,
    "shown": lambda pair: True,
}
PICKS = {"least": lambda pairs, key: [min(pairs, key=key)], "most": lambda pairs, key: [max(pairs, key=key)]}
# Of a test that is not paired, the opposite is found where it fails by a number below `lost_below`.
NUMBERS = {"gap": "gap", "ratio": "ratio", "factor": "factor", "mean": "mean"}


def combinations(each: Mapping[str, Any], cells: Cells) -> Iterator[dict[str, Any]]:
    """Yields every combination of the values that `each` names: a value, several, "all" ("falling": from the largest
    down), all `but` one, the "first" or the "last"."""
    def values(name: str, wanted: Any) -> list:
        if isinstance(wanted, Mapping):
            return [value for value in cells.values(name) if value != wanted["but"]]
        found = cells.values(name) if wanted in WANTED else wanted if isinstance(wanted, list) else [wanted]
        kept = {FIRST: slice(1), LAST: slice(-1, None), FALLING: slice(None, None, -1)}
        return found[kept.get(wanted, slice(None))] if isinstance(wanted, str) else found

    for chosen in itertools.product(*(values(name, wanted) for name, wanted in each.items())):
        yield dict(zip(each, chosen, strict=True))
