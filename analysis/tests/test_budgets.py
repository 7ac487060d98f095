"""What a run was made for, beside what it has spent."""

from __future__ import annotations

from test_best import AXES, cell, joined

from trilemma_analysis import read_sweep
from trilemma_analysis.budgets import Budget
from trilemma_analysis.rankings import answer


def test_runs_made_for_the_budget_are_not_called_cut_short(make_sweep):
    """Every client takes part with probability 1/2, so that 10 messages of 128 bits are expected; 11 were sent."""
    columns = {"bits_up_payload": [0, 640, 1408], "messages": [0, 5, 11]}
    made = cell("ldp-sgd", 1, (0.5, 0.7), columns=columns)
    made["run"]["config"] += '[participation]\nkind = "poisson"\nrate = 0.5\n'
    sweep = read_sweep(make_sweep([made, cell("cdp-sgd", 1, (0.5, 0.6))], axes=AXES))
    texts = [joined(answer([sweep], Budget(bits=bits), "accuracy")) for bits in (1280, 1279)]
    assert "compared before their end" not in texts[0]
    assert "made for all rounds: ldp-sgd after 1 of 2 rounds, cdp-sgd after 1 of 2 rounds" in texts[1]
