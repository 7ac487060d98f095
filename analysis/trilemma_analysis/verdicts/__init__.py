"""Verdicts: whether runs bear out what a paper states, by rules fixed before the runs were made."""

from __future__ import annotations

from ..model.sweep import Sweep
from . import nec, norm_fmnist, norm_quad, papers
from .evidence import Evidence, gathered
from .rules import Rule, Verdict

PARTS = (norm_fmnist, norm_quad, nec, "pmtl.toml", "favano.toml", "soteriafl.toml", "gossip.toml")
RULES: dict[str, Rule] = {rule.name: rule for part in PARTS for rule in (
    papers.read(papers.FOLDER / part) if isinstance(part, str) else part.RULES)}


def judge(name: str, *sweeps: Sweep) -> Verdict:
    """Returns the verdict of the rule `name` on the cells of all sweeps but those that are skipped; raises RunFileError where
    cells are not done."""
    return evidence(name, *sweeps).verdict()


def evidence(name: str, *sweeps: Sweep) -> Evidence:
    """Returns what that verdict rests on."""
    return gathered(RULES[name], sweeps)
