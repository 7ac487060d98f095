"""Rows of a rule, from columns that its file declares."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..model.groups import typed_settings
from ..model.guarantees import Guarantee, guarantee_of
from ..model.sweep import Sweep

LARGER, SMALLER = "larger", "smaller"
KINDS: dict[str, Callable[[Any], Any]] = {"word": str, "number": float, "whole number": int}


@dataclass(frozen=True)
class Column:
    """A column of the rows of a rule: what it means, its unit ("" = none, "1" = dimensionless), and where a run has it.

    One of `attribute`, `setting` (the first of several that the run has), `last` (of the rounds), `state` (of the
    rounds, a value an evaluated state), `guarantee` and `made` (a function of values.py, with `argument`) names the
    source.
    """

    meaning: str
    unit: str = ""
    kind: str = "word"
    attribute: str = ""
    setting: str | Sequence[str] = ()
    last: str = ""
    state: str = ""
    guarantee: str = ""
    made: str = ""
    argument: float = 0.0
    default: Any = None
    factor: float = 1.0  # by which a number is multiplied
    better: str = LARGER  # of two values


@dataclass(frozen=True)
class Facts:
    """Facts of a run that columns are read from."""

    run: Run

    @property
    def method(self) -> str:
        """Returns the method of the run."""
        return str(self.run.attributes["method"])

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Returns the settings by dotted key."""
        return typed_settings(self.run)

    @cached_property
    def guarantee(self) -> Guarantee:
        """Returns what the run's epsilon protects; raises RunFileError for a run that is not private."""
        found = guarantee_of(self.run)
        if found is None:
            raise RunFileError(f"{self.run.path}: the run is not private; the rule compares private runs.")
        return found

    def value(self, column: Column, made: Mapping[str, Callable[[Facts, float], Any]]) -> Any:
        """Returns the value of a column, or one value a state; raises KeyError where the run has none."""
        if column.state:
            return self._states(column)
        found = self._found(column, made)
        return found if isinstance(found, pd.Series) else KINDS[column.kind](found)

    def _found(self, column: Column, made: Mapping[str, Callable[[Facts, float], Any]]) -> Any:
        """Returns the value of a column as its source has it."""
        if column.made:
            return made[column.made](self, column.argument)
        if column.attribute:
            return self.run.attributes[column.attribute]
        if column.guarantee:
            return getattr(self.guarantee, column.guarantee)
        if column.last:
            return column.factor * self.run.rounds[column.last].iloc[-1]
        keys = [column.setting] if isinstance(column.setting, str) else column.setting
        for key in keys:
            if key in self.settings:
                return self.settings[key]
        if column.default is None and keys:
            raise KeyError(keys[-1])
        return math.nan if column.default is None else column.default

    def _states(self, column: Column) -> pd.Series:
        """Returns a column of the rounds."""
        rounds = self.run.rounds
        if column.state in rounds:
            return rounds[column.state]
        if column.default is None:
            raise RunFileError(f"{self.run.path}: no column {column.state}; run the sweep with a program that has it.")
        return pd.Series(column.default, index=rounds.index)


@dataclass(frozen=True)
class Rows:
    """How runs become rows: a row a run, or a row a state in which the column `known` has a value.

    Only runs of `methods` count (all if there are none) with the values `keeps` of columns, for which the predicate
    `only` is true; `trim` reduces the rows of a run, and `finish` the rows of all runs.
    """

    columns: Mapping[str, Column]
    methods: Sequence[str] = ()
    none: str = ""  # what is missing where no run counts
    keeps: Mapping[str, Any] = field(default_factory=dict)
    known: str = ""
    start: bool = True  # whether the state before the first round counts
    made: Mapping[str, Callable[[Facts, float], Any]] = field(default_factory=dict)
    only: Callable[[Facts], bool] | None = None
    trim: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    finish: Callable[[pd.DataFrame, Sequence[Run]], pd.DataFrame] | None = None

    def keeps_run(self, run: Run) -> bool:
        """Returns whether the rule is about a run."""
        if self.methods and run.attributes["method"] not in self.methods:
            return False
        facts = Facts(run)
        wanted = all(facts.value(self.columns[name], self.made) == value for name, value in self.keeps.items())
        return wanted and (self.only is None or self.only(facts))

    def of(self, sweep: Sweep) -> pd.DataFrame:
        """Returns the rows of a sweep; raises RunFileError where no run counts."""
        runs = [run for run in sweep.runs.values() if self.keeps_run(run)]
        if not runs and (self.none or self.methods):
            raise RunFileError(f"{self.none or 'no run of ' + ', '.join(self.methods)}; name the sweeps of "
                               "jobs/reproductions.toml.")
        tables = [table for table in map(self._of_run, runs) if len(table)]
        table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(self.columns))
        return self.finish(table, runs) if self.finish and tables else table

    def _of_run(self, run: Run) -> pd.DataFrame:
        """Returns the rows of a run."""
        facts = Facts(run)
        values = {name: facts.value(column, self.made) for name, column in self.columns.items()}
        if not self.known:
            return pd.DataFrame([values])
        table = pd.DataFrame(values).dropna(subset=[self.known])
        if not self.start:
            table = table[table["round"] > 0]
        return self.trim(table) if self.trim and len(table) else table
