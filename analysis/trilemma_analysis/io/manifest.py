"""The list of cells that `trilemma sweep` writes next to the run files: sweep.json, checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .errors import RunFileError
from .words import printable

MANIFEST = "sweep.json"
SCHEMA = "trilemma-sweep"
SCHEMA_VERSION = 1
# Columns of the table that no axis may take the place of.
RESERVED = ("index", "hash", "file", "state", "reason", "repetition", "tuning")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Returns the content of sweep.json, in the layout of docs/reference/sweep-files.md. Raises RunFileError for
    anything else."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise RunFileError(f"{path}: not JSON, truncated perhaps; 'trilemma sweep FILE --run N' writes it again."
                           ) from None
    found = manifest.get("schema", "none") if isinstance(manifest, dict) else "none"
    if found != SCHEMA:
        raise RunFileError(f"{path}: the schema is '{_shown(found)}', expected '{SCHEMA}'; name the folder of a sweep.")
    version = manifest.get("schema_version", "none")
    if version != SCHEMA_VERSION:
        raise RunFileError(f"{path}: the schema version is {_shown(version)}, expected {SCHEMA_VERSION}; use the "
                           "analysis package of the Trilemma version that wrote the file.")
    wrong = _wrong(manifest)
    if wrong:
        raise RunFileError(f"{path}: not the layout of docs/reference/sweep-files.md ({wrong}); 'trilemma sweep FILE "
                           "--run N' writes it again.")
    return manifest


def tuning_of(manifest: dict[str, Any]) -> tuple[int, ...]:
    """Returns the seeds for tuning that a sweep names."""
    return tuple(manifest.get("tune", {}).get("seeds", ()))


def _wrong(manifest: dict[str, Any]) -> str:
    """Returns the first deviation from docs/reference/sweep-files.md, empty if there is none."""
    for key in ("name", "experiment"):
        if not is_word(manifest.get(key)):
            return f"'{key}' is not text"
    axes, cells, fixed = (manifest.get(key) for key in ("axes", "cells", "set"))
    if not isinstance(axes, list) or not all(map(is_word, axes)) or len(set(axes)) < len(axes):
        return "'axes' is not a list of different texts"
    if reserved := [axis for axis in axes if axis in RESERVED]:
        return f"'{reserved[0]}' cannot be an axis"
    if not isinstance(fixed, dict) or not all(map(is_value, fixed.values())):
        return "'set' is not an object of settings"
    if not _is_seed(fixed.get("seed")):
        return "'seed' of 'set' is not an integer"
    tune = manifest.get("tune", {})
    if not isinstance(tune, dict) or not isinstance(tune.get("seeds", []), list) or not all(
            map(is_integer, tune.get("seeds", []))):
        return "'tune' is not an object with a list of 'seeds'"
    if not isinstance(cells, list) or not cells:
        return "'cells' is not a list of cells"
    wrong = next((f"cell {i}: {found}" for i, cell in enumerate(cells) if (found := _wrong_cell(cell))), "")
    return wrong or ("" if len({cell["index"] for cell in cells}) == len(cells) else "two cells have the same 'index'")


def _wrong_cell(cell: Any) -> str:
    """Returns the first deviation of a cell, empty if there is none."""
    if not isinstance(cell, dict):
        return "not an object"
    if not all(is_integer(cell.get(key)) for key in ("index", "repetition")):
        return "'index' or 'repetition' is not an integer"
    if not all(is_word(cell.get(key)) for key in ("hash", "file")):
        return "'hash' or 'file' is not text"
    if Path(cell["file"]).name != cell["file"] or not cell["file"].endswith(".h5"):
        return "'file' is not the name of a run file in this folder"
    values = cell.get("values")
    if not isinstance(values, dict) or not all(map(is_value, values.values())):
        return "'values' is not an object of settings"
    if not _is_seed(values.get("seed")):
        return "'seed' is not an integer"
    if not isinstance(cell.get("refused"), (str, type(None))):
        return "'refused' is neither a text nor null"
    if not isinstance(cell.get("skipped", False), bool):
        return "'skipped' is neither true nor false"
    return "'skipped' without a reason in 'refused'" if cell.get("skipped") and not cell.get("refused") else ""


def is_word(value: Any) -> bool:
    """Returns whether the value is a name that can be printed unchanged."""
    return isinstance(value, str) and value.isprintable()


def is_integer(value: Any) -> bool:
    """Returns whether the value is a 64-bit integer and no flag."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def _is_seed(value: Any) -> bool:
    """Returns whether the value is a seed, or null for none."""
    return value is None or is_integer(value)


def is_value(value: Any) -> bool:
    """Returns whether the value is a setting: a single value or a list of them."""
    if isinstance(value, list):
        return all(not isinstance(each, list) and is_value(each) for each in value)
    if isinstance(value, str):
        return value.isprintable()
    return is_integer(value) or isinstance(value, (bool, float, type(None)))


def _shown(value: Any) -> str:
    """Returns a value for a message, short and printable."""
    return printable(str(value))[:60]
