"""Seeds for tuning choose settings: no table and no figure is of them. Seed 0 tunes here, and prefers the slow step
size, while the fast one is better on the others."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest
from conftest import write_sweep
from figure_parts import words

from trilemma_analysis import RunFileError, read_run, read_sweep
from trilemma_analysis.cli.cost import cost_table, cost_text
from trilemma_analysis.cli.main import main
from trilemma_analysis.cli.sweep import summary_text, sweep_json
from trilemma_analysis.model.combinations import combinations
from trilemma_analysis.model.sweep import sweep_of_runs
from trilemma_analysis.model.tuning import marked, skipped
from trilemma_analysis.plot.cost_figure import draw_cost
from trilemma_analysis.plot.sweep_figure import Choice, draw_sweep
from trilemma_analysis.stats.final_table import final_figures
from trilemma_analysis.stats.summary import summary

AXES = ("method", "server.rate", "seed")
NOTE = "seed 0 is for tuning and left out of these figures"
SCORES = {0.1: (0.9, 0.2, 0.3, 0.4), 2.0: (0.1, 0.6, 0.7, 0.8)}  # accuracy by seed


def cell(rate, seed, accuracy, **more):
    config = f'method = "gd"\nseed = {seed}\n[server]\nrate = {rate}\n'
    run = {"config": config, "epsilon": 2.0, "epsilon_nominal": 2.0,
           "columns": {"accuracy": [0.1, 0.1, accuracy], "utility": [1.0, 1.0, 1 - accuracy],
                       "epsilon": [0.0, 1.0, 2.0]}}
    return {"values": {"method": "gd", "server.rate": rate, "seed": seed}, "run": run, **more}


def made(**more):
    return [cell(rate, seed, score, **more) for rate, scores in SCORES.items() for seed, score in enumerate(scores)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_sweep(tmp_path_factory.mktemp("tuning") / "sweep", made(), axes=AXES, tune={"seeds": [0]})


@pytest.fixture(scope="module")
def sweep(folder):
    return read_sweep(folder)


@pytest.fixture(scope="module")
def runs(folder):
    return marked([read_run(path) for path in sorted(folder.glob("*.h5"))])


def test_summary_is_of_the_seeds_for_results(sweep):
    figures = summary(sweep, "accuracy")
    columns = ["server.rate", "cells", "seeds", "accuracy", "low", "high"]
    assert figures[columns].values.tolist() == [[0.1, 3, 3, 0.3, 0.2, 0.4], [2.0, 3, 3, 0.7, 0.6, 0.8]]
    assert NOTE in summary_text(sweep, "accuracy") and "8 of 8 cells done" in summary_text(sweep, "accuracy")
    assert NOTE in json.loads(sweep_json(sweep, "accuracy"))["notes"]


def test_cells_for_tuning_are_told_in_the_table(folder, sweep, tmp_path, capsys):
    assert main(["sweep", str(folder), "--csv", str(tmp_path / "a.csv")]) == 0
    table = pd.read_csv(tmp_path / "a.csv")
    assert table.loc[table["tuning"], "seed"].tolist() == [0, 0] and len(table) == 8 and NOTE in capsys.readouterr().out
    assert [row["tuning"] for row in json.loads(sweep_json(sweep))["cells"]] == 2 * [True, False, False, False]


def test_best_rows_are_chosen_on_the_seeds_for_tuning(sweep):
    figures = summary(sweep, "accuracy", ["rate"])
    assert figures[["server.rate", "accuracy"]].values.tolist() == [[0.1, 0.3]]
    assert any(note.endswith("by test accuracy, chosen on seeds for tuning") for note in figures.attrs["notes"])


def test_without_a_value_for_tuning_the_results_choose(make_sweep):
    cells = [each | ({"state": "missing"} if each["values"]["seed"] == 0 else {}) for each in made()]
    sweep = read_sweep(make_sweep(cells, axes=AXES, tune={"seeds": [0]}))
    figures = summary(sweep, "accuracy", ["rate"])
    assert figures["server.rate"].tolist() == [2.0]
    assert any("which flatters them" in note for note in figures.attrs["notes"])


def test_figures_draw_the_results_of_what_tuning_has_chosen(sweep):
    figure = draw_sweep(sweep, Choice(metrics=["accuracy"], panels=["rounds"], by="method"))
    (line,) = figure.axes[0].get_lines()
    assert line.get_ydata()[-1] == 0.3 and figure.axes[0].get_title(loc="left").endswith("(server.rate: best by test accuracy)")
    text = words(figure)
    assert NOTE in text and "at the end, chosen on the seeds for tuning: server.rate = 0.1" in text
    assert "3 seeds" in text and "4 seeds" not in text


def test_a_figure_needs_results(make_sweep):
    cells = [each for each in made() if each["values"]["seed"] == 0]
    sweep = read_sweep(make_sweep(cells, axes=AXES, tune={"seeds": [0]}))
    assert summary(sweep, "accuracy")["seeds"].tolist() == [0, 0]
    with pytest.raises(RunFileError, match="only cells with seeds for tuning are done"):
        draw_sweep(sweep)


def test_runs_of_such_a_folder_are_a_table_of_results(folder, runs, tmp_path, capsys):
    figures = final_figures(runs)
    assert figures[["seeds", "accuracy"]].values.tolist() == [[3, 0.3], [3, 0.7]]
    best = final_figures(runs, ["rate"])
    assert best["accuracy"].tolist() == [0.3] and "chosen on seeds for tuning" in " ".join(best.attrs["notes"])
    table = tmp_path / "table.json"
    assert main(["table", str(folder), "--json", str(table)]) == 0 and NOTE in capsys.readouterr().out
    assert [row["seeds"] for row in json.loads(table.read_text())] == [3, 3]


def test_curves_and_cost_leave_them_out_too(folder, runs, tmp_path, capsys):
    sweep = sweep_of_runs(runs)
    assert [len(each.seeds) for each in combinations(sweep)] == [3, 3] and sweep.tuned_on == [0]
    (row,) = cost_table(runs, "accuracy")
    assert row["accuracy"] == pytest.approx(0.3)
    assert NOTE in cost_text(runs, "accuracy") and NOTE in words(draw_cost(runs, "accuracy"))
    for command in ("curves", "cost"):
        assert main([command, str(folder), "-o", str(tmp_path / "a.png"), "--no-caption"]) == 0
        assert NOTE in " ".join(capsys.readouterr().out.split()), command


def test_runs_for_tuning_alone_are_shown(folder, runs):
    alone = marked([read_run(run.path) for run in runs if run.tuning])
    assert len(alone) == 2 and not any(run.tuning for run in alone)
    assert sorted(final_figures(alone)["accuracy"]) == [0.1, 0.9]


def test_other_sweeps_are_as_they_were(make_sweep):
    sweep = read_sweep(make_sweep(made(), axes=AXES))
    figure = draw_sweep(sweep, Choice(metrics=["accuracy"], panels=["rounds"]))
    assert not sweep.table["tuning"].any() and "for tuning" not in summary_text(sweep, "accuracy")
    assert "for tuning" not in words(figure) and \
        {text.get_text() for text in figure.axes[0].texts} == {"server.rate = 0.1", "server.rate = 2"}
    assert all(math.isnan(each.tuning_mean("accuracy")) for each in combinations(sweep))


def test_several_seeds_are_joined():
    assert skipped([7, 0, 3]) == ["seeds 0, 3 and 7 are for tuning and left out of these figures"]
