"""Runs as two plain tables for other tools: a row a run, and a row a round."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..io.content import CHECKSUM
from ..io.run_file import Run
from ..io.words import relative
from .evidence import evidence_of
from .finals import run_figures
from .groups import typed_settings
from .guarantees import column, status_of
from .sweep import UNITS

HASH_LETTERS = 12  # of a fingerprint, as in the names of a sweep's files
SETTING = "config."  # in front of settings, whose names may be those of figures: rounds asked for and rounds done
KEYS = ("run", "hash")  # of both tables
# Attributes of the root that are exported as they are.
OF_ROOT = ("name", "method", "mode", "seed", "clients", "dimension", "ranks", "problem", "data", "compressor",
           "epsilon_nominal", "delta", "epsilon_accounted", "noise_sigma", "claim", "failure",
           "program_version")
OF_PRIVACY = ("unit", "relation")
OF_ENVIRONMENT = ("started", "git_revision")


def identity(run: Run) -> str:
    """Returns 32 hexadecimal digits that identify the content of a run file."""
    content = run.attributes.get(CHECKSUM) or hashlib.sha256(
        "\n".join([run.attributes["fingerprint"], run.config, run.rounds.to_csv()]).encode()).hexdigest()
    return str(content)[:32]


def once_each(runs: Sequence[Run]) -> list[Run]:
    """Returns the runs without copies of earlier ones."""
    return list({identity(run): run for run in reversed(runs)}.values())[::-1]


def short_hash(run: Run) -> str:
    """Returns the first letters of the fingerprint, by which sweeps name their cells."""
    return run.attributes["fingerprint"][:HASH_LETTERS]


def settings_of(run: Run) -> dict[str, Any]:
    """Returns the resolved settings by dotted key. A list is a text, as in TOML."""
    return {key: str(value) if isinstance(value, list) else value for key, value in typed_settings(run).items()}


def facts(run: Run) -> dict[str, Any]:
    """Returns what identifies a run, and its privacy claim, without settings and figures."""
    return {"run": identity(run), "hash": short_hash(run), "file": run.path.name,
            "folder": relative(run.path.parent), **{name: run.attributes[name] for name in OF_ROOT},
            "claim_status": status_of([run]), **{name: run.privacy[name] for name in OF_PRIVACY},
            "against": column([run], "against"),
            **{name: run.environment.get(name, "").strip() for name in OF_ENVIRONMENT},
            "complete": run.complete, "tuning": run.tuning, "times_are_evidence": evidence_of(run).is_evidence}


def run_row(run: Run) -> dict[str, Any]:
    """Returns the row of a run: facts, final figures, and its settings as columns `config.KEY`."""
    return facts(run) | run_figures(run) | {SETTING + key: value for key, value in settings_of(run).items()}


def run_rounds(run: Run) -> pd.DataFrame:
    """Returns a row for each round of a run, with its identity and hash."""
    return run.rounds.assign(run=identity(run), hash=short_hash(run))


def joined_rounds(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Returns the rows of run_rounds() of several runs as one table, without columns that have no value."""
    whole = pd.concat(tables, ignore_index=True).dropna(axis="columns", how="all")
    return whole[[*KEYS, *(name for name in whole if name not in KEYS)]]


def units(runs: Sequence[Run], runs_columns: Sequence[str], rounds_columns: Sequence[str]) -> dict[str, dict[str, str]]:
    """Returns the units of the columns of both tables. Texts and settings have empty units."""
    of_rounds = {name: unit for run in runs for name, unit in run.units.items()}
    return {"runs": {name: UNITS.get(name, of_rounds.get(name, "")) for name in runs_columns},
            "rounds": {name: of_rounds.get(name, "") for name in rounds_columns}}
