"""Verdicts that can be made again without run files: the rows of a rule as RULE.csv, and what they mean as
RULE.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..io.errors import RunFileError
from ..io.writing import csv_of_rows, write_new_files
from .evidence import Definition, Evidence, Origin
from .rules import Rule

SCHEMA, SCHEMA_VERSION = "trilemma-verdict", 1
DIGITS = (6, 9, 12, 17)  # significant ones: the first that leaves the verdict as it is
# Kinds of values by the kind of a column's type.
WORD, NUMBER, WHOLE, YES_NO = "word", "number", "whole number", "yes or no"
KINDS = {"f": NUMBER, "i": WHOLE, "u": WHOLE, "b": YES_NO}
WORDS = {"True": True, "False": False}


def save(evidence: Evidence, folder: Path) -> list[Path]:
    """Writes RULE.csv and RULE.json into the folder; the files, which replace those that were there."""
    kinds = {name: _kind(evidence.rows[name]) for name in evidence.rows}
    csv = _csv(evidence, kinds)
    columns = {name: {"meaning": column.meaning, "unit": column.unit, "kind": kinds[name]}
               for name, column in evidence.rule.columns.items()}
    content = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, "rule": evidence.rule.name,
               "experiments": list(evidence.rule.ids), **asdict(evidence.origin), "notes": list(evidence.notes),
               "columns": columns}
    files = {f"{evidence.rule.name}.csv": csv, f"{evidence.rule.name}.json": json.dumps(content, indent=1) + "\n"}
    write_new_files(folder, files, overwrite=True)
    return [folder / name for name in files]


def read(rules: Mapping[str, Rule], path: Path) -> Evidence:
    """Returns the evidence of a RULE.json and the RULE.csv next to it, for one of the rules."""
    content = _content(path)
    if content["rule"] not in rules:
        raise RunFileError(f"{path}: there is no rule {content['rule']!r}; remove the file, or save the rows under the "
                           "name that the rule has now.")
    rule = rules[content["rule"]]
    try:
        kinds = {name: content["columns"][name]["kind"] for name in rule.columns}
        origin = Origin(**{name: content[name] for name in Origin.__dataclass_fields__})
        origin = replace(origin, sweeps=tuple(Definition(**each) for each in origin.sweeps),
                         programs=tuple(origin.programs), machines=tuple(origin.machines))
        rows = _rows(path.with_suffix(".csv"), kinds)
        return Evidence(rule, rows, tuple(content["notes"]), origin, str(path.with_suffix(".csv")))
    except (KeyError, TypeError) as error:
        raise RunFileError(f"{path}: it does not have what the rule reads today ({error}); run its sweeps again and "
                           "save them.") from None


def is_saved(folder: Path, name: str) -> bool:
    """Returns whether a folder has the saved rows of a rule."""
    return (folder / f"{name}.json").is_file()


def files_of(folder: Path) -> list[Path]:
    """Returns the files in a folder that read() reads."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise RunFileError(f"{folder}: no saved verdicts; `verdict RULE FOLDERS --save {folder}` makes them.")
    return files


def _content(path: Path) -> dict[str, Any]:
    """Returns the content of a RULE.json."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found = content["schema"], content["schema_version"]
    except (ValueError, KeyError, TypeError) as error:
        raise RunFileError(f"{path}: not what `verdict --save` writes ({error}); name another folder.") from None
    if found != (SCHEMA, SCHEMA_VERSION):
        raise RunFileError(f"{path}: {found[0]} {found[1]}, expected {SCHEMA} {SCHEMA_VERSION}; run its sweeps again "
                           "and save them.")
    return content


def _kind(column: pd.Series) -> str:
    """Returns the kind of a column's values."""
    return KINDS.get(column.dtype.kind, WORD)


def _csv(evidence: Evidence, kinds: dict[str, str]) -> str:
    """Returns the rows as CSV, with the fewest of DIGITS that give the same verdict."""
    wanted = evidence.verdict().text()
    for digits in DIGITS:
        cells = pd.DataFrame({name: [_cell(value, kinds[name], digits) for value in evidence.rows[name]]
                              for name in evidence.rows})
        if replace(evidence, rows=_typed(cells, kinds)).verdict().text() == wanted:
            return csv_of_rows(list(cells), cells.itertuples(index=False))
    raise RunFileError(f"{evidence.source}: the rows of the rule {evidence.rule.name} do not give its verdict again; "
                       "this is an error of the rule.")


def _cell(value: Any, kind: str, digits: int) -> str:
    """Returns a value as text; nothing for what is not known."""
    if kind == NUMBER:
        return "" if pd.isna(value) else f"{value:.{digits}g}"
    return str(value)


def _rows(path: Path, kinds: dict[str, str]) -> pd.DataFrame:
    """Returns the rows of a RULE.csv."""
    try:
        return _typed(pd.read_csv(path, dtype=str, keep_default_na=False), kinds)
    except FileNotFoundError:
        raise RunFileError(f"{path}: there is no such file; restore it, or run its sweeps again and save "
                           "them.") from None
    except ValueError as error:
        raise RunFileError(f"{path}: not what `verdict --save` writes ({error}); restore it, or run its sweeps again "
                           "and save them.") from None


def _typed(cells: pd.DataFrame, kinds: dict[str, str]) -> pd.DataFrame:
    """Returns texts as values of their kinds; an unknown number is NaN."""
    parse = {NUMBER: lambda text: float(text or "nan"), WHOLE: int, YES_NO: WORDS.__getitem__, WORD: str}
    types = {NUMBER: "float64", WHOLE: "int64", YES_NO: "bool", WORD: "object"}
    return pd.DataFrame({name: pd.Series([parse[kind](text) for text in cells[name]], dtype=types[kind])
                         for name, kind in kinds.items()})
