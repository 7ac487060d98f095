"""The time of a round against the ranks on networks that jobs/simulate has simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from ..io import forms
from ..io.errors import RunFileError
from ..io.run_file import Run, Simulation
from ..io.words import joined
from ..model.groups import all_settings, text_setting
from ..model.phases import MEASURING_PHASES

UP = "exchange.up"
# Differ from point to point of a line; the others must not.
FREE = (UP, "name", "seed", "server_hosts", "hosting")
SEEN = 0.02  # smaller differences cannot be seen on the axis
SPIKE = 1.5


@dataclass(frozen=True)
class Point:
    """A simulated run: name of the platform, exchange, ranks, the median time of a round, s, and of its phases."""

    platform: str
    exchange: str
    ranks: int
    seconds: float
    phases: dict[str, float]


@dataclass(frozen=True)
class Simulated:
    """Points by platform, exchange and ranks, what was computed, and how computing was treated."""

    points: tuple[Point, ...]
    method: str
    compressor: str
    clients: int
    computing: str
    host_each: bool  # whether no two ranks share a host

    def times(self) -> dict[str, pd.DataFrame]:
        """Seconds by platform: a row per number of ranks, a column per exchange; exchanges whose seconds differ nowhere
        by more than SEEN are one column, named with all of them."""
        table = pd.DataFrame([(point.platform, point.ranks, point.exchange, point.seconds) for point in self.points],
                             columns=["platform", "ranks", "exchange", "seconds"])
        wide = table.pivot(index=["platform", "ranks"], columns="exchange", values="seconds")
        groups: list[list[str]] = []
        for name in wide:
            alike = next((group for group in groups if np.allclose(wide[group[0]], wide[name], rtol=SEEN, atol=0,
                                                                   equal_nan=True)), None)
            (alike if alike is not None else groups.append(new := []) or new).append(name)
        merged = pd.DataFrame({" = ".join(group): wide[group[0]] for group in groups})
        return {name: part.droplevel("platform") for name, part in merged.groupby(level="platform")}


def fastest(times: pd.DataFrame) -> dict[int, list[str]]:
    """By ranks, the exchanges that are within SEEN of the fastest."""
    return {int(ranks): [name for name, seconds in row.items() if seconds <= (1 + SEEN) * row.min()]
            for ranks, row in times.iterrows()}


def answer(found: Simulated) -> str:
    """The exchange that is fastest most often on every platform, and where another one is.

    For example: "SIMULATED, fastest: edge-100: gather; two-sites: gather, on 8 ranks reduce".
    """
    told = []
    for platform, times in found.times().items():
        by_name: dict[str, list[int]] = {}
        for ranks, names in fastest(times).items():
            by_name.setdefault(" or ".join(names), []).append(ranks)
        most = max(by_name, key=lambda name: len(by_name[name]))
        told.append(", ".join([f"{platform}: {most}", *(f"on {joined(ranks)} ranks {name}"
                                                        for name, ranks in by_name.items() if name != most)]))
    return f"SIMULATED, fastest: {'; '.join(told)}"


def spikes(found: Simulated) -> list[tuple[str, int, str]]:
    """Platform, ranks and reason of every number of ranks on which a round takes more than SPIKE times as long as on
    both its neighbours: the phase that grows most against the neighbour before it."""
    reasons = []
    for platform, times in found.times().items():
        least = times.min(axis=1)
        for before, at, after in zip(least.index, least.index[1:], least.index[2:]):
            if least[at] > SPIKE * max(least[before], least[after]):
                name = times.loc[at].idxmin().split(" = ")[0]
                here, there = (next(point.phases for point in found.points if (point.platform, point.exchange, point.ranks)
                                    == (platform, name, ranks)) for ranks in (at, before))
                phase = max(here, key=lambda each: here[each] - there[each])
                reasons.append((platform, int(at), f"{phase}: {forms.seconds(here[phase])} of {forms.seconds(least[at])}"))
    return reasons


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
    counted = [i for i, phase in enumerate(run.phase_names) if phase not in MEASURING_PHASES]
    phases = run.phase_seconds[1:, 0, counted]
    rounds = phases.sum(axis=1)
    if len(rounds) == 0 or not np.all(rounds > 0) or not run.complete:
        raise RunFileError(f"{run.path}: incomplete, or without times of rounds; simulate it again, with timing.enabled = "
                           "true.")
    return Point(PurePath(simulation.platform).stem, text_setting(run, UP, "gather"), simulation.ranks,
                 float(np.median(rounds)), dict(zip((run.phase_names[i] for i in counted), np.median(phases, axis=0).tolist())))
