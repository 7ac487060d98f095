"""Verdicts as rows of one table: what came out, what the paper states, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..io.forms import duration
from ..io.words import as_count
from .evidence import Evidence
from .rules import Rule, Verdict, marks
from .saved import files_of, read

COMMAND = "jobs/reproduce"  # which an experiment's id follows


@dataclass(frozen=True)
class Row:
    """A verdict with what stands next to it in a table."""

    rule: Rule
    verdict: Verdict
    runs: int
    wall_seconds: float

    @property
    def ours(self) -> str:
        """Returns the numbers of the runs in a few words, and the statements that do not hold; where a rule gives no
        numbers, how all statements ended."""
        missed = [each for each in self.verdict.statements if not each.holds and not each.aside]
        return "; ".join(filter(None,
                                (self.verdict.ours, marks(missed)))) if self.verdict.ours else self.verdict.marks()

    @property
    def work(self) -> str:
        """Returns how many runs the row rests on, and their time one after the other."""
        return f"{as_count(self.runs, 'run')}, {duration(self.wall_seconds)}"

    @property
    def command(self) -> str:
        """Returns the command that makes the row."""
        return f"{COMMAND} {self.rule.ids[0]}"

    def as_object(self) -> dict[str, Any]:
        """Returns the row for JSON."""
        return {"experiments": list(self.rule.ids), "rule": self.rule.name, "verdict": self.verdict.word,
                "ours": self.ours, "paper": self.rule.paper, "seeds": self.verdict.seeds, "runs": self.runs,
                "wall_seconds": self.wall_seconds, "command": self.command,
                "statements": [asdict(each) | {"outcome": each.outcome.value} for each in self.verdict.statements],
                "notes": list(self.verdict.notes)}


def row_of(evidence: Evidence) -> Row:
    """Returns the row of a verdict."""
    return Row(evidence.rule, evidence.verdict(), evidence.origin.runs, evidence.origin.wall_seconds)


def rows_in(rules: Mapping[str, Rule], folder: Path) -> list[Row]:
    """Returns the rows of all saved verdicts of a folder, in the order of the rules."""
    found = {evidence.rule.name: evidence for evidence in (read(rules, path) for path in files_of(folder))}
    return [row_of(found[name]) for name in rules if name in found]
