"""The figure of a sweep and its command, from folders written by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from conftest import write_sweep
from figure_parts import curves, in_picture, overlapping, words
from matplotlib.colors import to_hex, to_rgba

from trilemma_analysis import RunFileError, read_sweep
from trilemma_analysis.cli.main import main
from trilemma_analysis.plot import style
from trilemma_analysis.model.uploads import Upload
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


def names_of(axes):
    """The names at ends and points."""
    return [text.get_text() for text in axes.texts]


@pytest.fixture(scope="module")
def default(tmp_path_factory):
    """The figure of cells() without any choice but the metric, which no test changes."""
    return drawn(write_sweep(tmp_path_factory.mktemp("default") / "sweep", cells()))


def test_many_epsilons_are_numbers_at_their_places(make_sweep):
    epsilons = (1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 20.0)
    axes = drawn(make_sweep(cells(("gd",), epsilons, (1,))), panels=["epsilon"]).axes[0]
    assert axes.get_xscale() == "log" and sorted({x for _, (x, _), *_ in points(axes)}) == pytest.approx(epsilons)


def test_nominal_epsilons_are_hollow_and_named(make_sweep):
    axes = drawn(make_sweep(cells(epsilon=math.nan)), panels=["epsilon"]).axes[0]
    assert axes.get_xlabel().startswith("nominal ε (not accounted)")
    assert {face for *_, face, _ in points(axes)} == {"white"}


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


def test_cut_intervals_of_times_are_told(make_sweep):
    made = cells(("gd",), (1.0,))
    for cell, spent in zip(made, (0.1, 0.1, 5.0)):
        seconds = np.zeros((3, 2, 13))
        seconds[1:, :, 1] = spent
        cell["run"]["seconds"] = seconds
    figure = drawn(make_sweep(made), panels=["times"])
    assert "intervals that leave a panel are cut" in words(figure)


def sent(made, bits):
    """The cells with uploads by method."""
    for cell in made:
        cell["run"]["columns"] = cell["run"]["columns"] | {"bits_up_payload": [0, *bits[cell["values"]["method"]]]}
    return made


def scored(values, seeds=(1, 2, 3), bits=None):
    """Cells of accuracies by method and epsilon, with a little spread over the seeds."""
    made = [{"values": {"method": method, "privacy.epsilon": epsilon, "seed": seed},
             "run": {"columns": {"accuracy": [0.5, 0.6, value + 0.001 * seed]}}}
            for (method, epsilon), value in values.items() for seed in seeds]
    return sent(made, bits) if bits else made


TENTH = {"ldp-sgd": (6400, 12800), "soteriafl-sgd": (640, 1280)}
VALUES = {("ldp-sgd", 0.5): 0.88, ("ldp-sgd", 8.0): 0.90, ("soteriafl-sgd", 0.5): 0.78, ("soteriafl-sgd", 8.0): 0.86}


def test_a_sweep_is_one_plane_of_bits_and_the_metric_and_its_title_is_the_finding(make_sweep):
    figure = drawn(make_sweep(scored(VALUES, bits=TENTH)), metrics=["accuracy"])
    (axes,) = figure.axes
    assert words(figure).startswith("With a tenth of ldp-sgd's upload, soteriafl-sgd loses 4.0 points at ε = 8 and 10.0 points at ε = 0.5 ")
    assert sorted(x for _, (x, _), *_ in points(axes)) == pytest.approx([128, 128, 1280, 1280], rel=0.02)
    assert axes.get_xlabel() == "bits per client, exact encoding (log)"  # no points meet
    assert names_of(axes) == ["ldp-sgd, ε 8", "ε 0.5", "soteriafl-sgd, ε 8", "ε 0.5"] and overlapping(figure) == []


@pytest.mark.parametrize("apart", [0.0, 1.0])
def test_equal_bits_are_side_by_side_only_where_points_meet(make_sweep, apart):
    made = cells(epsilons=(1.0,))
    for cell in made[3:]:
        cell["run"]["columns"]["utility"][-1] += apart - 1  # of the second method, which cells() puts 1 above the first
    axes = drawn(make_sweep(made), panels=["end-bits"]).axes[0]
    places = [x for _, (x, _), *_ in points(axes)]
    assert len(set(places)) == (1 if apart else 2) and np.mean(places) == pytest.approx(128)
    assert axes.get_xlabel().replace("\n", " ").endswith("stand side by side)") == (not apart)


def test_where_all_uploads_are_equal_epsilon_is_the_axis(default):
    (axes,) = default.axes
    assert axes.get_title(loc="left") == "At the end, against privacy" and names_of(axes) == list(METHODS)
    assert bars(axes)[0] == pytest.approx([0.1, 0.3]) and [text.get_text() for text in axes.get_xticklabels()] == ["1", "10"]


def test_a_run_without_epsilon_is_a_line_across(make_sweep):
    made = cells() + cells(("gd",), (math.nan,), claim="not a private run: no noise")
    for cell in made:
        if cell["values"]["method"] == "gd":
            cell["values"]["privacy.epsilon"] = None
            cell["run"]["epsilon_nominal"] = cell["run"]["epsilon"] = math.nan
    figure = drawn(make_sweep(made))
    across = [line for line in curves(figure.axes[0], style.COLOURS["gd"]) if len(line.get_xdata()) == 2]
    assert across[0].get_ydata()[0] == pytest.approx(0.2) and "gd (no ε)" in names_of(figure.axes[0])
    assert in_picture(figure, style.WARNING) == "not a private run: no noise [gd]" and overlapping(figure) == []


def test_a_panel_says_by_which_metric_its_settings_were_chosen(make_sweep):
    made = tuned()
    for cell, loss in zip(made, (0.1, 0.1, 0.5, 0.5, 0.4, 0.4)):
        cell["run"]["columns"]["utility"] = [0.9, 0.5, loss]
    folder = make_sweep(made, axes=("method", "server.rate", "seed"))
    figure = drawn(folder, metrics=["utility", "accuracy"], panels=["rounds"], by="method")
    assert [axes.get_title(loc="left").replace("\n", " ") for axes in figure.axes] == \
        [f"{name} (server.rate: best by mean squared gradient norm)"
         for name in ("Mean squared gradient norm", "Test accuracy")]
    assert "by test accuracy other settings would be best for gd" in words(figure)
    assert "best mean squared gradient norm at the end: server.rate = 0.1 for all lines" in words(figure)
    figure = drawn(folder, metrics=["accuracy"], panels=["axis"], by="method")
    assert [x for _, (x, _), *_ in points(figure.axes[0])] == [0.1, 0.5, 2.0]


def on_tasks(name="data.label_noise", values=(0.4, 0.1), privacy=None):
    """Two methods on two tasks, of which the second is easier, at two step sizes, of which the second is better."""
    return [{"values": {"method": method, name: value, "server.rate": rate, "seed": seed},
             "run": {"config": f'method = "{method}"\n{name} = {value}\n', "epsilon_nominal": 1.0, "epsilon": 1.0,
                     "columns": {"accuracy": [0.5, 0.6, 0.7 + place / 10 + rate / 100 + lead + seed / 1000]}}
             | ({"delta": value} if privacy else {})}
            for place, value in enumerate(values) for method, lead in (("ldp-sgd", 0.05), ("soteriafl-sgd", 0.0))
            for rate in (1.0, 2.0) for seed in (1, 2, 3)]


@pytest.mark.parametrize("name, values, privacy, panels", [
    ("data.label_noise", (0.4, 0.1), None, ["label_noise = 0.1", "label_noise = 0.4"]),
    ("partition.alpha", (0.1, 1.0), None, ["alpha = 0.1", "alpha = 1"]),
    ("participation.rate", (0.1, 1.0), None, ["rate = 0.1", "rate = 1"]),
    ("privacy.delta", (1e-5, 1e-3), "delta", ["δ = 1e-05", "δ = 0.001"])])
@pytest.mark.parametrize("shown", ["rounds", "end-bits"])
def test_tasks_and_guarantees_are_panels_and_never_chosen(make_sweep, name, values, privacy, panels, shown):
    if name == "participation.rate":
        panels = [f"participation.{word}" for word in panels]  # since another axis is a rate
    folder = make_sweep(on_tasks(name, values, privacy), axes=("method", name, "server.rate", "seed"))
    figure = drawn(folder, metrics=["accuracy"], panels=[shown])
    assert [axes.get_title(loc="left").split("\n")[0] for axes in figure.axes] == panels
    assert all(f"{name}: best" not in axes.get_title(loc="left").replace("\n", " ") for axes in figure.axes)
    assert "server.rate: best by test accuracy" in figure.axes[0].get_title(loc="left").replace("\n", " ")
    assert words(figure).startswith(f"{panels[0]}: ")
    assert words(figure).count("ldp-sgd leads with") == 2 and overlapping(figure) == []


def test_a_method_without_a_guarantee_stands_beside_each(make_sweep):
    made = on_tasks("privacy.delta", (1e-5, 1e-3), "delta")
    made += [{"values": {"method": "gd", "privacy.delta": None, "server.rate": 1.0, "seed": seed},
              "run": {"config": 'method = "gd"\n', "epsilon_nominal": math.nan, "epsilon": math.nan, "delta": math.nan,
                      "claim": "not a private run: no noise", "columns": {"accuracy": [0.5, 0.6, 0.9]}}} for seed in (1, 2, 3)]
    figure = drawn(make_sweep(made, axes=("method", "privacy.delta", "server.rate", "seed")), metrics=["accuracy"],
                   panels=["end-bits"])
    assert [axes.get_title(loc="left").split("\n")[0] for axes in figure.axes] == ["δ = 1e-05", "δ = 0.001"]
    assert all(any("gd" in name for name in names_of(axes)) for axes in figure.axes)


def test_the_method_behind_a_compressor_is_told(make_sweep):
    made = [{"values": {"compressor.kind": kind, "seed": seed},
             "run": {"method": method, "compressor_label": label, "columns": {"bits_up_payload": [0, bits, 2 * bits]}}}
            for kind, label, method, bits in (("rand-k", "rand-k, k = 12", "soteriafl-sgd", 640),
                                              ("top-k", "top-k, k = 6", "cdp-sgd", 320)) for seed in (1, 2)]
    figure = drawn(make_sweep(made, axes=("compressor.kind", "seed")))
    assert names_of(figure.axes[0]) == ["rand-k, k = 12 (soteriafl-sgd)", "top-k, k = 6 (cdp-sgd)"]
    assert len({marker for *_, marker in points(figure.axes[0])}) == 2


def test_more_than_six_lines_of_few_variants_are_a_panel_for_each_variant(make_sweep):
    methods = list(style.COLOURS)[1:5]
    figure = drawn(make_sweep(cells(tuple(methods), (1.0, 3.0), (1,))), panels=["rounds"])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["ε = 1", "ε = 3"]
    assert all(names_of(axes)[:4] == methods for axes in figure.axes)


def test_more_than_six_lines_are_a_panel_a_group_with_the_others_in_grey(make_sweep):
    made = cells(tuple(list(style.COLOURS)[1:4]), (1.0, 3.0, 10.0, 30.0), (1,))
    figure = drawn(make_sweep(made), panels=["rounds"])
    assert [axes.get_title(loc="left") for axes in figure.axes] == list(style.COLOURS)[1:4]
    for axes in figure.axes:
        greys = [line for line in axes.get_lines() if to_hex(line.get_color()) == style.OUT_OF_FOCUS]
        assert len(greys) == 8 and names_of(axes) == ["ε = 1", "ε = 3", "ε = 10", "ε = 30"]
        assert axes.get_ylim() == figure.axes[0].get_ylim()
    assert "communication rounds" in in_picture(figure) and overlapping(figure) == []


def test_what_diverged_is_an_x_on_the_edge_and_counted(make_sweep):
    made = scored({("ldp-sgd", 1.0): 0.8, ("cdp-sgd", 1.0): 0.9})
    for cell in made[3:]:
        cell["run"]["columns"]["objective"] = [1.0, 5.0, 9e3]
    figure = drawn(make_sweep(made), metrics=["accuracy"], panels=["epsilon"])
    (mark,) = [line for line in figure.axes[0].get_lines() if line.get_marker() == "x"]
    assert to_hex(mark.get_color()) == style.COLOURS["cdp-sgd"] and list(mark.get_ydata()) == [0.0]
    assert "diverged: 3 of 3 of cdp-sgd (x on the lower edge: all runs)" in in_picture(figure, style.WARNING)


def test_by_chooses_the_colours(make_sweep):
    sweep = read_sweep(make_sweep(cells()))
    figure = draw_sweep(sweep, Choice(metrics=["utility"], by="epsilon", panels=["rounds"]))
    assert names_of(figure.axes[0]) == [f"ε = {value} ({method})" for value in (1, 10) for method in METHODS]
    with pytest.raises(RunFileError, match="'nix' is not an axis"):
        draw_sweep(sweep, Choice(by="nix"))


def test_bars_of_times_leave_evaluation_out_and_say_what_they_are_worth(make_sweep):
    seconds = np.zeros((3, 2, 13))
    seconds[1:, :, 1] = [[0.2, 0.1], [0.2, 0.1]]  # local; 0.15 s per round in the mean over ranks
    seconds[1:, :, 9] = 0.1  # evaluate
    figure = drawn(make_sweep(cells(seeds=(1,), seconds=seconds)), panels=["times"])
    axes = figure.axes[0]
    first = [patch for patch in axes.patches if patch.get_y() < 0.2 < patch.get_y() + patch.get_height()]
    assert sum(patch.get_width() for patch in first) == pytest.approx(0.15)
    assert first[0].get_facecolor() == to_rgba(style.AREA_COLOURS[0]) and "150 ms" in names_of(axes)
    assert "unreliable times" in in_picture(figure, style.WARNING)
    with pytest.raises(RunFileError, match="at most 8 bars, and there are 9 lines"):
        drawn(make_sweep.again(cells(epsilons=tuple(map(float, range(1, 10))), methods=("gd",), seeds=(1,))), panels=["times"])


def test_the_best_constant_model_is_a_line_and_what_is_no_better_is_told(make_sweep):
    made = tuned(accuracies=(0.65, 0.7, 0.9))
    for cell in made:
        cell["run"]["baseline_score"] = 0.7
    figure = drawn(make_sweep(made, axes=("method", "server.rate", "seed")), metrics=["accuracy"], panels=["rounds"])
    assert "best constant\nmodel" in names_of(figure.axes[0])
    assert any(set(line.get_ydata()) == {0.7} for line in figure.axes[0].get_lines())
    assert "no better than the best constant model: server.rate = 0.1, server.rate = 0.5" in words(figure)


def test_a_constant_model_outside_of_the_axis_or_not_known_is_told(make_sweep):
    made = scored({("ldp-sgd", 1.0): 0.9, ("cdp-sgd", 1.0): 0.91})
    for cell in made[:3]:
        cell["run"] |= {"baseline_score": 0.1, "config": "method = 'ldp-sgd'\n[data]\nsource = 'idx'\n"}
    text = words(drawn(make_sweep(made), metrics=["accuracy"], panels=["epsilon"]))
    assert "the best constant model (10.0 %) lies outside of the axis" in text
    assert "the best constant model is not known for 1 of 2 tasks" in text


@pytest.mark.parametrize("metric", ["accuracy", "objective"])
def test_a_figure_in_which_nothing_is_learnt_says_so(make_sweep, metric):
    """Also one that does not show the accuracy."""
    made = [cell | {"run": cell["run"] | {"baseline_score": 0.8}} for cell in cells()]
    figure = drawn(make_sweep(made), metrics=[metric])
    assert in_picture(figure, style.WARNING).startswith("NO METHOD IS BETTER THAN THE BEST CONSTANT MODEL")


def test_a_tie_is_no_lead_and_other_terms_are_not_compared(make_sweep):
    values = {("ldp-sgd", 1.0): 0.8, ("cdp-sgd", 1.0): 0.8, ("soteriafl-sgd", 1.0): 0.7}
    made = scored(values)
    made[3]["run"]["columns"]["accuracy"][-1] += 0.01
    assert words(drawn(make_sweep(made), metrics=["accuracy"], panels=["rounds"])).startswith(
        "After 2 rounds, cdp-sgd and ldp-sgd are tied at 80.2 to 80.3 % ")
    for cell in made[:3]:
        cell["run"]["privacy"] = {"unit": "client"}
    assert words(drawn(make_sweep.again(made), metrics=["accuracy"], panels=["rounds"])).startswith("Test accuracy of ")
