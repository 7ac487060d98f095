"""The rules of the SoteriaFL paper's figures, on made-up tables and runs."""
import numpy as np
import pandas as pd
import pytest

from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.model.sweep import read_sweep
from trilemma_analysis.verdicts import RULES
from trilemma_analysis.verdicts.values import axis_of_bits

A9A = (1.0, 5.0, 10.0)
MNIST = (1.0, 2.0, 4.0, 8.0, 16.0)
# Utility at the end and at the end of the axis of bits, by method; the objective is the same, accuracy 1 - utility.
LEVEL = {"ldp-sgd": (0.1, 0.7), "ldp-svrg": (0.11, 0.71), "cdp-sgd": (0.3, 0.3), "soteriafl-sgd": (0.25, 0.25),
         "soteriafl-svrg": (0.2, 0.2)}
COMPRESSED = ("cdp-sgd", "soteriafl-sgd", "soteriafl-svrg")


def made(epsilons=A9A, level=LEVEL, seeds=(1, 2, 3), mode="authors", rate=0.3, changes=None, **more):
    """A table as the rules have it; `changes` replaces the levels of (epsilon, method)."""
    found = []
    for epsilon in epsilons:
        for method, plain in level.items():
            end, bits = (changes or {}).get((epsilon, method), plain)
            for seed in seeds:
                u, b = end + 1e-4 * seed, bits + 1e-4 * seed
                found.append({"method": method, "mode": mode, "epsilon": epsilon, "seed": seed, "rate": rate,
                              "rounds": 25, "accounted": np.nan, "constant": 0.0, "threshold": 0.5,
                              "utility": u, "objective": u, "accuracy": 1 - u,
                              "utility_bits": b, "objective_bits": b, "accuracy_bits": 1 - b, **more})
    return pd.DataFrame(found)


def judged(name, table):
    """The verdict and its statements by name, of rows in any order."""
    rows = table[list(RULES[name].columns)].sample(frac=1, random_state=1, ignore_index=True)
    verdict = RULES[name].judge(rows)
    return verdict, {statement.name: statement for statement in verdict.statements}


def test_every_comparison_of_the_figures_on_a9a_counts():
    verdict, found = judged("sot-a9a", made())
    assert verdict.word == "REPRODUCED-ORDERING", verdict.text()
    assert [found[name].evidence.split(";")[0] for name in ("S1", "S2", "S3")] == ["18 of 18", "36 of 36", "12 of 12"]
    assert found["S4"].evidence.startswith("not worse at 3, better at 3 of 3")
    assert [found[name].key for name in ("S1", "S2", "S3", "S4")] == [False, True, True, False]


def test_one_pair_that_is_beaten_fails_the_first_statement():
    verdict, found = judged("sot-a9a", made(changes={(1.0, "ldp-sgd"): (0.28, 0.7)}))
    assert found["S1"].evidence.startswith("16 of 18; reversed: U of ldp-sgd 0.2802 against soteriafl-sgd 0.2502")
    assert not found["S1"].holds and verdict.word == "PARTLY"


def test_one_epsilon_may_reverse_shifted_compression_two_may_not():
    change = {(1.0, "cdp-sgd"): (0.22, 0.22)}  # between both
    _, found = judged("sot-a9a", made(changes=change))
    assert found["S3"].evidence.startswith("10 of 12; reversed: ") and found["S3"].holds
    verdict, found = judged("sot-a9a", made(changes=change | {(5.0, "cdp-sgd"): (0.22, 0.22)}))
    assert "8 of 12" in found["S3"].line() and "S3 (key) REVERSED" in found["S3"].line()
    assert verdict.word == "NOT REPRODUCED"


def test_variance_reduction_that_is_level_everywhere_is_not_better():
    table = made(level=LEVEL | {"soteriafl-svrg": LEVEL["soteriafl-sgd"]})
    table.loc[table["method"] == "soteriafl-svrg", "utility"] += [0.001, -0.001, 0.0] * 3
    _, found = judged("sot-a9a", table)
    assert found["S4"].evidence.startswith("not worse at 3, better at 0 of 3") and not found["S4"].holds


def test_a_step_is_chosen_on_the_tuning_seed_by_utility():
    tuning = [made(seeds=(0,), rate=rate, level={m: (u + far, b) for m, (u, b) in LEVEL.items()})
              for rate, far in ((0.1, 0.2), (0.3, 0.0), (1.0, 0.1))]
    verdict, _ = judged("sot-a9a-tuned", pd.concat([*tuning, made()]))
    assert verdict.word == "REPRODUCED-ORDERING" and "step 0.3" in verdict.notes[0] and "3 seeds" in verdict.notes[0]
    with pytest.raises(RunFileError, match="no run of epsilon 1.0, method cdp-sgd has the settings that seed 0 chooses "
                                           r"\(rate 0.3\)"):
        judged("sot-a9a-tuned", pd.concat([*tuning, made(rate=0.1)]))
    with pytest.raises(RunFileError, match="several settings, and no run of seed 0 chooses"):
        judged("sot-a9a", pd.concat([made(), made(rate=0.1)]))


def test_a_mode_is_judged_by_itself():
    both = pd.concat([made(), made(mode="private", changes={(1.0, "ldp-sgd"): (0.9, 0.9)})])
    assert judged("sot-a9a", both)[1]["S1"].holds and not judged("sot-a9a-private", both)[1]["S1"].holds


def test_what_decides_a_statement_is_reported_apart():
    causes = made(level={m: LEVEL[m] for m in COMPRESSED}, seeds=(0, 1, 2), constant=1e-20,
                  changes={(1.0, "cdp-sgd"): (0.1, 0.1)})
    verdict, _ = judged("sot-a9a-tuned", pd.concat([made(seeds=(0, 1, 2)), causes]))
    apart = [statement for statement in verdict.statements if statement.aside]
    assert [statement.name for statement in apart] == ["S3", "S4"]
    assert apart[0].text.startswith("without noise: ") and apart[0].evidence.startswith("8 of 12; reversed")
    assert verdict.word == "REPRODUCED-ORDERING"


def test_more_than_ten_seeds_are_reported_apart():
    close = {m: LEVEL[m] for m in COMPRESSED}
    more = made(level=close, seeds=range(11, 101), changes={(1.0, "cdp-sgd"): (0.1, 0.1)})
    verdict, found = judged("sot-a9a", pd.concat([made(), more]))
    apart = [statement for statement in verdict.statements if statement.aside]
    assert [statement.text.split(":")[0] for statement in apart] == ["93 seeds", "93 seeds"]
    assert apart[0].evidence.startswith("8 of 12; reversed: U of soteriafl-sgd 0.2554 against cdp-sgd 0.1118")
    assert "3 seeds" in verdict.notes[0] and verdict.seeds == 3 and verdict.word == "REPRODUCED-ORDERING"


def test_every_comparison_of_the_figures_on_mnist_counts():
    shrinking = {(e, "soteriafl-svrg"): (0.2 - 0.005 * e, 0.2) for e in MNIST}
    verdict, found = judged("sot-mnist", made(MNIST, changes=shrinking))
    assert [found[name].evidence.split(";")[0] for name in ("S1", "S2", "S6")] == ["60 of 60", "30 of 30", "10 of 10"]
    assert found["S5"].evidence.startswith("0.090 at 1") and found["S5"].evidence.endswith("0.015 at 16")
    assert found["S7"].aside and not found["S7"].holds and verdict.word == "REPRODUCED-ORDERING"
    _, found = judged("sot-mnist", made(MNIST))  # the same gap everywhere
    assert not found["S5"].holds


def test_the_axis_of_bits_ends_at_a_multiple_of_the_smallest_final_count(make_run, tmp_path):
    # Ten rounds: 10 bits each, compressed, or 30, whole. The axis ends at 110: at round 10, and 3.
    for name, method, step in (("a", "cdp-sgd", 10), ("b", "ldp-sgd", 30)):
        rounds = np.arange(11)
        columns = {"round": rounds, "bits_up_model": (step * rounds).astype(np.uint64), "utility": 1.0 - 0.05 * rounds,
                   "objective": 2.0 - 0.05 * rounds, "accuracy": 0.05 * rounds}
        columns["utility"][2] = np.nan
        zeros = {key: np.zeros(11) for key in ("gradient_norm_squared", "epsilon", "bits_down_model", "bits_up_payload",
                                               "bits_down_payload", "batch_records")}
        make_run(f"{name}.h5", columns=zeros | columns, method=method, mode="authors", rounds=np.int64(10),
                 seed=np.int64(1), mpi={key: np.zeros(11) for key in ("bits_up", "bits_down", "bits_evaluation")},
                 config=f'method = "{method}"\nseed = 1\n[server]\nrate = 0.3\n[bound]\nthreshold = 0.5\n'
                        '[privacy]\nepsilon = 5.0\nconstant = "method"\n')
    sweep = read_sweep(tmp_path)
    rows = RULES["sot-a9a"].rows(sweep)
    table = rows.set_index("method")
    assert list(table.loc["cdp-sgd", ["utility", "utility_bits"]]) == [0.5, 0.5]
    ends = table.loc["ldp-sgd", ["utility", "utility_bits", "objective_bits", "accuracy_bits"]].astype(float)
    assert ends.tolist() == pytest.approx([0.5, 0.85, 1.85, 0.15])
    narrow = axis_of_bits(rows, list(sweep.runs.values()), 0.89).set_index("method")  # ends at 89, and state 2 is not evaluated
    assert narrow.loc["ldp-sgd", "utility_bits"] == 0.95
