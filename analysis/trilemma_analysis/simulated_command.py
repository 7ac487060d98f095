"""The command `simulated`: the time of a round against the ranks on networks that jobs/simulate has simulated."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from . import options
from .groups import all_settings, text_setting
from .phases import KINDS
from .reader import Run, RunFileError, Simulation, read_run
from .table import aligned, number
from .words import printable

UP = "exchange.up"
# Differ from point to point of a line; the others must not.
FREE = (UP, "name", "seed", "server_hosts", "hosting")


@dataclass(frozen=True)
class Point:
    """A simulated run: file of the platform, exchange, ranks, and the median time of a round, s."""

    platform: str
    exchange: str
    ranks: int
    seconds: float


@dataclass(frozen=True)
class Simulated:
    """Points by platform, exchange and ranks, what was computed, and how computing was treated."""

    points: tuple[Point, ...]
    method: str
    compressor: str
    clients: int
    computing: str
    host_each: bool  # whether no two ranks share a host


def add_simulated(commands: argparse._SubParsersAction) -> None:
    """Adds the command to a parser."""
    simulated = commands.add_parser(
        "simulated",
        help="draw the time of a round against simulated ranks",
        description="Prints and draws the time of a round, without evaluation and recording, against the number of ranks: "
        "a panel per platform, a line per exchange, from runs of one experiment on simulated ranks (jobs/simulate).",
    )
    simulated.add_argument("files", nargs="+", metavar="RUN.h5", help="run files of jobs/simulate")
    simulated.add_argument("--json", metavar="FILE", help="writes the points in full precision as JSON")
    options.add_output(simulated, required=False)
    simulated.set_defaults(command=_simulated)


def _simulated(chosen: argparse.Namespace) -> None:
    found = read_simulated([read_run(file) for file in chosen.files])
    sys.stdout.write(as_text(found))
    options.write_tables({chosen.json: lambda: json.dumps([vars(point) for point in found.points], indent=1) + "\n"})
    if chosen.output:
        # Imported late: a table must not wait for matplotlib.
        from .simulated_figure import draw_simulated

        options.write(draw_simulated(found, options.sheet_of(chosen)), chosen)


def read_simulated(runs: Sequence[Run]) -> Simulated:
    """The points of runs; refuses runs that were not simulated, that do not compute the same, or that stand at one
    place."""
    points = [_point(run) for run in runs]
    first, computing = _computed(runs[0]), _computing(runs[0])
    for run in runs[1:]:
        differing = sorted(key for key in first.keys() | _computed(run).keys() if first.get(key) != _computed(run).get(key))
        if differing:
            raise RunFileError(f"{run.path}: not the experiment of {runs[0].path} (it differs in {', '.join(differing)}); "
                               "draw them apart.")
        if _computing(run) != computing:
            raise RunFileError(f"{run.path}: simulated with {_computing(run)}, {runs[0].path} with {computing}; draw them "
                               "apart.")
    places = [(point.platform, point.exchange, point.ranks) for point in points]
    for i, place in enumerate(places):
        if place in places[:i]:
            raise RunFileError(f"{runs[i].path}: {place[1]} on {place[2]} ranks of {place[0]} again, as in "
                               f"{runs[places.index(place)].path}; leave one out.")
    points.sort(key=lambda point: (point.platform, point.exchange, point.ranks))
    return Simulated(tuple(points), str(runs[0].attributes["method"]), str(runs[0].attributes["compressor"]),
                     int(all_settings(runs[0].config)["clients"]), computing, all(map(_has_host_each, runs)))


def _simulation(run: Run) -> Simulation:
    """How jobs/simulate has simulated the ranks of a run."""
    if run.simulation is None:
        raise RunFileError(f"{run.path}: not made on simulated ranks; `scaling` draws studies.")
    if not run.simulation.platform:
        raise RunFileError(f"{run.path}: platform is empty in /environment; run it with jobs/simulate.")
    return run.simulation


def _has_host_each(run: Run) -> bool:
    return _simulation(run).ranks == _simulation(run).hosts


def _computing(run: Run) -> str:
    return _simulation(run).computing


def _computed(run: Run) -> dict[str, Any]:
    return {key: value for key, value in all_settings(run.config).items() if key not in FREE}


def _point(run: Run) -> Point:
    simulation = _simulation(run)
    counted = [i for i, phase in enumerate(run.phase_names) if phase not in (*KINDS["evaluation"], *KINDS["recording"])]
    rounds = run.phase_seconds[1:, 0, counted].sum(axis=1)
    if len(rounds) == 0 or not np.all(rounds > 0) or not run.complete:
        raise RunFileError(f"{run.path}: incomplete, or without times of rounds; simulate it again, with timing.enabled = "
                           "true.")
    return Point(PurePath(simulation.platform).stem, text_setting(run, UP, "gather"), simulation.ranks,
                 float(np.median(rounds)))


def as_text(found: Simulated) -> str:
    """A line per platform and number of ranks, with the time of a round by every exchange and the fastest."""
    exchanges = list(dict.fromkeys(point.exchange for point in found.points))
    times = {(point.platform, point.ranks, point.exchange): point.seconds for point in found.points}
    rows = []
    for platform, ranks in sorted({(point.platform, point.ranks) for point in found.points}):
        seconds = {exchange: times[platform, ranks, exchange] for exchange in exchanges if (platform, ranks, exchange) in times}
        least = min(seconds.values())
        rows.append([printable(platform), str(ranks),
                     *(number(1e3 * seconds[exchange], ".3g") if exchange in seconds else "-" for exchange in exchanges),
                     ", ".join(exchange for exchange, value in seconds.items() if value <= 1.02 * least)])
    heads = ["platform", "ranks", *(f"{exchange}, ms" for exchange in exchanges), "fastest (2 %)"]
    return "\n".join([*aligned([heads, *rows], [0, len(heads) - 1]),
                      f"SIMULATED times of a round ({printable(found.computing)}), no measurements"]) + "\n"
