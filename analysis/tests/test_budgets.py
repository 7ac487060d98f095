"""The budget of bits: what a run was planned with, what it has sent, and who is judged by which."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_best import ALL, AXES, cell, joined

from trilemma_analysis import read_sweep
from trilemma_analysis.model.budgets import Budget, Target
from trilemma_analysis.stats.answers import rows
from trilemma_analysis.stats.rankings import answer

DRAWS = {1: 8, 2: 12, 3: 13, 4: 9}  # messages of 128 bits that 10 clients have sent after two rounds, by seed


def drawn(method, seed, accuracies, sent, rate=1.0, **more):
    """A run of two rounds in which each client takes part with probability 1/2: 5 messages of 128 bits are expected in
    a round, and `sent` are made in both."""
    columns = {"bits_up_payload": [0, 128 * (sent // 2), 128 * sent]}
    return cell(method, seed, accuracies, rate, columns=columns, **({"planned_bits_up": 64.0} | more))


def drawn_sweep(make_sweep, **more):
    """ldp-sgd is better by 0.1 than cdp-sgd, whose clients all take part."""
    cells = [drawn("ldp-sgd", seed, (0.1, 0.7), sent, **more) for seed, sent in DRAWS.items()]
    cells += [cell("cdp-sgd", seed, (0.1, 0.6), planned_bits_up=64.0) for seed in DRAWS]
    return read_sweep(make_sweep(cells, axes=AXES))


def test_runs_are_judged_by_the_bits_that_they_were_planned_with(make_sweep):
    """1,280 bits are planned for two rounds, and no method falls behind for having drawn more than that."""
    found = answer([drawn_sweep(make_sweep)], Budget(per_client=False, bits=1280), "accuracy")
    best, other = found.rankings[0].entries
    assert (best.setting.method, best.seeds, best.over.centre) == ("ldp-sgd", (1, 2, 3, 4), 0.7)
    assert {stands.round for stands in best.setting.found.values()} == {2} and found.skipped == ()
    assert [stands.bits for stands in best.setting.found.values()] == 4 * [1280.0]
    text = joined(found)
    assert "within 160 B (1,280 bits) expected to be sent by all clients together" in text
    assert "102 bit to 166 bit" in text and "bits are expected values over the random choice of clients" in text
    assert "compared before their end" not in text and other.difference.high < 0
    columns = ["bits", "bits_sent_per_client_least", "bits_sent_per_client_most"]
    assert rows(found)[columns].values.tolist() == [[1280.0, 102.4, 166.4], [1280.0, 128.0, 128.0]]


def test_a_round_that_is_not_planned_for_does_not_count(make_sweep):
    found = answer([drawn_sweep(make_sweep)], Budget(per_client=False, bits=1279), "accuracy")
    assert "compared before their end: ldp-sgd after 1 of 2 rounds, cdp-sgd after 1 of 2 rounds" in joined(found)


def test_bits_per_client_and_a_target_count_in_the_same_way(make_sweep):
    sweep = drawn_sweep(make_sweep)
    one = answer([sweep], Budget(bits=128, per_client=True), "accuracy").rankings[0].entries[0]
    assert (one.seeds, {stands.mean for stands in one.setting.found.values()}) == ((1, 2, 3, 4), {128.0})
    until = answer([sweep], Budget(per_client=False, target=Target("accuracy", 0.65))).rankings[0].entries[0]
    assert (until.over.centre, until.over.low, until.reached) == (1280.0, 1280.0, 4)


def test_what_was_really_sent_can_be_the_limit(make_sweep):
    """Then seeds 2 and 3 are judged after one round, which cost 768 bits."""
    found = answer([drawn_sweep(make_sweep)], Budget(per_client=False, bits=1280, sent=True), "accuracy")
    entries = {entry.setting.method: entry for entry in found.rankings[0].entries}
    assert [stands.round for stands in entries["ldp-sgd"].setting.found.values()] == [2, 1, 1, 2]
    assert "within 160 B (1,280 bits) really sent by all clients together" in joined(found)


def test_bits_without_an_expectation_are_those_that_were_sent(make_sweep):
    """Messages differ in size."""
    found = answer([drawn_sweep(make_sweep, planned_bits_up=math.nan)], Budget(per_client=False, bits=1280), "accuracy")
    entry = next(entry for entry in found.rankings[0].entries if entry.setting.method == "ldp-sgd")
    assert [stands.round for stands in entry.setting.found.values()] == [2, 1, 1, 2]
    assert "for 4 of 8 runs the bits are those that were sent: their messages differ in size, so that no expected value" in joined(found)


def test_models_that_clients_get_before_the_first_round_count(make_sweep):
    columns = {"bits_down_payload": [0, 1000, 1500]}
    cells = [cell("gd", 1, (0.5, 0.6), columns=columns, planned_bits_down=50.0, planned_bits_down_before=50.0)]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    for bits, done in ((1000, 1), (1499, 1), (1500, 2)):
        stands = answer([sweep], Budget(per_client=False, bits=bits, direction="down"), "accuracy").rankings[0].entries[0].setting.found[1]
        assert (stands.round, stands.bits) == (done, 1000.0 if done == 1 else 1500.0)


def test_shorter_runs_are_candidates(make_sweep):
    """Of one method the shorter runs are better; that they use half of the budget is no reproach, for longer ones
    competed."""
    def run(seed, rounds, accuracy):
        columns = {"round": [0, rounds / 2, rounds]}
        made = cell("ldp-sgd", seed, (0.1, accuracy), columns=columns, rounds=np.int64(rounds), planned_bits_up=64.0)
        made["run"]["config"] = f"rounds = {rounds}\n" + made["run"]["config"]
        return made
    cells = [run(seed, *more) for seed in (1, 2) for more in ((4, 0.6), (2, 0.8))]
    found = answer([read_sweep(make_sweep(cells, axes=AXES))], Budget(per_client=False, bits=2560), "accuracy")
    (entry,) = found.rankings[0].entries
    assert entry.label == ("rounds = 2",) and "part of the budget" not in joined(found)


def test_small_ends_of_intervals_keep_their_sign(make_sweep):
    """A difference that is significant but rounds to nothing must not stand as -0.0 next to "behind"."""
    cells = [cell("ldp-sgd", seed, (0, 0.5)) for seed in (1, 2, 3)]
    cells += [cell("cdp-sgd", seed, (0, 0.5 - behind)) for seed, behind in ((1, 1e-5), (2, 1.1e-5), (3, 0.9e-5))]
    text = joined(answer([read_sweep(make_sweep(cells, axes=AXES))], ALL, "accuracy"))
    assert "-0.001 to -0.0008" in text and "-0.0 " not in text and "behind" in text
