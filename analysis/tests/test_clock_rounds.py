"""Numbers of rounds that follow from simulated time split no seeds; those that somebody chose do."""

from __future__ import annotations

import numpy as np
import pytest
from test_best import ALL, AXES, cell, order

from trilemma_analysis import read_run, read_sweep
from trilemma_analysis.rankings import answer
from trilemma_analysis.table import final_figures

CLOCK = {"simulated_time": [0, 50, 100]}


def timed(seed, rounds, **more):
    return {"seed": seed, "config": f"rounds = {rounds}\n", "rounds": np.int64(rounds), **more}


def test_a_budget_of_time_splits_no_seeds_in_tables(make_run):
    runs = [read_run(make_run(f"{seed}.h5", columns=CLOCK, **timed(seed, rounds))) for seed, rounds in ((1, 117), (2, 118))]
    assert final_figures(runs)["seeds"].tolist() == [2]


def test_chosen_rounds_are_a_setting(make_run):
    runs = [read_run(make_run(f"{seed}-{rounds}.h5", columns=CLOCK, **timed(seed, rounds)))
            for seed in (1, 2) for rounds in (100, 200)]
    assert final_figures(runs)["seeds"].tolist() == [2, 2]


def test_rounds_without_a_clock_are_a_setting(make_run):
    runs = [read_run(make_run(f"{seed}.h5", **timed(seed, rounds))) for seed, rounds in ((1, 117), (2, 118))]
    assert final_figures(runs)["seeds"].tolist() == [1, 1]


@pytest.mark.parametrize("on_clock, seeds", [(True, [1, 2]), (False, [1])])
def test_best_ranks_all_seeds_of_a_budget_of_time(make_sweep, on_clock, seeds):
    cells = [cell("fedbuff", seed, (0.5, 0.6), columns=CLOCK if on_clock else {}, config=f"rounds = {116 + seed}\n")
             for seed in (1, 2)]
    (ranking,) = answer([read_sweep(make_sweep(cells, axes=AXES))], ALL, "accuracy").rankings
    assert order(ranking) == ["fedbuff"] and len(ranking.entries[0].seeds) == len(seeds)
