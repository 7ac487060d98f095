"""When a run has diverged, and what tables and rankings say of it."""

import json
import math

import h5py
import numpy as np
import pytest

from test_best import ALL, AXES, ask, cell, joined, order
from trilemma_analysis import RunFileError, read_sweep
from trilemma_analysis.cli.sweep import sweep_json, summary_text
from trilemma_analysis.io.run_file import read_run
from trilemma_analysis.model.budgets import Budget, Target
from trilemma_analysis.model.metrics import COMPARED, METRICS, learn
from trilemma_analysis.model.states import State, state_of
from trilemma_analysis.stats.answers import as_json, verdict
from trilemma_analysis.stats.judgement import Result
from trilemma_analysis.stats.rankings import answer

NAN, INF = math.nan, math.inf
LOST = {"objective": [1.0, 0.5, INF]}
GROWN = {"objective": [1.0, 0.5, 3.0]}


@pytest.mark.filterwarnings("ignore:.*incomplete run")
@pytest.mark.parametrize("columns, complete, state", [
    ({"objective": [1.0, 0.5, 0.9]}, 1, State.COMPLETE),
    ({"objective": [1.0, 0.5, 1.0]}, 1, State.COMPLETE),  # no worse than at the start
    ({"objective": [1.0, 0.5, 1.1]}, 1, State.COMPLETE),  # above its start
    ({"objective": [1.0, 0.5, 1001.0]}, 1, State.DIVERGED),
    ({"objective": [1.0, 2.0, 0.9]}, 1, State.COMPLETE),  # came back
    ({"objective": [1.0, 0.5, NAN]}, 0, State.DIVERGED),  # a state with an accuracy was evaluated
    ({"objective": [1.0, NAN, 0.9], **dict.fromkeys(("utility", "gradient_norm_squared", "accuracy"), [0.9, NAN, 0.5])}, 1,
     State.COMPLETE),  # not evaluated after round 1
    ({"objective": [1.0, INF, 0.9]}, 1, State.DIVERGED),
    ({"objective": [NAN, NAN, NAN]}, 1, State.COMPLETE),  # nothing is known of it
    ({"objective": [1.0, 0.5, 0.9]}, 0, State.INCOMPLETE)])
def test_a_run_diverges_where_the_objective_is_not_finite_or_ends_far_above_its_start(make_run, columns, complete, state):
    assert state_of(read_run(make_run(columns=columns, complete=np.uint8(complete)))) is state


def test_rounds_without_an_evaluation_are_no_divergence(make_run):
    seldom = {name: [value, NAN, value] for name, value in (("objective", 0.9), ("accuracy", 0.5))}
    run = read_run(make_run(columns=seldom, better={"bits_up_payload": "lower", "messages": "lower", "accuracy": "higher"}))
    assert state_of(run) is State.COMPLETE


def test_an_objective_above_its_start_keeps_the_place_by_accuracy_and_is_noted(make_sweep):
    cells = [cell("gd", seed, (0, value), columns=GROWN) for seed, value in ((1, 0.9), (2, 0.91), (3, 0.92))]
    cells += [cell("cdp-sgd", seed, (0, value)) for seed, value in ((1, 0.5), (2, 0.51), (3, 0.52))]
    (ranking,) = (found := ask(make_sweep, cells)).rankings
    assert order(ranking) == ["gd", "cdp-sgd"] and ranking.entries[0].result is Result.FIRST
    said = "objective above start at the end: gd in 3 runs"
    assert said in joined(found)
    text = " ".join(summary_text(read_sweep(found.runs[0].path.parent)).split())
    assert "diverged" not in text and said in text


def test_tables_and_json_count_diverged_runs(make_sweep):
    sweep = read_sweep(make_sweep([cell("gd", 1, (0, 0.9), columns=LOST), cell("gd", 2, (0, 0.9)), cell("cdp-sgd", 1, (0, 0.5))],
                                  axes=AXES))
    assert sweep.table["diverged"].tolist() == [True, False, False]
    assert "diverged 1/2" in summary_text(sweep) and json.loads(sweep_json(sweep))["summary"][0]["diverged"] == 1


def test_a_diverged_method_is_last_and_never_tied(make_sweep):
    cells = [cell("gd", seed, (0, 0.9), columns=LOST) for seed in (1, 2, 3)]
    cells += [cell(method, seed, (0, 0.5)) for method in ("cdp-sgd", "ldp-sgd") for seed in (1, 2, 3)]
    (ranking,) = (found := ask(make_sweep, cells)).rankings
    assert order(ranking)[-1] == "gd" and [entry.result for entry in ranking.entries] == [
        Result.FIRST, Result.TIED, Result.DIVERGED]
    assert "diverged (3 of 3)" in joined(found) and verdict(ranking).endswith("; gd diverged")
    assert json.loads(as_json(found))["rankings"][2]["result"] == "diverged"


def test_a_setting_that_diverged_is_not_chosen(make_sweep):
    cells = [cell("gd", 1, (0, value), rate, columns=columns) for rate, value, columns in
             ((1.0, 0.5, {}), (9.0, 0.9, LOST))]
    (entry,) = ask(make_sweep, cells).rankings[0].entries
    assert entry.label == ("server.rate = 1",) and entry.result is Result.FIRST and entry.rivals == 0


@pytest.mark.parametrize("other", [(0.9, 0.5), (0.6, 0.7), (0.8, 0.9)])
def test_two_seeds_tell_neither_a_lead_nor_a_tie(make_sweep, other):
    """Whether they agree, disagree or are equal."""
    cells = [cell(method, seed, (0, value)) for method, values in (("gd", (0.8, 0.9)), ("cdp-sgd", other))
             for seed, value in enumerate(values, 1)]
    (ranking,) = (found := ask(make_sweep, cells)).rankings
    assert [entry.result for entry in ranking.entries] == [Result.BEST_MEAN, Result.UNKNOWN]
    assert verdict(ranking) == f"2 seeds cannot tell which method is first; {ranking.entries[0].method} has the best mean"
    assert not any(word in joined(found) for word in ("tied", "tie:", "wins"))


@pytest.mark.parametrize("values, said", [
    ({"gd": 0.8, "cdp-sgd": 0.5}, "only gd reached the target; cdp-sgd did not reach the target in any seed"),
    ({"gd": 0.5, "cdp-sgd": 0.4}, "no method reached the target in any seed")])
def test_a_method_wins_nothing_against_those_that_did_not_reach_the_target(make_sweep, values, said):
    cells = [cell(method, seed, (0, value)) for seed in (1, 2) for method, value in values.items()]
    assert verdict(ask(make_sweep, cells, Budget(target=Target("accuracy", 0.7))).rankings[0]) == said


def test_intervals_end_at_what_is_possible_and_that_is_said(make_sweep):
    cells = [cell(method, seed, (0, value), columns={"utility": [1, 1, value]}) for seed in (1, 2)
             for method, value in (("gd", 0.01 if seed == 1 else 0.9), ("cdp-sgd", 0.95 if seed == 1 else 0.02))]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    for metric, most in (("accuracy", 1.0), ("utility", INF)):
        found = answer([sweep], ALL, metric)
        overs = [entry.over for entry in found.rankings[0].entries]
        assert all(over.low == 0.0 and over.high <= most for over in overs)
        assert "intervals end at values that are possible" in joined(found)
        assert metric == "utility" or found.rankings[0].entries[1].difference.low == -1.0


def test_the_range_in_a_file_counts(make_run, monkeypatch):
    for known in (METRICS, COMPARED):
        monkeypatch.setitem(known, "test_loss", METRICS["test_loss"])
    path = make_run(columns={"test_loss": [0.5, 0.6, 0.7]}, better={"test_loss": "lower"})
    learn([read_run(path)])
    assert METRICS["test_loss"].possible == (0.0, math.inf) and not METRICS["test_loss"].is_share
    with h5py.File(path, "a") as file:
        file["rounds/test_loss"].attrs.update({"least": 0.0, "most": 1.0})
    learn([read_run(path)])
    assert METRICS["test_loss"].is_share and COMPARED["test_loss"].possible == (0.0, 1.0)


def test_the_direction_in_a_file_counts_and_a_contradiction_is_refused(make_run, monkeypatch):
    for known in (METRICS, COMPARED):
        monkeypatch.setitem(known, "test_loss", METRICS["test_loss"])
    runs = [read_run(make_run(f"{way}.h5", columns={"test_loss": [1.0, 2.0, 3.0]}, better={"test_loss": way}))
            for way in ("higher", "lower")]
    learn(runs[:1])
    assert METRICS["test_loss"].higher_is_better and COMPARED["test_loss"].higher_is_better
    with pytest.raises(RunFileError, match="lower.h5: 'test_loss' is better when lower, but .*higher.h5 says higher"):
        learn(runs)
