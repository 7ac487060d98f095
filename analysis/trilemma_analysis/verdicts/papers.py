"""Rules from their files: papers/*.toml, a file a paper."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from ..io.errors import RunFileError
from . import nec, normalisation, personal, quadratics
from .cells import CHOICES, Cells, View, matching
from .checks import CHECKS, DERIVED, TEXTS
from .columns import KINDS, Column, Rows
from .engine import REVERSED, Judgement
from .pairs import PICKS, TESTS
from .rules import Rule, Statement, Verdict
from .states import StateCells
from .terms import Claim, Line, Part
from .values import FINISHED, MADE, ONLY, TRIMMED

ALL_CHECKS = CHECKS | personal.CHECKS | normalisation.CHECKS
ALL_TEXTS = TEXTS | personal.TEXTS | normalisation.TEXTS
ALL_DERIVED = DERIVED | normalisation.DERIVED
SEEDS_OF = {"rows": lambda cells: cells.table["seed"].nunique(), "cells": lambda cells: cells.fewest,
            "judged": lambda cells: cells.judged}
JUDGES = {"quadratics": quadratics.judge, "trajectories": quadratics.judge_trajectory, "NEC": nec.judge}
BEST_STATE = "best state"  # choice of a view
FOLDER = Path(__file__).parent / "papers"


@dataclass(frozen=True)
class Again:
    """Statements that are judged again on other rows, as asides: those of each group of the columns `group`, without
    the rows `but`; only where there are rows `beyond` a number."""

    statements: Sequence[str]
    words: str = ""
    group: Sequence[str] = ()
    but: Mapping[str, Any] = field(default_factory=dict)
    where: Mapping[str, Any] = field(default_factory=dict)
    beyond: Mapping[str, float] = field(default_factory=dict)
    cases: Sequence[Mapping[str, Any]] = ()  # words for groups
    drop: Sequence[str] = ()  # columns that need not have the values of the views
    name: str = "{name}"
    text: str = "{words}: {text}"
    notes: bool = False


@dataclass(frozen=True)
class Spec:
    """A rule as its file has it."""

    title: str
    ids: Sequence[str]
    paper: str
    rows: str
    seeds: int = 0
    chooses: bool = False
    keeps: Mapping[str, Any] = field(default_factory=dict)
    finish: Mapping[str, Any] = field(default_factory=dict)
    substitute: bool = False
    views: Mapping[str, View] = field(default_factory=dict)
    seeds_of: str = "rows"  # or "cells": those of the cell with fewest
    names: Mapping[str, str] = field(default_factory=dict)
    statements: Sequence[Claim] = ()
    more: Sequence[Claim] = ()  # statements that follow those of another rule
    without: Sequence[str] = ()  # statements of another rule that this one does not have
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of statements of another rule
    judge: str = ""  # a function of JUDGES in place of views, statements and texts
    options: Mapping[str, Any] = field(default_factory=dict)  # of `judge`
    strict: bool = False  # missing runs are errors, whatever the statements need
    again: Sequence[Again] = ()
    notes: Sequence[Line] = ()
    ours: Sequence[Line] = ()


@dataclass(frozen=True)
class RowsSpec:
    """Rows as a file has them."""

    columns: Mapping[str, Column]
    methods: Sequence[str] = ()
    none: str = ""
    keeps: Mapping[str, Any] = field(default_factory=dict)
    known: str = ""
    start: bool = True
    only: str = ""
    trim: str = ""
    finish: Mapping[str, Any] = field(default_factory=dict)


def read(path: Path) -> list[Rule]:
    """Returns the rules of a file; raises RunFileError where the file is not what this program reads."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunFileError(f"{path}: not a readable TOML file ({error}); restore it, or install the package "
                           "again.") from None
    rows = {name: _rows(f"{path}: [rows.{name}]", table) for name, table in _with_likes(path, content, "rows").items()}
    return [_rule(f"{path}: [rules.{name}]", name, table, rows)
            for name, table in _with_likes(path, content, "rules").items()]


def _with_likes(path: Path, content: Mapping[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    """Returns the tables of a kind, those with `like` on top of the table that they name."""
    found: dict[str, dict[str, Any]] = {}
    for name, table in content.get(kind, {}).items():
        base = found.get(table.get("like"), {})
        if "like" in table and not base:
            raise RunFileError(f"{path}: [{kind}.{name}] is like {table['like']!r}, which is not above it; name one of "
                               f"{', '.join(found) or 'none'}.")
        found[name] = {**base, **{key: {**base[key], **value} if key == "columns" and key in base else value
                                  for key, value in table.items() if key != "like"}}
    return found


def built(place: str, kind: type, table: Mapping[str, Any], **more: Any) -> Any:
    """Returns an object of a dataclass from a table; raises RunFileError for keys that it does not have or lacks."""
    known = {each.name: each for each in fields(kind)}
    if unknown := [key for key in table if key not in known]:
        raise RunFileError(f"{place} has the unknown key {unknown[0]!r}; take it out, or use one of "
                           f"{', '.join(known)}.")
    needed = [name for name, each in known.items() if each.default is MISSING and each.default_factory is MISSING]
    if missing := [name for name in needed if name not in table and name not in more]:
        raise RunFileError(f"{place} has no {missing[0]!r}; add it.")
    for key, value in table.items():
        default = known[key].default
        if isinstance(default, (bool, str)) and type(value) is not type(default):
            wanted = "a text" if isinstance(default, str) else "true or false"
            raise RunFileError(f"{place}: {key} is {value!r}; make it {wanted}.")
    return kind(**{**table, **more})


def one_of(place: str, key: str, name: str, known: Mapping[str, Any] | Sequence[str]) -> Any:
    """Returns what a name stands for; raises RunFileError for a name that is not known."""
    if name not in known:
        raise RunFileError(f"{place}: {key} is {name!r}, which is not known; use one of {', '.join(known)}.")
    return known[name] if isinstance(known, Mapping) else name


def _rows(place: str, table: Mapping[str, Any]) -> RowsSpec:
    """Returns how runs become rows."""
    columns = {name: built(f"{place}, column {name}", Column, each) for name, each in table.get("columns", {}).items()}
    for name, column in columns.items():
        named(f"{place}, column {name}", column, "made", MADE)
        named(f"{place}, column {name}", column, "kind", KINDS)
    return built(place, RowsSpec, table, columns=columns)


def _rule(place: str, name: str, table: Mapping[str, Any], known: Mapping[str, RowsSpec]) -> Rule:
    """Returns a rule."""
    views = {key: built(f"{place}, view {key}", View, each) for key, each in table.get("views", {}).items()}
    for key, view in views.items():
        named(f"{place}, view {key}", view, "derive", ALL_DERIVED)
        named(f"{place}, view {key}", view, "choose", (*CHOICES, BEST_STATE))
    lists = {key: _lines(f"{place}, {key}", table.get(key, []), views) for key in ("notes", "ours")}
    again = [built(f"{place}, again", Again, each) for each in table.get("again", [])]
    changes, tables = table.get("changes", {}), [*table.get("statements", []), *table.get("more", [])]
    for change in changes:
        one_of(place, "changes", change, [each.get("name") for each in tables])
    claims = [_claim(f"{place}, statement {each.get('name')}", {**each, **changes.get(each.get("name"), {})}, views)
              for each in tables]
    spec = built(place, Spec, table, views=views, again=again, statements=claims, more=(), **lists)
    named(place, spec, "judge", JUDGES)
    named(place, spec, "seeds_of", SEEDS_OF)
    plan = one_of(place, "rows", spec.rows, known)
    for claim, column in ((claim, column) for claim in claims for part in claim.parts for column in part.columns):
        derived = {name for view in views.values() for name in view.smaller}
        one_of(f"{place}, statement {claim.name}", "column", column, [*plan.columns, *derived])
    finish = dict(spec.finish or plan.finish)
    rows = Rows(plan.columns, plan.methods, plan.none, {**plan.keeps, **spec.keeps}, plan.known, plan.start, MADE,
                one_of(place, "only", plan.only, ONLY) if plan.only else None,
                one_of(place, "trim", plan.trim, TRIMMED) if plan.trim else None,
                partial(one_of(place, "finish", finish.pop("name"), FINISHED), **finish) if finish else None)
    return Rule(name, tuple(spec.ids), rows.of, partial(judge, spec, plan.columns), plan.columns, spec.paper,
                spec.chooses,
                spec.seeds, rows.keeps_run, spec.views, spec.names,
                [case for each in spec.again for case in each.cases])


def _claim(place: str, table: Mapping[str, Any], views: Mapping[str, View]) -> Claim:
    """Returns a statement; without `parts` its other keys are those of its only part."""
    own = {each.name for each in fields(Claim)} - {"evidence"}
    single = {key: value for key, value in table.items() if key not in own}
    made = [built(place, Part, each) for each in table.get("parts", [single])]
    for part in made:
        for key, known in (("test", TESTS), ("check", ALL_CHECKS), ("view", views), ("pick", PICKS),
                           ("reversed", REVERSED)):
            named(place, part, key, known)
    return built(place, Claim, {key: value for key, value in table.items() if key in own or "parts" in table},
                 parts=made)


def _lines(place: str, tables: Sequence[Mapping[str, Any]], views: Mapping[str, View]) -> list[Line]:
    """Returns texts of a rule."""
    made = [built(place, Line, each) for each in tables]
    for line in made:
        named(place, line, "check", ALL_TEXTS)
        named(place, line, "view", views)
    return made


def named(place: str, thing: Any, key: str, known: Mapping[str, Any] | Sequence[str]) -> None:
    """Refuses a name that is not known; no name is allowed."""
    if getattr(thing, key):
        one_of(place, key, getattr(thing, key), known)


def judge(spec: Spec, columns: Mapping[str, Column], rows: pd.DataFrame) -> Verdict:
    """Returns the verdict of a rule on its rows."""
    rows = matching(rows, spec.keeps)
    if spec.judge:
        return JUDGES[spec.judge](rows, spec.title, **spec.options)
    main = _judgement(spec, columns, rows)
    found = {claim.name: main.statement(claim) for claim in spec.statements
             if claim.name not in spec.without and (not claim.when or len(matching(rows, claim.when)))}
    statements = [statement for statement, _ in found.values()]
    fields = {name: each for name, (_, each) in found.items()}
    notes = [text for line in spec.notes for text in main.lines(line, fields)]
    for again in spec.again:
        more, lines = _again(spec, again, columns, rows)
        statements += more
        notes += lines
    ours = "".join(text for line in spec.ours for text in main.lines(line, fields))
    seeds = SEEDS_OF[spec.seeds_of](main.views["main"])
    return Verdict(spec.title, tuple(statements), tuple(notes), substitute=spec.substitute, seeds=seeds, ours=ours)


def _judgement(spec: Spec, columns: Mapping[str, Column], rows: pd.DataFrame,
               dropped: Collection[str] = ()) -> Judgement:
    """Returns what judges rows, which need not have the values of the views in the columns `dropped`."""
    views = {}
    for name, view in spec.views.items():
        first, where = ({key: value for key, value in each.items() if key not in dropped}
                        for each in (view.first, view.where))
        table = matching(rows, first)
        table = matching(ALL_DERIVED[view.derive](table) if view.derive else table, where)
        views[name] = (StateCells if view.choose == BEST_STATE else Cells)(table, view, spec.names)
    return Judgement(views, columns, spec.names, ALL_CHECKS, ALL_TEXTS, spec.statements, spec.strict)


def _again(spec: Spec, again: Again, columns: Mapping[str, Column],
           rows: pd.DataFrame) -> tuple[list[Statement], list[str]]:
    """Returns statements that are judged again, and their notes."""
    if any(rows[name].max() <= most for name, most in again.beyond.items()):
        return [], []
    others = matching(rows, again.where)
    if again.but:
        others = others.drop(matching(others, again.but).index)
    statements, notes = [], []
    keys = again.group if len(again.group) != 1 else again.group[0]
    for key, group in others.groupby(keys) if again.group else [((), others)]:
        names = dict(zip(again.group, key if isinstance(key, tuple) else (key,))) | {"seeds": rows["seed"].nunique()}
        judged = _judgement(spec, columns, group, {*again.group, *again.but, *again.where, *again.beyond, *again.drop})
        case = [each["words"] for each in again.cases if all(names[name] == each[name] for name in again.group)]
        words = (case or [again.words])[0].format_map(names)
        for claim in spec.statements:
            if claim.name in again.statements:
                made, _ = judged.statement(claim)
                texts = {"words": words, "name": made.name, "text": made.text}
                statements.append(replace(made, name=again.name.format_map(texts), text=again.text.format_map(texts),
                                          key=False, aside=True, is_number=False))
        if again.notes:
            notes += [f"{words}: {text}" for line in spec.notes for text in judged.lines(line)]
    return statements, notes
