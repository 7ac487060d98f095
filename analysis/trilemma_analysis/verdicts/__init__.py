"""Verdicts: whether runs bear out what a paper states, by rules fixed before the runs were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from ..model import guarantees
from ..model.origins import remarks
from ..io.errors import RunFileError
from ..model.sweep import Sweep
from ..model.sweep_files import SKIPPED
from . import fav, nec, norm_fmnist, norm_quad, pmtl
from .rules import Verdict

# Rules that take the best of several private runs, by what came out of them.
CHOOSING = (*nec.RULES, *pmtl.RULES, "norm-quad-traj")
RULES = {"norm-fmnist": norm_fmnist.judge, "norm-mnist-s": norm_fmnist.judge_mnist, "norm-quad": norm_quad.judge,
         "norm-quad-traj": norm_quad.judge_trajectory, **fav.RULES, **nec.RULES, **pmtl.RULES}


def judge(name: str, *sweeps: Sweep) -> Verdict:
    """The verdict of the rule `name` on the cells of all sweeps but those that are skipped; raises RunFileError where
    cells are not done."""
    sweeps = tuple(replace(sweep, table=sweep.table[sweep.table["state"] != SKIPPED]) for sweep in sweeps)
    for sweep in sweeps:
        missing = len(sweep.table) - sweep.count("done")
        if missing:
            raise RunFileError(f"{sweep.folder}: {missing} of {len(sweep.table)} cells are not done; run them first "
                               "(`trilemma sweep FILE --missing` lists them).")
    joined = _joined(sweeps)
    try:
        verdict = RULES[name](joined)
    except KeyError as missing:
        raise RunFileError(f"{sweeps[0].folder}: the rule {name} looks for {missing.args[0]!r}, which these runs do not "
                           "have; name the sweeps of docs/results/verdicts.md.") from None
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise RunFileError(f"{sweeps[0].folder}: the rule {name} cannot be applied to these runs ({error}); name the "
                           "sweeps of docs/results/verdicts.md.") from None
    return replace(verdict, notes=(*verdict.notes, *_privacy(name, joined)))


def _privacy(name: str, sweep: Sweep) -> list[str]:
    """What must be said of the epsilons of a verdict."""
    runs = list(sweep.runs.values())
    return [*guarantees.by_method(runs), *(guarantees.choice(runs) if name in CHOOSING else []), *remarks(runs, sweep.axes)]


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
