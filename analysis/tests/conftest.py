"""Writes small run files by hand, following docs/reference/run-file.md, so that no test needs the C++ program."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import pickle
import re
from pathlib import Path

import h5py
import numpy as np
import pytest

from trilemma_analysis.io import run_file

TEXT = h5py.string_dtype()
os.environ["COLUMNS"] = "100"  # of text, whatever terminal runs the tests
PHASES = ("broadcast", "local", "bound", "perturb", "compress", "encode", "exchange", "decode", "server", "evaluate",
          "record", "wait", "checkpoint")
ROOT = {
    "schema": "trilemma-run", "schema_version": np.int64(4), "program_version": "0.1.0", "complete": np.uint8(1),
    "failure": "", "fingerprint": "0123456789abcdef", "name": "demo", "method": "cdp-sgd",
    "mode": "private", "problem": "logistic",
    "data": "synthetic 100 x 5", "compressor": "rand-k k=2", "seed": np.int64(1), "rounds": np.int64(2),
    "clients": np.int64(10), "dimension": np.int64(5), "ranks": np.int64(3), "noise_sigma": 0.5,
    "epsilon_nominal": 5.0, "delta": 1e-3, "claim": "holds: local model, per record",
    "wall_seconds": 0.5, "baseline_score": math.nan, "baseline_personal_score": math.nan,
    **dict.fromkeys(("planned_bits_up", "planned_bits_down", "planned_bits_down_before"), math.nan),
}
PRIVACY = {"unit": "record", "relation": "add_remove", "view": "V_server", "aggregation": "none",
           "noise_place": "client", "preprocessing": (), "releases_outside": ()}
# By how the sentence of a test's claim begins: claim_status and dp_claim.
CLAIMS = {"holds": ("holds", "accounted"), "nominal only": ("nominal_only", "paper_nominal_only"),
          "not a private run": ("not_private", "none")}
SIMULATION = re.compile(r"(?P<platform>[^,]*), (?P<ranks>\d+) ranks? on (?P<hosts>\d+) hosts?, (?P<computing>[^;]*)")
COLUMNS = {
    "round": (np.int64, [0, 1, 2]),
    "objective": (np.float64, [1.0, 0.5, 0.625]),
    "gradient_norm_squared": (np.float64, [0.9, 0.3, 0.3]),
    "utility": (np.float64, [0.9, 0.6, 0.5]),
    "accuracy": (np.float64, [0.5, 0.75, 0.75]),
    "epsilon": (np.float64, [np.nan, np.nan, np.nan]),
    "bits_up_model": (np.uint64, [0, 1280, 2560]),
    "bits_down_model": (np.uint64, [0, 3200, 6400]),
    "bits_up_payload": (np.uint64, [0, 640, 1280]),
    "bits_down_payload": (np.uint64, [0, 1600, 3200]),
    "batch_records": (np.uint64, [0, 50, 101]),
}
# Columns of zeros unless a test gives them.
PLAIN = {**dict.fromkeys(("suboptimality", "mean_norm", "noise_norm", "update_norm_least", "update_norm_most"),
                         np.float64), "messages": np.uint64, "clipped": np.uint64}
MPI = {"bits_up": [0, 640, 1280], "bits_down": [0, 320, 640], "bits_evaluation": [0, 64, 128]}


# Contents of run files that were written before, by what they were made from: writing one takes 30 ms.
_written: dict[bytes, bytes] = {}


def write_run(path: Path, **made_from) -> Path:
    """Writes a run file as _write_run() does, which has the keywords."""
    key = pickle.dumps(made_from)
    if key not in _written:
        _written[key] = _write_run(path, **made_from).read_bytes()
    else:
        path.write_bytes(_written[key])
    return path


def _write_run(path: Path, columns: dict | None = None, mpi: dict | None = None,
               config: str = 'method = "cdp-sgd"\n', epsilon: float = math.nan, seconds: np.ndarray | None = None,
               starts: int = 1, privacy: dict | None = None, environment: dict | None = None,
               node: list[int] | None = None, asked: dict | None = None, better: dict | None = None,
               joules: np.ndarray | None = None, **root) -> Path:
    """Writes a run file; `columns`, `mpi`, `seconds`, `joules`, `privacy` and `environment` replace its defaults; `node` is the
    node of each rank, `asked` the request of a job (attributes of /environment), `better` says which values of a column
    are better; other keywords replace attributes of
    the root."""
    values = {name: (kind, (columns or {}).get(name, default)) for name, (kind, default) in COLUMNS.items()}
    rows = len(values["round"][1])
    values |= {name: (kind, (columns or {}).get(name, np.zeros(rows))) for name, kind in PLAIN.items()}
    with h5py.File(path, "w") as file:
        values_of_root = ROOT | root
        status, dp_claim = CLAIMS.get(values_of_root["claim"].split(":")[0], CLAIMS["not a private run"])
        label = values_of_root["compressor"].split(";")[0]
        typed = {"claim_status": status, "compressor_label": label, "compressor_kind": label.split(" ")[0].strip(","),
                 "equal_messages": np.uint8("messages of any size" not in values_of_root["compressor"])}
        for name, value in (typed | values_of_root).items():
            if value is not None:
                file.attrs[name] = value
        file["config"] = config
        claim = {"dp_claim": dp_claim, "epsilon": epsilon}
        group = file.create_group("privacy")
        for name, value in (PRIVACY | claim | (privacy or {})).items():
            group.attrs[name] = np.array(value, TEXT) if isinstance(value, tuple) else value
        values |= {name: (np.float64, numbers) for name, numbers in (columns or {}).items() if name not in values}
        for name, (kind, numbers) in values.items():
            _column(file, f"rounds/{name}", np.array(numbers, kind), "bit" if name.startswith("bits") else "1")
        for name, numbers in (MPI | (mpi or {})).items():
            _column(file, f"mpi/{name}", np.array(numbers, np.uint64), "bit")
        for name, way in (better or {}).items():
            file[f"rounds/{name}"].attrs["better"] = way
        for name in ("rounds", "mpi"):
            file[name].attrs["columns"] = np.array(list(file[name]), TEXT)
            file[name].attrs["withheld"] = np.array((), TEXT)
        file["phases/name"] = list(PHASES)
        if seconds is None:
            seconds = np.arange(rows * 3 * len(PHASES), dtype=np.float64).reshape(rows, 3, len(PHASES))
        _column(file, "phases/seconds", seconds, "s")
        if joules is not None:
            _column(file, "phases/joules", joules, "J")
        _column(file, "model/final", np.arange(5, dtype=np.float32), "1")
        file["starts/round"] = np.arange(starts)
        for name, text in ({"compiler": "GNU 12.2"} | (environment or {})).items():
            file[f"environment/{name}"] = text
        file["environment"].attrs.update((asked or {}) | _simulation((environment or {}).get("simulation", "")))
        if node is not None:
            file["phases/node"] = np.array(node, np.int64)
    return path


def _simulation(text: str) -> dict:
    """The attributes of /environment that go with the sentence on a simulation."""
    if not text:
        return {}
    found = SIMULATION.match(text)
    told = found.groupdict() if found else {"platform": "", "ranks": 1, "hosts": 0, "computing": ""}
    return {"platform": told["platform"], "simulated_ranks": np.int64(told["ranks"]),
            "simulated_hosts": np.int64(told["hosts"]), "simulated_computing": told["computing"],
            "simulated_compute_factor": 0.0 if told["computing"] == "communication only" else 2.0}


def _column(file: h5py.File, name: str, values: np.ndarray, units: str) -> None:
    """Writes a data set with its units."""
    file.create_dataset(name, data=values).attrs["units"] = units


# Runs that were read before, by the checksum of their file: reading one takes 15 ms, and many tests write equal files.
_known: dict[bytes, bytes] = {}


@pytest.fixture(autouse=True)
def equal_files_are_read_once(monkeypatch, request):
    """Reads a whole run from memory if an equal file was read before, except in tests of the reader itself."""
    if request.module.__name__ in ("test_reader", "test_damage"):
        return
    really = run_file._opened

    def opened(path, read):
        if read is not run_file._read or not path.is_file():
            return really(path, read)
        key = hashlib.blake2b(path.read_bytes()).digest()
        if key not in _known:
            _known[key] = pickle.dumps(really(path, read))
        return dataclasses.replace(pickle.loads(_known[key]), path=path)

    monkeypatch.setattr(run_file, "_opened", opened)


@pytest.fixture
def make_run(tmp_path):
    """write_run() into the test's own directory, under a name without path."""
    return lambda name="run.h5", **changes: write_run(tmp_path / name, **changes)


@pytest.fixture
def make_sweep(tmp_path):
    """write_sweep() into a folder of the test's own directory, and with `again` into a second one."""
    def made(cells: list[dict], **changes) -> Path:
        return write_sweep(tmp_path / "sweep", cells, **changes)
    made.again = lambda cells, **changes: write_sweep(tmp_path / "again", cells, **changes)
    return made


def write_sweep(folder: Path, cells: list[dict], axes: tuple[str, ...] = ("method", "privacy.epsilon", "seed"),
                **head) -> Path:
    """Writes sweep.json and the run files of the cells; a cell has `values`, and may have `hash`, `repetition`,
    `refused`, `skipped`, `state` ("missing", "failed", "partial", "checkpoint"; default: done) and `run` (for
    write_run)."""
    folder.mkdir()
    listed = []
    for index, cell in enumerate(cells):
        mark, repetition = cell.get("hash", f"{index:012x}"), cell.get("repetition", 1)
        name = f"{mark}.h5" if head.get("repetitions", 1) == 1 else f"{mark}-r{repetition}.h5"
        listed.append({"index": index, "name": "", "hash": mark, "file": name, "repetition": repetition,
                       "values": cell["values"], "refused": cell.get("refused")}
                      | ({"skipped": cell["skipped"]} if "skipped" in cell else {}))
        _cell_files(folder / name, mark, cell)
    manifest = {"schema": "trilemma-sweep", "schema_version": 1, "name": "made", "experiment": "made.toml",
                "repetitions": 1, "order_seed": 1, "set": {}, "axes": list(axes), "cells": listed}
    (folder / "sweep.json").write_text(json.dumps(manifest | head))
    return folder


def _cell_files(path: Path, mark: str, cell: dict) -> None:
    values, state = cell["values"], cell.get("state", "done")
    root = {"method": values.get("method", "cdp-sgd"), "seed": values.get("seed", 1), "fingerprint": mark + "00",
            "epsilon_nominal": values.get("privacy.epsilon", math.nan)}
    root |= {"epsilon": root["epsilon_nominal"]} | cell.get("run", {})
    if state == "done":
        write_run(path, **root)
    elif state == "partial":
        write_run(path.with_name(path.name + ".partial"), **(root | {"complete": np.uint8(0)}))
    elif state == "failed":
        path.with_name(f"{path.stem}.failed").write_text(cell.get("reason", "round 2: it broke\n"))
    elif state == "checkpoint":
        path.with_name(f"{path.name}.checkpoint-1").write_bytes(b"")
