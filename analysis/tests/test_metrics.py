"""Which metric is shown if the user has not chosen one."""

import math

import pytest

from trilemma_analysis.io.run_file import read_run
from trilemma_analysis.model.combinations import COLUMNS
from trilemma_analysis.model.finals import run_figures
from trilemma_analysis.model.metrics import METRICS, best, choose

NAN = math.nan


@pytest.mark.parametrize("finals, chosen", [
    ({"utility": [1.0, 2.0], "accuracy": [0.5, 0.9]}, "accuracy"),
    ({"utility": [1.0, 2.0], "accuracy": [0.80, 0.81]}, "accuracy"),
    ({"utility": [NAN, NAN], "objective": [NAN, 1.0], "accuracy": [NAN, NAN]}, "objective"),
    ({"utility": [NAN, NAN], "objective": [NAN, NAN], "accuracy": [0.80, 0.81]}, "accuracy"),
    ({"utility": [1.0, 2.0], "accuracy": [0.8, 0.8]}, "accuracy"),
    ({"utility": [1.0, 2.0], "test_error": [3.0, 3.0]}, "test_error"),
    ({"utility": [NAN]}, "utility"),
])
def test_scores_are_compared_where_there_are_some_and_close_ones_are_an_answer(finals, chosen):
    assert choose(finals) == chosen


def test_best_knows_the_direction_and_leaves_out_what_is_unknown():
    assert best([NAN, 0.2, 0.1], "utility") == 2 and best([0.1, NAN, 0.2], "accuracy") == 2
    assert best([NAN, math.inf], "objective") in (0, 1)


def test_every_metric_has_a_column_in_the_tables(make_run):
    figures = run_figures(read_run(make_run()))
    assert set(COLUMNS) == set(METRICS) and set(COLUMNS.values()) - {"gradient_norm_squared"} <= set(figures)
