"""The rule of NORM-FMNIST on made-up runs."""
import itertools

import h5py
import numpy as np
import pandas as pd
import pytest

from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.model.sweep import read_sweep
from trilemma_analysis.verdicts import RULES, judge
from trilemma_analysis.verdicts.rules import Outcome

PAPER = {("dp-fedavg-clip", 5.0): 75.59, ("dp-normfedavg", 5.0): 77.72,
         ("dp-fedavg-clip", 1.5): 56.90, ("dp-normfedavg", 1.5): 57.80}


def config(method, seed, noise, epsilon, scaling="none"):
    privacy = ('calibration = "accountant"\n' if noise == 0 else
               f'calibration = "paper"\nconstant = {noise}\n') + f"epsilon = {epsilon}\n"
    return (f'method = "{method}"\nseed = {seed}\n[bound]\nthreshold = 31.25\n[local]\nrate = 0.016\n'
            f'[data]\nscaling = "{scaling}"\n'
            + ("" if method == "fedavg" else "[privacy]\n" + privacy))


@pytest.fixture
def folder(make_run, tmp_path):
    """Three seeds at q = 1, at q = 170 and with the accountant's noise; `scores` gives percents by noise and cell."""
    def build(scores, fedavg=83.5, standard=None):
        def write(name, method, seed, noise, epsilon, percent, scaling="none"):
            accuracy = np.full(12, np.nan)
            accuracy[0], accuracy[6], accuracy[7:] = 0.1, 0.9, (percent + 0.01 * seed) / 100
            make_run(name, columns={"accuracy": accuracy, **plain(12)}, method=method, seed=np.int64(seed),
                     config=config(method, seed, noise, epsilon, scaling), rounds=np.int64(11), mpi=mpi(12))

        for number, (noise, cell, seed) in enumerate(itertools.product((0, 1.0, 170.0), PAPER, (1, 2, 3))):
            write(f"r{number}.h5", cell[0], seed, noise, cell[1], scores(noise)[cell])
        for number, (cell, seed) in enumerate(itertools.product(standard or {}, (1, 2, 3))):
            write(f"s{number}.h5", cell[0], seed, 1.0, cell[1], standard[cell], "standard")
        for seed in (1, 2, 3):
            write(f"f{seed}.h5", "fedavg", seed, 0, 0, fedavg)
        return tmp_path
    return build


def plain(rows):
    names = ("objective", "gradient_norm_squared", "utility", "epsilon", "bits_up_model", "bits_down_model",
             "bits_up_payload", "bits_down_payload", "batch_records")
    return {name: np.zeros(rows) for name in names} | {"round": np.arange(rows)}


def mpi(rows):
    return {column: np.zeros(rows) for column in ("bits_up", "bits_down", "bits_evaluation")}


def found(path):
    verdict = judge("norm-fmnist", read_sweep(path))
    return verdict, {s.name: s for s in verdict.statements}


def test_the_paper_reproduces_itself(folder):
    verdict, statements = found(folder(lambda noise: PAPER))
    assert verdict.word == "REPRODUCED-NUMBERS"
    assert "q = 170" in statements["N3"].text and "7 of 7 met" in statements["N3"].evidence
    assert any(note.startswith("accountant's noise: clip 75.61 (epsilon 5), norm 77.74 (epsilon 5)")
               for note in verdict.notes), verdict.notes


def test_numbers_are_judged_at_the_fitted_noise_and_orderings_at_the_first(folder):
    equal = {cell: 75.6 if cell[1] == 5 else 57.0 for cell in PAPER}
    verdict, statements = found(folder(lambda noise: equal if noise == 170 else PAPER))
    assert statements["N1"].holds and statements["N2"].holds and not statements["N3"].holds
    assert "6 of 7 met" in statements["N3"].evidence  # the gain at epsilon 5
    assert verdict.word == "REPRODUCED-ORDERING"


def test_clipping_ahead_is_a_reversal(folder):
    swapped = {cell: 150 - value for cell, value in PAPER.items()}
    verdict, _ = found(folder(lambda noise: swapped))
    assert verdict.word == "NOT REPRODUCED"


def test_standardised_features_are_judged_apart(folder):
    swapped = {cell: 150 - value for cell, value in PAPER.items()}
    verdict, statements = found(folder(lambda noise: PAPER, standard=swapped))
    assert verdict.word == "REPRODUCED-NUMBERS" and statements["N1"].holds
    assert [name for name in statements if name.endswith("STANDARD")] == ["N1-STANDARD", "N2-STANDARD", "N3-STANDARD"]
    apart = statements["N1-STANDARD"]
    assert apart.outcome is Outcome.REVERSED and apart.aside and "-2.13 points at epsilon 5" in apart.evidence


def test_the_baseline_counts(folder):
    _, statements = found(folder(lambda noise: PAPER, fedavg=80.0))
    assert not statements["N3"].holds and "6 of 7 met" in statements["N3"].evidence


def test_a_substitute_has_orderings_only(folder, tmp_path):
    path = folder(lambda noise: PAPER)
    for file in tmp_path.glob("r*.h5"):
        if not 12 <= int(file.stem[1:]) < 24:  # q = 1
            file.unlink()
    verdict = judge("norm-mnist-s", read_sweep(path))
    assert verdict.word == "REPRODUCED-ORDERING (substitute)" and len(verdict.statements) == 3
    for file in tmp_path.glob("f*.h5"):
        with h5py.File(file, "r+") as run:
            run["rounds/accuracy"][...] -= 0.1
    assert not judge("norm-mnist-s", read_sweep(path)).statements[2].holds


@pytest.mark.parametrize(("ahead", "holds"), [(0.0, True), (0.5, True), (-0.5, False)])
def test_where_the_methods_may_be_level(ahead, holds):
    rows = pd.DataFrame([{"method": method, "scaling": "none", "noise": 1.0, "epsilon": epsilon, "threshold": 8.0, "rate": 0.03,
                          "seed": seed, "score": 30 + epsilon + (ahead if method == "dp-normfedavg" else 0) + 0.1 * seed * epsilon
                          + (0.01 * (seed - 2) if method == "dp-normfedavg" else 0)}
                         for method, epsilon in PAPER for seed in (1, 2, 3)]
                        + [{"method": "fedavg", "rate": 0.03, "noise": 0.0, "seed": seed, "score": 40.0} for seed in (1, 2, 3)])
    found = RULES["norm-cifar10-s"].judge(rows).statements[0]
    assert found.holds is holds and (found.outcome is Outcome.REVERSED) == (ahead < 0)
    assert RULES["norm-mnist-s"].judge(rows).statements[0].holds is (ahead > 0)


def test_a_sweep_without_the_papers_noise_is_refused(folder, tmp_path):
    path = folder(lambda noise: PAPER)
    for file in tmp_path.glob("r*.h5"):
        if int(file.stem[1:]) >= 12:  # what is not the accountant's
            file.unlink()
    with pytest.raises(RunFileError, match="paper's noise"):
        judge("norm-fmnist", read_sweep(path))
