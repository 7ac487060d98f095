"""Statements, what they rest on, and the word that sums them up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..io.words import wrapped

NUMBERS = "REPRODUCED-NUMBERS"
ORDERING = "REPRODUCED-ORDERING"
PARTLY = "PARTLY"
NOT = "NOT REPRODUCED"
UNDECIDED = "UNDECIDED"


@dataclass(frozen=True)
class Statement:
    """One claim of a paper. `key` statements decide by themselves; `reversed_` says that the opposite was found."""

    name: str
    text: str
    holds: bool
    evidence: str
    key: bool = False
    reversed_: bool = False
    is_number: bool = False  # compares published numbers; the others are orderings
    aside: bool = False  # reported, but without effect on the verdict

    def line(self) -> str:
        """What was found, in one line."""
        mark = "holds" if self.holds else "REVERSED" if self.reversed_ else "fails"
        kind = " (key)" if self.key else " (aside)" if self.aside else ""
        return f"{self.name}{kind} {mark}: {self.text}; {self.evidence}"


@dataclass(frozen=True)
class Verdict:
    """What came out of an experiment."""

    experiment: str
    statements: tuple[Statement, ...]
    notes: tuple[str, ...] = ()
    substitute: bool = False  # other data than the paper's
    seeds: int = 2  # judged; differences of one seed have no error

    @property
    def word(self) -> str:
        """The verdict in the vocabulary of docs/results/verdicts.md."""
        orderings = [statement.holds for statement in self.statements if not statement.is_number and not statement.aside]
        numbers = [statement.holds for statement in self.statements if statement.is_number]
        if self.seeds < 2:
            return UNDECIDED
        if any(statement.key and statement.reversed_ for statement in self.statements):
            word = NOT
        elif all(orderings):
            word = NUMBERS if numbers and all(numbers) and not self.substitute else ORDERING
        else:
            word = PARTLY if 3 * sum(orderings) >= 2 * len(orderings) else NOT
        return word + (" (substitute)" if self.substitute else "")

    def text(self) -> str:
        """The verdict as lines: the word, then every statement with its evidence."""
        below = [*(statement.line() for statement in self.statements), *(f"note: {note}" for note in self.notes)]
        return "\n".join([f"{self.experiment}: {self.word}", *wrapped(below, indent="  ")]) + "\n"


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Mean and its standard error over seeds; the error of one value is infinite."""
    array = np.asarray(values, dtype=float)
    error = float(array.std(ddof=1) / math.sqrt(len(array))) if len(array) > 1 else math.inf
    return float(array.mean()), error


def difference(ours: Sequence[float], theirs: Sequence[float]) -> np.ndarray:
    """ours - theirs in pairs: by the seeds that both have where they are Series by seed, else by place."""
    if isinstance(ours, pd.Series) and isinstance(theirs, pd.Series):
        ours, theirs = ours.align(theirs, join="inner")
    return np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)


def not_worse(ours: Sequence[float], theirs: Sequence[float]) -> bool:
    """Whether the paired difference ours - theirs is above -1 standard error (larger is better)."""
    mean, error = mean_and_error(difference(ours, theirs))
    return math.isfinite(error) and mean > -error


def beats(better: Sequence[float], worse: Sequence[float]) -> bool:
    """Whether the paired difference better - worse is above 2 standard errors (larger is better)."""
    mean, error = mean_and_error(difference(better, worse))
    return mean > 2 * error
