"""Verdicts on made-up runs: the rule must see what it should, and fail where it should."""
import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.model.sweep import read_sweep
from trilemma_analysis.verdicts import judge
from trilemma_analysis.verdicts.rules import Outcome, Statement, Verdict, beats, mean_and_error, not_run, not_worse

ROWS = 60


def quad_run(make_run, name, method, cell, end, snr, distance=0.0, constant=1.0):
    """A run of 60 rounds that ends at suboptimality `end`, with a signal `snr` times the noise."""
    threshold, seed, scale, rate = cell
    config = (f'method = "{method}"\nseed = {seed}\n[bound]\nthreshold = {threshold}\n[start]\nscale = {scale}\n'
              f'[local]\nrate = {rate}\n[privacy]\nconstant = {constant}\n')
    columns = {column: np.zeros(ROWS) for column in ("objective", "gradient_norm_squared", "utility", "accuracy",
               "epsilon", "bits_up_model", "bits_down_model", "bits_up_payload", "bits_down_payload", "batch_records")}
    columns |= {"round": np.arange(ROWS), "suboptimality": np.r_[1.0, np.full(ROWS - 1, end)],
                "mean_norm": np.full(ROWS, snr), "noise_norm": np.ones(ROWS),
                "distance": np.full(ROWS, distance)}
    mpi = {column: np.zeros(ROWS) for column in ("bits_up", "bits_down", "bits_evaluation")}
    return make_run(name, columns=columns, mpi=mpi, config=config, method=method, rounds=np.int64(ROWS - 1),
                    seed=np.int64(seed))


@pytest.fixture
def folder(make_run, tmp_path):
    """A sweep in which normalisation ends at `factor` times clipping for C = 50 and 100."""
    def build(factor=0.5, narrow=1.0, gain=2.0):
        for number, cell in enumerate(itertools.product((40, 50, 100), (1, 2), (1.0, 0.2), (0.001, 0.002))):
            wide = cell[0] > 40
            quad_run(make_run, f"c{number}.h5", "dp-fedavg-clip", cell, 0.4, 1.0)
            quad_run(make_run, f"n{number}.h5", "dp-normfedavg", cell, 0.4 * (factor if wide else narrow),
                     gain if wide else 1.1)
        return tmp_path
    return build


def word(path):
    return judge("norm-quad", read_sweep(path)).finding


def test_all_statements_hold(folder):
    verdict = judge("norm-quad", read_sweep(folder()))
    assert verdict.finding == "REPRODUCED-ORDERING"
    assert [s.name for s in verdict.statements] == ["Q1", "Q2", "Q3"]
    assert "REPRODUCED-ORDERING" in verdict.text() and "Q1 (key) holds" in verdict.text()
    assert verdict.notes[-1] == "all epsilons: one record, add_remove, delta 0.001, against whoever sees every message"


def test_less_noise_is_judged_apart(folder, make_run):
    """Without it, normalisation is ahead by less than a tenth."""
    path = folder()
    for number, cell in enumerate(itertools.product((50, 100), (1, 2), (1.0, 0.2), (0.001, 0.002))):
        for method, end in (("dp-fedavg-clip", 0.4), ("dp-normfedavg", 0.38)):
            quad_run(make_run, f"{method}-{number}.h5", method, cell, end, 1.0, constant=0.01)
    verdict = judge("norm-quad", read_sweep(path))
    assert verdict.finding == "REPRODUCED-ORDERING"
    apart = verdict.statements[-1]
    assert apart.name == "Q1-0.01" and apart.aside and apart.outcome is Outcome.FAILS
    assert apart.evidence == "lower in 8, by a tenth in 0; ratios 0.95 to 0.95"


def test_a_reversed_key_statement_decides(folder):
    assert word(folder(factor=1.5)) == "NOT REPRODUCED"


def test_one_of_three_may_fail(folder):
    assert word(folder(narrow=0.7)) == "PARTLY"


def test_noise_that_drowns_normalisation_is_seen(folder):
    assert word(folder(gain=0.9, narrow=1.3)) == "NOT REPRODUCED"


def test_unfinished_sweeps_are_refused(folder):
    path = folder()
    (path / "sweep.json").unlink(missing_ok=True)
    sweep = read_sweep(path)
    sweep.table.loc[0, "state"] = "missing"
    with pytest.raises(RunFileError, match="1 of 48 cells are not done"):
        judge("norm-quad", sweep)


def test_cells_that_are_left_out_do_not_hinder_a_verdict(folder):
    sweep = read_sweep(folder())
    row = sweep.table.iloc[[0]].assign(index=48, state="skipped")
    with_more = replace(sweep, table=pd.concat([sweep.table, row], ignore_index=True))
    assert judge("norm-quad", with_more) == judge("norm-quad", sweep)


def test_sweeps_are_judged_together(folder, tmp_path):
    path = folder()
    parts = [tmp_path / name for name in ("clip", "norm")]
    for part in parts:
        part.mkdir()
        for file in path.glob(f"{part.name[0]}*.h5"):
            file.rename(part / file.name)
    verdict = judge("norm-quad", *map(read_sweep, parts))
    assert verdict.finding == "REPRODUCED-ORDERING"


@pytest.mark.parametrize(("norm", "word"), [(0.5, "REPRODUCED-ORDERING"), (1.5, "NOT REPRODUCED")])
def test_trajectories_are_judged_by_their_end(make_run, tmp_path, norm, word):
    cells = itertools.product((40, 100), (1, 2), (1.0, 0.2), (0.001, 0.002))
    for number, (cell, method) in enumerate(itertools.product(cells, ("dp-fedavg-clip", "dp-normfedavg"))):
        factor = norm if method == "dp-normfedavg" and cell[0] == 100 else 1
        quad_run(make_run, f"t{number}.h5", method, cell, 0.4, 1.0, distance=cell[2] * factor + 0.01 * cell[1])
    verdict = judge("norm-quad-traj", read_sweep(tmp_path))
    assert verdict.finding == word
    # It picks the best rate of each method among private runs; norm-quad looks at all of them.
    assert "the best of the 32 with a claim over the same data (`trilemma privacy tuning`" in verdict.notes[-1]


def test_other_sweeps_are_refused(make_run, tmp_path):
    for seed in (1, 2):
        make_run(f"s{seed}.h5", seed=np.int64(seed))
    with pytest.raises(RunFileError, match="the rule norm-quad looks for"):
        judge("norm-quad", read_sweep(tmp_path))


def a_statement(name, outcome, **more):
    return Statement(name, name.lower(), outcome, "", **more)


def test_words():
    good, bad = a_statement("A", Outcome.HOLDS), a_statement("B", Outcome.FAILS)
    assert Verdict("X", (good,)).word == "REPRODUCED-ORDERING"
    number, missed = (a_statement("N", each, is_number=True) for each in (Outcome.HOLDS, Outcome.FAILS))
    assert Verdict("X", (good, number)).word == "REPRODUCED-NUMBERS"
    assert Verdict("X", (good, missed)).word == "REPRODUCED-ORDERING"
    assert Verdict("X", (good, number), substitute=True).word == "REPRODUCED-ORDERING (substitute)"
    assert Verdict("X", (good, good, bad)).word == "PARTLY"
    assert Verdict("X", (good, bad, number)).word == "NOT REPRODUCED"  # numbers are no orderings
    assert Verdict("X", (good,), seeds=1).word == "UNDECIDED"
    assert Verdict("X", (good, bad)).word == "NOT REPRODUCED"
    assert Verdict("X", (good, good, good, a_statement("K", Outcome.REVERSED, key=True))).word == "NOT REPRODUCED"
    assert Verdict("X", (good, good, good, a_statement("K", Outcome.FAILS, key=True))).word == "PARTLY"


def test_words_where_something_was_not_run():
    good, bad = a_statement("A", Outcome.HOLDS), a_statement("B", Outcome.FAILS)
    key, other = not_run("K", "k", "runs of k", key=True), not_run("O", "o", "runs of o")
    number = a_statement("N", Outcome.NOT_RUN, is_number=True)
    assert Verdict("X", (good, good, key)).word == "NOT JUDGED"
    assert Verdict("X", (good, bad, key), substitute=True).word == "NOT JUDGED (substitute)"
    assert Verdict("X", (good, key), seeds=1).word == "NOT JUDGED"
    assert Verdict("X", (a_statement("R", Outcome.REVERSED, key=True), key)).word == "NOT REPRODUCED"
    # Without a statement that does not decide by itself not all orderings hold, but nothing fails either.
    assert Verdict("X", (good, other)).word == "PARTLY"
    assert Verdict("X", (good, bad, other)).word == "NOT REPRODUCED"
    assert Verdict("X", (good, not_run("O", "o", "runs of o", aside=True))).word == "REPRODUCED-ORDERING"
    assert Verdict("X", (good, number)).word == "REPRODUCED-ORDERING"
    assert Verdict("X", (other,)).word == "NOT JUDGED"
    assert key.line() == "K (key) not run: k; needs runs of k"


def test_paired_differences():
    assert mean_and_error([1.0, 2.0, 3.0]) == (2.0, pytest.approx(1 / np.sqrt(3)))
    assert beats([1.1, 2.1, 3.2], [1.0, 2.0, 3.0])
    assert not beats([1.1, 1.9, 3.0], [1.0, 2.0, 3.0])
    assert not beats([2.0], [1.0])  # one seed says nothing


@pytest.mark.parametrize(("difference", "ahead", "level"), [
    ((1.0, 3.0, 2.0), True, True),      # mean 2, error 0.58
    ((-1.0, 3.0, 1.0), False, True),    # 1 and 1.15
    ((-3.0, 1.0, -1.0), False, True),   # -1 and 1.15
    ((-3.0, 1.0, -4.0), False, False),  # -2 and 1.53
    ((5.0,), False, False),             # one seed tells nothing
])
def test_differences_against_their_errors(difference, ahead, level):
    zero = np.zeros(len(difference))
    assert beats(difference, zero) is ahead
    assert not_worse(difference, zero) is level
