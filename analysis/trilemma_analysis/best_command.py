"""The command `best`: which method wins within a budget of bits, epsilon or time, or reaches a target first."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .budgets import COMPARED, DIRECTIONS, Budget, Target
from .options import add_tables, write_tables
from .reader import RunFileError
from .sizes import bits_of
from .writing import csv_of


def add_best(commands: argparse._SubParsersAction) -> None:
    """Adds the command to a parser."""
    best = commands.add_parser(
        "best",
        help="rank the methods of sweeps within a budget, or by the bits or the time until a target",
        description="Ranks the methods of one or several sweeps at equal bits, epsilon, seconds or "
        "simulated time (give at least one limit), or by the bits, the time or the seconds they need for a target. Each method is taken at its best "
        "setting, and compared with the winner seed by seed.",
    )
    best.add_argument("folder", nargs="+", metavar="SWEEP", help="folders of sweeps, with sweep.json and run files")
    best.add_argument("--bits", metavar="SIZE", help="limit on the payload that is sent: 1MB, 64KiB, 2.5Mbit, "
                      "100000bits (default: none)")
    best.add_argument("--per-client", action="store_true", help="count bits per client, in the mean over the clients "
                      "(default: of all clients together)")
    best.add_argument("--sent", action="store_true", help="count the bits that each run has really sent, as a hard limit "
                      "(default: those expected over who takes part, as budget.upload does; docs/reference/sweep-files.md, \"The budget "
                      "of bits\")")
    best.add_argument("--direction", choices=tuple(DIRECTIONS), default="up", help="which bits count: sent by clients "
                      "(up, default), to clients (down), or both")
    best.add_argument("--epsilon", type=_positive, metavar="E", help="limit on the epsilon that is accounted for "
                      "(default: none; methods with one nominal epsilon are ranked together)")
    best.add_argument("--seconds", type=_positive, metavar="S", help="limit on the seconds of all rounds, without "
                      "evaluation and recording (default: none)")
    best.add_argument("--time", type=_positive, metavar="T", help="limit on the simulated time of methods on the clock "
                      "(default: none; other methods are skipped)")
    best.add_argument("--target", metavar="METRIC=VALUE", help="ranks by the bits (see --until) until the metric is as "
                      "good as this, as in accuracy=0.8")
    best.add_argument("--until", choices=("bits", "time", "seconds"), default="bits", help="what counts until the target: "
                      "bits (default), simulated time of methods on the clock, or seconds")
    best.add_argument("--metric", default="auto", help="what is compared, any column of which higher or lower values are "
                      "better: auto (default) takes the test accuracy (with real targets: the error), else another one "
                      "that has values")
    best.add_argument("--tune-seeds", metavar="SEEDS", help="seeds that choose the settings and do not judge them, as "
                      "in 0 or 0,7 (default: those that the sweep names, else all seeds do both)")
    best.add_argument("--by", metavar="AXIS", help="each value of this setting competes on its own, as in "
                      "compressor.kind (default: methods compete, each at its best setting)")
    best.add_argument("--toml", metavar="FILE", help="writes the winner's configuration for `trilemma run`")
    add_tables(best, "the rankings", "rankings and notes")
    best.set_defaults(command=_best)


def _best(options: argparse.Namespace) -> None:
    from . import answers
    from .rankings import answer
    from .sweep import read_sweep

    sweeps = [read_sweep(folder) for folder in options.folder]  # whose metrics the budget may name
    budget = _budget(options)
    tuning = _seeds(options.tune_seeds) if options.tune_seeds else {seed for sweep in sweeps for seed in sweep.tuning}
    found = answer(sweeps, budget, options.metric, sorted(tuning), options.by)
    progress = [f"{sweep.name}: {words}" for sweep in sweeps
                for words in (sweep.progress(), *sweep.refusals(), *sweep.skipped())]
    sys.stdout.write(answers.as_text(found, progress))
    files = {options.csv: lambda: csv_of(answers.rows(found)), options.json: lambda: answers.as_json(found)}
    if options.toml:
        for number, ranking in enumerate(found.rankings, 1):
            path = Path(options.toml)
            name = path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
            files[str(name)] = lambda ranking=ranking: answers.winner_toml(ranking, found)
    write_tables(files)


def _budget(options: argparse.Namespace) -> Budget:
    if options.bits is options.epsilon is options.seconds is options.time is options.target is None:
        raise RunFileError("best of what? Give --bits, --epsilon, --seconds or --time as a limit, or --target "
                           "METRIC=VALUE.")
    if options.until != "bits" and options.target is None:
        raise RunFileError(f"--until {options.until} goes with --target METRIC=VALUE; add that, or give --{options.until} "
                           "as a limit.")
    if options.until != "bits" and options.bits is None and (options.per_client or options.sent
                                                                         or options.direction != "up"):
        raise RunFileError(f"--per-client, --sent and --direction are about bits, and with --until {options.until} nothing counts "
                           "them; leave them out, or give --bits as a limit.")
    return Budget(bits_of(options.bits) if options.bits is not None else None, options.per_client, options.direction,
                  options.epsilon, options.seconds, _target(options), options.time, options.until, options.sent)


def _target(options: argparse.Namespace) -> Target | None:
    if options.target is None:
        return None
    metric, _, value = options.target.partition("=")
    try:
        found = Target(metric, float(value))
    except ValueError:
        raise RunFileError(f"--target {options.target}: write METRIC=VALUE, as in accuracy=0.8.") from None
    if metric not in COMPARED:
        raise RunFileError(f"--target {options.target}: '{metric}' is not a metric; use one of {', '.join(COMPARED)}.")
    if COMPARED[metric].is_share and not 0 <= found.value <= 1:
        raise RunFileError(f"--target {options.target}: {COMPARED[metric].name} is a share between 0 and 1; did you mean "
                           f"{metric}={found.value / 100:g}?")
    if options.metric not in ("auto", metric):
        raise RunFileError(f"--metric {options.metric} contradicts --target {options.target}; leave one of them out.")
    return found


def _seeds(text: str) -> set[int]:
    try:
        return {int(word) for word in text.split(",")}
    except ValueError:
        raise RunFileError(f"--tune-seeds {text}: write numbers with commas between them, as in 0,7.") from None


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not larger than 0 and finite")
    return value
