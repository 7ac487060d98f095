"""The time of a round against the ranks on networks that jobs/simulate has simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from ..io.errors import RunFileError
from ..io.run_file import Run, Simulation
from ..model.groups import all_settings, text_setting
from ..model.phases import KINDS

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
