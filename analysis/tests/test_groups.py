import math

import pytest

from trilemma_analysis import read_run
from trilemma_analysis.model.groups import group_runs


def test_labels_name_only_what_differs_within_a_method(make_run):
    changes = [{"method": "ldp-sgd", "compressor": "identity"}, {}, {"seed": 2}, {"mode": "authors"}]
    runs = [read_run(make_run(f"{i}.h5", **change)) for i, change in enumerate(changes)]
    groups = group_runs(runs)
    assert [group.label for group in groups] == ["ldp-sgd", "cdp-sgd (private)", "cdp-sgd (authors)"]
    assert [len(group.runs) for group in groups] == [1, 2, 1]
    assert [group.compressed for group in groups] == [False, True, True]


@pytest.mark.parametrize("epsilons, count", [((1.0, 5.0), 2), ((math.nan, math.nan), 1)])
def test_runs_of_different_epsilon_are_no_repetitions(make_run, epsilons, count):
    runs = [read_run(make_run(f"{i}.h5", seed=i, epsilon_nominal=value)) for i, value in enumerate(epsilons)]
    assert len(group_runs(runs)) == count


def test_runs_with_other_settings_are_no_repetitions(make_run):
    configs = ["seed = 1\n[server]\nrate = 0.3\n", "seed = 2\n[server]\nrate = 0.3\n", "seed = 3\n[server]\nrate = 0.01\n"]
    runs = [read_run(make_run(f"{i}.h5", seed=i, config=text)) for i, text in enumerate(configs)]
    groups = group_runs(runs)
    assert [len(group.runs) for group in groups] == [2, 1]
    assert [group.label for group in groups] == ["cdp-sgd (server.rate = 0.3)", "cdp-sgd (server.rate = 0.01)"]


def test_what_follows_from_the_mode_is_not_in_the_label(make_run):
    configs = {"private": "[bound]\nkind = 'clip-record'\n", "authors": "[bound]\nkind = 'clip-estimator'\n"}
    groups = group_runs([read_run(make_run(f"{mode}.h5", mode=mode, config=text)) for mode, text in configs.items()])
    assert [group.label for group in groups] == ["cdp-sgd (private)", "cdp-sgd (authors)"]


def test_a_seed_counts_once(make_run, capsys):
    (group,) = group_runs([read_run(make_run("a.h5")), read_run(make_run("b.h5"))])
    assert len(group.runs) == 1
    assert "b.h5 repeats seed 1" in capsys.readouterr().err


def test_incomplete_runs_stand_apart(make_run):
    runs = [read_run(make_run("a.h5", seed=1)), read_run(make_run("b.h5", seed=2, complete=0))]
    assert [group.label for group in group_runs(runs)] == ["cdp-sgd", "cdp-sgd (incomplete)"]


def test_runs_on_other_numbers_of_ranks_are_no_repetitions(make_run):
    """Their times cannot be pooled, and the same seed on more ranks is no second file of it."""
    runs = [read_run(make_run(f"{i}.h5", ranks=ranks, seed=seed)) for i, (ranks, seed) in
            enumerate([(1, 1), (1, 2), (3, 1)])]
    groups = group_runs(runs)
    assert [(group.label, len(group.runs)) for group in groups] == [
        ("cdp-sgd (ranks = 1)", 2), ("cdp-sgd (ranks = 3)", 1)]


def test_labels_stay_short(make_run):
    """Runs that differ in five settings: each label has three of them, the full one has all."""
    configs = ["".join(f"{name} = {number >> bit & 1}\n" for bit, name in enumerate("abcde")) for number in range(32)]
    groups = group_runs([read_run(make_run(f"{i}.h5", config=text)) for i, text in enumerate(configs)])
    assert groups[3].label == "cdp-sgd (a = 1, b = 1, c = 0, + 2 more)"
    assert groups[3].full == "cdp-sgd (a = 1, b = 1, c = 0, d = 0, e = 0)"


def test_a_run_without_epsilon_says_so(make_run):
    runs = [read_run(make_run(f"{value}.h5", epsilon_nominal=value)) for value in (math.nan, 5.0)]
    assert [group.label for group in group_runs(runs)] == ["cdp-sgd (no ε)", "cdp-sgd (ε = 5)"]


def test_an_epsilon_that_nobody_asked_for_is_the_accounted_one(make_run):
    """Of all seeds the largest, and distinguished from an equal one that was asked for."""
    runs = [read_run(make_run(f"{i}.h5", seed=seed, epsilon_nominal=nominal, epsilon=epsilon))
            for i, (seed, nominal, epsilon) in enumerate([(1, 2.0, 2.0), (1, math.nan, 2.4), (2, math.nan, 2.47441)])]
    assert [group.label for group in group_runs(runs)] == ["cdp-sgd (ε = 2)", "cdp-sgd (ε = 2.47441)"]
    equal = [*runs[1:], read_run(make_run("3.h5", epsilon_nominal=2.47441, epsilon=2.47441))]
    assert [group.label for group in group_runs(equal)] == ["cdp-sgd (ε = 2.47441 accounted)", "cdp-sgd (ε = 2.47441)"]
    whole = [read_run(make_run("4.h5", epsilon_nominal=2.0, epsilon=2.0)),
             read_run(make_run("5.h5", epsilon_nominal=math.nan, epsilon=2.0))]
    assert {group.label for group in group_runs(whole)} == {"cdp-sgd (ε = 2)", "cdp-sgd (ε = 2 accounted)"}
