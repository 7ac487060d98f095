"""What a rule's file can say: statements, the comparisons that they are made of, and texts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from ..io.words import as_count

FEW = 4  # comparisons that are named one by one


class Template(Formatter):
    """Formats texts of rules: "{epsilon:g}", "{ours[mean]:.3f}"; "{accounted:about %.3g|unknown}" has a format of %
    with text around it, and what stands in its place where the number is not known, "{clients:# client}" counts."""

    def format_field(self, value: Any, spec: str) -> str:
        """Returns a value in its format."""
        if spec.startswith("# "):
            return as_count(value, spec[2:])
        known, bar, unknown = spec.partition("|")
        return format(value, known) if not bar else unknown if value != value else known % value


TEMPLATE = Template()


def filled(text: str, names: Mapping[str, Any]) -> str:
    """Returns a text with its fields filled in."""
    return TEMPLATE.vformat(text, (), names)


@dataclass(frozen=True)
class Line:
    """A text for each combination of values: in notes, in tables, and within evidence. "{of[S1][won]}" is of a
    statement."""

    line: str
    each: Mapping[str, Any] = field(default_factory=dict)
    view: str = "main"
    join: str | None = None  # one text instead of one for each combination
    lists: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # texts within the text, by name
    judged: str = ""  # statement without which there is no text
    known: str = ""  # column without which there is no text
    check: str = ""  # a function of TEXTS that makes the texts
    options: Mapping[str, Any] = field(default_factory=dict)  # of `check`


@dataclass(frozen=True)
class Part:
    """A comparison, or several that must hold together: which cells, by what test, and how many of them must pass.

    The cells `ours` are compared with the cells `theirs` (every one with every one), `pairs` with each other
    ("consecutive": every value with the one below it), or `targets` with published values; for each combination of
    values `each` and for all `columns`.
    """

    view: str = "main"
    test: str = "beats"
    ours: Any = field(default_factory=dict)
    theirs: Any = field(default_factory=dict)
    pairs: Mapping[str, Any] = field(default_factory=dict)
    targets: Sequence[Mapping[str, Any]] = ()
    each: Mapping[str, Any] = field(default_factory=dict)
    columns: Sequence[str] = ()
    pick: str = ""  # "least" or "most": of `theirs`, the cell with this mean
    equal: Mapping[str, float] = field(default_factory=dict)  # columns that must agree, and how closely
    alike: Mapping[str, float] = field(default_factory=dict)  # `theirs` is the first cell with at most our mean of a
    # column, and at least a share of it
    least: float = -math.inf
    most: float = math.inf
    lost_below: float | None = None  # in place of "the opposite is found"
    needed: int | float = 0  # a number, or a share (with a point); 0: all
    all_level: bool = False  # asks that none is worse
    level: int = 0  # how many must not be worse
    unbeaten: bool = False  # asks that none is lost
    reversed: str = "any"
    reversed_by: str = ""
    reversed_from: int = 0  # how many must be lost
    seeds: int = 1  # that a comparison needs
    few: str = ""  # what is needed where there are fewer
    needs: str = ""  # what is needed where cells are missing; without it, they are an error
    run: Mapping[str, Any] = field(default_factory=dict)  # what must have been run, in place of all cells
    lacking: str = ""  # a missing cell in words; without it, its first value
    lacking_join: str = ", "
    skip: bool = False  # leaves out comparisons of missing cells
    evidence: str = "{items}"
    item: str = ""
    join: str = ", "
    lost: str = ""
    lost_join: str = ", "
    lost_named: int = FEW
    member: str = ""
    lists: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # texts for the evidence, by name
    check: str = ""  # a function of CHECKS that judges in place of tests
    options: Mapping[str, Any] = field(default_factory=dict)  # of `check`


@dataclass(frozen=True)
class Claim:
    """A statement of a rule, as its file has it."""

    name: str
    text: str
    parts: Sequence[Part]
    evidence: str = ""  # of several parts: "{0[items]}; {1[items]}"
    key: bool = False
    aside: bool = False
    number: bool = False
    when: Mapping[str, Any] = field(default_factory=dict)  # rows without which there is no such statement
