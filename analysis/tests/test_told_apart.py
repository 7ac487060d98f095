"""How lines are distinguished, by their style and by their names."""

from __future__ import annotations

import math

import pytest
from figure_parts import legends
from matplotlib.colors import to_hex
from test_sweep_figure import cells, drawn, points

from trilemma_analysis import read_run
from trilemma_analysis.plot import style
from trilemma_analysis.plot.figures import draw_curves
from trilemma_analysis.plot.sweep_figure import Choice

LABELS = {"rand-k": "rand-k, k = 12", "identity": "identity", "bernoulli": "bernoulli, p = 0.1"}


@pytest.mark.parametrize("count", [4, 12])
def test_up_to_twelve_lines_differ_in_more_than_their_colour(make_sweep, count):
    figure = drawn(make_sweep(cells(methods=list(style.COLOURS)[:count], epsilons=(1.0,))), panels=["rounds"])
    lines = figure.axes[0].get_lines()
    assert len(lines) == len({to_hex(line.get_color()) for line in lines}) == count
    assert len({line.get_marker() for line in lines}) == (count if count > 4 else 1)
    assert [line.get_linestyle() for line in lines].count("--") == max(0, count - 6)
    assert [(line.get_marker(), line.get_linestyle()) for line in figure.legends[0].get_lines()] == \
        [(line.get_marker(), line.get_linestyle()) for line in lines]


@pytest.mark.parametrize("other, words_of_rand_k", [(12, "rand-k, k = 12"), (6, "rand-k")])
def test_compressors_are_named_with_their_parameters(make_sweep, other, words_of_rand_k):
    made = [{"values": {"compressor.kind": kind, "local.batch": batch, "seed": 1}, "run": {"compressor_label": label}}
            for kind, label in LABELS.items() for batch in (10, 20)]
    made[1]["run"] = {"compressor_label": f"rand-k, k = {other}"}
    figure = drawn(make_sweep(made, axes=("compressor.kind", "local.batch", "seed")), panels=["rounds"])
    assert legends(figure)[0] == [f"compressor.kind = {each}"
                                  for each in ("bernoulli, p = 0.1", "identity", words_of_rand_k)]


@pytest.mark.parametrize("asked, words", [(2.0, ["ε = 2", "ε = 2.475"]), (2.475, ["ε = 2.475 accounted", "ε = 2.475"])])
def test_lines_have_the_accounted_epsilon_where_none_was_asked_for(make_run, asked, words):
    """As of runs that were extended, or given a sigma."""
    runs = [read_run(make_run(f"{method}{i}.h5", method=method, epsilon_nominal=nominal, epsilon=spent,
                              config=f"method = '{method}'\n[privacy]\nsigma = {0.1 + i}\n"))
            for method in ("ldp-sgd", "cdp-sgd")
            for i, (nominal, spent) in enumerate([(asked, asked), (math.nan, 2.47441)])]
    runs.append(read_run(make_run("gd.h5", method="gd", epsilon_nominal=math.nan, config="method = 'gd'\n",
                                  claim="not a private run: no noise")))
    figure = draw_curves(runs, Choice(panels=["rounds", "epsilon"], metrics=["accuracy"]))
    assert legends(figure) == [["gd", "ldp-sgd", "cdp-sgd"], [*words, "no ε"]]
    lines = figure.axes[0].get_lines()
    assert len(lines) == len({(to_hex(line.get_color()), line.get_linestyle()) for line in lines}) == 5
    marks = {marker for colour, _, _, marker in points(figure.axes[1]) if colour != style.COLOURS["gd"]}
    assert len(marks) == 2
