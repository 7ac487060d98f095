"""Where the time of a round goes in one run of a scaling study, from the phases of all ranks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..io.errors import RunFileError
from ..io.placement import Placement
from ..io.run_file import Run, Simulation
from ..io.words import NO_EVIDENCE, Warn, cut, printable
from ..model.evidence import Evidence, evidence_of
from ..model.groups import typed_settings
from ..model.phases import MEASURING_PHASES, is_summarised
from .measures import measures_of

CLIENTS = ("local", "bound", "perturb", "compress", "encode")
SUMS = ("reduce", "hierarchical")  # exchanges with which every rank decodes the messages of its own clients
MADE_BY = {"git_revision": "program version", "compiler_flags": "compiler flags", "libraries": "libraries",
           "cpu": "processor"}  # by name in /environment
# The parts of a round, which add up to its time, in the order in which they are drawn.
PARTS = {"clients": "work of clients", "imbalance": "imbalance", "waiting": "other waiting", "messages": "messages",
         "server": "server"}


@dataclass(frozen=True)
class Timing:
    """One run. `seconds` are those a round after the warm-up: "round" (the whole), its PARTS, "work" (the rank that
    computes longest), "decode" (by rank 0, of the server's part). `measures` are those of measures_of(). `slowest`: in
    how many rounds each rank was the slowest. `up` is the exchange; `server_hosts` and `barrier` say whether rank 0
    hosts clients and whether ranks meet before the exchange."""

    seconds: dict[str, float]
    measures: dict[str, float]
    wall: float  # s of all rounds, with evaluation, recording and checkpoints
    slowest: tuple[int, ...]
    clients: int
    up: str
    server_hosts: bool
    barrier: bool
    result: tuple[str, str]  # fingerprint of the settings, and checksum of the model
    simulation: Simulation | None  # None for real ranks
    placement: Placement
    evidence: Evidence  # as the program has recorded it
    made_by: tuple[str, ...]  # what of the program and the processor times depend on, in the order of MADE_BY

    @property
    def is_exact(self) -> bool:
        """Returns whether the seconds are those of a simulation in which computing takes no time, on any machine."""
        return self.simulation is not None and self.simulation.compute_factor == 0


def timing_of(run: Run, warm_up: int) -> Timing:
    """Returns the times of a run. Evaluation, recording and checkpoints are no part of a round."""
    rounds = run.phase_seconds[1 + warm_up:]
    if not len(rounds):
        raise RunFileError(f"{run.path}: {run.rounds_done} rounds, and the first {warm_up} are warm-up; run more "
                           "rounds.")
    if not np.isfinite(rounds).all() or not (rounds.sum() > 0):
        raise RunFileError(f"{run.path}: no times of phases; run it with timing.enabled = true, and on the same ranks "
                           "from start to end.")
    if is_summarised(run):
        raise RunFileError(f"{run.path}: its times are summarised over the ranks; run it with timing.ranks = \"each\".")
    settings = typed_settings(run)
    up = str(settings.get("exchange.up", "gather"))
    by_clients = {name for name in CLIENTS if name != "perturb" or run.privacy.get("noise_place") != "server"}
    by_clients |= {"decode"} if up in SUMS else set()
    by_server = {"perturb", "decode", "server"} - by_clients

    def spent(names: set[str]) -> np.ndarray:
        """Returns seconds of the phases `names`, rounds x ranks."""
        return rounds[:, :, [name in names for name in run.phase_names]].sum(axis=2)

    work = spent(by_clients)
    whole = spent(set(run.phase_names) - set(MEASURING_PHASES)).mean(axis=0).max()
    most, mean = work.max(axis=1).mean(), work.mean()
    server = spent(by_server)[:, 0].mean()
    waiting = max(0.0, spent({"wait"}).mean() - (most - mean))
    # What is left: the rank for which all others wait neither computes nor waits.
    messages = max(0.0, whole - most - waiting - server)
    seconds = {"round": whole, **dict(zip(PARTS, (mean, most - mean, waiting, messages, server))), "work": most,
               "decode": spent({"decode"} & by_server)[:, 0].mean()}
    # Secret noise and contacts in real time make different models of the same settings.
    differs = settings.get("privacy.rng") == "chacha20" or settings.get("clock.time") == "real"
    return Timing({name: float(value) for name, value in seconds.items()},
                  measures_of(run, rounds, float(whole), float(most + server)), float(run.attributes["wall_seconds"]),
                  tuple(np.bincount(work.argmax(axis=1), minlength=work.shape[1]).tolist()),
                  int(run.attributes["clients"]), up, settings.get("server_hosts") is True,
                  settings.get("timing.separate_wait") is True,
                  (run.attributes["fingerprint"], "" if run.model is None or differs
                   else hashlib.sha256(run.model.tobytes()).hexdigest()),
                  run.simulation, run.placement, evidence_of(run).status,
                  tuple(run.environment.get(name, "") for name in MADE_BY))


def mixed(timings: Mapping[str, Timing]) -> list[str]:
    """Returns a sentence for every property that times depend on and that differs among the runs of a folder, by file;
    and one if equal settings led to different models."""
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
