"""Verdicts: whether runs bear out what a paper states, by rules fixed before the runs were made."""

from __future__ import annotations

from ..reader import RunFileError
from ..sweep import Sweep
from . import nec, norm_fmnist, norm_quad
from .rules import Verdict

RULES = {"norm-fmnist": norm_fmnist.judge, "norm-quad": norm_quad.judge,
         "norm-quad-traj": norm_quad.judge_trajectory, **nec.RULES}


def judge(name: str, sweep: Sweep) -> Verdict:
    """The verdict of the rule `name` on a sweep; raises RunFileError where cells are not done."""
    missing = len(sweep.table) - sweep.count("done")
    if missing:
        raise RunFileError(f"{sweep.folder}: {missing} of {len(sweep.table)} cells are not done; run them first "
                           "(`trilemma sweep FILE --missing` lists them).")
    return RULES[name](sweep)
