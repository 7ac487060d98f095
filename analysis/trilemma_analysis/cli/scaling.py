"""The command `scaling`: how the time of a round changes with the ranks, from the folder of a scaling study."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

import pandas as pd

from ..io.errors import RunFileError
from ..io.words import printable, wrapped
from ..io.writing import csv_of_rows, records
from ..scaling.folder import read_study
from ..scaling.points import Ratio, Study, of_axis, of_studies, renamed
from ..scaling.table import DOUBT, WIDE, cells, compared_rows, rows
from ..scaling.text import answer_compared, answers, compared_lines, details, doubts, no_picture
from . import options
from .files import print_note
from .tables import Column, table


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = (
        "Prints and draws what a study of jobs/submit measured: how fast rounds are on more ranks, time per round "
        "(median and interval over the repetitions), speed-up and parallel efficiency, where the time goes, and a "
        "model of computing and messages and how far it is off. Two folders, or two values of an axis, are compared "
        "pair by pair of repetitions. A picture takes three numbers of ranks whose times are evidence.")
    parser.add_argument("folder", nargs="+", metavar="FOLDER", help="folder of a study; a second one, of another "
                         "build perhaps, is compared with it")
    parser.add_argument("--compare", metavar="AXIS", help="compares the values of an axis, such as exchange.up, each "
                         "with the first one")
    options.add_wide(parser)
    options.add_tables(parser, "a row per point (with a comparison: per ratio)", "the same")
    options.add_output(parser, required=False)


def run(chosen: argparse.Namespace) -> None:
    """Prints and draws a study, or a comparison."""
    if len(chosen.folder) > 2 or (len(chosen.folder) == 2 and chosen.compare):
        raise RunFileError("scaling takes one folder, or two to be compared; --compare compares within one.")
    studies = renamed([read_study(folder) for folder in chosen.folder])
    notes = dict.fromkeys(note for study in studies for note in (*study.notes, *doubts(study)))
    for line in wrapped([f"warning: {note}" for note in notes]):
        print(printable(line), file=sys.stderr)
    if len({bool(study.simulation) for study in studies}) > 1:
        made = [f"{study.path} is {'simulated' if study.simulation else 'measured'}" for study in studies]
        raise RunFileError(f"{' and '.join(made)}: nothing follows from ratios of such times; give two of a kind.")
    compared = []
    if len(studies) == 2:
        compared = of_studies(*studies)
    elif chosen.compare:
        compared = of_axis(studies[0], chosen.compare)
    lines = [each.line for each in compared] or studies[0].lines
    without = no_picture(lines)
    sys.stdout.write("".join(printable(line) + "\n" for line in as_text(studies, compared, chosen.wide)))
    found = pd.DataFrame(compared_rows(compared) if compared else rows(studies[0]), dtype=object)
    options.write_tables({
        chosen.csv: lambda: csv_of_rows(list(found), [list(row.values()) for row in records(found)]),
        chosen.json: lambda: json.dumps(records(found), indent=1) + "\n"})
    if chosen.output and without:
        for line in wrapped([f"{chosen.output[0]} is not written; {without}."]):
            print_note(line)
    elif chosen.output:
        # Imported late: a table must not wait for matplotlib.
        from ..scaling.figure import draw_comparison, draw_scaling

        sheet = options.sheet_of(chosen)
        options.write(draw_comparison(studies, compared, sheet) if compared else draw_scaling(studies[0], sheet),
                      chosen)


def as_text(studies: Sequence[Study], compared: Sequence[Ratio], wide: bool) -> list[str]:
    """Returns the answer, the table of every study, and ratios or details."""
    first = [f"SIMULATED times, no measurements: {study.simulation}" for study in studies if study.simulation]
    first += [answer_compared(compared)] if compared else answers(studies[0])
    after = compared_lines(compared) if compared else details(studies[0])
    tables = [line for study in studies for line in [*table(_columns(study), wide), ""]]
    return [*wrapped(first), "", *tables, *wrapped(after)]


def _columns(study: Study) -> list[Column]:
    """Returns the columns of a study's table."""
    return [Column(name, texts.tolist(), words=name in ("line", DOUBT), stays=name in ("line", "ranks", DOUBT),
                   extra=name in WIDE) for name, texts in cells(study).items()]
