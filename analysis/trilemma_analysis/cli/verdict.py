"""The command `verdict`: judges a reproduction by its rule."""

from __future__ import annotations

import argparse
import sys


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    from ..verdicts import RULES

    parser.description = ("Says whether a sweep bears out the statements of a paper, by a rule fixed beforehand.")
    parser.add_argument("rule", choices=sorted(RULES), metavar="RULE", help=f"{', '.join(sorted(RULES))}")
    parser.add_argument("folder", metavar="FOLDER", nargs="+", help="folder of a sweep, all cells done")


def run(chosen: argparse.Namespace) -> None:
    """Prints the verdict."""
    from ..model.sweep import read_sweep
    from ..verdicts import judge

    sys.stdout.write(judge(chosen.rule, *map(read_sweep, chosen.folder)).text())
