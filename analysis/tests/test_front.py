"""The Pareto front of bits and a metric."""
import pandas as pd

from trilemma_analysis.plot.front import Step, front


def _curve(*points):
    return pd.DataFrame({"x": [float(x) for x, _ in points], "median": [y for _, y in points]})


def test_a_step_is_better_than_all_before_it():
    curves = [("a", _curve((10, 0.5), (20, 0.7), (30, 0.9))), ("b", _curve((5, 0.4), (15, 0.6), (25, 0.65)))]
    assert front(curves, "accuracy") == [Step(5, 0.4, "b"), Step(10, 0.5, "a"), Step(15, 0.6, "b"), Step(20, 0.7, "a"),
                                         Step(30, 0.9, "a")]


def test_less_is_better_for_errors():
    curves = [("a", _curve((10, 0.5), (20, 0.4))), ("b", _curve((10, 0.45), (20, 0.6)))]
    assert front(curves, "test_error") == [Step(10, 0.45, "b"), Step(20, 0.4, "a")]


def test_of_equal_bits_the_better_one_counts():
    assert front([("a", _curve((10, 0.5))), ("b", _curve((10, 0.8)))], "accuracy") == [Step(10, 0.8, "b")]
