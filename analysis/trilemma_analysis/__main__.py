"""Command line: `python3 -m trilemma_analysis curves|cost|table FILES` or `sweep FOLDER`."""

from __future__ import annotations

import argparse
import io
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from .best_command import add_best
from .reader import IncompleteRunWarning, Run, RunFileError, read_run
from .sweep_files import left_out
from .table import as_csv, as_json, as_text, final_figures
from .words import printable


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code (2 for a mistake of the user)."""
    options = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names may hold letters that the terminal does not know
            stream.reconfigure(errors="backslashreplace")
    try:
        options.command(options)
    except RunFileError as error:
        return _complain(str(error))
    except OSError as error:
        return _complain(f"{error.filename or 'output'}: {error.strerror}.")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="trilemma_analysis", description="Tables and figures from run files.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    curves = commands.add_parser(
        "curves",
        help="draw utility and loss against rounds and bits",
        description="Draws utility and loss (or test accuracy) against rounds and against communicated bits. Several "
        "seeds of one method, mode and name become a median line with a band.",
    )
    curves.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    curves.add_argument("-o", "--output", action="append", required=True, metavar="PICTURE",
                        help="png, svg or pdf; may be given several times")
    curves.add_argument("--bits", choices=("model", "payload", "mpi"), default="model",
                        help="count on the bits axis: the papers' own (default), the encoded messages, or what was "
                        "handed to MPI")
    curves.add_argument("--metric", choices=("auto", "objective", "accuracy"), default="auto",
                        help="lower row: auto (default) takes test accuracy if the runs' final values differ by more "
                        "than 0.02, else the objective")
    curves.add_argument("--equal-bits", action=argparse.BooleanOptionalAction, default=True,
                        help="end the bits axis at 1.1 times the smallest final count, so that methods are compared "
                        "at equal communication (default); otherwise every run is drawn to its end")
    curves.set_defaults(command=_curves)

    cost = commands.add_parser(
        "cost",
        help="draw utility against epsilon, nominal and accounted",
        description="Draws the final utility of runs against the epsilon that was asked for, and the epsilon that the "
        "accountant finds was spent. Prints the numbers as a table.",
    )
    cost.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    cost.add_argument("-o", "--output", action="append", required=True, metavar="PICTURE",
                      help="png, svg or pdf; may be given several times")
    cost.add_argument("--metric", choices=("utility", "objective", "accuracy"), default="utility",
                      help="what is drawn on the left")
    cost.set_defaults(command=_cost)

    table = commands.add_parser("table", help="print the final figures", description="Prints the final figures of "
                                "runs, one line per method; means over the seeds.")
    table.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    form = table.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="full precision as CSV")
    form.add_argument("--json", action="store_true", help="full precision as JSON")
    _add_selection(table)
    table.set_defaults(command=_table)
    _add_sweep(commands)
    add_best(commands)
    _add_verdict(commands)
    return parser


def _add_sweep(commands: argparse._SubParsersAction) -> None:
    sweep = commands.add_parser(
        "sweep",
        help="table and figure of a sweep",
        description="Prints one line per combination of the axes of a sweep (mean and 95 % interval over the seeds), "
        "and which cells are done. Writes a table with a row a cell, and a figure over the whole sweep.",
    )
    sweep.add_argument("folder", metavar="FOLDER", help="folder of the sweep, with sweep.json and run files")
    sweep.add_argument("--csv", metavar="FILE", help="writes the cells in full precision as CSV")
    sweep.add_argument("--json", metavar="FILE", help="writes cells, units and summary in full precision as JSON")
    sweep.add_argument("-o", "--output", action="append", default=[], metavar="FIGURE",
                       help="png, svg or pdf; may be given several times")
    sweep.add_argument("--by", metavar="KEY", help="axis that gets the colours; the method where it is an axis")
    sweep.add_argument("--metric", choices=("auto", "utility", "objective", "accuracy", "gradient_norm_squared"),
                       default="auto", help="auto (default) takes test accuracy if the combinations' means differ by "
                       "more than 0.02, else utility")
    _add_selection(sweep)
    sweep.set_defaults(command=_sweep)


def _add_selection(command: argparse.ArgumentParser) -> None:
    command.add_argument("--best-of", metavar="KEYS", help="shows the best row only over these settings, as in "
                         "rate,threshold (default: all rows)")
    command.add_argument("--sort", metavar="COLUMN", help="sorts the rows by a column, the best first (default: by the "
                         "settings)")


def _add_verdict(commands: argparse._SubParsersAction) -> None:
    from .verdicts import RULES

    verdict = commands.add_parser(
        "verdict",
        help="judge a reproduction by its rule",
        description="Says whether a sweep bears out the statements of a paper, by a rule fixed beforehand.",
    )
    verdict.add_argument("rule", choices=sorted(RULES), help="name of the rule")
    verdict.add_argument("folder", metavar="FOLDER", nargs="+", help="folder of a sweep, all cells done")
    verdict.set_defaults(command=_verdict)


def _verdict(options: argparse.Namespace) -> None:
    from .sweep import read_sweep
    from .verdicts import judge

    sys.stdout.write(judge(options.rule, *map(read_sweep, options.folder)).text())


def _read(files: Sequence[str]) -> list[Run]:
    """The runs of files that were named, and of all run files of folders. A file that was named must be whole; what a
    folder holds beside whole ones is left out with a note."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IncompleteRunWarning)
        runs = [run for file in files for run in (_folder(Path(file)) if Path(file).is_dir() else [read_run(file)])]
    for warning in caught:
        _note(f"warning: {warning.message}")
    return runs


def _folder(folder: Path) -> list[Run]:
    files = sorted(path for path in folder.glob("*.h5") if path.is_file())
    runs, damaged = [], []
    for path in files:
        try:
            runs.append(read_run(path))
        except RunFileError as error:
            damaged.append(path.name)
            reason = str(error)
    if not runs:
        raise RunFileError(f"{folder}: none of its {len(files)} run files can be used; the last one: {reason}" if files
                           else f"{folder}: no run files (*.h5) in this folder.")
    for sentence in left_out(folder, damaged, len(files)):
        _note(f"warning: {sentence}")
    return runs


def _curves(options: argparse.Namespace) -> None:
    # Imported late: a table must not wait for matplotlib.
    from .figures import draw_curves, save

    figure = draw_curves(_read(options.files), options.bits, options.metric, options.equal_bits)
    for path in options.output:
        save(figure, path)
        print(path)


def _cost(options: argparse.Namespace) -> None:
    from .cost import cost_text, draw_cost
    from .figures import save

    runs = _read(options.files)
    figure = draw_cost(runs, options.metric)
    sys.stdout.write(cost_text(runs, options.metric))
    for path in options.output:
        save(figure, path)
        print(path)


def _table(options: argparse.Namespace) -> None:
    figures = final_figures(_read(options.files), _words(options.best_of), options.sort)
    form = as_csv if options.csv else as_json if options.json else as_text
    sys.stdout.write(form(figures))
    if form is not as_text:  # which has them in the table
        for note in figures.attrs["notes"]:
            _note(f"note: {note}")


def _sweep(options: argparse.Namespace) -> None:
    from .combinations import summary_text, sweep_json
    from .sweep import read_sweep

    sweep = read_sweep(options.folder)
    for note in sweep.notes:
        _note(f"warning: {note}")
    best_of = _words(options.best_of)
    sys.stdout.write(summary_text(sweep, options.metric, best_of, options.sort))
    # The table first: it works without any finished cell, the figure does not.
    if options.csv:
        Path(options.csv).write_text(as_csv(sweep.table), encoding="utf-8")
        print(options.csv)
    if options.json:
        Path(options.json).write_text(sweep_json(sweep, options.metric, best_of, options.sort), encoding="utf-8")
        print(options.json)
    if options.output:
        from .figures import save
        from .sweep_figure import draw_sweep

        figure = draw_sweep(sweep, options.metric, options.by)
        for path in options.output:
            save(figure, path)
            print(path)


def _words(text: str | None) -> list[str]:
    """What stands between commas."""
    return [word.strip() for word in text.split(",")] if text else []


def _complain(sentence: str) -> int:
    _note(f"trilemma_analysis: {sentence}")
    return 2


def _note(sentence: str) -> None:
    print(printable(sentence), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
