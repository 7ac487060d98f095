"""The rules of the PMTL experiments on made-up runs."""
import functools
import itertools
from dataclasses import replace

import numpy as np
import pytest
from conftest import write_run

from trilemma_analysis.model.sweep import read_sweep
from trilemma_analysis.verdicts import judge
from trilemma_analysis.verdicts.rules import Outcome

ROWS = 41
KINDS = ("vanilla", "mean-regularised", "symmetrised-kl", "ewc")
NOISES = ((0.05, 0.5, 0.21), (0.1, 0.2, 0.012))  # sigma, threshold, epsilon a round


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    """Scores rise to a level with the rounds; `lead` is that of PMTL, larger where there is more noise."""
    @functools.cache
    def build(lead=0.1, naive=0.1, local=0.85, tuned=0.2, proximal=0.0):
        count, folder = itertools.count(), tmp_path_factory.mktemp("pmtl")

        def write(method, level, noise, seed, pull=0.0, kind="none", epsilon=None):
            sigma, threshold, step = noise
            round_ = np.arange(ROWS)
            score = np.where(round_ % 4 == 0, (level + 0.001 * seed) * (1 - np.exp(-round_)), np.nan)
            names = ("objective", "gradient_norm_squared", "utility", "bits_up_model", "bits_down_model",
                     "bits_up_payload", "bits_down_payload", "batch_records", "accuracy")
            columns = {name: np.zeros(ROWS) for name in names}
            columns |= {"round": round_, "epsilon": round_ * step, "client_score_weighted": score,
                        "client_score_mean": 10 - score, "finetuned_score_weighted": score + tuned,
                        "finetuned_score_mean": 10 - score - tuned}
            config = f'method = "{method}"\nseed = {seed}\n[local]\npull = {pull}\n'
            if method != "local":
                config += f"[privacy]\nsigma = {sigma}\n[bound]\nthreshold = {threshold}\n"
            if kind != "none":
                config += f'[finetune]\nkind = "{kind}"\n'
            write_run(folder / f"c{next(count)}.h5", columns=columns, method=method, seed=np.int64(seed), config=config,
                      noise_sigma=0.0 if method == "local" else sigma, rounds=np.int64(ROWS - 1),
                      mpi={column: np.zeros(ROWS) for column in ("bits_up", "bits_down", "bits_evaluation")})

        for seed, noise in itertools.product((0, 1, 2), NOISES):
            is_strong = noise is NOISES[1]
            base, more = (0.5, 2 * lead) if is_strong else (0.7, lead)
            write("pmtl", base + more, noise, seed, 0.1)
            write("dp-fedavg-clip", base, noise, seed)
            write("dp-fedavg-clip", base + proximal, noise, seed, 0.1)
            write("naive-dp-mtl", naive, noise, seed)
            for kind in KINDS:
                write("pmtl", base + more, noise, seed, 0.1, kind)
                write("dp-fedavg-clip", base, noise, seed, kind=kind)
        for seed in range(3):
            write("local", local, NOISES[0], seed)
        return read_sweep(folder)
    return build


def found(sweep, rule="pmtl-fmnist-s"):
    verdict = judge(rule, sweep)
    return verdict, {s.name: s for s in verdict.statements}


def test_all_statements_hold(sweep):
    verdict, statements = found(sweep())
    assert verdict.finding == "REPRODUCED-ORDERING (substitute)", verdict.text()
    assert list(statements) == ["C1", "C2", "FEDPROX", "FEDPROX-C1", "NAIVE", "L1", "L1-EQUAL", "L2", "L3", "T1"]


def test_a_global_model_that_is_ahead_is_a_reversal(sweep):
    verdict, statements = found(sweep(lead=-0.1))
    assert statements["C1"].outcome is Outcome.REVERSED
    assert verdict.finding == "NOT REPRODUCED (substitute)"


def test_every_other_statement_can_fail(sweep):
    _, statements = found(sweep(naive=0.5, local=0.3, proximal=0.1))
    failing = {name for name, statement in statements.items() if not statement.holds}
    assert {"NAIVE", "L3", "FEDPROX"} <= failing
    assert statements["L1"].holds


def test_errors_are_better_when_smaller(sweep):
    verdict, statements = found(sweep(), "pmtl-park-s")
    assert statements["C1"].holds and statements["C2"].holds
    assert {name for name, each in statements.items() if each.outcome is Outcome.NOT_RUN} == {
        "C3", "PPSGD", "PPSGD-COMMON", "PPSGD-FINETUNED"}
    assert "C3 not run:" in verdict.text() and "needs runs of PMTL and FedAvg up to epsilon 4 and without privacy" in \
        " ".join(verdict.text().split())


def test_what_was_not_run_is_said(sweep):
    whole = sweep()
    kept = {index: run for index, run in whole.runs.items() if "finetune" not in run.config
            and run.attributes["method"] != "naive-dp-mtl"}
    verdict, statements = found(replace(whole, runs=kept))
    assert verdict.finding == "NOT JUDGED (substitute)", verdict.text()
    assert {name for name, each in statements.items() if each.outcome is Outcome.NOT_RUN} == {
        "NAIVE", "L1", "L1-EQUAL", "T1"}
