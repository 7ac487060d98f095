"""Numbers of rounds that follow from simulated time split no seeds; those that somebody chose do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from test_best import ALL, AXES, cell, order

from trilemma_analysis import read_run, read_sweep
from trilemma_analysis.cli.best import as_text
from trilemma_analysis.model.budgets import Budget, Target
from trilemma_analysis.plot.curves import _broken
from trilemma_analysis.stats.answers import rows
from trilemma_analysis.stats.final_table import final_figures
from trilemma_analysis.stats.rankings import answer

CLOCK = {"simulated_time": [0, 50, 100]}


def timed(seed, rounds, **more):
    return {"seed": seed, "config": f"rounds = {rounds}\n", "rounds": np.int64(rounds), **more}


def test_a_budget_of_time_splits_no_seeds_in_tables(make_run):
    runs = [read_run(make_run(f"{seed}.h5", columns=CLOCK, **timed(seed, rounds)))
            for seed, rounds in ((1, 117), (2, 118))]
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


def test_best_within_simulated_time(make_sweep):
    cells = [cell(method, seed, values, columns={"simulated_time": [0, *times]})
             for seed in (1, 2)
             for method, values, times in (("favano", (0.5, 0.6), (40, 80)), ("fedbuff", (0.3, 0.9), (50, 150)))]
    cells += [cell("gd", seed, (0.9, 0.9)) for seed in (1, 2)]
    found = answer([read_sweep(make_sweep(cells, axes=AXES))], Budget(time=100), "accuracy")
    assert order(found.rankings[0]) == ["favano", "fedbuff"]
    assert [entry.over.centre for entry in found.rankings[0].entries] == pytest.approx([0.6, 0.3])
    assert any(why.startswith("gd: ") and "no simulated time" in why for why in found.skipped), found.skipped


def test_best_by_simulated_time_until_a_target(make_sweep):
    """FedBuff sends less, FAVANO is there earlier."""
    cells = [cell(method, seed, (0.5, 0.6), columns={"simulated_time": [0, *times], "bits_up_payload": [0, *bits]})
             for seed in (1, 2)
             for method, times, bits in (("favano", (40, 80), (900, 1800)), ("fedbuff", (70, 150), (100, 200)))]
    cells += [cell("gd", seed, (0.9, 0.9)) for seed in (1, 2)]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    target = Target("accuracy", 0.5)
    assert order(answer([sweep], Budget(per_client=False, target=target), "accuracy").rankings[0])[:2] != ["favano", "fedbuff"]
    found = answer([sweep], Budget(per_client=False, target=target, until="time"), "accuracy")
    assert order(found.rankings[0]) == ["favano", "fedbuff"]
    assert [entry.over.centre for entry in found.rankings[0].entries] == [40, 70]
    said = as_text(found, [])
    assert said.split("\n\n")[1].startswith("simulated time, until the first evaluated round with test accuracy >= 0.5")
    assert "time until then" in said and "simulated time  ε spent" in said
    assert list(rows(found)["time"]) == [40, 70]
    assert any(why.startswith("gd: ") and "no simulated time" in why for why in found.skipped), found.skipped


def test_a_line_is_broken_where_states_are_far_apart():
    curve = pd.DataFrame({"x": [0.0, 10.0, 50.0, 60.0], "median": [1.0, 2.0, 3.0, 4.0]}, index=[0, 1, 5, 6])
    broken = _broken(curve, np.array([False, True, False]))
    assert list(broken["x"]) == [0, 10, 10, 50, 60]
    assert list(broken["median"].isna()) == [False, False, True, False, False]
