"""The figure of a sweep and its command, from folders written by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from conftest import write_sweep
from figure_parts import curves, legends, overlapping, panel, words
from matplotlib.colors import to_hex, to_rgba

from trilemma_analysis import RunFileError, read_sweep
from trilemma_analysis.cli.main import main
from trilemma_analysis.model.uploads import Upload
from trilemma_analysis.plot import style
from trilemma_analysis.plot.curves import MOST_CURVES
from trilemma_analysis.plot.sweep_figure import Choice, draw_sweep

METHODS = ("ldp-sgd", "soteriafl-sgd")


def cells(methods=METHODS, epsilons=(1.0, 10.0), seeds=(1, 2, 3), **run):
    return [{"values": {"method": method, "privacy.epsilon": epsilon, "seed": seed},
             "run": {"columns": {"utility": [0.9, 0.6, 0.1 * seed + i]}} | run}
            for i, method in enumerate(methods) for epsilon in epsilons for seed in seeds]


def tuned(rates=(0.1, 0.5, 2.0), accuracies=(0.6, 0.9, 0.7)):
    """One method at several step sizes, of which the second one ends best."""
    return [{"values": {"method": "gd", "server.rate": rate, "seed": seed},
             "run": {"columns": {"accuracy": [0.5, 0.55, accuracy], "utility": [0.9, 0.5, 1 - accuracy]}}}
            for rate, accuracy in zip(rates, accuracies) for seed in (1, 2)]


def drawn(folder, **choice):
    return draw_sweep(read_sweep(folder), Choice(metrics=choice.pop("metrics", ["utility"]), **choice))


def points(axes):
    """Colour, place, filling and marker of single points."""
    return [(to_hex(line.get_color()), tuple(line.get_xydata()[0]), line.get_markerfacecolor(), line.get_marker())
            for line in axes.get_lines() if len(line.get_xdata()) == 1]


def bars(axes):
    """Ends of the upright bars."""
    return [segment[:, 1].tolist() for each in axes.collections if hasattr(each, "get_segments")
            for segment in each.get_segments()]


@pytest.fixture(scope="module")
def default(tmp_path_factory):
    """The figure of cells() without any choice but the metric, which no test changes."""
    return drawn(write_sweep(tmp_path_factory.mktemp("default") / "sweep", cells()))


def test_default_panels_answer_for_equal_epsilon_bits_and_time(default):
    titles = [axes.get_title(loc="left").split("\n")[0] for axes in default.axes]
    assert titles == ["At the end, against privacy", "Against uploaded bits", "Against time",
                      "Time per round"]


def test_equal_epsilons_share_a_field_in_the_order_of_the_legend(make_sweep):
    axes = drawn(make_sweep(cells(epsilons=(1.0, 1.02, 10.0))), panels=["epsilon"]).axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1.02", "10"] and axes.get_xlim() == (-0.5, 1.5)
    places = {}
    for colour, (x, _), *_ in points(axes):
        places.setdefault(colour, []).append(x)
    ldp, soteria = (places[style.COLOURS[method]] for method in METHODS)
    assert all(-0.5 < left < right < 0.5 for left, right in zip(ldp[:2], soteria[:2]))
    assert 0.5 < ldp[2] < soteria[2] < 1.5
    assert bars(axes)[0] == pytest.approx([0.1, 0.3]) and points(axes)[0][1][1] == pytest.approx(0.2)


def test_equal_bits_are_drawn_at_equal_bits(make_sweep):
    axes = drawn(make_sweep(cells()), panels=["end-bits"], bits=Upload(per_client=False)).axes[0]
    assert {x for _, (x, _), *_ in points(axes)} == {1280.0} and "exact encoding" in axes.get_xlabel()


def test_many_epsilons_are_numbers_at_their_places(make_sweep):
    epsilons = (1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 20.0)
    axes = drawn(make_sweep(cells(epsilons=epsilons, seeds=(1,))), panels=["epsilon"]).axes[0]
    assert axes.get_xscale() == "log" and sorted({x for _, (x, _), *_ in points(axes)}) == pytest.approx(epsilons)


def test_nominal_epsilons_are_hollow_and_named(make_sweep):
    axes = drawn(make_sweep(cells(epsilon=math.nan)), panels=["epsilon"]).axes[0]
    assert axes.get_xlabel().startswith("nominal ε (not accounted)")
    assert {face for *_, face, _ in points(axes)} == {"white"}


def test_a_run_without_epsilon_has_a_field_and_a_line_across(make_sweep):
    made = cells() + cells(("gd",), (math.nan,), claim="not a private run: no noise")
    for cell in made:
        if cell["values"]["method"] == "gd":
            cell["values"]["privacy.epsilon"] = None
            cell["run"]["epsilon_nominal"] = cell["run"]["epsilon"] = math.nan
    figure = drawn(make_sweep(made))
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "10", "no ε"]
    across = [line for line in curves(axes, style.COLOURS["gd"]) if len(line.get_xdata()) == 2]
    assert across[0].get_ydata()[0] == pytest.approx(0.2)
    assert legends(figure)[:2] == [["gd", *METHODS], ["ε = 1", "ε = 10", "no ε"]]
    assert "not a private run: no noise [gd]" in words(figure) and overlapping(figure) == []


def test_lines_show_the_best_of_what_else_differs_and_say_which(make_sweep):
    folder = make_sweep(tuned(), axes=("method", "server.rate", "seed"))
    figure = drawn(folder, metrics=["accuracy"], panels=["rounds", "axis"], by="method")
    (line,) = figure.axes[0].get_lines()
    assert line.get_ydata()[-1] == 0.9
    assert figure.axes[0].get_title(loc="left") == "Against rounds\n(best: server.rate = 0.5)"
    assert "best test accuracy at the end: server.rate = 0.5 for all lines" in words(figure)
    assert [x for _, (x, _), *_ in points(figure.axes[1])] == [0.1, 0.5, 2.0]
    least = drawn(folder, panels=["rounds"], by="method").axes[0].get_lines()[0]
    assert least.get_ydata()[-1] == pytest.approx(0.1), "the lowest gradient norm is the best"


def test_one_method_is_coloured_by_what_differs(make_sweep):
    figure = drawn(make_sweep(tuned(), axes=("method", "server.rate", "seed")), panels=["rounds"])
    assert legends(figure) == [["server.rate = 0.1", "server.rate = 0.5", "server.rate = 2"]]
    assert words(figure).startswith("gd with server.rate = 0.1, 0.5 and 2 ")


def test_caption_says_what_the_intervals_are(default):
    text = words(default)
    assert "min to max (3 seeds), which covers the true median in 75 % of all cases" in text
    assert "incomplete" not in text


def test_caption_of_six_seeds_and_of_missing_cells(make_sweep):
    made = cells(seeds=range(1, 7))
    made.append({"values": {"method": "ldp-sgd", "privacy.epsilon": 1.0, "seed": 7}, "state": "missing"})
    text = words(drawn(make_sweep(made), panels=["epsilon"]))
    assert "95 % interval of the median by order statistics (6 seeds)" in text
    assert "incomplete sweep: 24 of 25 cells done, 1 missing" in text


def test_one_seed_has_no_bars(make_sweep):
    figure = drawn(make_sweep(cells(seeds=(1,))), panels=["epsilon", "bits"])
    assert not bars(figure.axes[0]) and not figure.axes[1].collections and "none for one seed" in words(figure)


def test_large_sweeps_draw_few_curves_and_say_so(make_sweep):
    made = cells(tuple(list(style.COLOURS)[1:7]), (1.0, 3.0, 10.0), (1,))
    axes = drawn(make_sweep(made), panels=["rounds"]).axes[0]
    assert len(axes.get_lines()) == 6 <= MOST_CURVES and axes.get_title(loc="left").endswith("(ε = 3 only)")


def test_by_chooses_the_colours(make_sweep):
    sweep = read_sweep(make_sweep(cells()))
    figure = draw_sweep(sweep, Choice(metrics=["utility"], by="epsilon"))
    assert legends(figure) == [["ε = 1", "ε = 10"], list(METHODS)]
    with pytest.raises(RunFileError, match="'nix' is not an axis"):
        draw_sweep(sweep, Choice(by="nix"))


@pytest.mark.parametrize("evaluation, total", [(False, 150), (True, 250)])
def test_bars_of_times_leave_evaluation_out_unless_it_is_asked_for(make_sweep, evaluation, total):
    seconds = np.zeros((3, 2, 13))
    seconds[1:, :, 1] = [[0.2, 0.1], [0.2, 0.1]]  # local; 0.15 s per round in the mean over ranks
    seconds[1:, :, 9] = 0.1  # evaluate
    axes = drawn(make_sweep(cells(seeds=(1,), seconds=seconds)), panels=["times"], evaluation=evaluation).axes[0]
    first = [patch for patch in axes.patches if patch.get_y() < 0.2 < patch.get_y() + patch.get_height()]
    assert axes.get_xlabel() == "time per round (ms)" and first[0].get_width() == pytest.approx(150)
    assert sum(patch.get_width() for patch in first) == pytest.approx(total)
    assert first[0].get_facecolor() == to_rgba(style.AREA_COLOURS[0])
    entries = [text.get_text() for text in axes.get_legend().get_texts()]
    assert entries == ["gradients", *(["evaluation"] if evaluation else [])]


def test_the_best_constant_model_is_a_line_and_what_is_no_better_is_told(make_sweep, tmp_path):
    figure = drawn(make_sweep(tuned(), axes=("method", "server.rate", "seed")), metrics=["accuracy"])
    assert ["best constant model"] not in legends(figure) and "constant model" not in words(figure)
    (tmp_path / "sweep").rename(tmp_path / "older")
    made = tuned(accuracies=(0.65, 0.7, 0.9))
    for cell in made:
        cell["run"]["baseline_score"] = 0.7
    figure = drawn(make_sweep(made, axes=("method", "server.rate", "seed")), metrics=["accuracy"], panels=["rounds"])
    assert legends(figure)[1] == ["best constant model"]
    assert any(set(line.get_ydata()) == {0.7} for line in figure.axes[0].get_lines())
    assert "no better than the best constant model: server.rate = 0.1, server.rate = 0.5" in words(figure)


@pytest.mark.parametrize("metric", ["accuracy", "objective"])
def test_a_figure_in_which_nothing_is_learnt_says_so(make_sweep, metric):
    """Also one that does not show the accuracy."""
    made = [cell | {"run": cell["run"] | {"baseline_score": 0.8}} for cell in cells()]
    figure = drawn(make_sweep(made), metrics=[metric])
    (alarm,) = [text for text in figure.texts if text.get_color() == style.WARNING]
    assert alarm.get_text().startswith("NO METHOD IS BETTER THAN THE BEST CONSTANT MODEL")
    labels = [text.get_text() for text in panel(figure, "At the end").get_yticklabels()]
    assert len(set(labels)) == len(labels) and overlapping(figure) == []


def test_a_metric_that_was_never_evaluated_is_not_chosen(make_sweep):
    nan = [math.nan] * 3
    made = cells(columns={"utility": nan, "objective": nan, "gradient_norm_squared": nan})
    figure = draw_sweep(read_sweep(make_sweep(made)))
    assert figure.axes[0].get_ylabel().startswith("test accuracy")


@pytest.mark.parametrize("last", [2, 30])
def test_rounds_that_differ_are_told_against_epsilon(make_sweep, last):
    made = [{"values": {"method": "gd", "privacy.epsilon": epsilon, "seed": 1},
             "run": {"columns": {"utility": [0.9, 0.6, 0.1], "round": [0, 1, rounds]}, "rounds": np.int64(rounds),
                     "epsilon": epsilon}} for epsilon, rounds in ((1.0, 2), (10.0, last))]
    said = words(drawn(make_sweep(made), panels=["epsilon"]))
    assert ("rounds differ with ε (2 to 30), so the slope is not that of privacy alone" in said) == (last == 30)


def test_command_writes_table_and_figures(make_sweep, tmp_path, capsys):
    folder = make_sweep(cells())
    files = [str(tmp_path / name) for name in ("t.csv", "t.json", "f.png", "f.svg", "f.pdf")]
    assert main(["sweep", str(folder), "--csv", files[0], "--json", files[1], "-o", files[2], "-o", files[3],
                 "-o", files[4], "--metric", "utility"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-6:] == ["12 of 12 cells done", *files]
    table = pd.read_csv(files[0])
    assert len(table) == 12 and table["utility"].iloc[0] == 0.1 and table["state"].eq("done").all()
    content = json.loads((tmp_path / "t.json").read_text())
    assert content["units"]["bits_up_model"] == "bit" and len(content["cells"]) == 12
    assert content["summary"][0]["interval_of"] == "range"
    assert all((tmp_path / name).stat().st_size > 5000 for name in ("f.png", "f.svg", "f.pdf"))


def test_without_a_finished_cell_the_table_works_and_the_figure_does_not(make_sweep, tmp_path, capsys):
    folder = make_sweep([{"values": {"method": "gd"}, "state": "missing"}], axes=("method",))
    table, picture = tmp_path / "t.csv", tmp_path / "f.png"
    assert main(["sweep", str(folder), "--csv", str(table)]) == 0
    assert main(["sweep", str(folder), "--csv", str(table), "-o", str(picture)]) == 2
    captured = capsys.readouterr()
    assert "0 of 1 cells done, 1 missing" in captured.out and pd.read_csv(table)["state"].tolist() == ["missing"]
    assert captured.err == f"trilemma_analysis: {folder}: no cell is done, so there is nothing to draw (0 of 1 cells " \
        "done, 1 missing).\n" and not picture.exists()


def test_mistakes_are_one_sentence_and_code_2(make_sweep, tmp_path, capsys):
    assert main(["sweep", str(tmp_path / "absent")]) == 2
    assert capsys.readouterr().err == f"trilemma_analysis: {tmp_path / 'absent'}: there is no such folder.\n"
    assert main(["sweep", str(make_sweep(cells())), "--by", "nix"]) == 2, "also without a figure"
    assert "'nix' is not an axis of the sweep" in capsys.readouterr().err


def test_sweeps_that_were_not_evaluated_on_the_way_show_their_ends(make_sweep):
    rounds = {"rounds": np.int64(50)}
    columns = {"round": [0, 25, 50], "utility": [0.9, math.nan, 0.5]}
    figure = drawn(make_sweep(cells(columns=columns, **rounds)))
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "At the end, against privacy", "At the end, against uploaded bits", "Time per round"]


def test_cut_intervals_of_times_are_told(make_sweep):
    made = cells(("gd",), (1.0,))
    for cell, spent in zip(made, (0.1, 0.1, 5.0)):
        seconds = np.zeros((3, 2, 13))
        seconds[1:, :, 1] = spent
        cell["run"]["seconds"] = seconds
    figure = drawn(make_sweep(made), panels=["times"])
    assert "intervals that leave a panel are cut" in words(figure)


def test_the_caption_of_times_says_which_bars_have_intervals(make_sweep):
    """Where there are too many for one bar each, ldp-sgd has nine combinations and gd one."""
    made = cells(("ldp-sgd",), tuple(map(float, range(1, 10)))) + cells(("gd",), (1.0,))
    for place, cell in enumerate(made):
        cell["run"]["seconds"] = np.full((3, 2, 13), 0.1 + 0.001 * place)
    figure = drawn(make_sweep(made), panels=["times"])
    assert len(figure.axes[0].get_lines()) == 1
    assert "medians over all combinations of one colour, without an interval where there are several" in words(figure)


def test_styles_of_lines_are_in_the_legend_where_such_lines_are_drawn(make_sweep):
    folder = make_sweep(cells())
    for panel, has_lines in (("rounds", True), ("end-bits", False)):
        styles = drawn(folder, panels=[panel]).legends[1].get_lines()
        assert styles and all((line.get_linestyle() != "None") == has_lines for line in styles), panel


def test_the_legend_names_no_line_that_is_far_off(make_sweep):
    made = tuned(accuracies=(0.90, 0.91, 0.92))
    for cell in made:
        cell["run"]["baseline_score"] = 0.1
    folder = make_sweep(made, axes=("method", "server.rate", "seed"))
    figure = drawn(folder, metrics=["accuracy"], panels=["end-bits"])
    assert len(legends(figure)) == 1 and not figure.axes[0].get_title(loc="left").startswith("Against")
