"""The figure of what privacy costs, from run files written by hand."""

from __future__ import annotations

import math

import pytest

from trilemma_analysis.cost import cost_table, draw_cost
from trilemma_analysis.reader import RunFileError, read_run


def _run(make_run, name: str, nominal: float, accounted: float, utility: float, claim: str = "holds: so", **root):
    return read_run(make_run(name, epsilon_nominal=nominal, claim=claim,
                             columns={"epsilon": [0.0, accounted, accounted], "utility": [1.0, 1.0, utility]}, **root))


def test_numbers_are_medians_at_the_end(make_run):
    runs = [_run(make_run, f"{seed}.h5", 5, 5, utility, seed=seed) for seed, utility in ((1, 0.1), (2, 0.4), (3, 0.2))]
    runs.append(_run(make_run, "a.h5", 5, 1e6, 0.05, claim="not a private run: why"))
    holds, broken = cost_table(runs)
    assert (holds["method"], holds["claim"], holds["epsilon_nominal"]) == ("cdp-sgd", "holds", 5)
    assert holds["utility"] == 0.2 and holds["epsilon_accounted"] == 5
    assert broken["claim"] == "does not hold" and broken["epsilon_accounted"] == 1e6


def test_figure_tells_claims_apart(make_run, tmp_path):
    runs = [_run(make_run, "a.h5", 1, 1, 0.3), _run(make_run, "b.h5", 10, 10, 0.1),
            _run(make_run, "c.h5", 1, 2e5, 0.2, claim="nominal only: so")]
    left, right = draw_cost(runs).axes
    assert sorted(len(line.get_xdata()) for line in left.lines) == [1, 2]
    assert {line.get_marker() for line in left.lines} == {"o", "x"}
    assert max(max(line.get_ydata()) for line in right.lines) == 2e5


def test_an_axis_too_narrow_for_a_round_number_is_drawn(make_run):
    left, right = draw_cost([_run(make_run, "a.h5", 5, 4.9999, 0.3)]).axes
    assert len(right.get_yticks()) == 2 and len(left.lines) == 1
    _, right = draw_cost([_run(make_run, "b.h5", 5, 0.0, 0.3)]).axes
    assert right.get_yscale() == "linear"


def test_runs_without_an_epsilon_are_refused(make_run):
    with pytest.raises(RunFileError, match="nominal epsilon"):
        draw_cost([_run(make_run, "a.h5", math.nan, math.nan, 0.3)])
