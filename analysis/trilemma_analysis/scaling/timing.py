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
from ..model.groups import text_setting
from ..model.phases import KINDS, MEASURING

CLIENTS = ("local", "bound", "perturb", "compress", "encode")
SUMS = ("reduce", "hierarchical")  # exchanges with which every rank decodes the messages of its own clients
NOT_OF_A_ROUND = tuple(phase for kind in MEASURING for phase in KINDS[kind])
MADE_BY = {"git_revision": "program version", "compiler_flags": "compiler flags", "libraries": "libraries",
           "cpu": "processor"}  # by name in /environment
# The parts of a round, which add up to its time, in the order in which they are drawn.
PARTS = ("clients", "imbalance", "waiting", "messages", "server")


@dataclass(frozen=True)
class Layout:
    """What the messages of a run depend on: how they come to the server, whether rank 0 hosts clients and whether ranks
    meet before the exchange."""

    up: str
    server_hosts: bool
    barrier: bool


@dataclass(frozen=True)
class Timing:
    """One run, seconds a round after the warm-up: whole round, its PARTS, decoding by rank 0 (of the server's part);
    bytes handed to MPI a round; in how many rounds each rank was the slowest."""

    seconds: float
    parts: dict[str, float]
    decode: float
    up: float
    down: float
    slowest: tuple[int, ...]
    clients: int
    layout: Layout
    result: tuple[str, str]  # fingerprint of the settings, and checksum of the model
    simulation: Simulation | None = None  # None for real ranks
    placement: Placement = Placement()
    made_by: tuple[tuple[str, str], ...] = ()  # what of the program and the processor times depend on

    @property
    def work(self) -> float:
        """Seconds of the rank that computes longest, in the mean over the rounds."""
        return self.parts["clients"] + self.parts["imbalance"]

    @property
    def exact(self) -> bool:
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
    at = {name: rounds[:, :, i] for i, name in enumerate(run.phase_names)}  # rounds x ranks
    nothing = np.zeros(rounds.shape[:2])

    def spent(*names: str) -> np.ndarray:
        return sum((at.get(name, nothing) for name in names), nothing)

    by_clients = [name for name in CLIENTS if name != "perturb" or run.privacy.get("noise_place") != "server"]
    if layout.up in SUMS:
        by_clients.append("decode")
    by_server = [name for name in ("perturb", "decode", "server") if name not in by_clients]
    work = spent(*by_clients)
    whole = spent(*(name for name in at if name not in NOT_OF_A_ROUND)).mean(axis=0).max()
    most, mean = work.max(axis=1).mean(), work.mean()
    server = spent(*by_server)[:, 0].mean()
    waiting = max(0.0, spent("wait").mean() - (most - mean))
    # What is left: the rank for which all others wait neither computes nor waits.
    messages = max(0.0, whole - most - waiting - server)
    return Timing(
        seconds=float(whole),
        parts={name: float(value) for name, value in zip(PARTS, (mean, most - mean, waiting, messages, server))},
        decode=float(spent("decode")[:, 0].mean()) if "decode" in by_server else 0.0,
        up=_bytes(run, "bits_up_mpi"), down=_bytes(run, "bits_down_mpi"),
        slowest=tuple(np.bincount(work.argmax(axis=1), minlength=work.shape[1]).tolist()),
        clients=int(run.attributes["clients"]), layout=layout,
        result=(run.attributes["fingerprint"], "" if run.model is None or _differs_by_design(run)
                else hashlib.sha256(run.model.tobytes()).hexdigest()),
        simulation=run.simulation, placement=run.placement,
        made_by=tuple((word, run.environment.get(name, "")) for name, word in MADE_BY.items()))


def mixed(timings: Mapping[str, Timing]) -> list[str]:
    """A sentence for everything that times depend on and that is not the same in all runs of a folder, by file."""
    found = []
    for i, word in enumerate(MADE_BY.values()):
        files: dict[str, str] = {}
        for file, timing in timings.items():
            files.setdefault(timing.made_by[i][1], file)
        if len(files) > 1:
            (one, first), (other, second) = list(files.items())[:2]
            found.append(Warn(f"{NO_EVIDENCE}: {first} was made by {word} '{cut(printable(one))}' and {second} by "
                              f"'{cut(printable(other))}'; keep them in folders of their own, two of which scaling "
                              "compares"))
    return found


def _differs_by_design(run: Run) -> bool:
    """Whether two runs of the same settings have different models: secret noise, or contacts in real time."""
    return text_setting(run, "privacy.rng") == "chacha20" or text_setting(run, "clock.time") == "real"


def _bytes(run: Run, column: str) -> float:
    return float(run.rounds[column].iloc[-1]) / 8 / max(1, run.rounds_done)
