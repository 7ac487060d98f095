"""Figures of every method on a fixed experiment, compared with tests/golden/summaries.json.

TRILEMMA_REGENERATE=1 writes the file again (once with each build); look at the difference before committing.
"""
import json
import os
from pathlib import Path

import pytest

from conftest import call, read, summary

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "summaries.json"
CLOSE = ("objective_final", "objective_best", "grad_norm_sq_final", "utility", "noise_sigma")
EXACT = ("accuracy_final", "bits_up", "bits_down", "claim", "dimension", "rounds")


# The figures of these methods are those of steps on all records.
ALL_RECORDS = ("fedavg", "fedprox", "dp-fedavg-clip", "dp-normfedavg", "dp-fedavg-smooth")


def figures(logistic, tmp_path, method):
    file = tmp_path / f"{method}.h5"
    settings = [f"method={method}"] + ["local.solver=gd"] * (method in ALL_RECORDS)
    assert call("run", logistic, *(word for one in settings for word in ("--set", one)), "--output", file).code == 0
    found = summary(file)
    return read(file)[0].dtype.name, {key: found[key] for key in CLOSE + EXACT}


def test_summaries(logistic, tmp_path, methods):
    golden = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    found = {}
    for method in methods:
        real, found[method] = figures(logistic, tmp_path, method)
    if os.environ.get("TRILEMMA_REGENERATE"):
        golden[real] = found
        GOLDEN.write_text(json.dumps(golden, indent=1, sort_keys=True) + "\n")
    assert golden[real].keys() == found.keys()
    # Another processor or compiler may round differently; over six rounds that stays small.
    tolerance = 1e-4 if real == "float32" else 1e-10
    for method, expected in golden[real].items():
        for key in EXACT:
            assert found[method][key] == expected[key], (method, key)
        for key in CLOSE:
            assert found[method][key] == pytest.approx(expected[key], rel=tolerance), (method, key)
