"""The rules of FAV on made-up scores, and what they read of run files."""
import itertools

import numpy as np
import pandas as pd
import pytest

from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.model.sweep import read_sweep
from trilemma_analysis.verdicts import RULES, judge
from trilemma_analysis.verdicts.rules import Outcome

FAVANO, FEDBUFF, QUAFL, FEDAVG = METHODS = ("favano", "fedbuff", "quafl", "fedavg-timed")
IID, MOST_FAST, MOST_SLOW = COLUMNS = ("IID", "2/3 fast", "1/9 fast")
READING = ("time", "geometric", "step")
# Table 2: mean, standard deviation, and how far from the mean counts as met.
PAPER = {
    IID: {FEDAVG: (93.4, 0.3, 2), QUAFL: (92.3, 0.9, 2), FEDBUFF: (96.0, 0.1, 2), FAVANO: (95.1, 0.1, 2)},
    MOST_FAST: {FEDAVG: (38.7, 7.7, 10), QUAFL: (40.7, 6.7, 10), FEDBUFF: (85.1, 3.2, 5), FAVANO: (88.9, 0.9, 5)},
    MOST_SLOW: {FEDAVG: (44.8, 6.9, 10), QUAFL: (45.5, 4.0, 10), FEDBUFF: (67.3, 5.5, 5), FAVANO: (87.3, 2.3, 5)}}
RULE_OF = {"plain": "fav-mnist", "code": "fav-mnist-code"}
VARIANTS = {FAVANO: ("deterministic", "stochastic"), FEDBUFF: ("plain", "code"), QUAFL: ("plain", "code"),
            FEDAVG: ("plain",)}


def runs(scores, reading=READING, columns=COLUMNS, seeds=range(1, 11)):
    """Runs whose final accuracies scatter around scores(column, method, variant) = (mean, deviation), in percent."""
    rows = []
    for column, method in itertools.product(columns, METHODS):
        for variant, seed in itertools.product(VARIANTS[method], seeds):
            mean, deviation = scores(column, method, variant)
            rows.append({"method": method, "seed": seed, "score": mean + deviation * (1 if seed % 2 else -1),
                         "change": deviation, "variant": variant, "column": column, "bits": 32, "contacted": 20,
                         "rate": 0.5, "server_rate": 1.0, "restart": "at-once" if method == FEDBUFF else "", "draw": "step",
                         "speed": reading[0] if method in (FAVANO, QUAFL) else "", "law": reading[1], "unit": reading[2]})
    return pd.DataFrame(rows)


def paper(column, method, _variant):
    mean, deviation, _ = PAPER[column][method]
    return mean, deviation


def but(cells):
    """The paper's scores but for some of them."""
    return lambda column, method, variant: cells.get((column, method), paper(column, method, variant))


def found(scores, preset="plain"):
    verdict = RULES[RULE_OF[preset]].judge(runs(scores))
    return verdict, {s.name: s for s in verdict.statements}


def test_the_paper_reproduces_itself():
    for preset in ("plain", "code"):
        verdict, statements = found(paper, preset)
        assert verdict.word == "REPRODUCED-NUMBERS", verdict.text()
        assert all(s.holds for s in statements.values()), verdict.text()
        assert "12 met" in statements["N"].evidence
        assert "1.6" in statements["M3"].evidence and "17.8" in statements["M3"].evidence


@pytest.mark.parametrize("name, column, method, mean", [
    ("I1", IID, FEDBUFF, 94.9), ("I1", IID, FEDBUFF, 97.4), ("I2", IID, QUAFL, 95.2), ("I2", IID, FEDAVG, 95.2),
    ("M1", MOST_FAST, FEDBUFF, 89.5), ("M1", MOST_FAST, FEDBUFF, 60.0), ("M1", MOST_FAST, FAVANO, 84.5),
    ("M2", MOST_SLOW, FEDBUFF, 79.7), ("M2", MOST_SLOW, FEDBUFF, 55.0), ("M2", MOST_SLOW, FAVANO, 82.0),
    ("M3", MOST_FAST, FEDBUFF, 70.0), ("M3", MOST_SLOW, FAVANO, 83.0), ("M5", MOST_FAST, FEDAVG, 52.0)])
def test_each_statement_can_fail(name, column, method, mean):
    verdict, statements = found(but({(column, method): (mean, PAPER[column][method][1])}))
    assert not statements[name].holds, verdict.text()
    assert verdict.word != "REPRODUCED-NUMBERS" or name == "M5"


@pytest.mark.parametrize("mean, holds", [(84.5, False), (85.0, True)])
def test_favano_must_come_near_its_published_mean(mean, holds):
    _, statements = found(but({(MOST_FAST, FAVANO): (mean, 0.9), (MOST_FAST, FEDBUFF): (80.0, 1.0)}))
    assert statements["M1"].holds is holds


def test_the_spread_is_told_aside():
    verdict, statements = found(but({(MOST_FAST, FAVANO): (88.9, 6.0)}))
    assert not statements["M4"].holds and "6.3 and 3.4" in statements["M4"].evidence
    assert "M4 (aside) fails" in verdict.text() and verdict.word == "REPRODUCED-NUMBERS"


def test_an_order_the_other_way_round_is_a_reversal():
    verdict, statements = found(but({(MOST_FAST, FEDBUFF): (95.0, 1.0)}))
    assert statements["M1"].outcome is Outcome.REVERSED and verdict.word == "NOT REPRODUCED"


def test_presets_are_judged_by_themselves():
    def scores(column, method, variant):
        return (12.0, 1.0) if method == FEDBUFF and variant == "plain" else paper(column, method, variant)

    plain, statements = found(scores)
    assert plain.word == "NOT REPRODUCED" and not statements["M1"].holds
    assert any(note.startswith("with the preset code: I1 holds, I2 holds, M1 holds") for note in plain.notes), plain.notes
    assert found(scores, "code")[0].word == "REPRODUCED-NUMBERS"


def test_three_of_twelve_means_may_be_missed():
    def away(cells):
        return but({cell: (PAPER[cell[0]][cell[1]][0] + 12, 1.0) for cell in cells})

    three = {(MOST_FAST, FEDAVG), (MOST_SLOW, QUAFL), (MOST_SLOW, FEDAVG)}
    _, statements = found(away(three))
    assert statements["N"].holds and "9 met" in statements["N"].evidence
    _, statements = found(away(three | {(MOST_FAST, QUAFL)}))
    assert not statements["N"].holds


def test_other_readings_are_notes():
    slow = runs(but({(column, FAVANO): (20.0, 1.0) for column in COLUMNS}), ("analysis", "geometric", "step"), seeds=(1, 2, 3))
    # FedBuff and FedAvg have one reading of speed, and no runs of their own for the other.
    slow = slow[slow["method"].isin((FAVANO, QUAFL))]
    verdict = RULES["fav-mnist"].judge(pd.concat([runs(paper), slow], ignore_index=True))
    assert verdict.word == "REPRODUCED-NUMBERS"
    assert any("read as analysis, geometric, step, preset plain (3 seeds): I1 fails" in note for note in verdict.notes)


def test_what_is_missing_is_named():
    with pytest.raises(RunFileError, match="no run of FedBuff for the column IID"):
        RULES["fav-mnist"].judge(runs(paper, columns=(MOST_FAST, MOST_SLOW)))
    with pytest.raises(RunFileError, match="no run reads the paper as time, geometric, step"):
        RULES["fav-mnist"].judge(runs(paper, ("time", "exponential", "step")))


def figure_3(scores, has_order=True):
    rule = RULES["fav-fmnist-s" if has_order else "fav-cifar-s"]
    verdict = rule.judge(runs(scores, columns=(MOST_FAST,), seeds=(1, 2, 3, 4)))
    return verdict, {s.name: s for s in verdict.statements}


def test_the_substitutes_compare_orders_alone():
    verdict, statements = figure_3(paper)
    assert verdict.word == "REPRODUCED-ORDERING (substitute)" and set(statements) == {"K1", "M1", "K2"}
    verdict, statements = figure_3(paper, has_order=False)
    assert verdict.word == "REPRODUCED-ORDERING (substitute)" and statements["K2"].aside and "M1" not in statements


@pytest.mark.parametrize("name, method, score", [("K1", FEDBUFF, (40.0, 8.0)), ("K2", FEDBUFF, (85.1, 0.2)),
                                                 ("M1", FAVANO, (85.0, 0.9))])
def test_each_statement_of_the_substitutes_can_fail(name, method, score):
    verdict, statements = figure_3(but({(MOST_FAST, method): score}))
    assert not statements[name].holds, verdict.text()


def figure_7(scores, far):
    rows = [{"method": FAVANO, "variant": "deterministic", "bits": bits, "contacted": size, "seed": seed,
             "score": score + 0.1 * seed}
            for (bits, size), score in scores.items() for seed in (1, 2, 3)]
    verdict = RULES[{5: "fav-fmnist-qnn-s", 8: "fav-cifar-qnn-s"}[far]].judge(pd.DataFrame(rows))
    return verdict, {s.name: s for s in verdict.statements}


def test_quantised_training_is_judged_by_its_gap_and_the_size():
    good = {(32, 10): 60, (32, 20): 66, (32, 40): 70, (4, 10): 58, (4, 20): 63, (4, 40): 66}
    verdict, statements = figure_7(good, 5)
    assert verdict.word == "REPRODUCED-ORDERING (substitute)", verdict.text()
    far = good | {(4, 10): 54}
    assert not figure_7(far, 5)[1]["Z2"].holds and figure_7(far, 8)[1]["Z2"].holds
    assert not figure_7(good | {(4, 20): 67}, 5)[1]["Z2"].holds
    _, statements = figure_7(good | {(4, 40): 57, (32, 40): 66.5}, 5)
    assert statements["Z1"].outcome is Outcome.REVERSED and not statements["Z1-STEPS"].holds
    with pytest.raises(RunFileError, match="no run of FAVANO with 4 bits, s = 20"):
        figure_7({cell: score for cell, score in good.items() if cell != (4, 20)}, 5)


CONFIG = """method = "{method}"
seed = {seed}
[server]
{key} = "{value}"
[partition]
kind = "{kind}"
[clock]
speed = "time"
law = "geometric"
slow_share = {share}
{clock}
[local]
unit = "step"
[participation]
size = 10
[problem]
quantise = "{quantise}"
"""


def test_run_files_are_read(make_run, tmp_path):
    def write(name, accuracy, **values):
        rows = {"round": np.arange(len(accuracy)), "accuracy": np.array(accuracy)}
        rest = ("objective", "gradient_norm_squared", "utility", "epsilon", "bits_up_model", "bits_down_model",
                "bits_up_payload", "bits_down_payload", "batch_records")
        make_run(name, method=values["method"], seed=np.int64(values["seed"]), rounds=np.int64(len(accuracy) - 1),
                 config=CONFIG.format(**{"clock": ""} | values),
                 columns={c: np.zeros(len(accuracy)) for c in rest} | rows,
                 mpi={c: np.zeros(len(accuracy)) for c in ("bits_up", "bits_down", "bits_evaluation")})

    write("a.h5", [0.1, np.nan, 0.2, 0.5, 0.4, 0.6], method=FAVANO, seed=3, key="alpha", value="stochastic", kind="shards",
          share=0.8888888888888888, quantise="luq")
    write("b.h5", [0.1, np.nan, 0.2, 0.5, 0.4, 0.7], method=FEDBUFF, seed=3, key="preset", value="code", kind="shuffled",
          share=0.3333333333333333, quantise="none")
    # Runs with the clock of the appendix, or with a clock.restart other than the preset's, are not judged.
    for name, method, preset, clock in (("c.h5", FEDAVG, "plain", 'draw = "job"'),
                                        ("d.h5", FEDBUFF, "plain", 'restart = "renewed"'),
                                        ("e.h5", FEDBUFF, "code", 'restart = "at-once"')):
        write(name, [0.1, 0.9], method=method, seed=3, key="preset", value=preset, kind="shards", share=0.333,
              quantise="none", clock=clock)
    write("f.h5", [0.1, 0.3], method=FEDAVG, seed=3, key="preset", value="plain", kind="shards", share=0.333,
          quantise="none")
    table = RULES["fav-mnist"].rows(read_sweep(tmp_path)).set_index("method")
    assert sorted(table.index) == [FAVANO, FEDAVG, FEDBUFF] and table.loc[FEDAVG, "score"] == pytest.approx(30)
    favano = table.loc[FAVANO]
    assert (favano["variant"], favano["column"], favano["bits"], favano["contacted"]) == ("stochastic", MOST_SLOW, 4, 10)
    assert favano["score"] == pytest.approx(60) and favano["change"] == pytest.approx(15)  # 50, 40, 60
    assert (favano["speed"], favano["law"], favano["unit"]) == READING
    assert (table.loc[FEDBUFF, "variant"], table.loc[FEDBUFF, "column"], table.loc[FEDBUFF, "bits"]) == ("code", IID, 32)
    with pytest.raises(RunFileError, match="no run reads the paper as time, geometric, step"):  # of all four methods
        judge("fav-mnist", read_sweep(tmp_path))
