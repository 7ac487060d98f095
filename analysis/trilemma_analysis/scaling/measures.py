"""What one run of a scaling study says about its volume, its phases, its ranks and its memory."""

from __future__ import annotations

import math

import numpy as np

from ..io.run_file import Run
from ..model.groups import typed_settings

WAYS = ("up", "down")
MPI = ("up", "down", "up_between_nodes", "evaluation", "control")  # columns bits_... of /mpi
# Phases in which a rank computes, and those in which it may wait for others.
COMPUTING = ("local", "bound", "perturb", "compress", "encode", "decode", "server")
COLLECTIVES = ("broadcast", "exchange", "wait")
OVERLAPPING = "overlap"  # exchange with which rank 0 decodes while others compute
# Prefixes and suffixes of the columns of phases, in seconds a round.
MEAN, MOST = "{}_mean_seconds", "{}_max_seconds"


def measures_of(run: Run, rounds: np.ndarray, whole: float, ideal: float) -> dict[str, float]:
    """Returns all measures of a run. `rounds` are seconds of the timed rounds (rounds x ranks x phases), `whole` the
    seconds of a round, `ideal` those of a round whose messages take no time."""
    return volume_of(run) | rates_of(run, len(rounds), whole) | phases_of(run, rounds) | \
        factors_of(run, rounds, whole, ideal) | memory_of(run)


def volume_of(run: Run) -> dict[str, float]:
    """Returns bits and bytes of a round, the mean over all rounds: `payload_bits_*` and `model_bits_*` of all clients
    together, and `mpi_bytes_*` handed to MPI. NaN if a file does not have them."""
    done = max(1, run.rounds_done)

    def per_round(column: str) -> float:
        """Returns the mean of a cumulative column."""
        return float(run.rounds[column].iloc[-1]) / done if column in run.rounds else math.nan

    return {**{f"{kind}_bits_{way}": per_round(f"bits_{way}_{kind}") for kind in ("payload", "model") for way in WAYS},
            **{f"mpi_bytes_{way}": per_round(f"bits_{way}_mpi") / 8 for way in MPI}}


def rates_of(run: Run, timed: int, whole: float) -> dict[str, float]:
    """Returns updates of clients and gradients of records per second of the last `timed` rounds."""
    found = {}
    for name, column in (("updates_per_second", "messages"), ("records_per_second", "batch_records")):
        counts = run.rounds[column].to_numpy() if column in run.rounds else np.full(timed + 1, math.nan)
        found[name] = float(counts[-1] - counts[-1 - timed]) / (timed * whole)
    return found


def phases_of(run: Run, rounds: np.ndarray) -> dict[str, float]:
    """Returns the seconds a round of each phase: the mean over ranks and rounds, and the mean over the rounds of the
    rank that takes longest."""
    found = {}
    for i, name in enumerate(run.phase_names):
        found[MEAN.format(name)] = float(rounds[:, :, i].mean())
        found[MOST.format(name)] = float(rounds[:, :, i].max(axis=1).mean())
    return found


def factors_of(run: Run, rounds: np.ndarray, whole: float, ideal: float) -> dict[str, float]:
    """Returns the factors of the parallel efficiency as POP defines them, from `useful`, the seconds in which a rank
    computes: load balance = mean / largest, serialisation = largest / ideal, transfer = ideal / whole; communication is
    the product of the latter two. With `exchange.up = "overlap"` and contacts in real time `ideal` is not known."""
    useful = rounds[:, :, [name in COMPUTING for name in run.phase_names]].sum(axis=2).mean(axis=0)
    settings = typed_settings(run)
    if settings.get("exchange.up") == OVERLAPPING or settings.get("clock.time") == "real":
        ideal = math.nan
    most = float(useful.max())
    return {"useful_seconds": float(useful.sum()), "load_balance": float(useful.mean()) / most if most else math.nan,
            "communication_efficiency": most / whole, "serialisation_efficiency": most / ideal if ideal else math.nan,
            "transfer_efficiency": ideal / whole, "parallel_efficiency": float(useful.mean()) / whole}


def memory_of(run: Run) -> dict[str, float]:
    """Returns the peak memory of a process in bytes: mean over the ranks, and the largest."""
    known = [each for each in run.times.peak_memory if math.isfinite(each)] or [math.nan]
    return {"memory_mean": float(np.mean(known)), "memory_max": max(known)}
