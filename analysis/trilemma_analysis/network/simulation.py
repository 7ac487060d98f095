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
from ..io.run_file import Run
from ..io.words import joined
from ..model.groups import all_settings, text_setting
from ..model.phases import MEASURING_PHASES

UP = "exchange.up"
# Differ from point to point of a line; the others must not.
FREE = (UP, "name", "seed", "server_hosts", "hosting")
SEEN = 0.02  # smaller differences cannot be seen on the axis
ALMOST = 0.99  # share of a round that is called all of it
SPIKE = 1.5
PLACE = ["platform", "exchange", "ranks"]


@dataclass(frozen=True)
class Simulated:
    """`points` has a row a run (platform, exchange, ranks, seconds of a round in the median, and phases: theirs by
    name), `times` by platform the seconds with a row per number of ranks and a column per exchange; exchanges whose
    seconds differ nowhere by more than SEEN are one column, named with all of them; `first` names one of these."""

    points: pd.DataFrame
    times: dict[str, pd.DataFrame]
    first: dict[str, str]
    method: str
    compressor: str
    clients: int
    computing: str
    host_each: bool  # whether no two ranks share a host


def read_simulated(runs: Sequence[Run]) -> Simulated:
    """Returns the points of runs. Refuses runs that were not simulated, that do not compute the same, or that have the
    same place."""
    rows = [_row(run) for run in runs]
    first, computing = _computed(runs[0]), runs[0].simulation.computing
    places: dict[tuple, Run] = {}
    for run, row in zip(runs, rows):
        other = _computed(run)
        if differing := sorted(key for key in first.keys() | other.keys() if first.get(key) != other.get(key)):
            raise RunFileError(f"{run.path}: not the experiment of {runs[0].path} (it differs in "
                               f"{', '.join(differing)}); draw them apart.")
        if run.simulation.computing != computing:
            raise RunFileError(f"{run.path}: simulated with {run.simulation.computing}, {runs[0].path} with "
                               f"{computing}; draw them apart.")
        if (there := places.setdefault(tuple(row[key] for key in PLACE), run)) is not run:
            raise RunFileError(f"{run.path}: {row['exchange']} on {row['ranks']} ranks of {row['platform']} again, as "
                               f"in {there.path}; leave one out.")
    points = pd.DataFrame(rows).sort_values(PLACE, ignore_index=True)
    attributes = runs[0].attributes
    return Simulated(points, *_times(points), str(attributes["method"]), str(attributes["compressor"]),
                     int(all_settings(runs[0].config)["clients"]), computing,
                     all(run.simulation.ranks == run.simulation.hosts for run in runs))


def _row(run: Run) -> dict[str, Any]:
    """Returns the row of a run."""
    if run.simulation is None:
        raise RunFileError(f"{run.path}: not made on simulated ranks; `scaling` draws studies.")
    if not run.simulation.platform:
        raise RunFileError(f"{run.path}: platform is empty in /environment; run it with jobs/simulate.")
    phases = pd.DataFrame(run.phase_seconds[1:, 0], columns=run.phase_names).drop(columns=[*MEASURING_PHASES])
    rounds = phases.sum(axis=1)
    if rounds.empty or not (rounds > 0).all() or not run.complete:
        raise RunFileError(f"{run.path}: incomplete, or without times of rounds; simulate it again, with "
                           "timing.enabled = true.")
    return {"platform": PurePath(run.simulation.platform).stem, "exchange": text_setting(run, UP, "gather"),
            "ranks": run.simulation.ranks, "seconds": float(rounds.median()), "phases": phases.median().to_dict()}


def _computed(run: Run) -> dict[str, Any]:
    """Returns what must be the same in all runs."""
    return {key: value for key, value in all_settings(run.config).items() if key not in FREE}


def _times(points: pd.DataFrame) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
    """Returns the tables of `Simulated`, and for each of their columns one of its exchanges."""
    wide = points.pivot(index=["platform", "ranks"], columns="exchange", values="seconds")
    groups: dict[str, list[str]] = {}
    for name in wide:
        first = next((first for first in groups if np.allclose(wide[first], wide[name], SEEN, 0, equal_nan=True)), name)
        groups.setdefault(first, []).append(name)
    one_of = {joined(names): first for first, names in groups.items()}
    merged = pd.DataFrame({name: wide[first] for name, first in one_of.items()})
    return {name: table.droplevel("platform") for name, table in merged.groupby(level="platform")}, one_of


def fastest(times: pd.DataFrame) -> dict[int, list[str]]:
    """Returns by number of ranks the exchanges that are within SEEN of the fastest."""
    return {int(ranks): [name for name, seconds in row.items() if seconds <= (1 + SEEN) * row.min()]
            for ranks, row in times.iterrows()}


def answer(found: Simulated) -> str:
    """Returns the exchange that is fastest most often on every platform, and where another one is. For example:
    "SIMULATED, fastest: edge-100: gather; two-sites: gather, on 8 ranks reduce"."""
    told = []
    for platform, times in found.times.items():
        first = pd.Series({ranks: " or ".join(names) for ranks, names in fastest(times).items()})
        most = first.value_counts().index[0]
        others = [f"on {joined(list(part.index))} ranks {name}"
                  for name, part in first[first != most].groupby(first, sort=False)]
        told.append(", ".join([f"{platform}: {most}", *others]))
    return f"SIMULATED, fastest: {'; '.join(told)}"


def title(found: Simulated) -> str:
    """Returns from which number of ranks on an exchange is the fastest on every platform; the answer where none is.

    For example: "SIMULATED: gather is fastest on edge, from 32 ranks on two-sites, and from 128 ranks on fat-tree".
    """
    starts: dict[str, dict[str, int]] = {}  # of exchanges, by platform; 0 where an exchange is fastest on all numbers
    for platform, times in found.times.items():
        by_ranks = sorted(fastest(times).items(), reverse=True)
        for name in by_ranks[0][1]:
            first = next((place for place, (_, names) in enumerate(by_ranks) if name not in names), len(by_ranks))
            starts.setdefault(name, {})[platform] = by_ranks[first - 1][0] if first < len(by_ranks) else 0
    common = {name: places for name, places in starts.items() if len(places) == len(found.times)}
    if not common:
        return answer(found)
    places = min(common.values(), key=lambda each: sorted(each.values(), reverse=True))
    names = [name for name, theirs in common.items() if _from(theirs) == _from(places)]
    several = len(names) > 1 or found.first[names[0]] != names[0]  # the name of several that take equally long
    return f"SIMULATED: {joined(names)} {'are' if several else 'is'} fastest {_from(places)}"


def _from(starts: dict[str, int]) -> str:
    """Returns where exchanges begin to be the fastest: platforms by the least number of ranks, 0 for all."""
    by_ranks: dict[int, list[str]] = {}
    for platform, ranks in sorted(starts.items()):
        by_ranks.setdefault(ranks, []).append(platform)
    if len(by_ranks) == 1:
        ranks = next(iter(by_ranks))
        return f"from {ranks} ranks on" if ranks else "on all simulated numbers of ranks"
    return joined([f"{f'from {ranks} ranks ' if ranks else ''}on {joined(by_ranks[ranks])}"
                   for ranks in sorted(by_ranks)])


def spikes(found: Simulated) -> list[tuple[str, int, str]]:
    """Returns platform, ranks and reason of every number of ranks on which a round takes more than SPIKE times as long
    as on both its neighbours. The reason is the phase of the fastest exchange that grows most against the previous
    number of ranks. A round that consists almost entirely of one phase has no reason."""
    phases = found.points.set_index(PLACE).phases
    reasons = []
    for platform, times in found.times.items():
        least = times.min(axis=1)
        for before, at, after in zip(least.index, least.index[1:], least.index[2:]):
            if least[at] > SPIKE * max(least[before], least[after]):
                name = found.first[times.loc[at].idxmin()]
                here, there = phases[platform, name, at], phases.get((platform, name, before), {})
                phase = max(here, key=lambda each: here[each] - there.get(each, 0.0))
                if here[phase] < ALMOST * least[at]:
                    reasons.append((platform, int(at),
                                    f"{phase}: {forms.seconds(here[phase])} of {forms.seconds(least[at])}"))
    return reasons
