"""Titles and claims around a figure: which epsilon was spent, and by which lines of the legend."""
import math

from figure_parts import words

from trilemma_analysis import read_sweep
from trilemma_analysis.model.groups import Group
from trilemma_analysis.plot.captions import claims
from trilemma_analysis.plot.sweep_figure import draw_sweep


def test_claims_that_differ_in_numbers_are_folded(make_sweep):
    sweep = read_sweep(make_sweep([
        {"values": {"method": "gd", "seed": seed}, "run": {"claim": f"holds: ({epsilon}, 1e-05)-DP"}}
        for seed, epsilon in ((1, 10), (2, 0.5), (3, 2))], axes=("method", "seed")))
    groups = [Group("gd", tuple(sweep.runs.values()))]
    assert claims(groups, folded=True) == ["claim: holds: (0.5 to 10, 1e-05)-DP"]
    assert len(claims(groups)) == 3


def test_a_title_has_the_epsilons_that_were_spent(make_sweep):
    """As asked for where the claim holds; else accounted, or called nominal."""
    made = [("gd", 2.0, 2.0, "holds: (2, 1e-05)-DP"), ("diana", math.nan, 0.9042, "holds: (0.9042, 1e-05)-DP"),
            ("ldp-sgd", 5.0, 9.0, "nominal only: the paper's closed form says 5")]
    sweep = read_sweep(make_sweep([
        {"values": {"method": method, "seed": 1},
         "run": {"claim": claim, "epsilon_nominal": nominal, "epsilon": accounted}}
        for method, nominal, accounted, claim in made], axes=("method", "seed")))
    assert "at ε = 0.9042, 2 and 5 (nominal only)" in words(draw_sweep(sweep))


def test_claims_of_one_line_of_the_legend_are_told_apart_by_epsilon(make_sweep):
    sweep = read_sweep(make_sweep([
        {"values": {"method": method, "seed": 1}, "run": {"claim": claim, "epsilon_nominal": epsilon}}
        for method, epsilon, claim in (("gd", 1.0, "holds: (1, 1e-05)-DP"), ("gd", 10.0, "holds: (10, 1e-05)-DP"),
                                       ("gd", math.nan, "not a private run: no noise"),
                                       ("diana", math.nan, "not a private run: no noise"))], axes=("method", "seed")))
    runs = list(sweep.runs.values())
    of = {name: tuple(run for run in runs if run.attributes["method"] == name) for name in ("gd", "diana")}
    assert claims([Group(name, members) for name, members in of.items()], folded=True) == [
        "not a private run: no noise [gd with no ε, diana]", "claim: holds: (1 to 10, 1e-05)-DP [gd with ε = 1 and 10]"]
