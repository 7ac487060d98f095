"""The figure of a sweep and its command, from folders written by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from trilemma_analysis import RunFileError, read_sweep, style
from trilemma_analysis.__main__ import main
from trilemma_analysis.captions import claims
from trilemma_analysis.groups import Group
from trilemma_analysis.sweep_figure import draw_sweep
from trilemma_analysis.sweep_panels import MOST_CURVES

METHODS = ("ldp-sgd", "soteriafl-sgd")


def cells(methods=METHODS, epsilons=(1.0, 10.0), seeds=(1, 2, 3), **run):
    return [{"values": {"method": method, "privacy.epsilon": epsilon, "seed": seed},
             "run": {"columns": {"utility": [0.9, 0.6, 0.1 * seed + i]}} | run}
            for i, method in enumerate(methods) for epsilon in epsilons for seed in seeds]


def words(figure):
    return " ".join(text.get_text() for text in figure.texts)


def bars(axes):
    """Colour, place, and ends of the bars that errorbar() has drawn."""
    return [(bar.lines[0].get_color(), bar.lines[0].get_xydata().tolist()[0],
             bar.lines[2][0].get_segments()[0][:, 1].tolist() if bar.has_yerr else None) for bar in axes.containers]


def test_points_and_intervals_of_the_panels(make_sweep):
    bits, epsilon, curves, times = draw_sweep(read_sweep(make_sweep(cells())), "utility").axes
    colour, (_, y), ends = bars(bits)[0]
    half = 4.302653 * 0.1 / math.sqrt(3)  # seeds 0.1, 0.2, 0.3: mean 0.2, standard deviation 0.1
    assert colour == style.COLOURS["ldp-sgd"] and y == pytest.approx(0.2)
    assert ends[1] == pytest.approx(0.2 + half)
    assert epsilon.get_xlabel() == "accounted ε" and epsilon.get_xscale() == "log"
    assert [place[0] for _, place, _ in bars(epsilon)][:2] == pytest.approx([1, 10], rel=0.2)
    assert curves.get_xlabel() == "communication rounds" and len(curves.lines) == 4
    assert curves.lines[0].get_ydata().tolist() == pytest.approx([0.9, 0.6, 0.2])
    assert len(curves.collections) == 4 and times.get_xlabel().startswith("time a round (")


def test_caption_says_what_the_intervals_are(make_sweep):
    text = words(draw_sweep(read_sweep(make_sweep(cells())), "utility"))
    assert "95 % interval of the mean by Student's t (3 seeds)" in text and "incomplete" not in text


def test_caption_of_six_seeds_and_of_missing_cells(make_sweep):
    made = cells(seeds=range(1, 7))
    made.append({"values": {"method": "ldp-sgd", "privacy.epsilon": 1.0, "seed": 7}, "state": "missing"})
    text = words(draw_sweep(read_sweep(make_sweep(made)), "utility"))
    assert "95 % interval of the mean by Student's t (6 seeds)" in text
    assert "incomplete sweep: 24 of 25 cells done, 1 missing" in text


def test_one_seed_has_no_bars(make_sweep):
    figure = draw_sweep(read_sweep(make_sweep(cells(seeds=(1,)))), "utility")
    assert all(ends is None for _, _, ends in bars(figure.axes[0])) and not figure.axes[2].collections
    assert "none for one seed" in words(figure)


def test_nominal_epsilons_are_hollow_and_named(make_sweep):
    figure = draw_sweep(read_sweep(make_sweep(cells(epsilon=math.nan))), "utility")
    axes = figure.axes[1]
    assert axes.get_xlabel() == "nominal ε (not accounted)"
    assert {bar.lines[0].get_markerfacecolor() for bar in axes.containers} == {"white"}
    legends = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert "nominal ε, not accounted" in legends


def test_a_method_without_epsilon_is_a_line_across(make_sweep):
    made = cells() + cells(("gd",), (math.nan,), claim="not a private run: no noise")
    for cell in made:
        if cell["values"]["method"] == "gd":
            cell["values"]["privacy.epsilon"] = None
            cell["run"]["epsilon_nominal"] = cell["run"]["epsilon"] = math.nan
    figure = draw_sweep(read_sweep(make_sweep(made)), "utility")
    assert [text.get_text() for text in figure.axes[1].texts] == ["gd (ε = none): no ε"]
    assert "not a private run: no noise [gd]" in words(figure)


def test_one_epsilon_gives_the_numeric_axis_or_convergence(make_sweep, tmp_path):
    made = [{"values": {"method": "gd", "server.rate": rate, "seed": seed},
             "run": {"columns": {"utility": [1, 1, rate]}}} for rate in (0.1, 0.2, 0.4) for seed in (1, 2)]
    figure = draw_sweep(read_sweep(make_sweep(made, axes=("method", "server.rate", "seed"))), "utility")
    assert figure.axes[1].get_xlabel() == "server.rate"
    (tmp_path / "sweep").rename(tmp_path / "other")
    figure = draw_sweep(read_sweep(make_sweep(cells(epsilons=(1.0,)))), "utility")
    assert figure.axes[1].get_xlabel() == "communication rounds" and "bits" in figure.axes[2].get_xlabel()


def test_large_sweeps_draw_few_curves_and_say_so(make_sweep):
    made = cells(tuple(list(style.COLOURS)[1:6]), (1.0, 3.0, 10.0), (1,))
    figure = draw_sweep(read_sweep(make_sweep(made)), "utility")
    assert len(figure.axes[2].lines) == 5 <= MOST_CURVES and "ε = 3 only" in words(figure)
    assert len(figure.axes[3].get_yticks()) == 5


def test_by_chooses_the_colours(make_sweep):
    sweep = read_sweep(make_sweep(cells()))
    first = [text.get_text() for text in draw_sweep(sweep, "utility", by="epsilon").legends[1].get_texts()]
    assert first == ["ε = 1", "ε = 10"]
    # One colour for dense and compressed messages: no dashes in its legend.
    assert {line.get_linestyle() for line in draw_sweep(sweep, by="epsilon").legends[1].get_lines()} == {"-"}
    with pytest.raises(RunFileError, match="'nix' is no axis"):
        draw_sweep(sweep, by="nix")


def test_bars_of_times_add_up_to_the_clock(make_sweep):
    seconds = np.zeros((3, 2, 13))
    seconds[1:, :, 1] = [[0.2, 0.1], [0.2, 0.1]]  # local; 0.15 s a round in the mean over ranks
    axes = draw_sweep(read_sweep(make_sweep(cells(seeds=(1,), seconds=seconds))), "utility").axes[3]
    first = [patch for patch in axes.patches if patch.get_y() < 0 < patch.get_y() + patch.get_height()]
    assert axes.get_xlabel() == "time a round (ms)" and first[0].get_width() == pytest.approx(150)
    assert sum(patch.get_width() for patch in first) == pytest.approx(250)  # 0.5 s for 2 rounds
    assert first[0].get_facecolor() == to_rgba(style.AREA_COLOURS[0])


def test_claims_that_differ_in_numbers_are_folded(make_sweep):
    sweep = read_sweep(make_sweep([
        {"values": {"method": "gd", "seed": seed}, "run": {"claim": f"holds: ({epsilon}, 1e-05)-DP"}}
        for seed, epsilon in ((1, 10), (2, 0.5), (3, 2))], axes=("method", "seed")))
    groups = [Group("gd", tuple(sweep.runs.values()))]
    assert claims(groups, folded=True) == ["claim: holds: (0.5 to 10, 1e-05)-DP"]
    assert len(claims(groups)) == 3


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
    assert content["summary"][0]["interval_of"] == "mean"
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


def test_mistakes_are_one_sentence_and_code_2(tmp_path, capsys):
    assert main(["sweep", str(tmp_path / "absent")]) == 2
    assert capsys.readouterr().err == f"trilemma_analysis: {tmp_path / 'absent'}: there is no such folder.\n"
