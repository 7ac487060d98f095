"""The folders of MLflow's file store (`mlflow ui --backend-store-uri FOLDER`), written without MLflow.

An experiment is a folder with meta.yaml, a run a folder in it: meta.yaml, a file a parameter and a tag, and a file a
metric with a line "milliseconds value step" for each value. JSON is YAML, so the values of meta.yaml are JSON.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .writing import safe_name

LOCAL = 4  # SourceType
FINISHED, FAILED = 3, 4  # RunStatus


@dataclass(frozen=True)
class StoredRun:
    """One run for the store; times are milliseconds since 1970. `metrics` has (milliseconds, value, step) by name."""

    identity: str  # 32 hexadecimal digits
    name: str
    experiment: str
    start: int
    end: int
    finished: bool
    version: str  # of the source, a commit
    params: Mapping[str, str]
    tags: Mapping[str, str]
    metrics: Mapping[str, list[tuple[int, float, int]]]


def store_files(runs: Iterable[StoredRun]) -> dict[str, str]:
    """Returns the contents of all files by their path in the store."""
    files: dict[str, str] = {}
    for run in runs:
        experiment = experiment_id(run.experiment)
        files.setdefault(f"{experiment}/meta.yaml", _experiment_meta(run.experiment, experiment, run.start))
        files |= {f"{experiment}/{run.identity}/{name}": text for name, text in _run_files(run, experiment).items()}
    return files


def experiment_id(name: str) -> str:
    """Returns 18 digits that follow from `name`; MLflow's own identifiers have as many."""
    return str(10**17 + int(hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest(), 16) % (9 * 10**17))


def _experiment_meta(name: str, experiment: str, created: int) -> str:
    """Returns meta.yaml of an experiment."""
    return _yaml({"artifact_location": f"./{experiment}", "creation_time": created, "experiment_id": experiment,
                  "last_update_time": created, "lifecycle_stage": "active", "name": name})


def _run_files(run: StoredRun, experiment: str) -> dict[str, str]:
    """Returns the files of a run by their path in its folder."""
    meta = {"artifact_uri": f"./{experiment}/{run.identity}/artifacts", "deleted_time": None, "end_time": run.end,
            "entry_point_name": "", "experiment_id": experiment, "lifecycle_stage": "active", "run_id": run.identity,
            "run_name": run.name, "run_uuid": run.identity, "source_name": "trilemma", "source_type": LOCAL,
            "source_version": run.version, "start_time": run.start, "status": FINISHED if run.finished else FAILED,
            "tags": [], "user_id": ""}
    tags = {"mlflow.runName": run.name, "mlflow.source.type": "LOCAL", "mlflow.source.name": "trilemma",
            "mlflow.source.git.commit": run.version, **run.tags}
    return {"meta.yaml": _yaml(meta), **{f"params/{safe_name(name)}": value for name, value in run.params.items()},
            **{f"tags/{safe_name(name)}": value for name, value in tags.items()},
            **{f"metrics/{safe_name(name)}": "".join(f"{time} {value!r} {step}\n" for time, value, step in values)
               for name, values in run.metrics.items() if values}}


def _yaml(values: Mapping[str, Any]) -> str:
    """Returns a YAML file of single values."""
    return "".join(f"{name}: {json.dumps(value)}\n" for name, value in values.items())
