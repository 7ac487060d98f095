"""The rules of the decentralised methods, on made-up tables."""
import itertools
import math

import pandas as pd
import pytest

from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.model.sweep import read_sweep
from trilemma_analysis.verdicts import RULES
from trilemma_analysis.verdicts.rules import Outcome

BEER, CHOCO, DSGD, D2 = "beer", "choco-sgd", "dsgd", "d2"
SDM, SOTERIA, STAR, TOP, RAND = "sdm-dsgd", "soteriafl-sgd", "server", "porter-dp top-k", "porter-dp rand-k"
SEEDS = (1, 2, 3)


def judged(name, table):
    """The verdict and its statements by name, of rows in any order."""
    rows = table[list(RULES[name].columns)].sample(frac=1, random_state=1, ignore_index=True)
    verdict = RULES[name].judge(rows)
    return verdict, {statement.name: statement for statement in verdict.statements}


def states(values, model="logistic", rounds=(100, 200, 500, 2000), seeds=SEEDS):
    """Rows of a method's (norm, accuracy, accuracy of the worst node) after some rounds, alike at all of them; a seed
    adds a little."""
    return pd.DataFrame([
        {"model": model, "method": method, "seed": seed, "round": t, "objective": 0.5, "norm": norm + 1e-5 * seed,
         "accuracy": accuracy + 1e-4 * seed, "worst_accuracy": worst + 1e-4 * seed, "consensus_error": 0.01}
        for (method, (norm, accuracy, worst)), seed, t in itertools.product(values.items(), seeds, rounds)])


NOTEBOOK = {BEER: (0.0042, 0.79, 0.84), CHOCO: (0.0518, 0.7694, 0.46), DSGD: (0.0455, 0.7707, 0.55), D2: (0.0023, 0.7897, 0.91)}


def test_the_notebook_reproduces_itself():
    verdict, found = judged("gos-a9a", states(NOTEBOOK))
    assert verdict.word == "REPRODUCED-NUMBERS" and found["A3"].evidence == "6 of 6; reversed: 0"
    assert verdict.ours == "norm after 2000 rounds: beer 0.0042, choco-sgd 0.0518, dsgd 0.0455, d2 0.0023"
    assert found["A1"].is_number and found["A2"].is_number and not found["A3"].is_number


@pytest.mark.parametrize("change, name, outcome", [
    ({BEER: (0.0042, 0.7852, 0)}, "A1", Outcome.HOLDS), ({BEER: (0.0042, 0.7840, 0)}, "A1", Outcome.FAILS),
    ({CHOCO: (0.061, 0.7694, 0)}, "A2", Outcome.FAILS), ({DSGD: (0.0495, 0.7707, 0)}, "A2", Outcome.HOLDS),
    ({DSGD: (0.056, 0.7707, 0)}, "A3", Outcome.REVERSED)])
def test_values_beyond_the_notebook(change, name, outcome):
    assert judged("gos-a9a", states(NOTEBOOK | change))[1][name].outcome is outcome


def test_the_orders_are_judged_in_the_middle_too():
    table = states(NOTEBOOK)
    table.loc[(table["method"] == BEER) & (table["round"] == 500), "norm"] = 0.05
    assert judged("gos-a9a", table)[1]["A3"].evidence == "5 of 6; reversed: 1"


def test_methods_that_were_not_run():
    verdict, found = judged("gos-a9a", states({m: NOTEBOOK[m] for m in (CHOCO, DSGD)}))
    assert {each.outcome for each in found.values()} == {Outcome.NOT_RUN} and verdict.word == "NOT JUDGED"
    assert found["A3"].evidence == "needs beer, d2"


ENDS = (1800, 1850, 1900, 1950, 2000)
NETWORK = {BEER: (0.1, 0.912, 0.842), CHOCO: (0.1, 0.813, 0.459), DSGD: (0.1, 0.89, 0.552), D2: (0.1, 0.922, 0.912)}


def mnist(change=None, cnn=None):
    """Rows of GOS-MNIST: the network is off before its last five evaluations."""
    before = states({method: (0.1, 0.1, 0.1) for method in NETWORK}, "network", (200, 1000))
    parts = [before, states(NETWORK | (change or {}), "network", ENDS)]
    if cnn:
        parts.append(states(cnn, "cnn", (1000, 4000)))
    return pd.concat(parts, ignore_index=True)


CNN = {BEER: (0.1, 0.8, 0), CHOCO: (0.1, 0.6, 0)}


def test_mnist():
    verdict, found = judged("gos-mnist", mnist(cnn=CNN))
    assert {each.outcome for each in found.values()} == {Outcome.HOLDS} and verdict.word == "REPRODUCED-ORDERING"
    assert found["M1"].evidence.startswith("beer 0.912, choco-sgd 0.813: +0.099")
    assert found["M4"].evidence == "+0.200 after 1,000, +0.200 after 4,000"
    verdict, found = judged("gos-mnist", mnist())
    assert found["M4"].outcome is Outcome.NOT_RUN and verdict.word == "PARTLY"


def test_one_seed_of_the_cnn_decides_nothing():
    table = mnist(cnn=CNN)
    verdict, found = judged("gos-mnist", table[(table["model"] != "cnn") | (table["seed"] == table["seed"].min())])
    assert found["M4"].outcome is Outcome.NOT_RUN and found["M4"].evidence == "needs a second seed on the CNN"
    assert verdict.word == "PARTLY"


@pytest.mark.parametrize("change, name, outcome", [
    ({CHOCO: (0.1, 0.87, 0.459)}, "M1", Outcome.FAILS), ({CHOCO: (0.1, 0.93, 0.459)}, "M1", Outcome.REVERSED),
    ({D2: (0.1, 0.904, 0.912)}, "M2", Outcome.HOLDS), ({D2: (0.1, 0.9, 0.912)}, "M2", Outcome.REVERSED),
    ({CHOCO: (0.1, 0.813, 0.65)}, "M3", Outcome.FAILS), ({CHOCO: (0.1, 0.813, math.nan)}, "M3", Outcome.NOT_RUN)])
def test_mnist_that_does_not_come_out(change, name, outcome):
    assert judged("gos-mnist", mnist(change))[1][name].outcome is outcome


def run(method, graph, epsilon=1.0, rounds=400, bits=768_000, utility=0.1, **more):
    """A row a seed of a private method, seed 0 included."""
    return [{"method": method, "compressor": "rand-k", "graph": graph, "lambda": 0.2, "epsilon": epsilon, "rounds": rounds,
             "rate": 0.3, "share": 0.0, "seed": seed, "against": "every message", "relation": "add_remove",
             "utility": utility + 1e-5 * seed, "objective": 0.58, "worst": 0.58, "bits_edges": float(bits),
             "bits_down": 0.0} | more for seed in (0, *SEEDS)]


def seeds(sparse=0.2, sparse_at_once=0.3, quantised=0.4):
    """All systems of GOS-SEEDS; utilities of SDM-DSGD with equal bits and after equal rounds, and of Q-DPSGD-1."""
    found = []
    for epsilon in (1.0, 5.0):
        for method, utility in (("ldp-sgd", 0.02), ("cdp-sgd", 0.14), (SOTERIA, 0.13)):
            found += run(method, STAR, epsilon, utility=utility)
        for graph, edges in (("ring", 2), ("complete", 9)):
            found += run("dsgd", graph, epsilon, utility=0.02) + run("q-dpsgd-1", graph, epsilon, utility=quantised)
            found += run(SDM, graph, epsilon, bits=768_000 * edges, utility=sparse_at_once)
            few = 400 // edges
            found += run(SDM, graph, epsilon, few, 1920 * edges * few, sparse)
            found += run(SDM, graph, epsilon, few // 2, 1920 * edges * (few // 2), 0.0)  # far fewer bits: not judged
    return pd.DataFrame(found)


def test_seeds():
    verdict, found = judged("gos-seeds", seeds())
    assert verdict.word == "REPRODUCED-ORDERING" and verdict.seeds == 3
    assert found["S1"].evidence == "8 of 8" and found["S1-ROUNDS"].aside and found["S2"].evidence == "20 of 20"
    assert verdict.ours.startswith("U at epsilon 1: ldp-sgd 0.020, cdp-sgd 0.140, soteriafl-sgd 0.130, dsgd (complete) 0.020")


def test_seeds_that_do_not_come_out():
    found = judged("gos-seeds", seeds(sparse=0.135))[1]
    assert found["S1"].outcome is Outcome.REVERSED and found["S1-ROUNDS"].holds
    assert found["S1"].evidence == ("4 of 8; reversed: cdp-sgd, complete, 1, cdp-sgd, ring, 1, cdp-sgd, complete, 5, "
                                    "cdp-sgd, ring, 5")
    assert judged("gos-seeds", seeds(quantised=0.1))[1]["S2"].outcome is Outcome.REVERSED
    table = seeds()
    found = judged("gos-seeds", table[(table["method"] != SDM) | (table["rounds"] == 400)])[1]
    assert found["S1"].outcome is Outcome.NOT_RUN and "sdm-dsgd like cdp-sgd on ring at 1" in found["S1"].evidence


def private(change=None):
    """Rows of GOS-PRIVATE from (objective at the mean, at the worst node) by system and lambda. Every system has a second
    setting that is better at the mean of seed 0 alone, and far off at the worst node."""
    level = {(SOTERIA, 0.2): (0.5846, 0.5846), (SOTERIA, 0.01): (0.5402, 0.5402), (TOP, 0.2): (0.5820, 0.5869),
             (TOP, 0.01): (0.5292, 0.5883), (RAND, 0.2): (0.5819, 0.6617), (RAND, 0.01): (0.5755, 0.6791)} | (change or {})
    found = []
    for (system, weight), (mean, worst) in level.items():
        method, _, compressor = system.partition(" ")
        graph = STAR if method == SOTERIA else "ring"
        bits, down = (768_000, 15.9e6) if method == SOTERIA else (7.4e6, 0.0)
        settings = {"lambda": weight, "compressor": compressor or "rand-k", "bits_down": down}
        for rate, at_mean, at_worst in ((0.3, mean, worst), (1.0, mean - 0.001, 1.1)):
            found += run(method, graph, bits=bits, rate=rate, objective=at_mean, worst=at_worst, **settings)
    found += run(SOTERIA, STAR, rounds=180, bits=345_600, rate=0.3, objective=0.59, worst=0.59,
                 bits_down=7_000_000)
    table = pd.DataFrame(found)
    table[["objective", "worst"]] += 1e-5 * table[["seed"]].to_numpy()
    return table


def test_private():
    verdict, found = judged("gos-private", private())
    assert [found[name].outcome for name in ("P1", "P2", "P3")] == [Outcome.HOLDS] * 3
    assert found["P1"].evidence == "porter-dp top-k 0.996, porter-dp rand-k 0.995"  # 0.5810 / 0.5836
    assert found["P2"].evidence == "lambda 0.2 1.004, lambda 0.01 1.089"
    assert found["P3"].evidence == "lambda 0.2 1.127, lambda 0.01 1.154"
    assert found["P4"].aside and found["P4"].holds and found["P4"].evidence.startswith("0.5869 against 0.5900 after 180 rounds")
    assert verdict.word == "REPRODUCED-ORDERING"
    assert any(note.startswith("tuned by the mean, lambda 0.2, porter-dp top-k: f 0.5810 at the mean, 1.1000 at the worst")
               for note in verdict.notes)


@pytest.mark.parametrize("change, name, outcome", [
    ({(RAND, 0.2): (0.595, 0.6617)}, "P1", Outcome.FAILS), ({(TOP, 0.2): (0.582, 0.6)}, "P2", Outcome.FAILS),
    ({(TOP, 0.01): (0.5292, 0.53)}, "P2", Outcome.REVERSED), ({(RAND, 0.01): (0.5755, 0.6)}, "P3", Outcome.FAILS)])
def test_private_that_does_not_come_out(change, name, outcome):
    assert judged("gos-private", private(change))[1][name].outcome is outcome


def test_traffic_is_compared_at_equal_bits_only():
    table = private()
    found = judged("gos-private", table[table["rounds"] == 400])[1]["P4"]
    assert found.outcome is Outcome.NOT_RUN and found.evidence == "needs soteriafl-sgd with 7.4e+06 bits up and down"


CONFIG = '[problem]\nkind = "logistic"\nlambda = 0.2\n[privacy]\nepsilon = 1.0\n'


def test_rows_of_runs(make_run, tmp_path):
    make_run("a.h5", method=CHOCO, config=CONFIG + "[gossip]\nrate = 0.1\n", columns={"consensus_error": [0.0, 0.4, 0.2]})
    first, last = RULES["gos-a9a"].rows(read_sweep(tmp_path)).to_dict("records")
    assert (first["round"], last["round"], last["model"], last["seed"]) == (1, 2, "logistic", 1)
    assert last["norm"] == pytest.approx(0.3 ** 0.5) and last["consensus_error"] == 0.2 and math.isnan(last["worst_accuracy"])
    make_run("a.h5", method=CHOCO, config=CONFIG + "[gossip]\nrate = 0.1\n")
    with pytest.raises(RunFileError, match="no column consensus_error"):
        RULES["gos-a9a"].rows(read_sweep(tmp_path))
    make_run("a.h5", method=DSGD, config=CONFIG + '[gossip]\norder = "adapt-then-combine"\n')
    with pytest.raises(RunFileError, match="no run of beer"):
        RULES["gos-a9a"].rows(read_sweep(tmp_path))


def test_rows_of_private_runs(make_run, tmp_path):
    node = CONFIG + '[gossip]\nrate = 0.1\nconsensus = 0.3\n[graph]\nkind = "ring"\n[compressor]\nkind = "top-k"\n'
    make_run("a.h5", method="porter-dp", config=node, epsilon=1.0,
             columns={"bits_edges_payload": [0, 20, 40], "objective_node_most": [1.0, 0.9, 0.8]})
    [row] = RULES["gos-private"].rows(read_sweep(tmp_path)).to_dict("records")
    assert (row["graph"], row["compressor"], row["rate"], row["share"], row["bits_edges"]) == ("ring", "top-k", 0.1, 0.3, 40)
    assert (row["objective"], row["worst"], row["utility"]) == (0.625, 0.8, 0.5)
    make_run("a.h5", method=SOTERIA, config=CONFIG + '[server]\nrate = 0.3\n', epsilon=1.0)
    [row] = RULES["gos-private"].rows(read_sweep(tmp_path)).to_dict("records")
    assert (row["graph"], row["worst"], row["bits_edges"], row["bits_down"]) == (STAR, 0.625, 1280, 3200)
    make_run("a.h5", method=SOTERIA, config=CONFIG + '[server]\nrate = 0.3\n', claim="not a private run: no noise")
    with pytest.raises(RunFileError, match="the run is not private"):
        RULES["gos-private"].rows(read_sweep(tmp_path))
