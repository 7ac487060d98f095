"""The rules of the NEC experiments on made-up runs."""
import itertools

import numpy as np
import pandas as pd
import pytest

from trilemma_analysis.model.sweep import read_sweep
from trilemma_analysis.verdicts import evidence, judge, nec
from trilemma_analysis.verdicts.rules import Outcome

ROWS = 31
BETAS = (0.001, 0.01, 0.1)
LEVEL = {0.001: 0.70, 0.01: 0.80, 0.1: 0.60}
BEHIND = {0.001: 0.15, 0.01: 0.25, 0.1: 0.0}  # of no memory, more than `ahead`, so that its best beta is 0.1


@pytest.fixture
def folder(make_run, tmp_path):
    """Accuracy rises to a level by beta; `ahead` is the lead of error feedback, `pace` its rounds by p."""
    count = itertools.count()

    def build(ahead=0.05, pace=None, level=LEVEL, mode="total_norm", more="", betas=BETAS, drop=0.0):
        pace = pace or {1.0: 5, 0.5: 6, 0.25: 7}
        cells = [("fed-alpha-normec", p) for p in (1.0, 0.5, 0.25)] + [("dp-fedavg-smooth", 1.0)]
        for (method, p), beta, gamma, seed in itertools.product(cells, betas, (0.01, 0.1), (1, 2, 3)):
            top = level[beta] + 0.001 * seed - (0.3 if gamma == 0.01 else 0)
            top -= 0 if method == "fed-alpha-normec" else ahead + BEHIND.get(beta, 0)
            rise = 1 - np.exp(-np.arange(ROWS) / pace[p])
            rise -= drop * (beta >= 0.01) * np.linspace(0, 1, ROWS) ** 4  # of runs that do not converge
            key = "memory]\nstep" if method == "fed-alpha-normec" else "bound]\nthreshold"
            names = ("gradient_norm_squared", "utility", "epsilon", "bits_up_model", "bits_down_model",
                     "bits_up_payload", "bits_down_payload", "batch_records")
            columns = {name: np.zeros(ROWS) for name in names}
            columns |= {"round": np.arange(ROWS), "accuracy": top * rise, "objective": 2 - 2 * top * rise,
                        "messages": (20 * p * np.arange(ROWS)).astype(int)}
            make_run(f"c{next(count)}.h5", columns=columns, method=method, seed=np.int64(seed), rounds=np.int64(ROWS - 1),
                     mpi={column: np.zeros(ROWS) for column in ("bits_up", "bits_down", "bits_evaluation")},
                     config=f'method = "{method}"\nseed = {seed}\n[participation]\nrate = {p}\n[local]\nrate = {gamma}\n{more}'
                            f'[privacy]\nnoise_mode = "{mode}"\n[{key} = {beta}\n')
        return tmp_path
    return build


def statements(path, rule="nec-fmnist-s"):
    verdict = judge(rule, read_sweep(path))
    return verdict, {s.name: s for s in verdict.statements}


def test_all_statements_hold(folder):
    verdict, found = statements(folder())
    assert verdict.word == "REPRODUCED-ORDERING (substitute)", verdict.text()
    assert list(found) == ["B1", "B2", "B3", "P1", "P2", "F1", "F2", "F3", "F4"]
    assert verdict.notes[0] == "judged: total_norm noise, 30 rounds, 1 local step of all records"
    assert "gamma" in verdict.notes[1] and "beta 0.01: 0.1" in verdict.notes[1]  # tuned, not the first


def test_feedback_that_loses_is_a_reversal(folder):
    verdict, found = statements(folder(ahead=-0.05), "nec-a9a-total")
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
    assert nec._best_beta(tuned(best, {1.0: 0.5, 0.25: 0.5}), BETAS).holds is holds


@pytest.mark.parametrize(("full", "holds"), [(0.6, True), (0.4, False)])
def test_full_participation_is_not_worse(full, holds):
    best = {p: dict.fromkeys(BETAS, 0.7) for p in (1.0, 0.25)}
    assert nec._per_round(tuned(best, {1.0: full, 0.25: 0.5}), BETAS).holds is holds


def test_more_local_work_is_judged_apart(folder):
    folder()
    verdict, found = statements(folder(level=LEVEL | {0.1: 0.95}, more="batch = 32\nsteps = 94\n"))
    assert found["B1"].holds and found["B1-EPOCH"].outcome is Outcome.REVERSED
    assert found["B1-EPOCH"].aside and found["F1-EPOCH"].aside and verdict.word == "REPRODUCED-ORDERING (substitute)"
    assert found["B1-EPOCH"].text.startswith("total_norm noise, 30 rounds, 94 local steps of 32 records: beta = 0.01")


def test_equation_2_as_printed_is_an_aside(folder):
    folder()
    verdict, found = statements(folder(ahead=-0.3, more='update = "difference"\n'))
    assert found["F1"].holds and found["F1-LITERAL"].outcome is Outcome.REVERSED and found["F1-LITERAL"].aside
    assert verdict.word == "REPRODUCED-ORDERING (substitute)"


def test_each_meaning_of_sigma_has_its_verdict(folder):
    betas = (0.0001, *BETAS)
    folder(betas=betas, level=LEVEL | {0.0001: 0.5}, mode="per_coordinate", drop=0.5, ahead=-0.6)
    _, total = statements(folder(), "nec-a9a-total")
    assert total["F1"].holds
    _, private = statements(folder(), "nec-a9a")
    assert private["F1"].outcome is Outcome.REVERSED and not private["F1-SMALL"].holds


@pytest.mark.parametrize(("small", "large", "holds"), [(0.05, -0.05, True), (-0.05, 0.05, False)])
def test_betas_at_which_both_converge(small, large, holds):
    def runs(score, best):
        return pd.DataFrame({"final": score + np.array([-0.01, 0.0, 0.01]), "best": best, "area": score})
    # At 0.1 error feedback ends at half of its best score, so this beta does not count.
    ours, none = "fed-alpha-normec", "dp-fedavg-smooth"
    cells = {(ours, 1.0, 0.001): runs(0.5 + small, 0.56), (none, 1.0, 0.001): runs(0.5, 0.51),
             (ours, 1.0, 0.1): runs(0.3 + large, 0.6), (none, 1.0, 0.1): runs(0.3, 0.3)}
    found = nec._where_both_converge(cells, (0.001, 0.1))
    assert found.holds is holds and "beta 0.1" not in found.evidence


@pytest.mark.parametrize(("score", "holds"), [(0.5, True), (0.72, False)])
def test_the_worst_beta(score, holds):
    best = {p: {0.001: 0.7, 0.01: 0.8, 0.1: score} for p in (1.0, 0.25)}
    assert nec._worst_beta(tuned(best, {1.0: 0.5, 0.25: 0.5}), BETAS).holds is holds


@pytest.mark.parametrize(("gammas", "holds"), [
    ((1.0, 0.1, 0.01), True), ((0.1, 0.1, 0.1), True), ((0.01, 0.1, 0.01), False)])
def test_best_gammas_on_the_diagonal(gammas, holds):
    cells = {("dp-fedavg-smooth", 1.0, beta): pd.DataFrame({"gamma": [gamma]}) for beta, gamma in zip(BETAS, gammas)}
    assert nec._on_diagonal(cells, BETAS).holds is holds


def test_notes_and_counts_are_of_the_runs_that_the_rule_keeps(folder):
    path = folder(mode="per_coordinate")
    count = len(list(path.glob("*.h5")))
    folder(mode="total_norm")
    found = evidence("nec-a9a-total", read_sweep(path))
    assert (found.origin.runs, found.origin.sweeps[0].cells) == (count, 2 * count)
