"""Verdicts: whether runs bear out what a paper states, by rules fixed before the runs were made."""

from __future__ import annotations

from ..model.sweep import Sweep
from . import (fav, fav_figures, fav_tuned, gossip, gossip_private, nec, norm_fmnist, norm_quad, pmtl, pmtl_curves, sot,
               sot_slopes, sot_table1, sot_table2)
from .evidence import Evidence, gathered
from .rules import Rule, Verdict

PARTS = (norm_fmnist, norm_quad, nec, pmtl, pmtl_curves, fav, fav_figures, fav_tuned, sot, sot_table1, sot_slopes,
         sot_table2, gossip, gossip_private)
RULES: dict[str, Rule] = {rule.name: rule for part in PARTS for rule in part.RULES}


def judge(name: str, *sweeps: Sweep) -> Verdict:
    """The verdict of the rule `name` on the cells of all sweeps but those that are skipped; raises RunFileError where
    cells are not done."""
    return evidence(name, *sweeps).verdict()


def evidence(name: str, *sweeps: Sweep) -> Evidence:
    """What that verdict rests on."""
    return gathered(RULES[name], sweeps)
