"""Verdicts: whether runs bear out what a paper states, by rules fixed before the runs were made."""

from __future__ import annotations

from ..model.sweep import Sweep
from . import papers
from .evidence import Evidence, gathered
from .rules import Rule, Verdict

FILES = ("normalisation", "normec", "pmtl", "favano", "soteriafl", "gossip")
RULES: dict[str, Rule] = {rule.name: rule for name in FILES for rule in papers.read(papers.FOLDER / f"{name}.toml")}


def judge(name: str, *sweeps: Sweep) -> Verdict:
    """Returns the verdict of the rule `name` on the cells of all sweeps but those that are skipped; raises RunFileError
    where cells are not done."""
    return evidence(name, *sweeps).verdict()


def evidence(name: str, *sweeps: Sweep) -> Evidence:
    """Returns what that verdict rests on."""
    return gathered(RULES[name], sweeps)
