"""The rules of the NEC experiments on made-up runs."""
import itertools

import numpy as np
import pandas as pd
import pytest

from trilemma_analysis.model.sweep import read_sweep
from trilemma_analysis.verdicts import judge, nec
from trilemma_analysis.verdicts.rules import Outcome

ROWS = 31
BETAS = (0.001, 0.01, 0.1)
LEVEL = {0.001: 0.70, 0.01: 0.80, 0.1: 0.60}


@pytest.fixture
def folder(make_run, tmp_path):
    """Accuracy rises to a level by beta; `ahead` is the lead of error feedback, `pace` its rounds by p."""
    def build(ahead=0.05, pace=None, level=LEVEL):
        pace = pace or {1.0: 5, 0.5: 6, 0.25: 7}
        cells = [("fed-alpha-normec", p) for p in (1.0, 0.5, 0.25)] + [("dp-fedavg-smooth", 1.0)]
        for number, ((method, p), beta, gamma, seed) in enumerate(
                itertools.product(cells, BETAS, (0.01, 0.1), (1, 2, 3))):
            top = level[beta] + 0.001 * seed - (0.3 if gamma == 0.01 else 0)
            top -= 0 if method == "fed-alpha-normec" else ahead
            rise = 1 - np.exp(-np.arange(ROWS) / pace[p])
            key = "memory]\nstep" if method == "fed-alpha-normec" else "bound]\nthreshold"
            names = ("gradient_norm_squared", "utility", "epsilon", "bits_up_model", "bits_down_model",
                     "bits_up_payload", "bits_down_payload", "batch_records")
            columns = {name: np.zeros(ROWS) for name in names}
            columns |= {"round": np.arange(ROWS), "accuracy": top * rise, "objective": 2 - 2 * top * rise,
                        "messages": (20 * p * np.arange(ROWS)).astype(int)}
            make_run(f"c{number}.h5", columns=columns, method=method, seed=np.int64(seed), rounds=np.int64(ROWS - 1),
                     mpi={column: np.zeros(ROWS) for column in ("bits_up", "bits_down", "bits_evaluation")},
                     config=f'method = "{method}"\nseed = {seed}\n[participation]\nrate = {p}\n[local]\nrate = {gamma}\n'
                            f"[{key} = {beta}\n")
        return tmp_path
    return build


def statements(path, rule="nec-fmnist-s"):
    verdict = judge(rule, read_sweep(path))
    return verdict, {s.name: s for s in verdict.statements}


def test_all_statements_hold(folder):
    verdict, found = statements(folder())
    assert verdict.word == "REPRODUCED-ORDERING (substitute)", verdict.text()
    assert list(found) == ["B1", "B3", "P1", "P2", "F1"]
    assert "gamma" in verdict.notes[0] and "beta 0.01: 0.1" in verdict.notes[0]  # tuned, not the first


def test_feedback_that_loses_is_a_reversal(folder):
    verdict, found = statements(folder(ahead=-0.05), "nec-a9a")
    assert list(found) == ["P1", "F1"] and not found["F1"].holds
    assert verdict.word == "NOT REPRODUCED (substitute)"


def test_slow_partial_participation_is_seen(folder):
    _, found = statements(folder(pace={1.0: 3, 0.5: 9, 0.25: 30}))
    assert not found["P1"].holds and not found["P2"].holds and found["B3"].holds


def test_another_best_beta_is_seen(folder):
    _, found = statements(folder(level=LEVEL | {0.1: 0.85}))
    assert found["B1"].outcome is Outcome.REVERSED


def tuned(best, area):
    """Runs of three seeds by (method, p, beta) with these scores, and some spread."""
    return {("fed-alpha-normec", p, beta): pd.DataFrame({
        "seed": [1, 2, 3], "best": best[p][beta] + np.array([-0.01, 0.0, 0.012]) * (1 + (beta == 0.01) + p),
        "area": area[p] + np.array([-0.01, 0.0, 0.012]) * (1 + p)}) for p in (1.0, 0.25) for beta in BETAS}


@pytest.mark.parametrize(("full", "part", "holds"), [(0.8, 0.8, True), (0.6, 0.8, False), (0.8, 0.6, False)])
def test_the_best_beta_is_asked_of_both_participations(full, part, holds):
    best = {p: {0.001: 0.7, 0.01: score, 0.1: 0.7} for p, score in ((1.0, full), (0.25, part))}
    assert nec._best_beta(tuned(best, {1.0: 0.5, 0.25: 0.5})).holds is holds


@pytest.mark.parametrize(("full", "holds"), [(0.6, True), (0.4, False)])
def test_full_participation_is_not_worse(full, holds):
    best = {p: dict.fromkeys(BETAS, 0.7) for p in (1.0, 0.25)}
    assert nec._per_round(tuned(best, {1.0: full, 0.25: 0.5})).holds is holds
