"""The only place that opens run files: checks the schema and hands out plain tables."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

SCHEMA = "trilemma-run"
SCHEMA_VERSION = 3

ATTRIBUTES = (
    "program_version", "complete", "failure", "fingerprint", "name", "method", "mode", "problem", "data", "compressor",
    "seed", "rounds", "clients", "dimension", "ranks", "noise_sigma", "epsilon_nominal", "delta", "claim",
    "wall_seconds",
)
ROUND_COLUMNS = (  # that every file has; others are read where they are
    "round", "objective", "gradient_norm_squared", "utility", "suboptimality", "accuracy", "epsilon", "mean_norm",
    "noise_norm", "update_norm_least", "update_norm_most", "bits_up_model", "bits_down_model", "bits_up_payload",
    "bits_down_payload", "batch_records", "messages", "clipped",
)
MPI_COLUMNS = ("bits_up", "bits_down", "bits_evaluation")
# Attributes of /privacy that say what an epsilon is about, and what it leaves out.
PRIVACY_TEXTS = ("dp_claim", "unit", "relation", "view", "noise_place", "preprocessing", "releases_outside")
NOT_PRIVATE = "not a private run:"
NOMINAL = "nominal only:"  # a published formula says so, no accountant has checked it
HOLDS = "holds:"
NOTHING_RELEASED = "nothing_released"
# What /privacy calls the claim, by how its sentence begins.
DP_CLAIMS = {HOLDS: ("accounted", NOTHING_RELEASED), NOMINAL: ("paper_nominal_only",), NOT_PRIVATE: ("none",)}


class RunFileError(Exception):
    """A run file cannot be used; the text is one sentence for the user."""


class IncompleteRunWarning(UserWarning):
    """The run behind a file had not ended when the file was last written."""


@dataclass(frozen=True)
class Run:
    """One run file in memory. Columns of /mpi carry the suffix `_mpi` (`bits_up_mpi`); `privacy` has the texts of
    /privacy that say what an epsilon is about."""

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
    starts: int = 1  # 1 and every --resume

    @property
    def complete(self) -> bool:
        """Whether all rounds asked for are in the file."""
        return bool(self.attributes["complete"])

    @property
    def private(self) -> bool:
        """Whether the run's privacy is more than a nominal value."""
        return self.attributes["claim"].startswith(HOLDS)

    @property
    def claim_word(self) -> str:
        """The claim in one word or two: NO, nominal only, yes."""
        return "yes" if self.private else "nominal only" if self.attributes["claim"].startswith(NOMINAL) else "NO"

    @property
    def released(self) -> bool:
        """Whether anything leaves a client; else a claim holds without an epsilon (local training)."""
        return self.privacy["dp_claim"] != NOTHING_RELEASED

    @property
    def rounds_done(self) -> int:
        """Number of the last round in the file."""
        return int(self.rounds["round"].iloc[-1])

    def evaluated(self, column: str) -> pd.Series:
        """The values of a metric at the states that were evaluated."""
        return self.rounds[column].dropna()


def read_run(path: str | Path) -> Run:
    """Reads a run file. Raises RunFileError for what is no whole run file of this schema version; warns
    (IncompleteRunWarning) about a run that had not ended."""
    path = Path(path)
    if not path.is_file():
        raise RunFileError(f"{path}: there is no such file.")
    try:
        with h5py.File(path, "r") as file:
            _check_schema(path, file)
            run = _read(path, file)
    except KeyError as error:
        raise RunFileError(f"{path}: the file lacks {error.args[0]}, so it is damaged; repeat the run.") from None
    except BlockingIOError:
        raise RunFileError(f"{path}: a running program still has the file open; wait for the run's end.") from None
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise RunFileError(f"{path}: not a readable HDF5 file, truncated perhaps ({reason}).") from None
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
        with h5py.File(path, "r") as file:
            return RunEnd(bool(file.attrs.get("complete", 0)), str(_plain(file.attrs.get("failure", ""))))
    except (OSError, RuntimeError, ValueError):
        return RunEnd(False, "")


def _check_schema(path: Path, file: h5py.File) -> None:
    found = _plain(file.attrs.get("schema", "none"))
    if found != SCHEMA:
        raise RunFileError(f"{path}: the schema is '{found}', expected '{SCHEMA}'; name a run file of trilemma.")
    version = _plain(file.attrs.get("schema_version", "none"))
    if version != SCHEMA_VERSION:
        raise RunFileError(
            f"{path}: the schema version is {version}, expected {SCHEMA_VERSION}; use the analysis package of the "
            f"Trilemma version that wrote the file ({_plain(file.attrs.get('program_version', 'unknown'))})."
        )


def rounded_up(epsilon: float) -> str:
    """An accounted epsilon, rounded up to four digits so that no figure promises more."""
    if math.isnan(epsilon):
        return "not computed"
    if math.isinf(epsilon) or epsilon == 0:
        return f"{epsilon:g}"
    unit = 10.0 ** (math.floor(math.log10(epsilon)) - 3)
    return f"{math.ceil(epsilon / unit * (1 - 1e-9)) * unit:.4g}"


def _read(path: Path, file: h5py.File) -> Run:
    attributes = {name: _attribute(file, name) for name in ATTRIBUTES}
    attributes["epsilon_accounted"] = float(file["privacy"].attrs["epsilon"])
    attributes["accounted_epsilon"] = rounded_up(attributes["epsilon_accounted"])
    privacy = {name: _attribute(file["privacy"], name) for name in PRIVACY_TEXTS}
    _check_claim(path, attributes["claim"], privacy["dp_claim"])
    whole = bool(attributes["complete"])
    sources = {name: f"/rounds/{name}" for name in (*ROUND_COLUMNS, *file.get("rounds", ()))}
    sources |= {f"{name}_mpi": f"/mpi/{name}" for name in MPI_COLUMNS}
    columns = {name: _dataset(file, source)[()] for name, source in sources.items()}
    phase_seconds = _dataset(file, "/phases/seconds")[()]
    phase_names = tuple(_plain(name) for name in _dataset(file, "/phases/name")[()])

    lengths = {len(values) for values in (*columns.values(), phase_seconds)}
    rows = min(lengths)
    if rows == 0:
        raise RunFileError(f"{path}: the file holds no rounds yet.")
    if whole and len(lengths) > 1:
        raise RunFileError(f"{path}: columns differ in length, so the file is damaged; repeat the run.")
    if phase_seconds.ndim != 3 or phase_seconds.shape[2] != len(phase_names):
        raise RunFileError(f"{path}: /phases/seconds does not fit /phases/name; the file is damaged; repeat the run.")
    # A writer killed between two columns leaves some of them a few rows longer; the common rows are good.
    table = pd.DataFrame({name: values[:rows] for name, values in columns.items()})
    return Run(
        path=path,
        attributes=attributes,
        privacy=privacy,
        config=_plain(_dataset(file, "/config")[()]),
        environment={name: _plain(item[()]) for name, item in file.get("environment", {}).items()},
        rounds=table,
        units={name: _plain(file[source].attrs.get("units", "")) for name, source in sources.items()},
        phase_names=phase_names,
        phase_seconds=phase_seconds[:rows],
        model=_dataset(file, "/model/final")[()] if whole else None,
        starts=len(file["/starts/round"]) if "/starts/round" in file else 1,
    )


def _check_claim(path: Path, claim: str, word: str) -> None:
    """The sentence is for people and dp_claim for programs: a file in which they disagree must not look private."""
    start = next((start for start in DP_CLAIMS if claim.startswith(start)), None)
    if start is None or word not in DP_CLAIMS[start]:
        raise RunFileError(f"{path}: the claim begins '{claim[:30]}', but dp_claim of /privacy is '{word}', so the file "
                           "was altered or is damaged; repeat the run.")


def _attribute(group: h5py.Group, name: str) -> Any:
    if name not in group.attrs:
        raise KeyError(f"the attribute '{name}'" + ("" if group.name == "/" else f" of {group.name}"))
    return _plain(group.attrs[name])


def _dataset(file: h5py.File, name: str) -> h5py.Dataset:
    if not isinstance(file.get(name), h5py.Dataset):
        raise KeyError(f"the data set '{name}'")
    return file[name]


def _plain(value: Any) -> Any:
    """Python's own str, int or float for what h5py hands out."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(())[()]
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return value.item() if isinstance(value, np.generic) else value
