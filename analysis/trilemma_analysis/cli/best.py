"""The command `best`: which method wins within a budget of bits, epsilon or time, or reaches a target first."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..io.errors import RunFileError
from ..io.forms import (UNKNOWN, bits, epsilon, figure, joules, of_metric, seconds, share_or_figure, signed,
                        signed_points, span)
from ..io.words import in_short, wrapped
from ..io.writing import csv_of
from ..model.budgets import Budget, DIRECTIONS, Target
from ..model.evidence import with_evidence
from ..model.metrics import COMPARED
from ..model.sizes import bits_of
from ..model.sweep import Sweep, gaps_in
from ..stats import answers
from ..stats.answers import fewer_seeds, notes, on_rounds, question, result_words, row_of, verdict
from ..stats.bits_notes import SENT, sent_words
from ..stats.findings import grown, time_doubt
from ..stats.questions import names_of
from ..stats.rankings import Answer, Ranking, without_privacy
from .options import add_output, add_tables, add_wide, sheet_of, write, write_tables
from .tables import Column, seeds_each, table


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Ranks the methods of one or several sweeps at equal bits, epsilon, seconds or simulated "
        "time or energy (give at least one limit), or by the bits, the time, the seconds or the joules they need for a "
        "target. Each method is taken at its best setting, and compared with the winner seed by seed.")
    parser.add_argument("folder", nargs="+", metavar="SWEEP", help="folders of sweeps, with sweep.json and run files")
    parser.add_argument("--bits", metavar="SIZE", help="limit on the payload that is sent: 1MB, 64KiB, 2.5Mbit, "
                      "100000bits (default: none)")
    parser.add_argument("--per-client", action=argparse.BooleanOptionalAction, default=True,
                        help="count bits per client, in the mean over the clients (default), or of all clients "
                             "together")
    parser.add_argument("--sent", action="store_true",
                        help="count the bits that each run has really sent, as a hard limit (default: those expected "
                             "over who takes part, as budget.upload does; docs/reference/sweep-files.md, \"The budget "
                             "of bits\")")
    parser.add_argument("--direction", choices=tuple(DIRECTIONS), default="up",
                        help="which bits count: sent by clients (up, default), to clients (down), or both")
    parser.add_argument("--epsilon", type=_positive, metavar="E", help="limit on the epsilon that is accounted for "
                      "(default: none; methods with one nominal epsilon are ranked together)")
    parser.add_argument("--seconds", type=_positive, metavar="S", help="limit on the seconds of all rounds, without "
                      "evaluation and recording (default: none)")
    parser.add_argument("--time", type=_positive, metavar="T",
                        help="limit on the simulated time of methods on the clock (default: none; other methods are "
                             "skipped)")
    parser.add_argument("--joules", type=_positive, metavar="J",
                        help="limit on the energy of all nodes in joules, without evaluation and recording (default: "
                             "none; runs on machines that do not count it are skipped)")
    parser.add_argument("--target", metavar="METRIC=VALUE",
                        help="ranks by the bits (see --until) until the metric is as good as this, as in accuracy=0.8")
    parser.add_argument("--until", choices=("bits", "time", "seconds", "joules"), default="bits",
                        help="what counts until the target: bits (default), simulated time of methods on the clock, "
                             "seconds, or joules")
    parser.add_argument("--metric", default="auto",
                        help="what is compared, any column of which higher or lower values are better: auto (default) "
                             "takes the test accuracy (with real targets: the error), else another one that has values")
    parser.add_argument("--tune-seeds", metavar="SEEDS",
                        help="seeds that choose the settings and do not judge them, as in 0 or 0,7 (default: those "
                             "that the sweep names, else all seeds do both)")
    parser.add_argument("--by", metavar="AXIS", help="each value of this setting competes on its own, as in "
                      "compressor.kind (default: methods compete, each at its best setting)")
    parser.add_argument("--toml", metavar="FILE", help="writes the winner's configuration for `trilemma run`")
    add_wide(parser)
    add_tables(parser, "the rankings", "rankings and notes")
    add_output(parser, required=False)


def run(options: argparse.Namespace) -> None:
    """Prints the rankings, and draws and writes what was asked for."""
    from ..model.sweep import read_sweep
    from ..stats.rankings import answer

    sweeps = [read_sweep(folder) for folder in options.folder]  # whose metrics the budget may name
    budget = _budget(options)
    tuning = _seeds(options.tune_seeds) if options.tune_seeds else {seed for sweep in sweeps for seed in sweep.tuning}
    _check_tuning(tuning, sweeps)
    found = answer(sweeps, budget, options.metric, sorted(tuning), options.by)
    progress = [f"{sweep.name}: {words}" for sweep in sweeps
                for words in (sweep.progress(), *sweep.refusals(), *sweep.skipped())]
    sys.stdout.write(as_text(found, progress, options.wide))
    files = {options.csv: lambda: csv_of(answers.rows(found)),
             options.json: lambda: answers.as_json(found, gaps_in(sweeps))}
    if options.toml:
        for place, ranking in enumerate(found.rankings, 1):
            path = Path(options.toml)
            name = path if place == 1 else path.with_name(f"{path.stem}-{place}{path.suffix}")
            files[str(name)] = lambda ranking=ranking: answers.winner_toml(ranking, found)
    write_tables(files)
    if options.output:
        _draw(sweeps, found, options)


def _draw(sweeps: Sequence[Sweep], found: Answer, options: argparse.Namespace) -> None:
    """Draws the answer into the files that were named."""
    from ..plot.ranking_figure import draw_answer

    write(draw_answer(found, without_privacy(sweeps, found), sheet_of(options), gaps_in(sweeps)), options)


def _budget(options: argparse.Namespace) -> Budget:
    """Returns the limits given by the options. Raises RunFileError where there are none or they exclude each other."""
    if options.bits is options.epsilon is options.seconds is options.time is options.joules is options.target is None:
        raise RunFileError("best of what? Give --bits, --epsilon, --seconds, --time or --joules as a limit, or "
                           "--target METRIC=VALUE.")
    if options.until != "bits" and options.target is None:
        raise RunFileError(f"--until {options.until} goes with --target METRIC=VALUE; add that, or give "
                           f"--{options.until} as a limit.")
    if options.until != "bits" and options.bits is None and (options.sent or not options.per_client
                                                                         or options.direction != "up"):
        raise RunFileError(f"--no-per-client, --sent and --direction are about bits, and with --until {options.until} "
                           "nothing counts them; leave them out, or give --bits as a limit.")
    return Budget(bits_of(options.bits) if options.bits is not None else None, options.per_client, options.direction,
                  options.epsilon, options.seconds, _target(options), options.time, options.until, options.sent,
                  options.joules)


def _target(options: argparse.Namespace) -> Target | None:
    """Returns the target given by the options, None without one."""
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
        raise RunFileError(f"--target {options.target}: {COMPARED[metric].name} is a share between 0 and 1; did you "
                           f"mean {metric}={found.value / 100:g}?")
    if options.metric not in ("auto", metric):
        raise RunFileError(f"--metric {options.metric} contradicts --target {options.target}; leave one of them out.")
    return found


def _seeds(text: str) -> set[int]:
    """Returns the seeds for tuning that `text` lists."""
    try:
        return {int(word) for word in text.split(",")}
    except ValueError:
        raise RunFileError(f"--tune-seeds {text}: write numbers with commas between them, as in 0,7.") from None


def _check_tuning(tuning: Iterable[int], sweeps: Sequence[Sweep]) -> None:
    """Refuses seeds for tuning that no run has."""
    there = {run.attributes["seed"] for sweep in sweeps for run in sweep.runs.values()}
    if there and (missing := sorted(set(tuning) - there)):
        raise RunFileError(f"--tune-seeds {','.join(map(str, missing))}: no run has this seed; seeds are "
                           f"{', '.join(map(str, sorted(there)))}.")


def _positive(text: str) -> float:
    """Returns the number above 0 that `text` is, for argparse."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not larger than 0 and finite")
    return value


def as_text(answer: Answer, progress: Sequence[str], wide: bool = False) -> str:
    """Returns the verdict of every ranking, the question, the rankings, and notes on all. `progress` has the number of
    done cells of each sweep."""
    names = names_of([ranking.shared for ranking in answer.rankings])
    lines = [*wrapped([f"{name}: {verdict(ranking)}" if len(names) > 1 else verdict(ranking)
                       for name, ranking in zip(names, answer.rankings)]), "", *wrapped([question(answer)]), ""]
    for place, ranking in enumerate(answer.rankings, 1):
        head = f"Ranking {place} of {len(answer.rankings)}: " if len(answer.rankings) > 1 else ""
        rows = [row_of(answer, place, ranking, at, entry) for at, entry in enumerate(ranking.entries, 1)]
        lines += [*wrapped([head + ranking.title, *time_doubt(answer)]), "",
                  *table(_places(answer, ranking, rows), wide), "",
                  *table(_spending(answer, ranking, rows), wide), *wrapped(_settings(ranking)),
                  *wrapped([*fewer_seeds(ranking), *on_rounds(answer, ranking)]), ""]
    said = [*grown(answer), *notes(answer)]
    return "\n".join([*lines, *wrapped([*(said if wide else in_short(said)), *progress])]) + "\n"


def _methods(ranking: Ranking) -> list[Column]:
    """Returns the columns that identify a row: its place and method."""
    return [Column("", [str(place) for place in range(1, len(ranking.entries) + 1)], stays=True),
            Column("method", [entry.method for entry in ranking.entries], words=True, stays=True)]


def _places(answer: Answer, ranking: Ranking, rows: Sequence[dict]) -> list[Column]:
    """Returns the columns of the ranking."""
    target = answer.budget.target is not None
    metric = COMPARED[answer.metric]
    show = _until(answer.budget) if target else share_or_figure(metric.is_share)
    entries = ranking.entries
    apart = [None if entry.difference is None or not entry.difference.n else entry.difference for entry in entries]
    difference = signed_points if metric.is_share and not target else lambda value: signed(value, show)
    return [
        *_methods(ranking),
        Column(f"{answer.budget.until} until then" if target else metric.name,
               [show(row["value"]) if row["reached"] else UNKNOWN for row in rows], stays=True),
        Column("95 % interval", [span(row["low"], row["high"], show) for row in rows], words=True, stays=True),
        Column("difference", [difference(over.centre) if over else UNKNOWN for over in apart], stays=True),
        Column("95 % interval", [UNKNOWN if over is None else span(over.low, over.high, difference) for over in apart],
               words=True, stays=True),
        Column("result", [result_words(entry) for entry in entries], words=True, stays=True),
        Column("seeds", [str(len(entry.seeds)) for entry in entries],
               below=seeds_each(len(entry.seeds) for entry in entries)),
        Column("best constant", [of_metric(row["best_constant"], metric.is_share) for row in rows],
               below="best constant model {cell}", may_lack=True),
    ]


def _until(budget: Budget) -> Callable[[float], str]:
    """Returns the function that formats what is spent until a target."""
    return {"bits": bits, "seconds": seconds, "time": figure, "joules": joules}[budget.until]


def _spending(answer: Answer, ranking: Ranking, rows: Sequence[dict]) -> list[Column]:
    """Returns the columns of bits, epsilon and time spent."""
    way = {"up": "up", "down": "down", "both": "up and down"}[answer.budget.direction]
    least = [(row["round_least"], row["round_most"]) for row in rows]
    return [
        *_methods(ranking),
        Column("round", [f"{low}" if low == high else f"{low} to {high}" for low, high in least], words=True,
               stays=True),
        Column(f"{way}/client", [bits(row[f"bits_{answer.budget.direction}_per_client"]) for row in rows], stays=True),
        Column(SENT, [sent_words(entry) for entry in ranking.entries], words=True),
        Column("seconds (unreliable)" if any(row["seconds"] >= 0 for row in rows) and not with_evidence(answer.runs)
               else "seconds", [seconds(row["seconds"]) for row in rows], stays=True),
        Column("simulated time", [figure(row["time"]) for row in rows]),
        Column("ε spent", [UNKNOWN if math.isnan(row["epsilon_accounted"]) else epsilon(row["epsilon_accounted"])
                           for row in rows], stays=True),
        Column(f"{way}, largest client", [bits(row[f"bits_{answer.budget.direction}_largest_client"]) for row in rows],
               extra=True),
        Column(f"{way}, all clients", [bits(row["bits"]) for row in rows], extra=not (answer.budget.bits and
                                                                                      not answer.budget.per_client)),
    ]


def _settings(ranking: Ranking) -> list[str]:
    """Returns the chosen settings of every method that had a choice."""
    return [f"{entry.method}: {', '.join(entry.label) or 'its only setting'}"
            + (f", best of {entry.settings} settings" if entry.settings > 1 else "")
            + ("" if entry.reached else "; none of them reached the target")
            for entry in ranking.entries if entry.label or entry.settings > 1]
