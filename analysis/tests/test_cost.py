"""The figure of what privacy costs, from run files written by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from figure_parts import legends, overlapping, words

from trilemma_analysis.cli.cost import cost_table, cost_text
from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.io.run_file import read_run
from trilemma_analysis.plot.cost_figure import draw_cost
from trilemma_analysis.plot.page import Sheet
from trilemma_analysis.stats.cost import curves_of, equal_rounds


@pytest.fixture
def run(make_run):
    count = iter(range(1000))

    def make(nominal, accounted, utility, claim="holds: so", rounds=2, **root):
        columns = {"epsilon": [0.0, accounted, accounted], "utility": [1.0, 1.0, utility], "round": [0, 1, rounds]}
        return read_run(make_run(f"{next(count)}.h5", epsilon_nominal=nominal, epsilon=accounted, claim=claim,
                                 rounds=np.int64(rounds), columns=columns, **root))
    return make


@pytest.fixture
def public(run):
    return lambda utility, **root: run(math.nan, math.nan, utility, claim="not a private run: no noise", method="gd",
                                       noise_sigma=0.0, **root)


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes]


def test_numbers_are_medians_at_the_end(run):
    runs = [run(5, 5, utility, seed=seed) for seed, utility in ((1, 0.1), (2, 0.4), (3, 0.2))]
    runs.append(run(5, 1e6, 0.05, claim="not a private run: why"))
    holds, broken = cost_table(runs)
    assert (holds["method"], holds["claim"], holds["epsilon_nominal"], holds["rounds"]) == ("cdp-sgd", "holds", 5, 2)
    assert (holds["utility"], holds["low"], holds["high"], holds["epsilon_accounted"]) == (0.2, 0.1, 0.4, 5)
    assert broken["claim"] == "NO" and broken["epsilon_accounted"] == 1e6


def test_other_settings_are_no_repetitions_and_the_best_of_them_is_drawn(run):
    configs = {rate: f"[server]\nrate = {rate}\n" for rate in (0.1, 1.0)}
    runs = [run(5, 5, utility, seed=seed, config=configs[rate])
            for rate, utility in ((0.1, 0.5), (1.0, 0.2)) for seed in (1, 2)]
    (row,) = cost_table(runs)
    assert (row["utility"], row["low"], row["high"]) == (0.2, 0.2, 0.2)
    assert titles(draw_cost(runs)) == ["After 2 rounds\n(each at its best other settings)"]
    for text in words(draw_cost(runs)), " ".join(cost_text(runs).split()):
        assert "the best of the 4 with a claim" in text


def test_what_has_no_place_in_the_figure_is_told(run, public):
    """A run without privacy of other rounds, which would be no fair line, and one whose sigma was given."""
    runs = [run(1, 1, 0.3), run(10, 10, 0.1), public(0.05, rounds=7), run(math.nan, 3, 0.2, method="ldp-sgd", noise_sigma=0.5)]
    figure = draw_cost(runs)
    assert "no privacy: gd ran for 7 rounds, not 2, so there is no line for it" in words(figure)
    assert "no run without privacy" not in words(figure)
    assert not any("no privacy: gd" in label for labels in legends(figure) for label in labels)
    for text in words(figure), cost_text(runs):
        assert "without a nominal ε (privacy.sigma was given), so left out: runs of ldp-sgd" in text
    assert "skipped" not in words(draw_cost([*runs[:2], public(0.05)]))


def test_a_private_method_of_other_rounds_is_told(run):
    runs = [run(epsilon, epsilon, 0.3 / epsilon, method=method, rounds=rounds)
            for method, rounds in (("cdp-sgd", 100), ("ldp-sgd", 50), ("diana", 100)) for epsilon in (1, 10)]
    said = words(draw_cost(runs))
    assert "ldp-sgd ran for 50 rounds, not 100, so there is no line for it" in said and "no privacy: ldp-sgd" not in said


def test_rounds_that_differ_with_epsilon_are_told(run):
    runs = [run(1, 1, 0.3, rounds=25), run(10, 10, 0.1, rounds=150)]
    figure = draw_cost(runs)
    assert titles(figure) == ["Rounds differ with ε"]
    assert "rounds differ with ε (25 to 150), so the slope is not that of privacy alone" in words(figure)
    both = draw_cost([*runs, run(1, 1, 0.4, rounds=150)])
    assert titles(both) == ["After 150 rounds", "At the best number of rounds"]
    assert both.axes[0].lines[0].get_xydata().tolist() == [[1, 0.4], [10, 0.1]]
    assert both.axes[1].lines[0].get_xydata().tolist() == [[1, 0.3], [10, 0.1]]


def test_runs_without_privacy_are_a_line_across(run, public):
    runs = [run(1, 1, 0.3), run(10, 10, 0.1)]
    assert "no run without privacy is among the files" in words(draw_cost(runs))
    figure = draw_cost([*runs, public(0.05)])
    assert set(figure.axes[0].lines[1].get_ydata()) | set(figure.axes[0].lines[0].get_ydata()) >= {0.05}
    assert legends(figure) == [["cdp-sgd"], ["no privacy: gd"]] and "no run without" not in words(figure)
    assert cost_table([*runs, public(0.05)])[0]["claim"] == "no privacy"


def test_the_number_of_rounds_is_chosen_on_the_seeds_for_tuning(run):
    values = ((25, 0, 0.1), (25, 1, 0.3), (50, 0, 0.2), (50, 1, 0.2))
    runs = [replace(run(1, 1, utility, rounds=rounds, seed=seed), tuning=seed == 0) for rounds, seed, utility in values]
    (curve,) = curves_of(runs, "utility")
    assert [(point.rounds, point.over.median) for point in curve.best()] == [(25, 0.3)]
    (curve,) = curves_of([each for each in runs if not each.tuning], "utility")
    assert [point.rounds for point in curve.best()] == [50]


def test_of_several_numbers_of_rounds_the_middle_one_is_compared_at(run):
    runs = [run(nominal, nominal, 0.3, rounds=rounds) for nominal in (1, 10) for rounds in (25, 50, 100)]
    assert equal_rounds(curves_of(runs, "utility")) == 50
    assert equal_rounds(curves_of([*runs, run(5, 5, 0.3, rounds=100)], "utility")) == 100


def test_panels_have_one_y_axis_and_the_best_rounds_are_told(run):
    runs = [run(nominal, nominal, utility, rounds=rounds)
            for nominal, rounds, utility in ((1, 25, 0.3), (1, 50, 0.4), (10, 25, 0.5), (10, 50, 0.1))]
    figure = draw_cost(runs)
    assert titles(figure) == ["After 50 rounds", "At the best number of rounds"]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert "best rounds, by ε, chosen on the seeds that are shown, which flatters them: cdp-sgd 25 | 50" in words(figure)


def test_it_is_said_which_lines_are_without_privacy(run, public):
    figure = draw_cost([run(1, 1, 0.3), run(10, 10, 0.1), public(0.05)])
    assert "not a private run: no noise [no privacy: gd]" in words(figure)


def test_the_best_constant_model_is_a_line_and_what_is_no_better_is_told(make_run):
    runs = [read_run(make_run(f"{nominal}.h5", epsilon_nominal=nominal, epsilon=nominal, baseline_score=0.6,
                              columns={"accuracy": [0.5, 0.5, accuracy], "epsilon": [0.0, nominal, nominal]}))
            for nominal, accuracy in ((1.0, 0.55), (10.0, 0.9))]
    figure = draw_cost(runs, "accuracy")
    assert ["best constant model"] in legends(figure)
    said = "no better than the best constant model (test accuracy 0.6): cdp-sgd (ε = 1, 2 rounds)"
    assert said in words(figure) and said in " ".join(cost_text(runs, "accuracy").split())


def test_what_is_spent_is_drawn_only_where_it_is_not_as_promised(run):
    kept = [run(1, 0.998, 0.3), run(10, 10, 0.1)]
    assert titles(draw_cost(kept)) == ["After 2 rounds"]
    figure = draw_cost([*kept, run(1, 2e5, 0.2, claim="nominal only: so")])
    assert titles(figure) == ["After 2 rounds", "What is really spent"]
    assert {line.get_marker() for line in figure.axes[0].lines} == {"o", "X"}
    assert max(max(line.get_ydata()) for line in figure.axes[1].lines) == 2e5
    assert legends(figure)[1] == ["the claim holds", "the claim does not hold", "as promised: accounted = nominal"]
    assert overlapping(figure) == []


@pytest.mark.parametrize("sheet", [Sheet(), Sheet(width=3.4, font=7)])
def test_ticks_are_plain_numbers_and_nothing_overlaps(run, public, sheet):
    runs = [run(epsilon, epsilon, 0.04 * (1 + i), seed=seed) for i, epsilon in enumerate((1, 5)) for seed in (1, 2)]
    figure = draw_cost([*runs, public(0.03)], sheet=sheet)
    texts = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert len(texts) > 2 and all(float(text) > 0 for text in texts) and overlapping(figure) == []


def test_runs_without_an_epsilon_are_refused(public):
    with pytest.raises(RunFileError, match="nominal epsilon"):
        draw_cost([public(0.3)])


def test_compressors_of_a_method_have_lines_of_their_own(run):
    def kind(name):
        return f'[compressor]\nkind = "{name}"\n'

    runs = [run(5, 5, value, seed=1, config=kind(name)) for name, value in (("rand-k", 0.3), ("identity", 0.1))]
    assert [(row["method"], row["utility"]) for row in cost_table(runs)] == [("cdp-sgd, identity", 0.1),
                                                                             ("cdp-sgd, rand-k", 0.3)]
    assert [row["method"] for row in cost_table(runs[:1])] == ["cdp-sgd"]
