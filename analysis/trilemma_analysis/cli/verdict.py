"""The command `verdict`: judges a reproduction by its rule."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..io.errors import RunFileError
from . import options

if TYPE_CHECKING:
    from ..verdicts.evidence import Evidence
    from ..verdicts.summary import Row


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    from ..verdicts import RULES

    parser.description = ("Says whether a sweep bears out the statements of a paper, by a rule fixed beforehand. The "
                          "rows that the verdict rests on can be saved, and judged again without the run files.")
    parser.add_argument("rule", choices=sorted(RULES), metavar="RULE", nargs="?", help=f"{', '.join(sorted(RULES))}")
    parser.add_argument("folder", metavar="FOLDER", nargs="*", help="folder of a sweep, all cells done; or one folder "
                        "with saved rows")
    parser.add_argument("--save", metavar="FOLDER",
                        help="writes the rows into RULE.csv of this folder, and what they mean and where they come "
                             "from into RULE.json")
    parser.add_argument("--row", action="store_true", help="prints the row of the table of --all, too")
    parser.add_argument("--all", metavar="FOLDER",
                        help="judges all rules whose rows are saved in this folder, and prints a table of the verdicts")
    parser.add_argument("--json", metavar="FILE", help="writes the table, with all statements, as JSON")
    options.add_wide(parser)


def run(chosen: argparse.Namespace) -> None:
    """Prints the verdict, or the table of all of them."""
    from ..verdicts import RULES
    from ..verdicts.saved import save
    from ..verdicts.summary import row_of, rows_in

    _check(chosen)
    if chosen.all:
        rows = rows_in(RULES, Path(chosen.all))
        sys.stdout.write(table_of(rows, chosen.wide))
    else:
        evidence = _evidence(chosen.rule, list(map(Path, chosen.folder)))
        rows = [row_of(evidence)]
        sys.stdout.write(rows[0].verdict.text())
        if chosen.row:
            sys.stdout.write("\n" + table_of(rows, chosen.wide))
        if chosen.save:
            sys.stdout.writelines(f"{path}\n" for path in save(evidence, Path(chosen.save)))
    options.write_tables({chosen.json: lambda: as_json(rows)})


def _check(chosen: argparse.Namespace) -> None:
    """Refuses what does not go together."""
    if chosen.all and (chosen.rule or chosen.save or chosen.row):
        raise RunFileError("--all judges what is saved in its folder; leave out the rule, --save and --row.")
    if not chosen.all and not (chosen.rule and chosen.folder):
        raise RunFileError("verdict: name a rule and the folders of its sweeps, or --all and a folder with saved rows.")


def _evidence(rule: str, folders: list[Path]) -> Evidence:
    """Returns the evidence of a rule, from sweeps or from saved rows."""
    from ..model.sweep import read_sweep
    from ..verdicts import RULES, evidence
    from ..verdicts.saved import is_saved, read

    if len(folders) == 1 and is_saved(folders[0], rule):
        return read(RULES, folders[0] / f"{rule}.json")
    return evidence(rule, *map(read_sweep, folders))


def as_json(rows: Sequence[Row]) -> str:
    """Returns the rows as a list of objects."""
    return json.dumps([row.as_object() for row in rows], indent=2, allow_nan=False) + "\n"


def table_of(rows: Sequence[Row], wide: bool) -> str:
    """Returns the table of verdicts for people."""
    from .tables import Column, table

    columns = [
        Column("experiment", list(map(_experiment, rows)), words=True, stays=True),
        Column("verdict", [row.verdict.word for row in rows], words=True, stays=True),
        Column("here", [row.ours for row in rows], words=True, stays=True),
        Column("paper", [row.rule.paper for row in rows], words=True, stays=True),
        Column("seeds", [str(row.verdict.seeds) for row in rows], stays=True),
        Column("computing", [row.work for row in rows], words=True, stays=True),
        Column("rule", [row.rule.name for row in rows], words=True, extra=True),
        Column("command", [row.command for row in rows], words=True, extra=True)]
    lines = table(columns, wide)
    return "\n".join([*lines, *([] if wide else ["again: jobs/reproduce EXPERIMENT"])]) + "\n"


def _experiment(row: Row) -> str:
    """Returns the experiments of a row, and its rule if that has another name."""
    ids = ", ".join(row.rule.ids)
    return ids if ids.lower() == row.rule.name else f"{ids} ({row.rule.name})"
