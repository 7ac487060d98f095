"""Run files as plain tables. A file is opened and checked here and nowhere else, in a child process."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import h5py
import numpy as np
import pandas as pd

from . import checked
from .checked import Damage, Elsewhere
from .columns import class_accuracy, columns, common_rows, energy, phases
from .content import is_changed, warn_of_change
from .errors import RunFileError
from .guard import Crash, apart
from .placement import Placement, read_placement
from .times import TimeRecord, read_times
from .words import printable

SCHEMA = "trilemma-run"
SCHEMA_VERSION = 4

# The attributes of the root that the package reads by name; all others are there too.
ATTRIBUTES = {
    **dict.fromkeys(("program_version", "failure", "fingerprint", "name", "method", "mode", "problem", "data",
                     "compressor", "compressor_kind", "compressor_label", "claim", "claim_status"), "text"),
    **dict.fromkeys(("complete", "seed", "rounds", "clients", "dimension", "ranks", "equal_messages"), "an integer"),
    **dict.fromkeys(("noise_sigma", "epsilon_nominal", "delta", "wall_seconds", "baseline_score",
                     "baseline_personal_score", "planned_bits_up", "planned_bits_down", "planned_bits_down_before"),
                    "a number"),
}
# Attributes of /privacy that say what an epsilon is about, and what it does not cover.
PRIVACY_TEXTS = ("dp_claim", "unit", "relation", "view", "aggregation", "noise_place")
PRIVACY_LISTS = ("preprocessing", "releases_outside")
# Values of claim_status.
NOT_PRIVATE = "not_private"
NOMINAL = "nominal_only"  # a published formula says so, no accountant has checked it
HOLDS = "holds"
NOTHING_RELEASED = "nothing_released"
# Values of dp_claim that go with a status.
DP_CLAIMS = {HOLDS: ("accounted", NOTHING_RELEASED), NOMINAL: ("paper_nominal_only",), NOT_PRIVATE: ("none",)}
CLAIM_WORDS = {HOLDS: "yes", NOMINAL: "nominal only", NOT_PRIVATE: "NO"}
WHOLE_VECTORS = "identity"  # value of compressor_kind: messages are not compressed

Result = TypeVar("Result")


class IncompleteRunWarning(UserWarning):
    """The run behind a file had not ended when the file was last written."""


@dataclass(frozen=True)
class Simulation:
    """How the ranks of a run were simulated: file of the platform, ranks, the hosts that they share, how long computing
    takes in words and relative to the machine (0: no time)."""

    platform: str
    ranks: int
    hosts: int
    computing: str
    compute_factor: float


@dataclass(frozen=True)
class Run:
    """One run file in memory. `attributes` are those of the root; lists are tuples. Columns of /mpi carry the suffix
    `_mpi` (`bits_up_mpi`); `better` has "higher" or "lower" for columns of which one is better, `possible` the least
    and the largest possible value of columns. `privacy` has the texts of /privacy that say what an epsilon is about,
    `preprocessing` and `releases_outside` what was done to the records by looking at all of them, and what the run
    publishes outside its claim. Control characters of texts are escaped."""

    path: Path
    attributes: dict[str, Any]
    privacy: dict[str, str]
    config: str
    environment: dict[str, str]
    rounds: pd.DataFrame
    units: dict[str, str]
    phase_names: tuple[str, ...]
    phase_seconds: np.ndarray  # rows x ranks x phases
    model: np.ndarray | None  # None where the run has not come to its end
    phase_joules: np.ndarray | None = None  # rows x phases, of all nodes; None where the energy was not counted
    starts: int = 1  # 1 and every --resume
    placement: Placement = Placement()
    changed: bool = False  # whether the content is not what its checksum says
    class_accuracy: pd.DataFrame | None = None  # rounds x classes, of the evaluated states; None where not recorded
    simulation: Simulation | None = None  # None for real ranks
    times: TimeRecord = TimeRecord()
    better: dict[str, str] = field(default_factory=dict)
    possible: dict[str, tuple[float, float]] = field(default_factory=dict)
    preprocessing: tuple[str, ...] = ()
    releases_outside: tuple[str, ...] = ()
    tuning: bool = False  # whether a sweep has its seed for choosing settings, not for results

    @property
    def complete(self) -> bool:
        """Returns whether all requested rounds are in the file."""
        return bool(self.attributes["complete"])

    @property
    def status(self) -> str:
        """Returns the status of the claim: HOLDS, NOMINAL or NOT_PRIVATE."""
        return self.attributes["claim_status"]

    @property
    def compressed(self) -> bool:
        """Returns whether the clients send compressed messages."""
        return self.attributes["compressor_kind"] != WHOLE_VECTORS

    @property
    def private(self) -> bool:
        """Returns whether the run's privacy is more than a nominal value."""
        return self.status == HOLDS

    @property
    def claim_word(self) -> str:
        """Returns the claim in one or two words: NO, nominal only, yes."""
        return CLAIM_WORDS[self.status]

    @property
    def released(self) -> bool:
        """Returns whether anything leaves a client. If not, a claim holds without an epsilon (local training)."""
        return self.privacy["dp_claim"] != NOTHING_RELEASED

    @property
    def rounds_done(self) -> int:
        """Returns the number of the last round in the file."""
        return int(self.rounds["round"].iloc[-1])

    def evaluated(self, column: str) -> pd.Series:
        """Returns the values of a metric at the evaluated states; none if the file has no such column."""
        return self.rounds[column].dropna() if column in self.rounds else pd.Series(dtype=float)


def read_run(path: str | Path) -> Run:
    """Reads a run file. Raises RunFileError for what is no whole run file of this schema version; warns about a run
    that had not ended (IncompleteRunWarning) and a file that was changed afterwards (ChangedFileWarning)."""
    run = _opened(path := Path(path), _read)
    if run.changed:
        warn_of_change(path)
    if not run.complete:
        failure = run.attributes["failure"] or "it was ended from outside or is still going on"
        warnings.warn(
            f"{path}: incomplete run, {run.rounds_done} of {run.attributes['rounds']} rounds ({failure}).",
            IncompleteRunWarning,
            stacklevel=2,
        )
    return run


@dataclass(frozen=True)
class RunEnd:
    """How far a run file says its run came; `failure` is empty where no error stopped it."""

    complete: bool
    failure: str


def read_end(path: str | Path) -> RunEnd:
    """Reads how a run ended, also from a partial file; what cannot be read tells of no end."""
    try:
        return _opened(Path(path), _read_end)
    except RunFileError:
        return RunEnd(False, "")


def _opened(path: Path, read: Callable[[Path, h5py.File], Result]) -> Result:
    """Returns the result of `read` for the open file. Turns every failure into one sentence."""
    if not path.is_file():
        raise RunFileError(f"{path}: there is no such file.")
    try:
        # Who reads may have been started in another folder.
        return apart(partial(_open, path.absolute(), read))
    except Elsewhere as found:
        raise RunFileError(f"{path}: the file {found}, and a run file is whole in itself; use the one that the run has "
                           "written.") from None
    except Damage as damage:
        raise RunFileError(f"{path}: the file {damage}, so it is damaged; repeat the run.") from None
    except Crash as crash:
        raise RunFileError(f"{path}: {crash}, so the file is damaged; repeat the run.") from None
    except RunFileError:
        raise
    except BlockingIOError:
        raise RunFileError(f"{path}: a running program still has the file open; wait for the run's end.") from None
    except Exception as error:  # noqa: BLE001 - h5py and numpy raise anything on a damaged file
        if path.suffix == ".toml":
            raise RunFileError(f"{path}: an experiment or a sweep (TOML), not a run file; `trilemma run` and `trilemma "
                               "sweep` write these.") from None
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise RunFileError(f"{path}: not a readable HDF5 file, truncated perhaps ({printable(reason)}).") from None


def _open(path: Path, read: Callable[[Path, h5py.File], Result]) -> Result:
    """Returns the result of `read` for the open file. The child process calls it."""
    # A file that the parent has open, whose descriptor is closed here, is not taken for this one under another driver.
    driver = "stdio" if h5py.h5f.get_obj_count(h5py.h5f.OBJ_ALL, h5py.h5f.OBJ_FILE) else None
    with h5py.File(path, "r", driver=driver) as file:
        return read(path, file)


def _read_end(_: Path, file: h5py.File) -> RunEnd:
    """Returns the RunEnd of an open file."""
    return RunEnd(bool(checked.attribute(file, "complete", "an integer")),
                  printable(checked.attribute(file, "failure", "text")))


def _check_schema(path: Path, file: h5py.File) -> None:
    """Raises RunFileError for a file of another schema or version."""
    found = checked.attribute(file, "schema", "text") if "schema" in file.attrs else "none"
    if found != SCHEMA:
        raise RunFileError(f"{path}: the schema is '{printable(found)}', expected '{SCHEMA}'; name a run file of "
                           "trilemma.")
    version = checked.attribute(file, "schema_version", "an integer")
    if version != SCHEMA_VERSION:
        raise RunFileError(
            f"{path}: the schema version is {version}, expected {SCHEMA_VERSION}; use the analysis package of the "
            f"Trilemma version that wrote the file ({printable(checked.attribute(file, 'program_version', 'text'))})."
        )


def rounded_up(epsilon: float) -> str:
    """Returns an accounted epsilon, rounded up to four digits so that no figure promises too much."""
    if math.isnan(epsilon):
        return "not computed"
    if math.isinf(epsilon) or epsilon == 0:
        return f"{epsilon:g}"
    unit = 10.0 ** (math.floor(math.log10(epsilon)) - 3)
    return f"{math.ceil(epsilon / unit * (1 - 1e-9)) * unit:.4g}"


def _read(path: Path, file: h5py.File) -> Run:
    """Returns the Run of an open file."""
    _check_schema(path, file)
    attributes = {name: checked.attribute(file, name, kind) for name, kind in ATTRIBUTES.items()}
    attributes |= {name: value for name in file.attrs if name not in attributes
                   and (value := checked.any_attribute(file, name)) is not None}
    attributes = {name: printable(value) if isinstance(value, str) else value for name, value in attributes.items()}
    group = checked.group(file, "/privacy")
    privacy = {name: printable(checked.attribute(group, name, "text")) for name in PRIVACY_TEXTS}
    lists = {name: tuple(map(printable, checked.texts_attribute(group, name))) for name in PRIVACY_LISTS}
    attributes["epsilon_accounted"] = float(checked.attribute(group, "epsilon", "a number"))
    _check_claim(path, attributes["claim_status"], privacy["dp_claim"], attributes["epsilon_accounted"])
    attributes["accounted_epsilon"] = rounded_up(attributes["epsilon_accounted"])
    config = checked.text(file, "/config")
    rounds, units, better, possible = columns(path, file, attributes)
    if not (rounds["round"] == rounds["round"].round()).all():
        raise Damage("holds a round that is not a whole number in /rounds/round")
    phase_names, phase_seconds = phases(path, file, attributes)
    joules = energy(path, file, attributes, phase_names)
    rounds, phase_seconds, joules = common_rows(path, rounds, phase_seconds, joules, attributes)
    return Run(
        path=path, attributes=attributes, privacy=privacy, config=config, environment=_environment(file),
        rounds=rounds, units=units, phase_names=phase_names, phase_seconds=phase_seconds, phase_joules=joules,
        model=checked.array(file, "/model/final", "a number", 1) if attributes["complete"] else None,
        starts=len(checked.array(file, "/starts/round", "an integer", 1)) if checked.has(file, "/starts/round") else 1,
        changed=is_changed(file), placement=read_placement(file),
        class_accuracy=class_accuracy(file, attributes["rounds"] + 1), simulation=_simulation(file),
        better=better, possible=possible, times=read_times(file), **lists,
    )


def _environment(file: h5py.File) -> dict[str, str]:
    """Returns the texts of /environment by name: its data sets of one value. Others are tables and lists."""
    if not checked.has(file, "/environment"):
        return {}
    return {name: checked.text(file, f"/environment/{name}") for name in checked.group(file, "/environment")
            if checked.is_single(file, f"/environment/{name}")}


def _simulation(file: h5py.File) -> Simulation | None:
    """Returns how the ranks were simulated, from the attributes of /environment."""
    if not checked.has(file, "/environment") or "platform" not in (group := checked.group(file, "/environment")).attrs:
        return None
    return Simulation(printable(checked.attribute(group, "platform", "text")),
                      checked.attribute(group, "simulated_ranks", "an integer"),
                      checked.attribute(group, "simulated_hosts", "an integer"),
                      printable(checked.attribute(group, "simulated_computing", "text")),
                      float(checked.attribute(group, "simulated_compute_factor", "a number")))


def _check_claim(path: Path, status: str, claim: str, epsilon: float) -> None:
    """Refuses a file in which claim_status and dp_claim disagree, which must not look private."""
    if claim not in DP_CLAIMS.get(status, ()):
        raise RunFileError(f"{path}: claim_status is '{status}', but dp_claim of /privacy is '{claim}', so the file "
                           "was altered or is damaged; repeat the run.")
    if epsilon < 0:
        raise Damage(f"holds epsilon = {epsilon:g} in /privacy")
