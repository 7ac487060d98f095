"""What a ranking says in addition to its table: which metric was chosen, what was left out, and what no model learns."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_best import ALL, AXES, ask, cell, joined, order

from trilemma_analysis import RunFileError, read_sweep
from trilemma_analysis.model.budgets import Budget, Target
from trilemma_analysis.model.combinations import choose_metric, combinations
from trilemma_analysis.stats.answers import notes, rows
from trilemma_analysis.stats.rankings import answer


def test_what_was_not_evaluated_or_used_up_is_said(make_sweep):
    cells = [cell("ldp-sgd", 1, (0.5, math.nan)), cell("cdp-sgd", 1, (0.5, 0.6))]
    text = joined(ask(make_sweep, cells, Budget(per_client=False, bits=10_000)))
    assert "the budget of bits was not used up: cdp-sgd used 12.8 % of it; with more rounds" in text
    assert "last evaluated before the budget was used up: ldp-sgd at round 1 of 2" in text


def test_an_epsilon_that_was_not_used_up_is_said(make_sweep):
    text = joined(ask(make_sweep, [cell("cdp-sgd", 1, (0.5, 0.6))], Budget(epsilon=10)))
    assert "the budget of epsilon was not used up: cdp-sgd used 20.0 % of it; with less noise or more rounds" in text


def test_runs_compared_before_their_end_are_named_private_or_not(make_sweep):
    cells = [cell("ldp-sgd", 1, (0.5, 0.7)), cell("gd", 1, (0.5, 0.6), claim="not a private run: why")]
    text = joined(ask(make_sweep, cells, Budget(bits=640, per_client=False)))
    assert "compared before their end: ldp-sgd after 1 of 2 rounds; step sizes and noise" in text
    assert "compared before their end: gd after 1 of 2 rounds" in text


def test_constant_models_of_several_tasks_are_a_range(make_sweep):
    cells = [cell(method, 1, (0, value), baseline_score=constant)
             for method, value, constant in (("ldp-sgd", 0.5, 0.7602), ("cdp-sgd", 0.4, 0.7611), ("gd", 0.3, 0.7))]
    assert "no better than the best constant model (test accuracy 70.0 to 76.1 %): ldp-sgd, cdp-sgd, gd" in \
        notes(ask(make_sweep, cells))


def test_constant_models_are_named(make_sweep):
    cells = [cell(method, seed, (0, value), baseline_score=0.5) for seed in (1, 2)
             for method, value in (("ldp-sgd", 0.5), ("cdp-sgd", 0.4 + 0.1 * seed), ("gd", 0.9))]
    said = notes(found := ask(make_sweep, cells))
    assert "no better than the best constant model (test accuracy 50.0 %): ldp-sgd" in said
    assert any(line.startswith("not clearly better than the best constant model (test accuracy 50.0 %)") and line.endswith(": cdp-sgd")
               for line in said)
    assert "best constant model 50.0 %" in joined(found)
    assert "best constant model 50.0 %" not in joined(answer([read_sweep(found.runs[0].path.parent)], ALL, "objective"))


def test_constant_models_are_named_by_accuracies_where_another_metric_is_compared(make_sweep):
    cells = [cell(method, seed, (first, second), columns={"objective": [9, 1, math.nan]}, baseline_score=0.5)
             for seed in (1, 2) for method, first, second in (("ldp-sgd", 0.4, 0.9), ("gd", 0.9, 0.1))]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    said = notes(answer([sweep], ALL, "objective"))
    assert "no better than the best constant model (test accuracy 50.0 %): ldp-sgd with accuracy 40.0 %" in said


def test_clients_own_scores_are_ranked_with_their_own_constant_model(make_sweep):
    cells = [cell(method, seed, (0, 0.5), columns={"client_score_mean": [0, 0, value]}, baseline_score=0.1,
                  baseline_personal_score=0.7) for seed in (1, 2) for method, value in (("pmtl", 0.8), ("fedavg", 0.6))]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    found = answer([sweep], ALL, "client_score_mean")
    assert order(found.rankings[0]) == ["pmtl", "fedavg"]
    assert "no better than the best constant model (clients' own test accuracy 70.0 %): fedavg" in notes(found)


def test_clients_errors_are_not_ranked_as_accuracies(make_sweep):
    errors = {"client_score_mean": [3, 2, 1], "test_error": [3, 2, 1]}
    sweep = read_sweep(make_sweep([cell("pmtl", 1, (math.nan,) * 2, columns=errors)], axes=AXES))
    with pytest.raises(RunFileError, match="'client_score_mean' is an error where targets are real"):
        answer([sweep], ALL, "client_score_mean")


def test_values_of_a_setting_compete_on_request(make_sweep):
    cells = [cell("cdp-sgd", seed, (0.0, 0.9 - rate / 2), rate=rate) for rate in (0.2, 1.0) for seed in (1, 2)]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    (ranking,) = answer([sweep], ALL, "accuracy").rankings
    assert order(ranking) == ["cdp-sgd"]
    (ranking,) = answer([sweep], ALL, "accuracy", by="server.rate").rankings
    assert order(ranking) == ["cdp-sgd, 0.2", "cdp-sgd, 1"]
    with pytest.raises(RunFileError, match="--by compressor.knd: no run has this setting; the axes are server.rate"):
        answer([sweep], ALL, "accuracy", by="compressor.knd")


def test_the_interval_of_bits_until_a_target_is_one_of_bits(make_sweep):
    cells = [cell("cdp-sgd", seed, (first, 0.9)) for seed, first in ((1, 0.8), (2, 0.1))]
    (ranking,) = ask(make_sweep, cells, Budget(per_client=False, target=Target("accuracy", 0.8))).rankings
    over = ranking.entries[0].over  # 640 and 1280 bits
    assert over.centre == 960 and over.high > 1280


def test_intervals_of_shares_end_at_their_ends(make_sweep):
    cells = [cell("cdp-sgd", seed, (0.0, value)) for seed, value in ((1, 0.6), (2, 1.0))]
    (ranking,) = ask(make_sweep, cells).rankings
    assert (ranking.entries[0].over.low, ranking.entries[0].over.high) == (0.0, 1.0)


@pytest.mark.parametrize("apart", [0.1, 0.0])
def test_a_tie_in_accuracy_is_an_answer_and_no_reason_for_another_metric(make_sweep, apart):
    cells = [cell(method, seed, (0, 0.5 + lead + 0.01 * seed), columns={"utility": [1.0, 0.5, 0.2]})
             for method, lead in (("ldp-sgd", apart), ("cdp-sgd", 0.0)) for seed in (0, 1, 2)]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    assert choose_metric(combinations(sweep)) == "accuracy"
    found = answer([sweep], ALL)
    assert found.metric == "accuracy" and ("equal in every seed" in joined(found)) == (apart == 0)


def test_what_the_seconds_count_is_said(make_sweep):
    assert any(line.startswith("seconds are those of the rounds, without evaluation")
               for line in notes(ask(make_sweep, [cell("gd", 1, (0.5, 0.6))])))


def test_of_runs_of_one_setting_in_two_folders_the_one_that_can_be_compared_is_taken(make_sweep, tmp_path):
    """Whichever is named first; where both can it is the first one, and the output says so."""
    seldom, often = [], []
    for seed in (1, 2):
        for cells, first, every in ((seldom, math.nan, 2), (often, 0.5, 1)):
            cells.append(cell("ldp-sgd", seed, (first, 0.9)))
            cells[-1]["run"]["config"] += f"[evaluate]\nevery = {every}\n"
    for name, cells in (("seldom", seldom), ("often", often)):
        make_sweep(cells, axes=AXES).rename(tmp_path / name)
    sweeps = [read_sweep(tmp_path / name) for name in ("seldom", "often")]
    for order_ in (sweeps, sweeps[::-1]):
        found = answer(order_, Budget(per_client=False, bits=640), "accuracy")
        assert found.rankings[0].entries[0].over.centre == 0.5 and found.skipped == ()
        found = answer(order_, ALL, "accuracy")
        taken, other = (sweep.folder for sweep in order_)
        assert {run.path.parent for run in found.runs} == {taken}
        assert found.skipped == (f"2 runs of {other}: passed over for those of the same settings in {taken}, which "
                                  "was named first",)


def slow(one):
    """The cell with rounds that take too long for a budget of 2 seconds."""
    seconds = np.zeros((3, 1, 13))
    seconds[1:, 0, 1] = 9.0
    one["run"]["seconds"] = seconds
    return one


def timed(cells):
    seconds = np.zeros((3, 1, 13))
    seconds[1:, 0, 1] = 1.0
    for one in cells:
        one["run"].setdefault("seconds", seconds)
    return cells


def test_settings_that_lose_a_seed_to_the_budget_do_not_compete(make_sweep):
    """Also where one seed for tuning chooses; without any run to be judged by they do."""
    def cells(*lost):
        return timed([slow(one) if (rate, seed) in lost else one for rate, value in ((0.1, 0.5), (1.0, 0.9))
                      for seed in (0, 1, 2) for one in [cell("gd", seed, (0, value), rate)]])

    sweep = read_sweep(make_sweep(cells((1.0, 2)), axes=AXES))
    for tuning, words in (((0,), "fewer than 2 seeds to be judged by"), ((), "fewer than 3 seeds to choose by")):
        found = answer([sweep], Budget(seconds=2), "accuracy", tuning)
        assert found.rankings[0].entries[0].label == ("server.rate = 0.1",)
        assert f"gd: 1 of 2 settings, which have {words}" in joined(found)
    sweep.folder.rename(sweep.folder.with_name("first"))
    sweep = read_sweep(make_sweep(cells((1.0, 0)), axes=AXES))
    assert "gd: 1 of 2 settings, which have no seed to choose by" in joined(
        answer([sweep], Budget(seconds=2), "accuracy", (0,)))
    sweep.folder.rename(sweep.folder.with_name("second"))
    sweep = read_sweep(make_sweep([one for one in cells() if one["values"]["server.rate"] == 0.1
                                   or one["values"]["seed"] == 0], axes=AXES))
    with pytest.raises(RunFileError, match="its best setting .server.rate = 1. has no value for any other seed"):
        answer([sweep], Budget(seconds=2), "accuracy", (0,))


def test_a_method_with_fewer_seeds_than_others_is_named(make_sweep):
    cells = timed([cell("ldp-sgd", 1, (0, 0.9)), slow(cell("ldp-sgd", 2, (0, 0.9))),
                   *(cell("cdp-sgd", seed, (0, 0.5)) for seed in (1, 2))])
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    found = answer([sweep], Budget(seconds=2), "accuracy")
    assert order(found.rankings[0]) == ["ldp-sgd", "cdp-sgd"]
    said = "fewer seeds than other methods, which have up to 2: ldp-sgd with 1; a mean over other seeds is another mean"
    assert said in joined(found) and "fewer seeds" not in joined(answer([sweep], ALL, "accuracy"))


def test_clients_that_send_equally_much_have_equal_columns(make_sweep):
    """Whatever the seeds send: both columns are means over them."""
    cells = [cell("gd", seed, (0, 0.5), columns={"bits_up_payload": [0, 640 * seed, 1280 * seed],
                                                 "messages": [0, 10, 20]}) for seed in (1, 2)]
    (row,) = rows(ask(make_sweep, cells)).to_dict(orient="records")
    assert row["bits_up_per_client"] == row["bits_up_largest_client"] == 192


def test_unequal_bits_are_named_where_no_budget_limits_them(make_sweep):
    bits = {"ldp-sgd": [0, 6400, 12800], "cdp-sgd": [0, 640, 1280]}
    cells = [cell(method, seed, (0.2, 0.5), columns={"bits_up_payload": each}) for method, each in bits.items() for seed in (1, 2)]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    said = "the methods are compared at unequal bits, "
    assert said + "128 bit to 1.28 kbit per client; --bits sets a budget" in joined(
        answer([sweep], Budget(epsilon=10), "accuracy"))
    assert said not in joined(answer([sweep], Budget(bits=1280), "accuracy"))
