"""Where the time of a run goes: seconds per phase, and phases put together for a figure."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from ..io.run_file import Run
from .groups import typed_settings

# What a figure tells apart, in the order of a round.
KINDS = {
    "gradients": ("local", "bound"),
    "noise": ("perturb",),
    "compression": ("compress", "encode", "decode"),
    "messages": ("broadcast", "exchange"),
    "waiting": ("wait",),
    "server": ("server",),
    "evaluation": ("evaluate",),
    "recording": ("record", "checkpoint"),
}
MOST = "seconds_{}"
MEAN = "seconds_{}_mean"
# What belongs to the measurement and not to the method: kinds, and columns of rounds with and without them.
MEASURING = ("evaluation", "recording")
MEASURING_PHASES = tuple(phase for kind in MEASURING for phase in KINDS[kind])
MOST_NAMED = 3  # lines in a note
SECONDS, ALL_SECONDS = "seconds_of_rounds", "seconds_with_evaluation"
JOULES = "joules_of_rounds"


def phase_figures(run: Run) -> dict[str, float]:
    """Returns the seconds of every phase in all rounds: those of the rank that spent most on it, and the mean over
    ranks, which adds up to the time of the rounds. Row 0, the set-up, does not count. NaN marks a rank that was
    absent."""
    rounds = run.phase_seconds[1:]
    figures = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a mean over no rank at all is NaN, and no time
        means = np.nansum(np.nanmean(rounds, axis=1), axis=0)
    most = np.nansum(rounds, axis=0).max(axis=0, initial=0.0)
    if is_summarised(run):
        most = np.full(len(means), np.nan)
    for i, name in enumerate(run.phase_names):
        figures |= {MOST.format(name): float(most[i]), MEAN.format(name): float(means[i])}
    return figures


def is_summarised(run: Run) -> bool:
    """Returns whether a run recorded the mean over its ranks in place of the seconds of each rank."""
    return typed_settings(run).get("timing.ranks") == "summary"


def by_kind(figures: Mapping[str, float]) -> dict[str, float]:
    """Returns mean seconds of the KINDS of phases. Unknown phases are "other"."""
    known = {MEAN.format(phase): kind for kind, phases in KINDS.items() for phase in phases}
    sums = dict.fromkeys((*KINDS, "other"), 0.0)
    for name, seconds in figures.items():
        if name.startswith("seconds_") and name.endswith("_mean") and not np.isnan(seconds):
            sums[known.get(name, "other")] += seconds
    return sums


def with_seconds(run: Run) -> Run:
    """Returns the run with more columns of rounds: the seconds spent so far (mean over ranks, without the set-up of row
    0), without evaluation and recording (SECONDS) and with them (ALL_SECONDS). If the energy was counted, JOULES has
    the joules of all nodes without evaluation and recording."""
    columns = {}
    for column, but in ((SECONDS, MEASURING_PHASES), (ALL_SECONDS, ())):
        counted = [i for i, name in enumerate(run.phase_names) if name not in but]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a mean over no rank at all is NaN, and no time
            spent = np.nansum(np.nanmean(run.phase_seconds[:, :, counted], axis=1), axis=1)
        spent[0] = 0.0
        columns[column] = np.cumsum(spent)
    if run.phase_joules is not None:
        counted = [i for i, name in enumerate(run.phase_names) if name not in MEASURING_PHASES]
        columns[JOULES] = np.cumsum(np.vstack([np.zeros_like(run.phase_joules[:1]),
                                               run.phase_joules[1:]])[:, counted].sum(axis=1))
    return replace(run, rounds=run.rounds.assign(**columns))


def of_simulation(lines: Iterable[tuple[str, Iterable[Run]]]) -> list[str]:
    """Returns a note on seconds that are not the method's own: on the simulated clock they are the time to compute all
    clients."""
    names = [name for name, runs in lines if any("simulated_time" in run.rounds for run in runs)]
    who = " and ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} lines"
    return [f"seconds of {who} say how long the machine took to simulate the clients, not how long a federation would "
            "take; the time of that is on the simulated clock (--panel clock)"] if names else []
