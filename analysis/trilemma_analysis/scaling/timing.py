"""Where the time of a round goes in one run of a scaling study, from the phases of all ranks."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..io.errors import RunFileError
from ..io.placement import Placement
from ..io.run_file import Run, Simulation
from ..io.words import NO_EVIDENCE, Warn, cut, printable
from ..model.evidence import Evidence, evidence_of
from ..model.groups import text_setting
from ..model.phases import MEASURING_PHASES

CLIENTS = ("local", "bound", "perturb", "compress", "encode")
SUMS = ("reduce", "hierarchical")  # exchanges with which every rank decodes the messages of its own clients
MADE_BY = {"git_revision": "program version", "compiler_flags": "compiler flags", "libraries": "libraries",
           "cpu": "processor"}  # by name in /environment
# The parts of a round, which add up to its time, in the order in which they are drawn.
PARTS = {"clients": "work of clients", "imbalance": "imbalance", "waiting": "other waiting", "messages": "messages",
         "server": "server"}


@dataclass(frozen=True)
class Layout:
    """What the messages of a run depend on: how they come to the server, whether rank 0 hosts clients and whether ranks
    meet before the exchange."""

    up: str
    server_hosts: bool
    barrier: bool


@dataclass(frozen=True)
class Timing:
    """One run. `seconds` are those a round after the warm-up: "round" (the whole), its PARTS, "work" (the rank that
    computes longest), "decode" (by rank 0, of the server's part); "up" and "down" are bytes handed to MPI a round.
    `slowest`: in how many rounds each rank was the slowest."""

    seconds: dict[str, float]
    slowest: tuple[int, ...]
    clients: int
    layout: Layout
    result: tuple[str, str]  # fingerprint of the settings, and checksum of the model
    simulation: Simulation | None  # None for real ranks
    placement: Placement
    evidence: Evidence  # as the program has recorded it
    made_by: tuple[str, ...]  # what of the program and the processor times depend on, in the order of MADE_BY

    @property
    def is_exact(self) -> bool:
        """Whether its seconds are those of a simulation in which computing takes no time, whatever the machine does."""
        return self.simulation is not None and self.simulation.compute_factor == 0


def layout_of(run: Run) -> Layout:
    """The layout, from the configuration of a run."""
    try:
        config = tomllib.loads(run.config)
    except tomllib.TOMLDecodeError:
        raise RunFileError(f"{run.path}: /config is not TOML, so the file is damaged; repeat the run.") from None
    return Layout(str(_table(config, "exchange").get("up", "gather")), config.get("server_hosts") is True,
                  _table(config, "timing").get("separate_wait") is True)


def _table(config: dict[str, Any], name: str) -> dict[str, Any]:
    found = config.get(name, {})
    return found if isinstance(found, dict) else {}


def timing_of(run: Run, warm_up: int) -> Timing:
    """The times of a run. Evaluation, recording and checkpoints are no part of a round."""
    rounds = run.phase_seconds[1 + warm_up:]
    if not len(rounds):
        raise RunFileError(f"{run.path}: {run.rounds_done} rounds, and the first {warm_up} are warm-up; run more "
                           "rounds.")
    if not np.isfinite(rounds).all() or not (rounds.sum() > 0):
        raise RunFileError(f"{run.path}: no times of phases; run it with timing.enabled = true, and on the same ranks "
                           "from start to end.")
    layout = layout_of(run)
    by_clients = {name for name in CLIENTS if name != "perturb" or run.privacy.get("noise_place") != "server"}
    by_clients |= {"decode"} if layout.up in SUMS else set()
    by_server = {"perturb", "decode", "server"} - by_clients

    def spent(names: set[str]) -> np.ndarray:
        """Seconds of phases, rounds x ranks."""
        return rounds[:, :, [name in names for name in run.phase_names]].sum(axis=2)

    work = spent(by_clients)
    whole = spent(set(run.phase_names) - set(MEASURING_PHASES)).mean(axis=0).max()
    most, mean = work.max(axis=1).mean(), work.mean()
    server = spent(by_server)[:, 0].mean()
    waiting = max(0.0, spent({"wait"}).mean() - (most - mean))
    # What is left: the rank for which all others wait neither computes nor waits.
    messages = max(0.0, whole - most - waiting - server)
    seconds = {"round": whole, **dict(zip(PARTS, (mean, most - mean, waiting, messages, server))), "work": most,
               "decode": spent({"decode"} & by_server)[:, 0].mean(), "up": _bytes(run, "bits_up_mpi"),
               "down": _bytes(run, "bits_down_mpi")}
    # Secret noise and contacts in real time make different models of the same settings.
    differs = text_setting(run, "privacy.rng") == "chacha20" or text_setting(run, "clock.time") == "real"
    return Timing({name: float(value) for name, value in seconds.items()},
                  tuple(np.bincount(work.argmax(axis=1), minlength=work.shape[1]).tolist()),
                  int(run.attributes["clients"]), layout,
                  (run.attributes["fingerprint"], "" if run.model is None or differs
                   else hashlib.sha256(run.model.tobytes()).hexdigest()),
                  run.simulation, run.placement, evidence_of(run).status,
                  tuple(run.environment.get(name, "") for name in MADE_BY))


def _bytes(run: Run, column: str) -> float:
    return float(run.rounds[column].iloc[-1]) / 8 / max(1, run.rounds_done)


def mixed(timings: Mapping[str, Timing]) -> list[str]:
    """A sentence for everything that times depend on and that is not the same in all runs of a folder, by file; and one
    if equal settings led to different models."""
    found = []
    for i, word in enumerate(MADE_BY.values()):
        files: dict[str, str] = {}
        for file, timing in timings.items():
            files.setdefault(timing.made_by[i], file)
        if len(files) > 1:
            (one, first), (other, second) = list(files.items())[:2]
            found.append(Warn(f"{NO_EVIDENCE}: {first} was made by {word} '{cut(printable(one))}' and {second} by "
                              f"'{cut(printable(other))}'; keep them in folders of their own, two of which scaling "
                              "compares"))
    models: dict[str, tuple[str, str]] = {}
    for file, timing in timings.items():
        first, model = models.setdefault(timing.result[0], (file, timing.result[1]))
        if model != timing.result[1]:
            found.append(Warn(f"{NO_EVIDENCE}: {first} and {file} have the same settings but not the same model; run "
                              "both on one kind of processor, or report a fault"))
            break
    return found
