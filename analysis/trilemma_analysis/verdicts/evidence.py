"""What a verdict rests on: the rows of its rule, and where they come from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import pandas as pd

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..model import guarantees
from ..model.origins import remarks
from ..model.sweep import Sweep
from ..model.sweep_files import SKIPPED
from .rules import Rule, Verdict

DIGITS_OF_HASH = 12
Made = TypeVar("Made")


@dataclass(frozen=True)
class Definition:
    """A sweep as it was run: its name, its number of cells, and a checksum of the settings of all of them."""

    name: str
    cells: int
    hash: str


@dataclass(frozen=True)
class Origin:
    """Where rows come from. `programs` are versions with their commits, `date` is the day on which the last run was
    started."""

    sweeps: tuple[Definition, ...]
    runs: int
    seeds: int
    wall_seconds: float  # of all runs, one after the other
    programs: tuple[str, ...]
    machines: tuple[str, ...]
    date: str


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on: the rows of its rule, where they come from, and the notes that must be read with it."""

    rule: Rule
    rows: pd.DataFrame
    notes: tuple[str, ...]
    origin: Origin
    source: str  # for messages: folder or file

    def verdict(self) -> Verdict:
        """Returns the verdict of the rule; raises RunFileError where the rows are not what it needs."""
        verdict = _applied(self.rule.name, self.source, lambda: self.rule.judge(self.rows.copy()))
        return replace(verdict, notes=(*verdict.notes, *self.notes), wanted=self.rule.seeds)


def gathered(rule: Rule, sweeps: Sequence[Sweep]) -> Evidence:
    """Returns the evidence for a rule, from the cells of all sweeps but those that are skipped; raises RunFileError
    where cells are not done."""
    sweeps = [replace(sweep, table=sweep.table[sweep.table["state"] != SKIPPED]) for sweep in sweeps]
    for sweep in sweeps:
        missing = len(sweep.table) - sweep.count("done")
        if missing:
            raise RunFileError(f"{sweep.folder}: {missing} of {len(sweep.table)} cells are not done; run them first "
                               "(`trilemma sweep FILE --missing` lists them).")
    definitions = tuple(map(_definition, sweeps))
    sweeps = [_kept(rule, sweep) for sweep in sweeps]
    joined, source, columns = _joined(sweeps), str(sweeps[0].folder), list(rule.columns)
    rows = _applied(rule.name, source, lambda: rule.rows(joined)[columns].sort_values(columns, ignore_index=True))
    return Evidence(rule, rows, tuple(map(str, _notes(rule, joined))), _origin(joined, definitions), source)


def _applied(name: str, source: str, step: Callable[[], Made]) -> Made:
    """Returns the result of a step of a rule; raises one clear RunFileError where the runs do not fit it."""
    try:
        return step()
    except RunFileError as error:
        raise RunFileError(f"{source}: {error}") from None
    except KeyError as missing:
        raise RunFileError(f"{source}: the rule {name} looks for {missing.args[0]!r}, which these runs do not have; "
                           "name the sweeps of jobs/reproductions.toml.") from None
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise RunFileError(f"{source}: the rule {name} cannot be applied to these runs ({error}); name the sweeps of "
                           "jobs/reproductions.toml.") from None


def _notes(rule: Rule, sweep: Sweep) -> list[str]:
    """Returns what must be said of the epsilons of a verdict: the claims of the runs, and what they protect."""
    runs = list(sweep.runs.values())
    return [*guarantees.claims(runs), *guarantees.by_method(runs), *(guarantees.choice(runs) if rule.chooses else []),
            *remarks(runs, sweep.axes)]


def _kept(rule: Rule, sweep: Sweep) -> Sweep:
    """Returns a sweep with the runs alone that the rule keeps."""
    runs = {index: run for index, run in sweep.runs.items() if rule.keeps(run)}
    return replace(sweep, table=sweep.table[sweep.table["index"].isin(runs)], runs=runs)


def _joined(sweeps: Sequence[Sweep]) -> Sweep:
    """Returns all cells in one table, numbered on."""
    if len(sweeps) == 1:
        return sweeps[0]
    tables, runs, number = [], {}, 0
    for sweep in sweeps:
        tables.append(sweep.table.assign(index=sweep.table["index"] + number))
        runs |= {index + number: run for index, run in sweep.runs.items()}
        number += int(sweep.table["index"].max()) + 1 if len(sweep.table) else 0
    return replace(sweeps[0], table=pd.concat(tables, ignore_index=True), runs=runs)


def _origin(sweep: Sweep, definitions: tuple[Definition, ...]) -> Origin:
    """Returns where the kept runs of the sweeps come from."""
    runs = list(sweep.runs.values())
    return Origin(
        definitions, len(runs), len({int(run.attributes["seed"]) for run in runs}),
        float(sum(run.attributes["wall_seconds"] for run in runs)), _each_once(_program(run) for run in runs),
        _each_once(run.environment.get("cpu", "not recorded") for run in runs),
        max((run.environment.get("started", "")[:10] for run in runs), default=""))


def _definition(sweep: Sweep) -> Definition:
    """Returns a sweep by its name and by the hashes of its cells, which follow from all settings that count."""
    cells = "\n".join(sorted(sweep.table["hash"].astype(str)))
    return Definition(sweep.name, len(sweep.table), hashlib.sha256(cells.encode()).hexdigest()[:DIGITS_OF_HASH])


def _program(run: Run) -> str:
    """Returns the version of the program that made a run, and its commit where that is recorded."""
    commit = run.environment.get("git_revision", "")
    return run.attributes["program_version"] + (f" ({commit})" if commit else "")


def _each_once(texts) -> tuple[str, ...]:
    """Returns the texts, each once, in order."""
    return tuple(sorted(set(texts)))
