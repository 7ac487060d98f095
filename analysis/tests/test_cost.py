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
from trilemma_analysis.stats.cost import curves_of, equal_rounds, finding, losses, metric_of, worse_choices


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
    return lambda utility, method="gd", **root: run(math.nan, math.nan, utility, claim="not a private run: no noise",
                                                    method=method, noise_sigma=0.0, **root)


def draw(runs, **how):
    return draw_cost(runs, "utility", **how)


def named(figure):
    """The names at the ends of lines of the first panel."""
    return [text.get_text() for text in figure.axes[0].texts]


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes]


def test_numbers_are_means_at_the_end(run):
    runs = [run(5, 5, utility, seed=seed) for seed, utility in ((1, 0.1), (2, 0.4), (3, 0.1))]
    runs.append(run(5, 1e6, 0.05, claim="not a private run: why"))
    holds, broken = cost_table(runs, "utility")
    assert (holds["method"], holds["claim"], holds["epsilon_nominal"], holds["rounds"]) == ("cdp-sgd", "holds", 5, 2)
    half = 4.302653 * math.sqrt(0.03 / 3)  # variance 0.03, 3 seeds
    assert [holds[name] for name in ("utility", "low", "high")] == pytest.approx([0.2, 0.2 - half, 0.2 + half])
    assert broken["claim"] == "NO" and broken["epsilon_accounted"] == 1e6 and math.isnan(broken["lost"])


def test_other_settings_are_no_repetitions_and_the_best_of_them_is_drawn(run):
    configs = {rate: f"[server]\nrate = {rate}\n" for rate in (0.1, 1.0)}
    runs = [run(5, 5, utility, seed=seed, config=configs[rate])
            for rate, utility in ((0.1, 0.5), (1.0, 0.2)) for seed in (1, 2)]
    (row,) = cost_table(runs, "utility")
    assert (row["utility"], row["low"], row["high"]) == (0.2, 0.2, 0.2)
    figure = draw(runs)
    assert titles(figure) == ["After 2 rounds"]
    assert "other settings chosen on the seeds that are drawn, which flatters" in words(figure)
    for text in words(figure), " ".join(cost_text(runs, "utility").split()):
        assert "the best of the 4 with a claim" in text


def test_losses_are_those_of_each_seed_against_the_same_method(run, public):
    """Seeds scatter by 0.3, and privacy costs 0.1, 0.1 and 0.4 of them."""
    runs = [run(1, 1, value, seed=seed) for seed, value in ((1, 0.3), (2, 0.6), (3, 1.2))]
    runs += [public(value, seed=seed, method="cdp-sgd") for seed, value in ((1, 0.2), (2, 0.5), (3, 0.8), (4, 0.1))]
    private, free = curves_of(runs, "utility")
    (loss,) = losses(private.points, free.points, "utility")
    half = 4.302653 * math.sqrt(0.03 / 3)
    assert (loss.over.n, loss.over.centre) == (3, pytest.approx(0.2)) and loss.over.high == pytest.approx(0.2 + half)
    (row, _) = cost_table(runs, "utility")
    assert (row["lost"], row["lost_low"]) == pytest.approx((0.2, 0.2 - half))
    assert losses(private.points, [replace(free.points[0], values={7: 0.1})], "utility") == []
    assert losses(private.points, [replace(free.points[0], rounds=7)], "utility") == []


def of_accuracies(make_run, values):
    """Runs by method, epsilon (None: no privacy) and seed with their accuracy."""
    made = []
    for i, ((method, epsilon, seed), accuracy) in enumerate(values.items()):
        own = {"epsilon_nominal": math.nan, "claim": "not a private run: no noise", "noise_sigma": 0.0} \
            if epsilon is None else {"epsilon_nominal": epsilon, "epsilon": epsilon}
        made.append(read_run(make_run(f"a{i}.h5", method=method, seed=seed, baseline_score=0.55, **own, columns={
            "accuracy": [0.5, 0.5, accuracy], "epsilon": [0.0, epsilon or math.nan, epsilon or math.nan]})))
    return made


def test_the_title_says_what_is_lost_and_from_where_on_nothing_is(make_run):
    """cdp-sgd loses 4.5 points at 0.1 and scatters around 0 at 1; ldp-sgd loses at both."""
    lost = {("cdp-sgd", 0.1): (0.04, 0.045, 0.05), ("cdp-sgd", 1.0): (-0.01, 0.01, 0.0), ("ldp-sgd", 0.1): (0.02, 0.021, 0.022),
            ("ldp-sgd", 1.0): (0.01, 0.011, 0.012)}
    values = {(*key, seed): 0.8 - each[seed] for key, each in lost.items() for seed in range(3)}
    values |= {(method, None, seed): 0.8 for method in ("cdp-sgd", "ldp-sgd") for seed in range(3)}
    figure = draw_cost(runs := of_accuracies(make_run, values))
    title = "At ε = 0.1 privacy costs ldp-sgd 2.1 points and cdp-sgd 4.5, at ε = 1 still ldp-sgd 1.1 points; 3 seeds detect no " \
        "cost at ε = 1 for cdp-sgd"
    assert words(figure).startswith(title)
    assert "ldp and cdp are names of methods: all promise ε against whoever sees every message" in words(figure)
    assert figure.axes[0].get_ylabel().startswith("test accuracy lost (points)")
    line = {text.get_text(): text.xy for text in figure.axes[0].texts}["ldp-sgd"]
    assert line[1] == pytest.approx(1.1) and overlapping(figure) == []
    assert metric_of(runs, "auto") == "accuracy" and len(draw_cost(runs, absolute=True).axes[0].texts) == 4


def test_one_seed_tells_nothing_about_where_privacy_is_free(make_run):
    values = {("cdp-sgd", 0.1, 1): 0.7, ("cdp-sgd", 1.0, 1): 0.8, ("cdp-sgd", None, 1): 0.8}
    private, free = curves_of(of_accuracies(make_run, values), "accuracy")
    found = finding([("cdp-sgd", losses(private.points, free.points, "accuracy"))], "accuracy")
    assert found.startswith("One seed does not tell what privacy costs")


def test_what_has_no_place_in_the_figure_is_told(run, public):
    """A run without privacy of other rounds, which would be no fair line, and one whose sigma was given."""
    runs = [run(1, 1, 0.3), run(10, 10, 0.1), public(0.05, rounds=7), run(math.nan, 3, 0.2, method="ldp-sgd", noise_sigma=0.5)]
    figure = draw(runs)
    assert "no privacy: gd ran for 7 rounds, not 2, so there is no line for it" in words(figure)
    assert "no run without privacy" not in words(figure) and named(figure) == ["cdp-sgd"]
    for text in words(figure), cost_text(runs, "utility"):
        assert "without a nominal ε (privacy.sigma was given), so left out: runs of ldp-sgd" in text


def test_methods_without_runs_of_their_own_without_noise_are_counted(run, public):
    runs = [run(epsilon, epsilon, 0.3 / epsilon, method=method) for method in ("cdp-sgd", "ldp-sgd") for epsilon in (1, 10)]
    figure = draw([*runs, public(0.02, method="cdp-sgd"), public(0.02)])
    assert named(figure) == ["cdp-sgd"]
    assert "ldp-sgd is not drawn: it has no runs without noise of the same rounds and seeds" in words(figure)
    assert "no privacy: gd is not drawn: it has no private runs here" in words(figure)
    assert named(draw([*runs, public(0.02)])) == ["ldp-sgd", "cdp-sgd", "gd, no privacy"]  # the metric itself


def test_a_private_method_of_other_rounds_is_told(run):
    runs = [run(epsilon, epsilon, 0.3 / epsilon, method=method, rounds=rounds)
            for method, rounds in (("cdp-sgd", 100), ("ldp-sgd", 50), ("diana", 100)) for epsilon in (1, 10)]
    said = words(draw(runs))
    assert "ldp-sgd ran for 50 rounds, not 100, so there is no line for it" in said and "no privacy: ldp-sgd" not in said


def test_rounds_that_differ_with_epsilon_are_told(run):
    runs = [run(1, 1, 0.3, rounds=25), run(10, 10, 0.1, rounds=150)]
    figure = draw(runs)
    assert titles(figure) == ["Rounds differ with ε"]
    assert "rounds differ with ε (25 to 150), so the slope is not that of privacy alone" in words(figure)
    both = draw([*runs, run(1, 1, 0.4, rounds=150)])
    assert titles(both) == ["After 150 rounds", "At the best number of rounds"]
    assert both.axes[0].lines[0].get_xydata().tolist() == [[1, 0.4], [10, 0.1]]
    assert both.axes[1].lines[0].get_xydata().tolist() == [[1, 0.3], [10, 0.1]]


def tuned(run, values):
    """Runs by rounds and seed; seed 0 is for tuning."""
    return [replace(run(1, 1, utility, rounds=rounds, seed=seed), tuning=seed == 0)
            for (rounds, seed), utility in values.items()]


def test_the_number_of_rounds_is_chosen_on_the_seeds_for_tuning(run):
    runs = tuned(run, {(25, 0): 0.1, (25, 1): 0.3, (50, 0): 0.2, (50, 1): 0.2})
    (curve,) = curves_of(runs, "utility")
    assert [(point.rounds, point.over.centre) for point in curve.best()] == [(25, 0.3)]
    (curve,) = curves_of([each for each in runs if not each.tuning], "utility")
    assert [point.rounds for point in curve.best()] == [50]


def test_chosen_rounds_that_are_worse_have_no_panel_but_a_sentence(run):
    values = {(25, 0): 0.1, (25, 1): 0.3, (50, 0): 0.2, (50, 1): 0.2}
    runs = tuned(run, values)
    ((curve, point, by),) = worse_choices(curves_of(runs, "utility"), 50)
    assert (curve.method, point.rounds, by) == ("cdp-sgd", 25, pytest.approx(0.1))
    figure = draw(runs)
    assert titles(figure) == ["After 50 rounds"]
    assert "rounds tuned on seed 0 not drawn: worse than 50 at 1 of 1 points" in words(figure)
    assert "chose worse rounds, on the other seeds, for cdp-sgd at ε = 1 (25 rounds, by 0.1)" in words(figure)
    assert len(titles(draw(tuned(run, values | {(25, 1): 0.1})))) == 2


def test_of_several_numbers_of_rounds_the_middle_one_is_compared_at(run):
    runs = [run(nominal, nominal, 0.3, rounds=rounds) for nominal in (1, 10) for rounds in (25, 50, 100)]
    assert equal_rounds(curves_of(runs, "utility")) == 50
    assert equal_rounds(curves_of([*runs, run(5, 5, 0.3, rounds=100)], "utility")) == 100


def test_panels_have_one_y_axis_and_the_best_rounds_are_told(run):
    runs = [run(nominal, nominal, utility, rounds=rounds)
            for nominal, rounds, utility in ((1, 25, 0.3), (1, 50, 0.4), (10, 25, 0.5), (10, 50, 0.1))]
    figure = draw(runs)
    assert titles(figure) == ["After 50 rounds", "At the best number of rounds"]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert "best rounds, by ε, chosen on the seeds that are shown, which flatters them: cdp-sgd 25 | 50" in words(figure)


def test_runs_without_privacy_are_a_line_across(run, public):
    runs = [run(1, 1, 0.3), run(10, 10, 0.1)]
    assert "no run without privacy is among the files, so the metric itself is drawn" in words(draw(runs))
    figure = draw([*runs, public(0.05)])
    assert set(figure.axes[0].lines[0].get_ydata()) == {0.05} and legends(figure) == [["no privacy"]]
    assert named(figure) == ["cdp-sgd", "gd, no privacy"] and "no run without" not in words(figure)
    assert "not a private run: no noise [no privacy: gd]" in words(figure)
    assert cost_table([*runs, public(0.05)], "utility")[0]["claim"] == "no privacy"


def test_points_no_better_than_the_best_constant_model_are_open(make_run):
    values = {("cdp-sgd", 1.0, 1): 0.54, ("cdp-sgd", 10.0, 1): 0.9}
    figure = draw_cost(runs := of_accuracies(make_run, values))
    assert legends(figure) == [["best constant model", "open: no better than the best constant model"]]
    (open_,) = [line for line in figure.axes[0].lines if line.get_markerfacecolor() == "white"]
    assert open_.get_ydata() == [0.54]
    said = "no better than the best constant model (test accuracy 55.0 %): cdp-sgd (ε = 1, 2 rounds)"
    assert said in words(figure) and said in " ".join(cost_text(runs, "accuracy").split())


def test_what_is_spent_is_drawn_only_where_it_is_not_as_promised(run):
    kept = [run(1, 0.998, 0.3), run(10, 10, 0.1)]
    assert titles(draw(kept)) == ["After 2 rounds"]
    figure = draw([*kept, run(1, 2e5, 0.2, claim="nominal only: so")])
    assert titles(figure) == ["After 2 rounds", "What is really spent"]
    assert {line.get_marker() for line in figure.axes[0].lines} == {"o", "X"}
    assert max(max(line.get_ydata()) for line in figure.axes[1].lines) == 2e5
    assert legends(figure) == [["the claim holds", "the claim does not hold", "as promised: accounted = nominal"]]
    assert overlapping(figure) == []


def test_runs_without_an_epsilon_are_refused(public):
    with pytest.raises(RunFileError, match="nominal epsilon"):
        draw([public(0.3)])


def test_compressors_of_a_method_have_lines_of_their_own(run):
    def kind(name):
        return f'[compressor]\nkind = "{name}"\n'

    runs = [run(5, 5, value, seed=1, config=kind(name)) for name, value in (("rand-k", 0.3), ("identity", 0.1))]
    assert [(row["method"], row["utility"]) for row in cost_table(runs, "utility")] == [
        ("cdp-sgd, identity", 0.1), ("cdp-sgd, rand-k", 0.3)]
    assert [row["method"] for row in cost_table(runs[:1], "utility")] == ["cdp-sgd"]


def test_several_tasks_are_refused(run):
    runs = [run(5, 5, 0.3, config=f'[partition]\nkind = "{kind}"\n', seed=1) for kind in ("iid", "sorted")]
    with pytest.raises(RunFileError, match=r'differ in partition\.kind \("iid", "sorted"\)'):
        curves_of(runs, "utility")
    assert curves_of(runs[:1], "utility")
    seeds = [run(5, 5, 0.3, config=f"[partition]\nseed = {seed}\n", seed=seed) for seed in (1, 2)]
    assert len(curves_of(seeds, "utility")) == 1
