"""The experiments of the papers and the rules that judge them: jobs/reproductions.toml, its keys and its data sets."""
from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .options import ROOT
from .values import UserError

FILE = ROOT / "jobs/reproductions.toml"
DATA_SETS = ROOT / "scripts/datasets.tsv"


@dataclass(frozen=True)
class Judged:
    """What a rule needs: sweeps of jobs/sweeps, data sets of scripts/get-data, and those of scripts/derive-data. `unsaved`:
    its runs were reported before rows were kept. `cells`: how many cells those sweeps have of which rows rest on a part."""
    name: str
    sweeps: list
    data: list
    derived: list
    unsaved: bool
    cells: dict


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper. One that has no rules cannot be run here, for a `reason`; `file` would run it, and
    `substitutes` stand for it. `section` is the heading of the paper's page that describes it."""
    id: str
    paper: str
    figure: str
    expected: str
    rules: list
    reason: str
    file: str
    substitutes: list
    section: str


KEYS = {"paper": str, "figure": str, "expected": str, "rules": list, "reason": str, "file": str, "substitutes": list,
        "section": str}
RULE_KEYS = {"sweeps": list, "data": list, "derived": list, "unsaved": bool, "cells": dict}


@dataclass(frozen=True)
class Registry:
    """All papers (titles by their short names, and their pages of docs/results), rules and experiments; `beyond` names
    those of `papers` that are no paper, but experiments of this project."""
    papers: dict
    pages: dict
    beyond: list
    rules: dict
    experiments: dict

    def experiment(self, name: str) -> Experiment:
        """The experiment of an id. The beginning of ids is answered by all of these, a mistyped id by the nearest."""
        if name in self.experiments:
            return self.experiments[name]
        begun = [each for each in self.experiments if each.startswith(f"{name.upper()}-")]
        if begun:
            raise UserError(f"there is no experiment '{name}'; name one of {', '.join(begun)}.")
        near = difflib.get_close_matches(name.upper(), self.experiments, n=1, cutoff=0.4)
        raise UserError(f"there is no experiment '{name}'" + (f"; did you mean {near[0]}?" if near else
                                                              "; --list names all."))


def read(path: Path = FILE) -> Registry:
    """The content of a file, with every key checked."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not TOML ({str(error).rstrip('.')}); fix the file.") from None
    check(path, "", given, {"papers": dict, "pages": dict, "beyond": list, "rules": dict, "experiments": dict})
    rules = {name: Judged(name, **filled(path, f"rules.{name}", entry, RULE_KEYS))
             for name, entry in given["rules"].items()}
    experiments = {name: Experiment(name, **filled(path, f'experiments."{name}"', entry, KEYS))
                   for name, entry in given["experiments"].items()}
    for each in experiments.values():
        if each.paper not in given["papers"]:
            raise UserError(f"{path}: {each.id}: there is no paper '{each.paper}' in [papers].")
        if unknown := [rule for rule in each.rules if rule not in rules]:
            raise UserError(f"{path}: {each.id}: there is no rule '{unknown[0]}' in [rules].")
        if bool(each.rules) == bool(each.reason):
            raise UserError(f"{path}: {each.id} needs either rules that judge it or the reason why it cannot be run.")
    return Registry(given["papers"], given.get("pages", {}), given.get("beyond", []), rules, experiments)


def filled(path: Path, place: str, entry: dict, known: dict) -> dict:
    """An entry with the empty value for every key that it does not have."""
    check(path, place, entry, known)
    return {key: entry.get(key, kind()) for key, kind in known.items()}


def check(path: Path, place: str, entry: dict, known: dict) -> None:
    """Refuses unknown keys and values of another kind."""
    for key, value in entry.items():
        if key not in known:
            raise UserError(f"{path}: {place}.{key}: unknown key; expected {', '.join(known)}.")
        if not isinstance(value, known[key]):
            raise UserError(f"{path}: {place}.{key}: expected a value of type {known[key].__name__}.")


def files_of(data_set: str) -> list:
    """The files of a data set below the data directory."""
    rows = [line.split("\t") for line in DATA_SETS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [row[1] for row in rows if row[0] == data_set]
