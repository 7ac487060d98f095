"""The one judgement of which of several is best, by values of their seeds, and its words: rankings, reports, and the
titles of figures decide and speak by this module alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from ..io.forms import of_metric
from ..io.words import joined
from .paired import Mean, mean

LEAST_SEEDS = 3  # fewer distinguish nothing: an interval of two differences is 12.7 of their standard errors wide
MOST_NAMED = 2  # of a tie; of more there is the number
# The note on runs that ended above their start, and each method in it, by whether it has several such runs.
GROWN, GROWN_IN = "objective above start at the end: {}", ("{} in {} run", "{} in {} runs")
Values = Mapping[int, float]  # by seed
T = TypeVar("T")


class Result(Enum):
    """What the seeds say of one among several; the value is that of files for programs."""

    FIRST = "first"
    BEST_MEAN = "best mean"  # but the seeds cannot tell whether it is first
    TIED = "tied"  # the interval of the difference to the first one contains 0
    BEHIND = "behind"
    AHEAD_IN_COMMON_SEEDS = "ahead in common seeds"  # but not in the mean over all of its own
    UNKNOWN = "unknown"  # fewer than LEAST_SEEDS in common
    NOT_REACHED = "not reached"  # the target, in all seeds
    DIVERGED = "diverged"  # a run of its best setting, which has no place among results


def result_of(difference: Mean, lower: bool) -> Result:
    """Returns the result of one with a difference to the first one, over the seeds that both have."""
    if difference.n < LEAST_SEEDS:
        return Result.UNKNOWN
    if difference.contains_zero:
        return Result.TIED
    return Result.BEHIND if (difference.centre > 0) == lower else Result.AHEAD_IN_COMMON_SEEDS


def lead_of(seeds: int, others: Collection[Result]) -> Result:
    """Returns the result of the one with the best mean over a number of `seeds`, given those of all others."""
    judged = [result for result in others if result not in (Result.NOT_REACHED, Result.DIVERGED)]
    is_open = Result.AHEAD_IN_COMMON_SEEDS in judged or bool(judged) and set(judged) == {Result.UNKNOWN}
    return Result.BEST_MEAN if is_open or judged and seeds < LEAST_SEEDS else Result.FIRST


@dataclass(frozen=True)
class Judged(Generic[T]):
    """One that was judged: its mean, its difference to the first one, seed by seed (None of the first), and the
    result."""

    item: T
    over: Mean
    difference: Mean | None
    result: Result


@dataclass(frozen=True)
class Judgement(Generic[T]):
    """All that were judged, the one with the best mean first."""

    judged: tuple[Judged[T], ...]

    @property
    def first(self) -> Judged[T]:
        """Returns the one with the best mean, whether or not the seeds tell that it is first."""
        return self.judged[0]

    @property
    def seeds(self) -> int:
        """Returns the largest number of seeds that the first one has in common with another, its own without others."""
        return max((each.difference.n for each in self.judged[1:]), default=self.first.over.n)

    @property
    def told(self) -> bool:
        """Returns whether the seeds tell anything."""
        return self.first.result is Result.FIRST

    def of(self, *results: Result) -> list[T]:
        """Returns those with one of these results, the best means first."""
        return [each.item for each in self.judged if each.result in results]

    @property
    def leaders(self) -> list[T]:
        """Returns the first one and those tied with it; none where the seeds cannot tell."""
        return self.of(Result.FIRST, Result.TIED)


def judge(found: Sequence[tuple[T, Values]], lower: bool) -> Judgement[T]:
    """Judges items by their values, of which lower ones may be better: the best mean over the seeds is compared with
    every other one, seed by seed, with a 95 % interval by Student's t."""
    ordered = sorted(found, key=lambda pair: mean(list(pair[1].values())).centre * (1 if lower else -1))
    (first, best), rest = ordered[0], ordered[1:]
    others = []
    for item, values in rest:
        apart = mean([values[seed] - best[seed] for seed in values if seed in best])
        others.append(Judged(item, mean(list(values.values())), apart, result_of(apart, lower)))
    lead = lead_of(len(best), [each.result for each in others])
    return Judgement((Judged(first, mean(list(best.values())), None, lead), *others))


def counted(names: Sequence[str], total: int, noun: str = "") -> str:
    """Returns the names of few, or how many of all there are.

    >>> counted(["a", "b"], 5), counted(["a", "b", "c"], 5, "methods"), counted(["a", "b", "c"], 3, "methods")
    ('a and b', '3 of 5 methods', 'all 3 methods')
    """
    if len(names) <= MOST_NAMED:
        return joined(names)
    behind = f" {noun}" if noun else ""
    return f"all {total}{behind}" if len(names) == total else f"{len(names)} of {total}{behind}"


def value_range(values: Sequence[float], show: Callable[[float], str], is_share: bool = False) -> str:
    """Returns the least and the largest value, or one where both are written alike; of shares the unit stands once.

    >>> share = lambda value: f"{100 * value:.1f} %"
    >>> value_range([0.8292, 0.8451], share, True), value_range([1.0, 1.01], "{:.1f}".format)
    ('82.9 to 84.5 %', '1.0')
    """
    low, high = show(min(values)), show(max(values))
    return high if low == high else f"{100 * min(values):.1f} to {high}" if is_share else f"{low} to {high}"


def tie(names: Sequence[str], total: int, values: str, noun: str = "") -> str:
    """Returns the words for a tie, with its range: '3 of 4 methods are tied at 82.9 to 84.5 %'."""
    return f"{counted(names, total, noun)} are tied at {values}"


def seeds_words(seeds: int) -> str:
    """Returns the subject of a sentence on what seeds tell: 'no common seed', 'one seed', '2 seeds', 'the seeds'."""
    return ("no common seed", "one seed", "2 seeds", "the seeds")[min(seeds, LEAST_SEEDS)]


def cannot_tell(seeds: int, what: str) -> str:
    """Returns the words where a number of common `seeds` tells nothing: '2 seeds cannot tell which method is first'."""
    return f"{seeds_words(seeds)} {'cannot tell' if seeds else 'tells'} {what}"


def which_is_best(seeds: int, total: int, values: str, noun: str = "methods") -> str:
    """Returns the same with a range: '2 seeds cannot tell which of 4 methods is best (65.7 to 88.3 %)'."""
    return cannot_tell(seeds, f"which of {total} {noun} is best ({values})")


def grown_words(counts: Sequence[tuple[str, int]]) -> list[str]:
    """Returns a note on runs whose objective ended above that of the start, given their number by name; such runs have
    not diverged."""
    words = [GROWN_IN[count > 1].format(name, count) for name, count in counts if count]
    return [GROWN.format(", ".join(words))] if words else []


def share_words(is_share: bool) -> Callable[[float], str]:
    """Returns the form of the values of a metric."""
    return lambda value: of_metric(value, is_share)
