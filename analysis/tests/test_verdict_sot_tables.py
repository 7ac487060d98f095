"""The rules of the SoteriaFL paper's tables, on made-up tables."""
import itertools
import math

import numpy as np
import pandas as pd
import pytest

from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.model.sweep import read_sweep
from trilemma_analysis.verdicts import RULES
from trilemma_analysis.verdicts.checks import LEVELS
from trilemma_analysis.verdicts.rules import Outcome
from trilemma_analysis.verdicts.values import gradients

METHOD, BOUND = "soteriafl-gd", 2.9  # of the slopes
LOCAL = ("ldp-sgd", "ldp-svrg", "ldp-spider", "cdp-sgd", "soteriafl-gd", "soteriafl-sgd", "soteriafl-svrg", "soteriafl-saga")
CENTRAL, ONE_NODE, SPARSE, QUANTISED = "dp-srm-distributed", ("dp-sgd", "dp-srm", "rrpsgd"), "sdm-dsgd", "q-dpsgd-1"
ESTIMATORS = ("soteriafl-gd", "soteriafl-sgd", "soteriafl-svrg", "soteriafl-saga")

EPSILONS = (1.0, 5.0, 10.0)
SEEDS = (1, 2, 3)


def judged(name, table):
    """The verdict and its statements by name, of rows in any order."""
    rows = table[list(RULES[name].columns)].sample(frac=1, random_state=1, ignore_index=True)
    verdict = RULES[name].judge(rows)
    return verdict, {statement.name: statement for statement in verdict.statements}


def systems(utility=None, seeds=SEEDS, rate=0.3, rounds=25, epsilons=EPSILONS, threshold=0.5):
    """Local systems at 0.1, distributed DP-SRM at 0.05, one node at 0.3, divided by epsilon, or `utility`."""
    level = {(m, 10): 0.1 for m in LOCAL} | {(CENTRAL, 10): 0.05}
    level |= {(m, 1): 0.3 for m in (*ONE_NODE, "dp-gd")} | (utility or {})
    return pd.DataFrame([
        {"method": method, "clients": clients, "records": 3256, "threshold": threshold, "epsilon": epsilon,
         "seed": seed, "rate": rate,
         "rounds": rounds, "period": 0, "fresh": 0.0, "share": 0.0,
         "against": "every message" if method in LOCAL else "models", "relation": "add_remove",
         "utility": u / epsilon + 1e-5 * seed, "objective": u, "bits": 1.0}
        for ((method, clients), u), epsilon, seed in itertools.product(level.items(), epsilons, seeds)])


def test_all_orderings_of_table_1_but_those_that_were_not_run():
    verdict, found = judged("sot-table1", systems())
    assert [found[name].outcome for name in ("i", "ii", "iii", "iv", "v", "v-factor")] == [
        Outcome.HOLDS, Outcome.HOLDS, Outcome.NOT_RUN, Outcome.NOT_RUN, Outcome.HOLDS, Outcome.HOLDS]
    assert found["ii"].evidence.startswith("24 of 24") and found["v"].evidence.startswith("27 of 27")
    assert found["v-factor"].evidence == "3.00" and verdict.word == "PARTLY"
    assert verdict.ours == "U at epsilon 1: ldp-sgd 0.100 (every message), dp-srm-distributed 0.050 (models)"
    assert verdict.notes[0].startswith("ldp-sgd, 10 clients (every message; add_remove): epsilon 1: U 0.1000, T 25")


@pytest.mark.parametrize("change, name, outcome", [
    ({("ldp-spider", 10): 0.21}, "i", Outcome.FAILS), ({("ldp-spider", 10): 0.19}, "i", Outcome.HOLDS),
    ({("soteriafl-gd", 10): 0.04}, "ii", Outcome.REVERSED), ({("rrpsgd", 1): 0.05}, "v", Outcome.REVERSED),
    ({(m, 1): 0.7 for m in ONE_NODE}, "v-factor", Outcome.FAILS)])
def test_an_ordering_of_table_1_that_does_not_hold(change, name, outcome):
    assert judged("sot-table1", systems(change))[1][name].outcome is outcome


DECENTRALISED = {("cdp-sgd", 10): 0.12, (SPARSE, 10): 0.14, (QUANTISED, 10): 0.2}


@pytest.mark.parametrize("change, iii, iv", [
    ({}, Outcome.HOLDS, Outcome.HOLDS),
    ({(SPARSE, 10): 0.11}, Outcome.REVERSED, Outcome.HOLDS),
    ({(QUANTISED, 10): 0.13}, Outcome.HOLDS, Outcome.REVERSED)])
def test_decentralised_systems_of_table_1(change, iii, iv):
    _, found = judged("sot-table1", systems(DECENTRALISED | change))
    assert (found["iii"].outcome, found["iv"].outcome) == (iii, iv)
    assert found["iii"].evidence.startswith("6 of 6; at 1: soteriafl-sgd 0.1000, cdp-sgd 0.1200") == (iii is Outcome.HOLDS)
    assert found["iv"].evidence.startswith("27 of 27") == (iv is Outcome.HOLDS)


def test_decentralised_systems_are_compared_at_equal_bits_and_rounds():
    table = systems(DECENTRALISED)
    longer = table["method"] == SPARSE
    table.loc[longer, ["bits", "rounds"]] = [2.0, 50]
    _, found = judged("sot-table1", table)
    assert found["iii"].outcome is Outcome.NOT_RUN and found["iii"].evidence == "needs chosen runs with equal bits"
    assert found["iv"].evidence.startswith("24 of 24")


def test_another_bound_is_reported_apart():
    clipped = systems({(m, 1): 0.11 for m in ONE_NODE})
    free = systems({("soteriafl-gd", 10): 0.04}, epsilons=(1.0,), threshold=2.9)
    free = free[free["method"] != "soteriafl-saga"]
    verdict = RULES["sot-table1"].judge(pd.concat([clipped, free], ignore_index=True))
    apart = {statement.name: statement for statement in verdict.statements if statement.aside}
    assert [each.outcome for each in apart.values()] == [Outcome.HOLDS, Outcome.NOT_RUN, Outcome.HOLDS, Outcome.HOLDS]
    assert apart["ii"].evidence == "needs soteriafl-saga" and apart["v"].evidence.startswith("9 of 9")
    assert "(8 of 9 needed)" in apart["v"].text and apart["v-factor"].text.startswith("G = 2.9: ")
    [factor] = [each for each in verdict.statements if each.name == "v-factor" and not each.aside]
    assert factor.evidence == "1.10" and factor.outcome is Outcome.FAILS


def test_steps_and_rounds_of_table_1_are_chosen_on_the_tuning_seed():
    tuning = [systems(seeds=(0,)), systems(seeds=(0,), rate=1.0, rounds=100)]
    tuning[1]["utility"] *= np.where(tuning[1]["method"] == "ldp-sgd", 0.5, 2)
    better = systems(rate=1.0, rounds=100)
    better = better[better["method"] == "ldp-sgd"]
    verdict, _ = judged("sot-table1", pd.concat([*tuning, systems(), better]))
    assert "U 0.1000, T 100, step 1" in verdict.notes[0] and "T 25, step 0.3" in verdict.notes[1]
    with pytest.raises(RunFileError, match="no run of method ldp-sgd, clients 10, epsilon 1.0 has the settings"):
        judged("sot-table1", pd.concat([*tuning, systems()]))


def points(of_epsilon=-1.0, of_records=-1.0, of_clients=-0.5, of_omega=0.5, noise=0.0):
    """Utilities that follow powers exactly, up to a factor that differs between seeds."""
    cells = [(e, 3256, 10, 6) for e in (1.0, 2.0, 4.0, 8.0)] + [(4.0, m, 10, 6) for m in (814, 1628)]
    cells += [(8.0, 651, n, 6) for n in (2, 10, 50)] + [(4.0, 3256, 10, k) for k in (24, 1)]
    return pd.DataFrame([
        {"method": METHOD, "threshold": BOUND, "epsilon": e, "records": m, "clients": n, "k": k, "dimension": 124,
         "rate": 0.3, "rounds": 25, "seed": seed, "utility": math.exp(noise * (seed - 2)) * e ** of_epsilon
         * (m / 3256) ** of_records * (n / 10) ** of_clients * (124 / k) ** of_omega}
        for (e, m, n, k), seed in itertools.product(cells, SEEDS)])


def test_exponents_are_found_exactly():
    verdict, found = judged("sot-slopes", points())
    assert [found[name].evidence for name in ("epsilon", "m", "n", "omega")] == [
        "-1.00 [-1.00, -1.00], 4 points, 3 seeds", "-1.00 [-1.00, -1.00], 3 points, 3 seeds",
        "-0.50 [-0.50, -0.50], 3 points, 3 seeds", "+0.50 [+0.50, +0.50], 3 points, 3 seeds"]
    assert verdict.word == "REPRODUCED-ORDERING"


def test_an_interval_of_an_exponent_is_that_of_a_line():
    # x = log 1, 2, 4, 8 for three seeds each, rests -0.1, 0, 0.1: variance 8 * 0.01 / 10 = 0.008, spread 15 log(2)^2.
    half = 2.228139 * math.sqrt(0.008 / (15 * math.log(2) ** 2))
    _, found = judged("sot-slopes", points(noise=0.1))
    assert found["epsilon"].evidence.startswith(f"-1.00 [{-1 - half:+.2f}, {-1 + half:+.2f}]")
    assert half == pytest.approx(0.0742, abs=1e-4)


def test_an_exponent_out_of_its_interval_and_tolerance_fails():
    _, found = judged("sot-slopes", points(of_epsilon=-0.85, of_clients=-0.41))
    assert found["epsilon"].outcome is Outcome.FAILS and found["n"].outcome is Outcome.HOLDS
    with pytest.raises(RunFileError, match="2 points of soteriafl-gd with G = 2.9 for the slope in n"):
        table = points()
        judged("sot-slopes", table[table["clients"] != 50])


@pytest.mark.parametrize("seed", range(4))
def test_utilities_by_chance_decide_no_exponent(seed):
    table = points()
    table["utility"] = np.random.default_rng(seed).lognormal(sigma=2.0, size=len(table))
    verdict, found = judged("sot-slopes", table)
    assert {each.outcome for each in found.values()} == {Outcome.FAILS} and verdict.word == "NOT REPRODUCED"
    assert all(each.evidence.startswith("not decided: interval ") for each in found.values())


def test_record_gradients_of_each_estimator():
    rounds, drawn = pd.Series([0, 1, 2]), pd.Series([0.0, 50.0, 103.0])
    count = {method: gradients(method, rounds, drawn, 1000, 50).tolist() for method in ESTIMATORS}
    assert count == {"soteriafl-gd": [0, 50, 103], "soteriafl-sgd": [0, 50, 103], "soteriafl-svrg": [1000, 1150, 1306],
                     "soteriafl-saga": [1000, 1050, 1103]}


def counted(utilities, per_round, tuning_rate=0.3):
    """Rows of table 2 with utilities that are reached after rounds 1, 2, ...; `per_round` has the gradients."""
    found = []
    for method, seed, rate in itertools.product(ESTIMATORS, (0, *SEEDS), (0.1, 0.3)):
        worse = 1 if rate == tuning_rate else 2
        reached = {level: next((t for t, u in enumerate(utilities, 1) if u <= level), math.nan)
                   for level in LEVELS}
        found.append({"method": method, "epsilon": 5.0, "records": 1000, "batch": 50, "clients": 10, "dimension": 124,
                      "k": 31, "rate": rate, "rounds": 25, "seed": seed,
                      **{f"gradients_{level:g}": worse * per_round[method] * t * (1 + 0.01 * seed)
                         for level, t in reached.items()}})
    return pd.DataFrame(found)


def test_orders_of_table_2_at_the_lowest_level_that_all_reach():
    cost = dict(zip(ESTIMATORS, (1000.0, 50.0, 200.0, 150.0)))
    verdict, found = judged("sot-table2", counted((0.6, 0.3, 0.22), cost))
    mean = math.exp(np.mean(np.log([1.01, 1.02, 1.03])))
    assert found["G1"].evidence == (f"record gradients of a client until U = 0.25: soteriafl-gd {3000 * mean:.3g}, "
                                    f"soteriafl-sgd {150 * mean:.3g}, soteriafl-svrg {600 * mean:.3g}, "
                                    f"soteriafl-saga {450 * mean:.3g}")
    assert found["G3"].evidence == "SVRG / SAGA 1.33" and verdict.word == "REPRODUCED-ORDERING"
    # tau = 4^1.5 / sqrt(10) = 2.53; GD 1000 / 50; SVRG 3.53 * 100 / (2.5905 * 50)
    assert verdict.notes[0].endswith("GD 20, SVRG and SAGA 2.73 (tau 2.53)")
    chosen = counted((0.6, 0.3, 0.22), cost)
    _, alone = judged("sot-table2", chosen[(chosen["seed"] > 0) & (chosen["rate"] == 0.3)])
    assert alone["G1"].evidence == found["G1"].evidence  # one setting, and no run that chooses it
    _, found = judged("sot-table2", counted((0.6, 0.3), cost | {"soteriafl-saga": 2000.0}))
    assert found["G1"].outcome is Outcome.REVERSED and found["G3"].outcome is Outcome.FAILS
    with pytest.raises(RunFileError, match="no utility of 0.5 is reached by soteriafl-gd"):
        judged("sot-table2", counted((0.6,), cost))


def run_file(make_run, method, at=5.0, **root):
    """A run file of two rounds with the settings that the rules read."""
    make_run("a.h5", method=method, seed=np.int64(1),
             config=f'method = "{method}"\nseed = 1\n[privacy]\nepsilon = {at}\n[data]\nrows = 1000\n'
                    '[server]\nrate = 0.3\n[local]\nbatch = 50\n'
                    '[bound]\nthreshold = 0.5\n[compressor]\nk = 2\n', **root)


def test_rows_of_runs(make_run, tmp_path):
    run_file(make_run, "soteriafl-sgd", epsilon=5.0)
    [row] = RULES["sot-table2"].rows(read_sweep(tmp_path)).to_dict("records")
    # U is 0.9, 0.6, 0.5 after 0, 50 and 101 records of ten clients.
    assert row["gradients_0.5"] == pytest.approx(10.1) and math.isnan(row["gradients_0.4"])
    assert (row["records"], row["k"], row["dimension"]) == (100, 2, 5)
    run_file(make_run, "soteriafl-sgd", epsilon=5.0, at=1.0)
    with pytest.raises(RunFileError, match="no run of .* at epsilon 5"):
        RULES["sot-table2"].rows(read_sweep(tmp_path))
    [row] = RULES["sot-table1"].rows(read_sweep(tmp_path)).to_dict("records")
    assert (row["records"], row["against"], row["relation"]) == (100, "every message", "add_remove")
    assert row["utility"] == 0.5
    run_file(make_run, "ldp-sgd", claim="not a private run: no noise")
    with pytest.raises(RunFileError, match="the run is not private"):
        RULES["sot-table1"].rows(read_sweep(tmp_path))
