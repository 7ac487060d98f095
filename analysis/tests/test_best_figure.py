"""The figure of a ranking shows what the ranking says, from sweeps written by hand."""

from __future__ import annotations

import math

import pytest
from figure_parts import in_picture, legends, overlapping, words
from test_best import ALL, AXES, ask, cell

from trilemma_analysis import read_sweep
from trilemma_analysis.cli.main import main
from trilemma_analysis.model.budgets import Budget, Target
from trilemma_analysis.plot.dots import LEAD, Dot, limits
from trilemma_analysis.plot.ranking_figure import draw_answer
from trilemma_analysis.stats.answers import result_words
from trilemma_analysis.stats.findings import finding, name_of, overall
from trilemma_analysis.stats.rankings import answer, without_privacy

NO_NOISE = {"claim": "not a private run: no noise", "epsilons": (math.nan,) * 3, "epsilon_nominal": math.nan}
TARGET = Budget(target=Target("accuracy", 0.8), per_client=True)


def of(values, **run):
    """Cells by method: the accuracies after round 2 of seeds 1, 2, ..."""
    return [cell(method, seed, (0, value), **run) for method, each in values.items() for seed, value in enumerate(each, 1)]


def at_epsilons(epsilons, values):
    """The same cells at each nominal epsilon; a value may be a function of it."""
    found = []
    for epsilon in epsilons:
        for each in of({method: value(epsilon) if callable(value) else value for method, value in values.items()},
                       epsilon_nominal=epsilon):
            each["run"]["config"] += f"[privacy]\nepsilon = {epsilon}\n"
            found.append(each)
    return found


def title(make_sweep, values, **run):
    found = ask(make_sweep, of(values, **run))
    return finding(found, found.rankings[0])


@pytest.mark.parametrize(("values", "said"), [
    ({"ldp-sgd": (0.7, 0.8, 0.9), "cdp-sgd": (0.8, 0.6, 0.9), "gd": (0.2, 0.3, 0.4)},
     "ldp-sgd and cdp-sgd are tied at 76.7 to 80.0 %; gd is behind by 50.0 points"),
    ({"ldp-sgd": (0.7, 0.8, 0.9), "cdp-sgd": (0.8, 0.6, 0.9), "gd": (0.7, 0.9, 0.8)},
     "All 3 methods are tied at 76.7 to 80.0 %"),
    ({"ldp-sgd": (0.7, 0.8, 0.9), "cdp-sgd": (0.6, 0.7, 0.8)}, "ldp-sgd wins with 80.0 %; cdp-sgd is behind by 10.0 points"),
    ({"ldp-sgd": (0.7, 0.8), "cdp-sgd": (0.6, 0.7)}, "2 seeds cannot tell which of 2 methods is best (65.0 to 75.0 %)"),
    ({"ldp-sgd": (0.7,), "cdp-sgd": (0.6,)}, "One seed cannot tell which of 2 methods is best (60.0 to 70.0 %)"),
    ({"ldp-sgd": (0.7, 0.8)}, "ldp-sgd reaches 75.0 %, with nothing to compare"),
])
def test_the_title_is_the_result(make_sweep, values, said):
    assert title(make_sweep, values) == said


def test_diverged_methods_are_in_the_title_and_have_a_row_without_a_dot(make_sweep):
    cells = of({"ldp-sgd": (0.7, 0.8)}) + of({"cdp-sgd": (0.9, 0.9)}, columns={"objective": [1.0, 5.0, 2e36]})
    found = ask(make_sweep, cells)
    assert finding(found, found.rankings[0]).endswith("; cdp-sgd diverged")
    left, right = draw_answer(found).axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["ldp-sgd", "cdp-sgd"]
    assert places(left) == {0: pytest.approx(75.0)} and words_of(right) == ["first", "diverged (2 of 2)"]


def places(axes):
    """The dots of a panel by their row."""
    return {line.get_ydata()[0]: line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"}


def test_where_all_runs_diverged_there_are_rows_without_dots(make_sweep):
    found = ask(make_sweep, of({"ldp-sgd": (0.7, 0.8), "cdp-sgd": (0.9, 0.9)}, columns={"objective": [1.0, 5.0, 2e36]}))
    figure = draw_answer(found)
    assert places(figure.axes[0]) == {} and words(figure).startswith("cdp-sgd and ldp-sgd diverged")


def words_of(axes):
    """What stands next to the rows."""
    return [text.get_text() for text in axes.texts if text.get_position()[0] == 1.02]


def test_rows_show_means_differences_and_results_of_the_ranking(make_sweep):
    values = {"ldp-sgd": (0.7, 0.8, 0.9), "cdp-sgd": (0.8, 0.6, 0.9), "soteriafl-sgd": (0.2, 0.3, 0.4)}
    cells = of(values) + [cell("gd", seed, (0, 0.95), **NO_NOISE) for seed in (1, 2, 3)]
    sweeps = [read_sweep(make_sweep(cells, axes=AXES))]
    found = answer(sweeps, Budget(bits=1e9, epsilon=2), "accuracy")
    entries = found.rankings[0].entries
    figure = draw_answer(found, without_privacy(sweeps, found))
    left, right = figure.axes
    assert places(left) == {row: pytest.approx(100 * entry.over.centre) for row, entry in enumerate(entries)}
    assert places(right) == {row: pytest.approx(100 * entries[row].difference.centre) for row in (1, 2)}
    assert words_of(right) == [result_words(entry) for entry in entries] == ["first", "tied", "behind"]
    assert [text.get_color() == LEAD for text in right.texts] == [True, True, False]
    assert [line.get_color() == LEAD for line in left.lines if line.get_marker() == "o"] == [True, True, False]
    interval = [path.vertices[:, 0] for part in right.collections for path in part.get_paths()][0]
    assert list(interval) == pytest.approx([100 * entries[1].difference.low, 100 * entries[1].difference.high])
    assert [text.get_text() for text in left.texts] == ["gd, no privacy"]
    assert left.get_xlabel() == "test accuracy (%)\nwithin 125 MB per client and ε ≤ 2\nmean, 95 % t interval, 3 seeds"
    assert "not a private run: no noise [gd]" in in_picture(figure) and overlapping(figure) == []


def test_references_learn_the_same_task(make_sweep):
    other = [cell("gd", 1, (0, 0.95), **NO_NOISE)]
    other[0]["run"]["config"] += "[problem]\nlambda = 0.5\n"
    private = [cell("ldp-sgd", 1, (0, 0.5))]
    private[0]["run"]["config"] += "[problem]\nlambda = 0.0\n"
    sweeps = [read_sweep(make_sweep(private + other, axes=AXES))]
    found = answer(sweeps, ALL, "accuracy")
    assert [ranking.entries[0].method for ranking in without_privacy(sweeps, found)] == ["gd"]
    figure = draw_answer(found, without_privacy(sweeps, found))
    assert len(figure.axes) == 4 and [len(axes.texts) for axes in figure.axes[::2]] == [0, 0]  # a ranking of its own


def test_of_many_rankings_six_are_drawn_and_the_rest_is_counted(make_sweep):
    cells = at_epsilons((4.0, 1.0, 2.0, 3.0, 5.0, 6.0, 8.0), {"ldp-sgd": lambda epsilon: (epsilon / 10, epsilon / 10 + 0.01, epsilon / 10),
                                               "cdp-sgd": (0.15, 0.16, 0.15)})
    found = ask(make_sweep, cells)
    figure = draw_answer(found)
    assert len(figure.axes) == 12 and "1 more ranking in the table" in in_picture(figure)
    assert words(figure).startswith("ε = 1: cdp-sgd is first; ε = 2, ε = 3, ε = 4, ε = 5 and ε = 6: ldp-sgd is first")
    assert [axes.get_title(loc="left")[:6] for axes in figure.axes[::2]] == [f"ε = {value}:" for value in range(1, 7)]
    assert len({axes.get_xlim() for axes in figure.axes[::2]}) == 1


def compressors(values):
    """Cells by (method, compressor): the accuracies after both rounds of seeds 1, 2, ..."""
    found = []
    for (method, kind), each in values.items():
        for seed, both in enumerate(each, 1):
            found.append(cell(method, seed, both))
            memory = '[memory]\nkind = "error-feedback"\n' if method == "cdp-sgd" else ""
            found[-1]["run"]["config"] += f'[compressor]\nkind = "{kind}"\n{memory}'
    return found


def test_bits_until_a_target_and_at_the_end(make_sweep):
    values = {("cdp-sgd", "sign"): [(0.8, 0.9)] * 3, ("ldp-sgd", "rand-k"): [(0.7, 0.82)] * 3,
              ("ldp-sgd", "top-k"): [(0.7, 0.8), (0.7, 0.79), (0.7, 0.7)], ("ldp-sgd", "perm-k"): [(0.1, 0.2)] * 3}
    found = ask(make_sweep, compressors(values), TARGET, by="compressor.kind")
    (ranking,) = found.rankings
    assert finding(found, ranking) == "sign needs 64 bit per client to reach 80 %, rand-k 2.0 times as many; 1 of 4 end " \
        "within 0.2 points of the best; top-k reaches 80 % in 1 of 3 seeds; perm-k reaches 80 % in no seed"
    figure = draw_answer(found)
    left, right = figure.axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["sign", "rand-k", "top-k", "perm-k"]
    assert places(left) == {0: 64.0, 1: 128.0, 2: 128.0}
    ends = {line.get_ydata()[0]: line.get_xdata()[0] for line in left.lines if line.get_marker() == "|"}
    assert ends == dict.fromkeys(range(4), 128.0)
    assert words_of(left) == ["first", "behind", "reached by 1 of 3 seeds", "not reached"]
    assert words_of(right) == ["90.0", "82.0", "76.3", "20.0"]
    assert legends(figure) == [["cdp-sgd + error-feedback", "ldp-sgd + no memory"]]
    open_ = [line.get_ydata()[0] for line in left.lines if line.get_markerfacecolor() == "white"]
    assert open_ == [2] and "open circles: mean over the seeds that reach the target" in in_picture(figure)


@pytest.mark.parametrize("budget", [TARGET, ALL])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_rows_keep_their_height_and_titles_begin_with_what_differs(make_sweep, budget, count):
    """However many rankings there are, and however long their titles."""
    cells = []
    for noise in range(count):
        for each in of({f"method-of-a-long-name-{i}": (0.5 + i / 20, 0.75 + i / 30, 0.7 + noise / 20) for i in range(6)}):
            each["run"]["config"] += f"[data]\nlabel_noise = 0.{noise}\n"
            cells.append(each)
    found = ask(make_sweep, cells, budget)
    figure = draw_answer(found)
    assert overlapping(figure) == [] and len(figure.axes) == 2 * count
    for axes in figure.axes:
        (_, first), (_, second) = axes.transData.transform([(axes.get_xlim()[1], 0), (axes.get_xlim()[1], 1)])
        assert (first - second) / figure.dpi >= 0.17  # inches
    titles = [axes.get_title(loc="left") for axes in figure.axes[::2]]
    assert titles == [""] or [title.split(": ")[0] for title in titles] == \
        [f"label_noise = {noise / 10:g}" for noise in range(count)]


def test_a_value_names_its_method_where_another_method_has_it_too(make_sweep):
    values = {(method, kind): [(0.5, 0.6)] for method, kind in (("cdp-sgd", "sign"), ("ldp-sgd", "sign"), ("gd", "top-k"))}
    found = ask(make_sweep, compressors(values), ALL, by="compressor.kind")
    names = {name_of(entry, found) for entry in found.rankings[0].entries}
    assert names == {"cdp-sgd, sign", "ldp-sgd, sign", "top-k"}


def test_of_several_rankings_those_with_one_result_are_named_together(make_sweep):
    cells = at_epsilons((1.0, 2.0), {"ldp-sgd": (0.7, 0.8, 0.9), "cdp-sgd": (0.8, 0.6, 0.9)})
    found = ask(make_sweep, cells)
    assert overall(found, found.rankings, ["one", "two"]) == "one and two: ldp-sgd and cdp-sgd are tied"


def test_intervals_do_not_squeeze_the_dots():
    low, high, cut_off = limits([Dot(1.0, 0.9, 1.1, "k"), Dot(2.0, -50.0, 54.0, "k"), Dot(1.5, 1.4, 1.6, "k")])
    assert cut_off and -4 < low < -1.9 and 4.9 < high < 7
    assert limits([Dot(1.0, math.nan, math.nan, "k")], [3.0]) == (pytest.approx(0.88), pytest.approx(3.12), False)


def test_the_command_draws_the_answer_that_it_prints(make_sweep, tmp_path, capsys):
    folder = make_sweep(of({"ldp-sgd": (0.7, 0.8, 0.9), "cdp-sgd": (0.6, 0.7, 0.8)}), axes=AXES)
    picture = tmp_path / "best.svg"
    assert main(["best", str(folder), "--bits", "1GB", "-o", str(picture)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(picture)
    assert "ldp-sgd wins with 80.0 %; cdp-sgd is behind by 10.0 points" in picture.read_text()
