"""Axes of one method: other methods have no value of them, and no row is lost or doubled; cells that are refused."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest
from conftest import write_sweep
from figure_parts import curves, legends, panel, words

from trilemma_analysis import RunFileError, read_sweep
from trilemma_analysis.cli.main import main
from trilemma_analysis.cli.sweep import summary_text, sweep_json
from trilemma_analysis.model.combinations import combinations
from trilemma_analysis.plot import style
from trilemma_analysis.plot.sweep_figure import Choice, draw_sweep
from trilemma_analysis.stats.summary import summary

AXES = ("method", "bound.threshold", "compressor.k", "seed")
WHY = "methods.gd does not read compressor.k"


def cell(method, seed, accuracy, own, **more):
    config = f'method = "{method}"\nseed = {seed}\n' + "".join(
        f"[{name.split('.')[0]}]\n{name.split('.')[1]} = {value}\n" for name, value in own.items())
    run = {"config": config, "epsilon_nominal": math.nan, "columns": {"accuracy": [0.1, 0.2, accuracy]}}
    return {"values": {"method": method, **own, "seed": seed}, "run": run, **more}


def made(seeds=(1, 2)):
    """gd has neither axis, ldp-sgd a threshold and soteriafl-sgd a number of entries, of more digits than a float
    shows. Two cells are refused, one is missing."""
    own = [("gd", {}, 0.5), ("ldp-sgd", {"bound.threshold": 0.1}, 0.6), ("ldp-sgd", {"bound.threshold": 1.5}, 0.7),
           ("soteriafl-sgd", {"compressor.k": 5}, 0.8), ("soteriafl-sgd", {"compressor.k": 5000000}, 0.9)]
    cells = [cell(method, seed, accuracy + seed / 100, values) for method, values, accuracy in own for seed in seeds]
    cells += [cell("gd", seed, 0, {"compressor.k": 5}, state="missing", refused=WHY) for seed in seeds]
    return cells + [cell("gd", 7, 0, {}, state="missing")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_sweep(tmp_path_factory.mktemp("own") / "sweep", made(), axes=AXES)


@pytest.fixture(scope="module")
def sweep(folder):
    return read_sweep(folder)


def test_every_method_has_the_rows_of_its_own_axes(sweep):
    found = [(each.label, each.cells, len(each.seeds)) for each in combinations(sweep)]
    assert found == [("gd (k = 5)", 2, 0), ("gd", 3, 2), ("ldp-sgd (threshold = 0.1)", 2, 2),
                     ("ldp-sgd (threshold = 1.5)", 2, 2), ("soteriafl-sgd (k = 5)", 2, 2),
                     ("soteriafl-sgd (k = 5000000)", 2, 2)]


def test_tables_have_a_dash_where_there_is_no_such_axis(sweep):
    lines = summary_text(sweep, "accuracy").splitlines()
    assert [line.split()[:3] for line in lines[2:8]] == [
        ["gd", "-", "5"], ["gd", "-", "-"], ["ldp-sgd", "0.1", "-"], ["ldp-sgd", "1.5", "-"],
        ["soteriafl-sgd", "-", "5"], ["soteriafl-sgd", "-", "5000000"]]
    assert "nan" not in "\n".join(lines) and "none" not in "\n".join(lines)
    rows = json.loads(sweep_json(sweep, "accuracy"))["summary"]
    assert [row["compressor.k"] for row in rows] == [5, None, None, None, 5, 5000000]
    assert [row["bound.threshold"] for row in rows] == [None, None, 0.1, 1.5, None, None]


def test_refused_cells_are_one_line_per_reason(sweep):
    lines = summary_text(sweep, "accuracy").splitlines()
    assert lines[-2:] == ["10 of 13 cells done, 2 failed, 1 missing", f"2 cells refused: {WHY}"]
    assert sweep.table["reason"].tolist().count(WHY) == 2


def test_a_sweep_of_which_all_is_done_but_refused_cells_is_not_incomplete(make_sweep):
    done, refused = cell("gd", 1, 0.5, {}), cell("gd", 1, 0, {"compressor.k": 5}, state="missing", refused=WHY)
    text = words(draw_sweep(read_sweep(make_sweep([done, refused], axes=AXES)), Choice(panels=["rounds"])))
    assert f"1 cell refused: {WHY}" in text and "incomplete" not in text


def skipped(seeds=(1, 2)):
    """Cells that will never be run: gd has no compressor."""
    return [cell("gd", seed, 0, {"compressor.k": 5}, state="missing", refused=WHY, skipped=True) for seed in seeds]


def test_cells_that_are_left_out_are_a_line_and_no_row(make_sweep):
    sweep = read_sweep(make_sweep([cell("gd", seed, 0.5, {}) for seed in (1, 2)] + skipped(), axes=AXES))
    assert sweep.table["state"].tolist() == ["done", "done", "skipped", "skipped"] and not sweep.refused
    lines = summary_text(sweep, "accuracy").splitlines()
    assert lines[-2:] == ["2 of 4 cells done, 2 skipped", f"2 cells skipped: {WHY}"]
    assert len(json.loads(sweep_json(sweep, "accuracy"))["summary"]) == 1
    text = words(draw_sweep(sweep, Choice(panels=["rounds"])))
    assert sweep.complete and "incomplete" not in text and "skipped" not in text and WHY not in text


def test_a_run_that_is_there_counts_whatever_its_cell(make_sweep):
    there = cell("gd", 1, 0.5, {"compressor.k": 5}, refused=WHY, skipped=True)
    assert read_sweep(make_sweep([there], axes=AXES)).progress() == "1 of 1 cells done"


def test_best_passes_over_cells_that_are_left_out(make_sweep, capsys):
    folder = make_sweep([cell("gd", 1, 0.5, {}), *skipped()], axes=AXES)
    assert main(["best", str(folder), "--bits", "1MB", "--metric", "accuracy"]) == 0
    out = capsys.readouterr().out
    assert "gd is the only method here" in out and f"made: 2 cells skipped: {WHY}" in out


def test_cells_that_are_left_out_stay_so_beside_another_folder(make_sweep, tmp_path):
    other = write_sweep(tmp_path / "more", [cell("gd", 3, 0.5, {}), *skipped()], axes=AXES, name="more")
    sweep = read_sweep(make_sweep([cell("gd", 1, 0.5, {}), *skipped()], axes=AXES), other)
    assert sweep.progress() == "2 of 6 cells done, 4 skipped" and sweep.skipped() == [f"4 cells skipped: {WHY}"]
    assert [len(each.seeds) for each in combinations(sweep)] == [2]


def test_a_sweep_of_which_all_is_left_out_is_one_sentence(make_sweep):
    with pytest.raises(RunFileError, match=f"every cell is skipped .2 cells skipped: {WHY}"):
        combinations(read_sweep(make_sweep(skipped(), axes=AXES)))


def test_rows_without_a_value_stay_when_others_are_chosen_or_sorted(sweep):
    best = summary(sweep, "accuracy", ["k", "threshold"])
    assert best[["method", "accuracy"]].values.tolist() == [["gd", 0.515], ["ldp-sgd", 0.715], ["soteriafl-sgd", 0.915]]
    ordered = summary(sweep, "accuracy", sort="compressor.k")
    assert ordered["compressor.k"].tolist()[:3] == [5, 5, 5000000] and ordered["compressor.k"].isna().sum() == 3


def test_lines_say_only_what_their_method_has(sweep):
    figure = draw_sweep(sweep, Choice(metrics=["accuracy"], panels=["rounds"]))
    assert [text.get_text() for text in figure.axes[0].texts] == ["gd", "ldp-sgd", "soteriafl-sgd"]
    text = words(figure)
    assert "best test accuracy at the end: bound.threshold = 1.5 for ldp-sgd; compressor.k = 5000000 for " \
        "soteriafl-sgd" in text
    assert "incomplete sweep: 10 of 13 cells done" in text and f"2 cells refused: {WHY}" in text


def test_a_method_without_the_axis_is_a_line_across(sweep):
    figure = draw_sweep(sweep, Choice(metrics=["accuracy"], panels=["axis"]))
    axes = panel(figure, "At the end, against bound.threshold")
    (across,) = curves(axes, style.COLOURS["gd"])
    assert across.get_ydata() == pytest.approx([0.515, 0.515])
    places = [line.get_xdata()[0] for line in curves(axes, style.COLOURS["ldp-sgd"]) if len(line.get_xdata()) == 1]
    assert places == [0.1, 1.5] and curves(axes, style.COLOURS["soteriafl-sgd"])


def test_an_axis_that_not_all_have_can_have_the_colours(sweep):
    figure = draw_sweep(sweep, Choice(metrics=["accuracy"], panels=["rounds"], by="k"))
    assert legends(figure) == [["compressor.k = 5", "compressor.k = 5000000", "no compressor.k"],
                               ["gd", "ldp-sgd", "soteriafl-sgd"]]


def test_a_seed_that_is_no_axis_of_a_method_is_that_of_its_run(make_sweep):
    one = cell("gd", 4, 0.5, {})
    del one["values"]["seed"]
    one["run"]["seed"] = 4
    sweep = read_sweep(make_sweep([one, cell("ldp-sgd", 1, 0.6, {})], axes=("method", "seed")))
    assert [(each.label, len(each.seeds)) for each in combinations(sweep)] == [("gd", 1), ("ldp-sgd", 1)]
    assert sweep.table["seed"].tolist() == [4, 1]


def test_axes_of_one_method_stay_so_beside_another_folder(folder, tmp_path):
    other = write_sweep(tmp_path / "more", [cell("gd", 3, 0.5, {}), cell("ldp-sgd", 3, 0.9, {"bound.threshold": 1.5})],
                        axes=("method", "bound.threshold", "seed"), name="more")
    sweep = read_sweep(folder, other)
    found = {each.label: len(each.seeds) for each in combinations(sweep)}
    assert found == {"gd (k = 5)": 0, "gd": 3, "ldp-sgd (threshold = 0.1)": 2, "ldp-sgd (threshold = 1.5)": 3,
                     "soteriafl-sgd (k = 5)": 2, "soteriafl-sgd (k = 5000000)": 2}


def test_commands_take_such_a_sweep(folder, tmp_path, capsys):
    files = [str(tmp_path / name) for name in ("a.csv", "a.png", "b.csv")]
    assert main(["sweep", str(folder), "--csv", files[0], "-o", files[1]]) == 0
    cells = pd.read_csv(files[0])
    assert len(cells) == 13 and cells["compressor.k"].isna().sum() == 7
    assert main(["best", str(folder), "--bits", "1MB", "--metric", "accuracy", "--csv", files[2]]) == 0
    out = capsys.readouterr().out
    assert out.count(f"2 cells refused: {WHY}") == 2
    best = pd.read_csv(files[2], keep_default_na=False)
    assert best[["method", "setting"]].values.tolist() == [
        ["soteriafl-sgd", "compressor.k = 5000000"], ["ldp-sgd", "bound.threshold = 1.5"], ["gd", ""]]
