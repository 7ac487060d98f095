"""Command line: `python3 -m trilemma_analysis curves|cost|table FILES` or `sweep FOLDER`."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from . import options
from .best_command import add_best
from .content import ChangedFileWarning, of_change
from .metrics import METRICS
from .network_command import add_network
from .reader import IncompleteRunWarning, Run, RunFileError, read_run
from .scaling_command import add_scaling
from .simulated_command import add_simulated
from .sweep_files import skipped
from .table import as_csv, as_json, as_text, final_figures
from .tuning import marked
from .words import printable


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code (2 for a mistake of the user)."""
    chosen = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names may hold letters that the terminal does not know
            stream.reconfigure(errors="backslashreplace")
    try:
        chosen.command(chosen)
        sys.stdout.flush()
    except RunFileError as error:
        return _complain(str(error))
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _complain(f"{error.filename or 'output'}: {error.strerror}.")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = options.Parser(prog="trilemma_analysis", description="Tables and figures from run files.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    _add_curves(commands)
    _add_cost(commands)

    table = commands.add_parser("table", help="print the final figures", description="Prints the final figures of "
                                "runs, one line per method; medians over the seeds.")
    table.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    options.add_tables(table, "the rows", "the rows")
    _add_selection(table)
    table.set_defaults(command=_table)
    _add_sweep(commands)
    add_best(commands)
    _add_verdict(commands)
    add_network(commands)
    add_scaling(commands)
    add_simulated(commands)
    return parser


def _add_curves(commands: argparse._SubParsersAction) -> None:
    curves = commands.add_parser(
        "curves",
        help="draw metrics of runs against rounds and bits",
        description="Draws metrics of runs against rounds, communicated bits or time. Colours tell methods apart, line "
        "styles epsilon, mode and presets; of what else differs the best is drawn. Seeds become a median with an interval.",
    )
    curves.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    options.add_metric(curves, "default: the mean squared gradient norm, and the score on test records, else the objective")
    options.add_choice(curves)
    options.add_output(curves)
    curves.set_defaults(command=_curves)


def _add_cost(commands: argparse._SubParsersAction) -> None:
    cost = commands.add_parser(
        "cost",
        help="draw what privacy costs: a metric against epsilon",
        description="Draws the final metric of runs against the epsilon that was asked for, at equal rounds and at the "
        "best rounds as far as there are such runs, with a line for runs without privacy; and the epsilon that was "
        "spent where it is another one. Prints the numbers as a table.",
    )
    cost.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    cost.add_argument("--metric", choices=tuple(METRICS), default="utility",
                      help="what is drawn (default: utility, the mean squared gradient norm)")
    options.add_output(cost)
    cost.set_defaults(command=_cost)


def _add_sweep(commands: argparse._SubParsersAction) -> None:
    sweep = commands.add_parser(
        "sweep",
        help="table and figure of a sweep",
        description="Prints one line per combination of the axes of a sweep (median and interval over the seeds), and "
        "which cells are done. Writes a table with a row per cell, and a figure over the whole sweep.",
    )
    sweep.add_argument("folder", metavar="FOLDER", nargs="+",
                       help="folders of sweeps, with sweep.json and run files; several become one sweep")
    options.add_tables(sweep, "the cells", "cells, units and summary")
    options.add_metric(sweep, "auto (default) takes the score on test records where there is one, else the mean "
                       "squared gradient norm. The table shows the first one")
    options.add_choice(sweep)
    options.add_output(sweep, required=False)
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


def _verdict(chosen: argparse.Namespace) -> None:
    from .sweep import read_sweep
    from .verdicts import judge

    sys.stdout.write(judge(chosen.rule, *map(read_sweep, chosen.folder)).text())


def _read(files: Sequence[str]) -> list[Run]:
    """The runs of files that were named, and of all run files of folders, with a mark at those for tuning. A file that
    was named must be whole; incomplete files in a folder are skipped with a note."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IncompleteRunWarning)
        warnings.simplefilter("ignore", ChangedFileWarning)
        runs = [run for file in files for run in (_folder(Path(file)) if Path(file).is_dir() else [_whole(file)])]
    for warning in caught:
        _note(f"warning: {warning.message}")
    return marked(runs)


def _whole(file: str | Path) -> Run:
    """A run whose file says what it said when it was written: nothing else may be drawn or claimed."""
    run = read_run(file)
    if run.changed:
        raise RunFileError(of_change(Path(file)))
    return run


def _folder(folder: Path) -> list[Run]:
    files = sorted(path for path in folder.glob("*.h5") if path.is_file())
    runs, damaged = [], []
    for path in files:
        try:
            runs.append(_whole(path))
        except RunFileError as error:
            damaged.append(path.name)
            reason = str(error)
    if not runs:
        raise RunFileError(f"{folder}: none of its {len(files)} run files can be used; the last one: {reason}" if files
                           else f"{folder}: no run files (*.h5) in this folder.")
    for sentence in skipped(folder, damaged, len(files)):
        _note(f"warning: {sentence}")
    return runs


def _curves(chosen: argparse.Namespace) -> None:
    # Imported late: a table must not wait for matplotlib.
    from .figures import draw_runs
    from .sweep import sweep_of_runs

    runs = _read(chosen.files)
    measured = [run for run in runs if any(len(run.evaluated(metric)) for metric in METRICS)]
    for run in runs:
        if run not in measured:
            _note(f"warning: {run.path}: records no metric, as with privacy.strict = true, and is not drawn.")
    if not measured:
        raise RunFileError("none of the files records a metric, so there is nothing to draw.")
    sweep = sweep_of_runs(measured)
    for note in sweep.notes:
        _note(f"note: {note}")
    options.write(draw_runs(sweep, options.choice_of(chosen, chosen.metric)), chosen)


def _cost(chosen: argparse.Namespace) -> None:
    from .cost import cost_text, draw_cost

    runs = _read(chosen.files)
    figure = draw_cost(runs, chosen.metric, options.sheet_of(chosen))
    sys.stdout.write(cost_text(runs, chosen.metric))
    options.write(figure, chosen)


def _table(chosen: argparse.Namespace) -> None:
    figures = final_figures(_read(chosen.files), _words(chosen.best_of), chosen.sort)
    sys.stdout.write(as_text(figures))
    options.write_tables({chosen.csv: lambda: as_csv(figures), chosen.json: lambda: as_json(figures)})


def _sweep(chosen: argparse.Namespace) -> None:
    from .combinations import combinations, summary_text, sweep_json
    from .series import coloured
    from .sweep import read_sweep

    sweep = read_sweep(*chosen.folder)
    for note in sweep.notes:
        _note(f"warning: {note}")
    coloured(sweep, combinations(sweep), chosen.by)  # a mistake in --by is reported without a figure too
    metric = (chosen.metric or ["auto"])[0]
    best_of = _words(chosen.best_of)
    sys.stdout.write(summary_text(sweep, metric, best_of, chosen.sort))
    # The table first: it works without any finished cell, the figure does not.
    options.write_tables({chosen.csv: lambda: as_csv(sweep.table),
                          chosen.json: lambda: sweep_json(sweep, metric, best_of, chosen.sort)})
    if chosen.output:
        from .sweep_figure import draw_sweep

        options.write(draw_sweep(sweep, options.choice_of(chosen, chosen.metric)), chosen)


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
