"""Statements, what they rest on, the word that sums them up, and the rule that makes them from a small table of
runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
import pandas as pd

from ..io.run_file import Run
from ..io.words import wrapped
from ..model.sweep import Sweep
from .cells import View
from .columns import Column

NUMBERS = "REPRODUCED-NUMBERS"
ORDERING = "REPRODUCED-ORDERING"
PARTLY = "PARTLY"
NOT = "NOT REPRODUCED"
NOT_JUDGED = "NOT JUDGED"
UNDECIDED = "UNDECIDED"


class Outcome(Enum):
    """What came out of a statement; the value is its word in a verdict."""

    HOLDS = "holds"
    FAILS = "fails"
    REVERSED = "REVERSED"  # the opposite was found
    NOT_RUN = "not run"


def outcome(holds: bool, is_reversed: bool = False) -> Outcome:
    """Returns the outcome of a statement that runs were judged by."""
    return Outcome.REVERSED if is_reversed else Outcome.HOLDS if holds else Outcome.FAILS


@dataclass(frozen=True)
class Statement:
    """One claim of a paper. `key` statements decide by themselves."""

    name: str
    text: str
    outcome: Outcome
    evidence: str
    key: bool = False
    is_number: bool = False  # compares published numbers; the others are orderings
    aside: bool = False  # reported, but without effect on the verdict

    @property
    def holds(self) -> bool:
        """Returns whether runs bear the statement out."""
        return self.outcome is Outcome.HOLDS

    def line(self) -> str:
        """Returns what was found, in one line."""
        kind = " (key)" if self.key else " (aside)" if self.aside else ""
        return f"{self.name}{kind} {self.outcome.value}: {self.text}; {self.evidence}"

    def mark(self) -> str:
        """Returns the name and the outcome."""
        return f"{self.name} {self.outcome.value}"


def not_run(name: str, text: str, missing: str, key: bool = False, aside: bool = False) -> Statement:
    """Returns a statement that these runs do not judge; `missing` names the runs that would."""
    return Statement(name, text, Outcome.NOT_RUN, f"needs {missing}", key=key, aside=aside)


@dataclass(frozen=True)
class Verdict:
    """What came out of an experiment. `ours` has its numbers in a few words, for a table."""

    experiment: str
    statements: tuple[Statement, ...]
    notes: tuple[str, ...] = ()
    substitute: bool = False  # other data than the paper's
    seeds: int = 2  # judged; differences of one seed have no error
    wanted: int = 0  # seeds that the rule asks for; 0: it names no number
    ours: str = ""

    @property
    def word(self) -> str:
        """Returns the verdict in the vocabulary of docs/results/verdicts.md, and what it lacks."""
        few = f" ({self.seeds} of {self.wanted} seeds)" if self.seeds < self.wanted else ""
        return self.finding + few

    @property
    def finding(self) -> str:
        """Returns the verdict, whatever the number of seeds that the rule asks for."""
        keys = {each.outcome for each in self.statements if each.key}
        orderings = [each.outcome for each in self.statements if not each.is_number and not each.aside]
        found = [each for each in orderings if each is not Outcome.NOT_RUN]
        if self.seeds > 1 and Outcome.REVERSED in keys:  # which no further run makes good
            word = NOT
        elif Outcome.NOT_RUN in keys or not found:
            word = NOT_JUDGED
        elif self.seeds < 2:
            return UNDECIDED
        elif set(orderings) == {Outcome.HOLDS}:
            numbers = [each.holds for each in self.statements if each.is_number]
            word = NUMBERS if numbers and all(numbers) and not self.substitute else ORDERING
        else:
            word = PARTLY if 3 * found.count(Outcome.HOLDS) >= 2 * len(found) else NOT
        return word + (" (substitute)" if self.substitute else "")

    def text(self) -> str:
        """Returns the verdict as lines: the word, then every statement with its evidence."""
        below = [*(statement.line() for statement in self.statements), *(f"note: {note}" for note in self.notes)]
        return "\n".join([f"{self.experiment}: {self.word}", *wrapped(below, indent="  ")]) + "\n"

    def marks(self) -> str:
        """Returns how every statement ended, in one line."""
        return marks(self.statements)


def marks(statements: Iterable[Statement]) -> str:
    """Returns the names of statements and how each ended."""
    return ", ".join(map(Statement.mark, statements))


def every_run(_run: Run) -> bool:
    """Returns True: all runs count."""
    return True


@dataclass(frozen=True)
class Rule:
    """A rule, fixed before the runs are looked at.

    `rows` makes of a sweep the small table that the verdict rests on, with the columns of `columns`: a row a run, or a
    row an evaluated state where the rule needs curves; numbers, words and bools. `judge` looks at these rows alone, so
    that a verdict can be made again from them without the run files; it must not depend on their order. `ids` are the
    experiments of the papers that the rule judges, `paper` what they state, in a few words.
    """

    name: str
    ids: tuple[str, ...]
    rows: Callable[[Sweep], pd.DataFrame]
    judge: Callable[[pd.DataFrame], Verdict]
    columns: Mapping[str, Column]
    paper: str = ""
    chooses: bool = False  # takes the best of several private runs, by what came out of them
    seeds: int = 0  # that are to be judged; 0: the rule names no number
    keeps: Callable[[Run],
                    bool] = every_run  # the runs of its sweeps that it is about; rows, notes and origin are of these
    views: Mapping[str, View] = field(default_factory=dict)  # how rows become the cells that statements look at
    names: Mapping[str, str] = field(default_factory=dict)  # words for values
    cases: Sequence[Mapping[str, Any]] = ()  # words for rows that are judged separately


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Returns mean and its standard error over seeds; the error of one value is infinite."""
    array = np.asarray(values, dtype=float)
    error = float(array.std(ddof=1) / math.sqrt(len(array))) if len(array) > 1 else math.inf
    return float(array.mean()), error


def difference(ours: Sequence[float], theirs: Sequence[float]) -> np.ndarray:
    """Returns ours - theirs in pairs: by the seeds that both have where they are Series by seed, else by place."""
    if isinstance(ours, pd.Series) and isinstance(theirs, pd.Series):
        ours, theirs = ours.align(theirs, join="inner")
    return np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)


def not_worse(ours: Sequence[float], theirs: Sequence[float]) -> bool:
    """Returns whether the paired difference ours - theirs is above -1 standard error (larger is better)."""
    mean, error = mean_and_error(difference(ours, theirs))
    return math.isfinite(error) and mean > -error


def beats(better: Sequence[float], worse: Sequence[float]) -> bool:
    """Returns whether the paired difference better - worse is above 2 standard errors (larger is better)."""
    mean, error = mean_and_error(difference(better, worse))
    return mean > 2 * error
