"""FAV-MNIST at the rates of each method's own, and FAV-OMNI-S, on made-up scores."""
import itertools

import pandas as pd
import pytest
from test_verdict_fav import FAVANO, FEDAVG, FEDBUFF, IID, METHODS, MOST_FAST, MOST_SLOW, PAPER, QUAFL

from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.verdicts import RULES
from trilemma_analysis.verdicts.rules import Outcome


def judge(table):
    """The verdict of the rule with rates of each method's own."""
    return RULES["fav-mnist-tuned"].judge(table)


def runs(columns=(IID, MOST_FAST, MOST_SLOW), clock=("at-once", "step"), methods=METHODS, more=0.0,
         seeds=(0, 1, 2, 3)):
    """The paper's means at the rate 0.1, and 10 % at 0.5."""
    rows = []
    for column, method, rate, seed in itertools.product(columns, methods, (0.1, 0.5), seeds):
        mean = PAPER[column][method][0] + more if rate == 0.1 else 10.0
        rows.append({"column": column, "method": method, "variant": "deterministic" if method == FAVANO else "plain",
                     "speed": "", "law": "geometric", "unit": "step", "bits": 32, "contacted": 20, "change": 0.1,
                     "rate": rate, "server_rate": 1.0, "restart": clock[0] if method == FEDBUFF else "", "draw": clock[1],
                     "seed": seed, "score": mean + (0.5 if method == FEDBUFF else 0.1) * (seed % 2)})
    return pd.DataFrame(rows)


def named(verdict):
    return {statement.name: statement for statement in verdict.statements}


def test_the_paper_at_tuned_rates_reproduces_itself():
    verdict = judge(runs())
    assert verdict.word == "REPRODUCED-ORDERING" and verdict.seeds == 3
    assert "FedBuff 0.1 and 1 at the server: 85.4" in " ".join(verdict.notes)


def test_the_tuning_seed_alone_chooses():
    table = runs()
    table.loc[(table["seed"] == 0) & (table["method"] == FEDBUFF) & (table["rate"] == 0.5), "score"] = 99.0
    assert named(judge(table))["M1"].outcome is Outcome.REVERSED  # 10 % at 0.5 on the other seeds


def test_columns_that_were_not_run_are_said():
    verdict = judge(runs(columns=(MOST_FAST,)))
    found = named(verdict)
    assert found["M1"].holds and verdict.word == "NOT JUDGED"
    missing = {name for name, each in found.items() if each.outcome is Outcome.NOT_RUN}
    assert missing == {"I1", "I2", "M2", "M3", "M4", "M5"}


@pytest.mark.parametrize(("more", "expected"), [(0.0, Outcome.HOLDS), (10.0, Outcome.REVERSED)])
def test_another_clock_is_judged_apart(more, expected):
    other = runs((MOST_FAST,), clock=("renewed", "step"), methods=(FEDBUFF,), more=more, seeds=(1, 2, 3))
    found = named(judge(pd.concat([runs(), other], ignore_index=True)))
    assert found["M1"].holds and found["M1-RENEWED"].outcome is expected and found["M1-RENEWED"].aside


def test_a_run_in_two_folders_counts_once():
    """Two seeds are judged; the second folder has them once more, and a third for FedBuff alone."""
    table = runs((MOST_FAST,), seeds=(0, 1, 2))
    again = runs((MOST_FAST,), methods=(FEDBUFF,), seeds=(1, 2))
    third = runs((MOST_FAST,), methods=(FEDBUFF,), seeds=(3,))
    once = judge(pd.concat([table, third], ignore_index=True))
    twice = judge(pd.concat([table, again, third], ignore_index=True))
    assert once.seeds == 2 and twice == once
    one_seed = runs((MOST_FAST,), seeds=(0, 1))
    alone = judge(pd.concat([one_seed, runs((MOST_FAST,), methods=(FEDBUFF,), seeds=(1,))], ignore_index=True))
    assert alone.seeds == 1 and named(alone)["M1"].outcome is named(judge(one_seed))["M1"].outcome


def test_runs_without_the_tuning_seed_are_refused():
    with pytest.raises(RunFileError, match="no run of the seed 0"):
        judge(runs(seeds=(1, 2)))


@pytest.mark.parametrize(("rival", "word"), [
    (0.4, "REPRODUCED-ORDERING (substitute)"), (0.6, "NOT REPRODUCED (substitute)")])
def test_letters(rival, word):
    scores = {FAVANO: 50.0, QUAFL: 100 * rival, FEDAVG: 40.0, FEDBUFF: 70.0}
    table = pd.DataFrame([{"column": IID, "method": method, "variant": "deterministic" if method == FAVANO else "plain",
                           "seed": seed, "score": score + (seed if method == FAVANO else 0)}
                          for (method, score), seed in itertools.product(scores.items(), (1, 2, 3))])
    verdict = RULES["fav-omni-s"].judge(table)
    assert verdict.word == word and verdict.notes == ("FAVANO - FedBuff -18.0 points",)
