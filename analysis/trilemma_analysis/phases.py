"""Where the time of a run goes: seconds per phase, and phases put together for a figure."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np

from .reader import Run

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


def phase_figures(run: Run) -> dict[str, float]:
    """Seconds of every phase in all rounds: of the rank that spent most on it, and the mean over ranks, which adds up
    to the time of the rounds. Row 0, the set-up, does not count; NaN stands for a rank that was not there."""
    rounds = run.phase_seconds[1:]
    figures = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a mean over no rank at all is NaN, and no time
        means = np.nansum(np.nanmean(rounds, axis=1), axis=0)
    most = np.nansum(rounds, axis=0).max(axis=0, initial=0.0)
    for i, name in enumerate(run.phase_names):
        figures |= {MOST.format(name): float(most[i]), MEAN.format(name): float(means[i])}
    return figures


def by_kind(figures: Mapping[str, float]) -> dict[str, float]:
    """Mean seconds of the KINDS of phases; phases that KINDS does not know are "other"."""
    known = {MEAN.format(phase): kind for kind, phases in KINDS.items() for phase in phases}
    sums = dict.fromkeys((*KINDS, "other"), 0.0)
    for name, seconds in figures.items():
        if name.startswith("seconds_") and name.endswith("_mean") and not np.isnan(seconds):
            sums[known.get(name, "other")] += seconds
    return sums
