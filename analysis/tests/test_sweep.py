"""The table of a sweep and its summary, from folders written by hand."""

from __future__ import annotations

import fcntl
import json
import math
import shutil

import numpy as np
import pytest

from trilemma_analysis import RunFileError, read_sweep
from trilemma_analysis.cli.sweep import summary_text
from trilemma_analysis.model.combinations import combinations
from trilemma_analysis.model.labels import short, telling
from trilemma_analysis.stats.selection import named
from trilemma_analysis.stats.summary import summary


def cell(method="cdp-sgd", epsilon=5.0, seed=1, utility=0.5, **more):
    run = {"columns": {"utility": [0.9, 0.6, utility]}} | more.pop("run", {})
    return {"values": {"method": method, "privacy.epsilon": epsilon, "seed": seed}, "run": run, **more}


def test_a_row_holds_axes_state_and_figures(make_sweep):
    seconds = np.zeros((3, 2, 13))
    seconds[0] = 100.0  # the set-up, no phase of a round
    seconds[1:, 0, 1], seconds[1:, 1, 1] = 1.0, 2.0  # `local` on two ranks
    seconds[1:, :, 9] = 10.0  # `evaluate`
    folder = make_sweep([cell(seed=4, epsilon=2.0, run={"seconds": seconds, "starts": 3, "ranks": np.int64(2)})])
    sweep = read_sweep(folder)
    row = sweep.table.iloc[0]
    assert (sweep.name, sweep.axes) == ("made", ("method", "privacy.epsilon", "seed"))
    assert (row["index"], row["hash"], row["file"], row["state"]) == (0, "0" * 12, "000000000000.h5", "done")
    assert (row["method"], row["privacy.epsilon"], row["seed"], row["repetition"]) == ("cdp-sgd", 2.0, 4, 1)
    assert (row["objective_final"], row["objective_best"], row["utility"], row["accuracy"]) == (0.625, 0.5, 0.5, 0.75)
    assert (row["gradient_norm_squared"], row["bits_up_model"], row["bits_down_payload"]) == (0.3, 2560, 3200)
    assert (row["bits_up_mpi"], row["rounds"], row["wall_seconds"], row["rounds_per_second"]) == (1280, 2, 0.5, 2 / 3)
    assert (row["epsilon_nominal"], row["epsilon_accounted"], row["delta"], row["claim_status"]) == (2.0, 2.0, 1e-3, "holds")
    assert (row["ranks"], row["starts"]) == (2, 3)
    assert (row["seconds_local"], row["seconds_local_mean"], row["seconds_wait"]) == (4.0, 3.0, 0.0)
    assert sweep.units["wall_seconds"] == "s" and sweep.units["bits_up_model"] == "bit"
    assert set(sweep.units) == set(sweep.table.columns) and sweep.notes == ()


def test_times_of_ranks_that_were_not_there_do_not_count(make_sweep):
    seconds = np.ones((3, 2, 13))
    seconds[2, 1] = math.nan  # gone on with one rank
    row = read_sweep(make_sweep([cell(run={"seconds": seconds})])).table.iloc[0]
    assert (row["seconds_local"], row["seconds_local_mean"]) == (2.0, 2.0)


def test_states_are_those_of_the_program(make_sweep):
    states = [cell(), cell(seed=2, state="failed"), cell(seed=3, state="partial"), cell(seed=4, state="checkpoint"),
              cell(seed=5, state="missing"), cell(seed=6, state="missing", refused="batch is\ntoo large"),
              cell(seed=7, state="partial", run={"failure": "round 1: not finite"})]
    sweep = read_sweep(make_sweep(states))
    assert sweep.table["state"].tolist() == ["done", "failed", "interrupted", "interrupted", "missing", "failed",
                                             "failed"]
    assert sweep.table["reason"].tolist() == ["", "round 2: it broke", "", "", "", "batch is too large",
                                              "round 1: not finite"]
    assert sweep.progress() == "1 of 7 cells done, 3 failed, 2 interrupted, 1 missing"
    assert sweep.table["utility"].isna().tolist() == [False] + 6 * [True]


def test_a_locked_partial_file_is_running(make_sweep):
    folder = make_sweep([cell(state="partial")])
    with open(folder / "000000000000.h5.partial", "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert read_sweep(folder).table["state"].tolist() == ["running"]
    assert read_sweep(folder).table["state"].tolist() == ["interrupted"]


def test_a_truncated_run_file_is_a_failed_cell(make_sweep):
    folder = make_sweep([cell()])
    path = folder / "000000000000.h5"
    path.write_bytes(path.read_bytes()[:3000])
    row = read_sweep(folder).table.iloc[0]
    assert row["state"] == "failed" and "not a readable HDF5 file" in row["reason"]


def test_summary_has_one_line_per_combination(make_sweep):
    utilities = {1: 1.0, 2: 2.0, 3: 6.0}
    cells = [cell(seed=seed, utility=value) for seed, value in utilities.items()] + [cell("ldp-sgd", utility=0.25)]
    figures = summary(read_sweep(make_sweep(cells)), "utility")
    ldp, cdp = figures.to_dict(orient="records")  # in the order of the colours
    assert (cdp["method"], cdp["seeds"], cdp["utility"], cdp["interval_of"]) == ("cdp-sgd", 3, 2.0, "range")
    assert (cdp["low"], cdp["high"]) == (1.0, 6.0)
    assert (ldp["seeds"], ldp["utility"], ldp["interval_of"]) == (1, 0.25, "none") and math.isnan(ldp["low"])


def test_six_seeds_give_the_median_with_its_interval(make_sweep):
    cells = [cell(seed=seed, utility=value) for seed, value in enumerate((1.0, 2.0, 3.0, 4.0, 5.0, 21.0), 1)]
    (row,) = summary(read_sweep(make_sweep(cells)), "utility").to_dict(orient="records")
    assert (row["utility"], row["interval_of"], row["low"], row["high"]) == (3.5, "median", 1.0, 21.0)


def test_repetitions_are_averaged_for_times_and_count_as_one_seed(make_sweep):
    times = [np.zeros((3, 3, 13)), np.zeros((3, 3, 13))]
    times[0][1:, :, 1], times[1][1:, :, 1] = 0.25, 0.75  # `local`
    cells = [cell(hash="a" * 12, repetition=i, run={"wall_seconds": wall, "seconds": seconds})
             for i, wall, seconds in ((1, 0.5, times[0]), (2, 1.5, times[1]))]
    sweep = read_sweep(make_sweep(cells, repetitions=2))
    (row,) = summary(sweep, "utility").to_dict(orient="records")
    assert (row["cells"], row["seeds"], row["utility"], row["wall_seconds"]) == (2, 1, 0.5, 1.0)
    assert row["rounds_per_second"] == (2 / 0.5 + 2 / 1.5) / 2 and sweep.notes == ()


def test_repetitions_with_other_results_are_warned_of(make_sweep):
    cells = [cell(hash="a" * 12, repetition=i, utility=value) for i, value in ((2, 0.4), (1, 0.5))]
    sweep = read_sweep(make_sweep(cells, repetitions=2))
    assert len(sweep.notes) == 1 and "differ in utility," in sweep.notes[0]
    assert summary(sweep, "utility")["utility"].tolist() == [0.5]


def test_the_weakest_seed_decides_on_claim_and_epsilon(make_sweep):
    cells = [cell(seed=1), cell(seed=2, run={"epsilon": 9.0, "claim": "not a private run: why"})]
    (row,) = summary(read_sweep(make_sweep(cells)), "utility").to_dict(orient="records")
    assert (row["epsilon_accounted"], row["claim_status"]) == (9.0, "not_private")


def test_text_ends_with_what_is_not_done(make_sweep):
    text = summary_text(read_sweep(make_sweep([cell(), cell(seed=2, state="failed")])), "utility")
    assert text.splitlines()[0].split()[:3] == ["method", "ε", "mean"] and "done 1/2" in text
    assert text.splitlines()[-2:] == [
        "1 of 2 cells done, 1 failed",
        "failed: cell 1 (000000000001.h5: method=cdp-sgd privacy.epsilon=5 seed=2): round 2: it broke"]


def test_auto_takes_accuracy_where_it_differs(make_sweep):
    cells = [cell(), cell("ldp-sgd", run={"columns": {"accuracy": [0.5, 0.9, 0.9]}})]
    folder = make_sweep(cells)
    assert "accuracy" in summary(read_sweep(folder)) and "utility" not in summary(read_sweep(folder))


def test_a_renamed_run_file_is_noticed(make_sweep):
    (note,) = read_sweep(make_sweep([cell(run={"fingerprint": "f" * 64})])).notes
    assert note.startswith("000000000000.h5: the fingerprint")


def test_runs_of_other_settings_in_the_folder_are_told(make_sweep):
    folder = make_sweep([cell(seed=1), cell(seed=2)])
    assert read_sweep(folder).notes == ()
    shutil.copy(next(folder.glob("*.h5")), folder / "ffffffffffff.h5")
    (note,) = read_sweep(folder).notes
    assert note.endswith(": 1 run file of no cell of sweep.json (other settings, perhaps): left out.")


def test_without_sweep_json_the_settings_that_differ_are_axes(make_sweep):
    def config(method, rate, seed):
        return f'method = "{method}"\nseed = {seed}\nname = "x{seed}"\n[server]\nrate = {rate}\nfor = "{method}"\n'
    cells = [cell(method, seed=seed, run={"config": config(method, 0.5, seed)})
             for method in ("cdp-sgd", "ldp-sgd") for seed in (1, 2)]
    folder = make_sweep(cells)
    (folder / "sweep.json").unlink()
    sweep = read_sweep(folder)
    assert sweep.axes == ("method", "seed") and "no sweep.json" in sweep.notes[0]
    assert [each.label for each in combinations(sweep)] == ["ldp-sgd", "cdp-sgd"]
    assert summary(sweep, "utility")["seeds"].tolist() == [2, 2]


@pytest.mark.parametrize("change, words", [
    ({"schema": "other"}, "the schema is 'other', expected 'trilemma-sweep'"),
    ({"schema_version": 2}, "the schema version is 2, expected 1"),
    ({"repetitions": 1, "set": None}, "not the layout"),
])
def test_another_sweep_json_is_refused(make_sweep, change, words):
    with pytest.raises(RunFileError, match=words):
        read_sweep(make_sweep([cell()], **change))


def test_folders_without_a_sweep_are_refused(tmp_path):
    with pytest.raises(RunFileError, match="no such folder"):
        read_sweep(tmp_path / "absent")
    with pytest.raises(RunFileError, match="neither sweep.json nor run files"):
        read_sweep(tmp_path)
    (tmp_path / "sweep.json").write_text(json.dumps({"schema": "trilemma-sweep"})[:-3])
    with pytest.raises(RunFileError, match="not JSON"):
        read_sweep(tmp_path)


def test_lists_in_step_are_told_once():
    keys = [("gd", 10, 1), ("gd", 20, 2), ("sgd", 10, 1)]
    assert telling(["method", "data.features", "compressor.k"], keys) == ["method", "data.features"]
    assert short("a.rate", ["a.rate", "b.rate"]) == "a.rate" and short("a.rate", ["a.rate", "b.k"]) == "rate"


def test_runs_on_other_numbers_of_ranks_are_not_pooled(make_sweep):
    cells = [cell(seed=seed, hash=f"{seed}" * 12, repetition=ranks,
                  run={"ranks": np.int64(ranks), "wall_seconds": wall})
             for seed in (1, 2) for ranks, wall in ((1, 4.0), (2, 2.0))]
    cells.append(cell(seed=3, state="missing"))
    sweep = read_sweep(make_sweep(cells, repetitions=2))
    assert sweep.axes == ("method", "privacy.epsilon", "ranks", "seed")
    one, two = summary(sweep, "utility").to_dict(orient="records")
    assert [(row["ranks"], row["cells"], row["seeds"], row["wall_seconds"]) for row in (one, two)] == [
        (1, 3, 2, 4.0), (2, 2, 2, 2.0)]
    assert [each.label for each in combinations(sweep)] == ["ranks = 1", "ranks = 2"]


def test_a_metric_without_values_is_not_chosen(make_sweep):
    nothing = {name: [math.nan] * 3 for name in ("utility", "objective", "gradient_norm_squared")}
    cells = [cell(run={"columns": nothing | {"accuracy": [0.5, 0.5, 0.501]}})]
    sweep = read_sweep(make_sweep(cells))
    assert summary(sweep)["accuracy"].tolist() == [0.501] and "accuracy" in summary_text(sweep).splitlines()[0]


@pytest.mark.parametrize(("word", "axes", "meant"), [
    ("rate", ["method", "step_size"], ["step_size"]), ("local.rate", ["method", "step_size"], ["step_size"]),
    ("rate", ["local.rate", "step_size"], ["local.rate"])])
def test_a_step_size_may_be_called_as_the_method_calls_it(word, axes, meant):
    assert named(word, axes) == meant


def test_a_word_that_is_no_axis_is_refused_with_those_that_are():
    with pytest.raises(RunFileError, match="'rate' is not a setting .* use one of method, rounds"):
        named("rate", ["method", "rounds"])


def test_best_of_and_sort_choose_rows(make_sweep):
    cells = [cell(method, epsilon, utility=value) for method, epsilon, value in
             (("ldp-sgd", 1.0, 0.4), ("ldp-sgd", 2.0, 0.3), ("cdp-sgd", 1.0, 0.1), ("cdp-sgd", 2.0, 0.2))]
    sweep = read_sweep(make_sweep(cells))
    figures = summary(sweep, "utility", ["epsilon"], "utility")
    assert figures[["method", "privacy.epsilon", "utility"]].values.tolist() == [
        ["cdp-sgd", 1.0, 0.1], ["ldp-sgd", 2.0, 0.3]]
    text = summary_text(sweep, "utility", ["epsilon"])
    assert "of 4 combinations 2 are shown: the best over privacy.epsilon by mean squared gradient norm" in text
    with pytest.raises(RunFileError, match="'nix' is not a setting"):
        summary(sweep, "utility", ["nix"])


def test_cells_that_fail_alike_are_one_line(make_sweep):
    cells = [cell(seed=seed, state="failed") for seed in (1, 2, 3)] + [cell(seed=4, state="failed", reason="other\n")]
    lines = summary_text(read_sweep(make_sweep(cells)), "utility").splitlines()
    assert lines[-3:] == [
        "failed: cell 0 (000000000000.h5: method=cdp-sgd privacy.epsilon=5 seed=1) and 2 more: round 2: it",
        "  broke", "failed: cell 3 (000000000003.h5: method=cdp-sgd privacy.epsilon=5 seed=4): other"]


def test_summary_has_bits_per_client_and_the_best_constant_model(make_sweep):
    run = {"baseline_score": 0.8, "columns": {"accuracy": [0.5, 0.5, 0.75], "messages": [0, 10, 20]}}
    sweep = read_sweep(make_sweep([cell(run=run)]))
    row = summary(sweep, "accuracy").iloc[0]
    assert (row["bits_up_per_client"], row["bits_up_largest_client"], row["baseline_score"]) == (128, 128, 0.8)
    text = summary_text(sweep, "accuracy")
    assert "no better than the best constant model (test accuracy 80.0 %): cdp-sgd" in text and "best constant" in text.splitlines()[0]
    assert sweep.units["bits_up_per_client"] == "bit" and sweep.table["baseline_score"].tolist() == [0.8]


def test_step_sizes_that_methods_do_not_share_are_told(make_sweep):
    cells = [cell(method=method, seed=seed, run={"config": f"[local]\nrate = {rate}\n[server]\nrate = 1\n"})
             for method, rate in (("favano", 0.5), ("fedbuff", 0.05)) for seed in (1, 2)]
    text = " ".join(summary_text(read_sweep(make_sweep(cells))).split())
    assert "local.rate differs: 0.5 for favano; 0.05 for fedbuff" in text
    assert "server.rate is not" not in text
