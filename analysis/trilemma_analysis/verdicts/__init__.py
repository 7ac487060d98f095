"""Verdicts: whether runs bear out what a paper states, by rules fixed before the runs were made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import pandas as pd

from ..io.errors import RunFileError
from ..model import guarantees
from ..model.origins import remarks
from ..model.sweep import Sweep
from ..model.sweep_files import SKIPPED
from . import fav, fav_figures, nec, norm_fmnist, norm_quad, pmtl
from .rules import Rule, Verdict

RULES: dict[str, Rule] = {rule.name: rule for part in (norm_fmnist, norm_quad, nec, pmtl, fav, fav_figures) for rule in part.RULES}
Made = TypeVar("Made")


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on: the rows of its rule, and the notes that must be read with it."""

    rule: Rule
    rows: pd.DataFrame
    notes: tuple[str, ...]
    source: str  # for messages: folder or file

    def verdict(self) -> Verdict:
        """The verdict of the rule; raises RunFileError where the rows are not what it needs."""
        verdict = _applied(self.rule.name, self.source, lambda: self.rule.judge(self.rows))
        return replace(verdict, notes=(*verdict.notes, *self.notes))


def judge(name: str, *sweeps: Sweep) -> Verdict:
    """The verdict of the rule `name` on the cells of all sweeps but those that are skipped; raises RunFileError where
    cells are not done."""
    return evidence(name, *sweeps).verdict()


def evidence(name: str, *sweeps: Sweep) -> Evidence:
    """The rows and notes of the rule `name`, from the cells of all sweeps but those that are skipped; raises
    RunFileError where cells are not done."""
    sweeps = tuple(replace(sweep, table=sweep.table[sweep.table["state"] != SKIPPED]) for sweep in sweeps)
    for sweep in sweeps:
        missing = len(sweep.table) - sweep.count("done")
        if missing:
            raise RunFileError(f"{sweep.folder}: {missing} of {len(sweep.table)} cells are not done; run them first "
                               "(`trilemma sweep FILE --missing` lists them).")
    rule, joined, source = RULES[name], _joined(sweeps), str(sweeps[0].folder)
    columns = list(rule.columns)
    rows = _applied(name, source, lambda: rule.rows(joined)[columns].sort_values(columns, ignore_index=True))
    return Evidence(rule, rows, tuple(_notes(rule, joined)), source)


def _applied(name: str, source: str, step: Callable[[], Made]) -> Made:
    """The result of a step of a rule; what runs of something else lead to is one sentence."""
    try:
        return step()
    except RunFileError as error:
        raise RunFileError(f"{source}: {error}") from None
    except KeyError as missing:
        raise RunFileError(f"{source}: the rule {name} looks for {missing.args[0]!r}, which these runs do not have; name "
                           "the sweeps of docs/results/verdicts.md.") from None
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise RunFileError(f"{source}: the rule {name} cannot be applied to these runs ({error}); name the sweeps of "
                           "docs/results/verdicts.md.") from None


def _notes(rule: Rule, sweep: Sweep) -> list[str]:
    """What must be said of the epsilons of a verdict: the claims of the runs, and what they protect."""
    runs = list(sweep.runs.values())
    return [*guarantees.claims(runs), *guarantees.by_method(runs), *(guarantees.choice(runs) if rule.chooses else []),
            *remarks(runs, sweep.axes)]


def _joined(sweeps: Sequence[Sweep]) -> Sweep:
    """All cells in one table, numbered on."""
    if len(sweeps) == 1:
        return sweeps[0]
    tables, runs, number = [], {}, 0
    for sweep in sweeps:
        tables.append(sweep.table.assign(index=sweep.table["index"] + number))
        runs |= {index + number: run for index, run in sweep.runs.items()}
        number = int(tables[-1]["index"].max()) + 1
    return replace(sweeps[0], table=pd.concat(tables, ignore_index=True), runs=runs)
