"""Means and differences of seeds against values computed by hand."""

import math

import pytest

from trilemma_analysis.stats.paired import Mean, mean


def test_three_values_give_the_mean_by_students_t():
    found = mean([1.0, 2.0, 6.0])
    # Mean 3, standard deviation sqrt((4 + 1 + 9) / 2) = sqrt(7), t = 4.302653 with 2 degrees of freedom.
    half = 4.302653 * math.sqrt(7 / 3)
    assert (found.n, found.centre, found.kind) == (3, 3.0, "mean")
    assert (found.low, found.high) == pytest.approx((3 - half, 3 + half))


def test_two_values_use_one_degree_of_freedom():
    found = mean([0.0, 2.0])
    assert (found.centre, found.low, found.high) == pytest.approx((1, 1 - 12.706205, 1 + 12.706205))


@pytest.mark.parametrize("n", [2, 3, 5, 6, 9, 40])
def test_the_centre_is_what_the_interval_is_of(n):
    """However many seeds there are, the number that is shown lies in the middle of its interval."""
    found = mean([*range(n - 1), 1000.0])
    assert found.kind == "mean" and (found.low + found.high) / 2 == pytest.approx(found.centre)
    assert found.centre == pytest.approx((sum(range(n - 1)) + 1000.0) / n)


@pytest.mark.parametrize("n, t", [(6, 2.5706), (31, 2.0423), (61, 2.0003)])  # from printed tables of the distribution
def test_more_values_use_a_smaller_point_of_students_t(n, t):
    """Values 0, 0, ..., 1: mean 1 / n, standard deviation 1 / sqrt(n)."""
    assert mean([0.0] * (n - 1) + [1.0]).high == pytest.approx(1 / n + t / n, abs=1e-4 / n)


def test_an_interval_ends_at_what_is_possible():
    found = mean([0.0, 1.0]).within(0.0, 1.0)
    assert (found.centre, found.low, found.high) == (0.5, 0.0, 1.0)
    assert math.isnan(Mean(1, 0.5, math.nan, math.nan, "none").within(0.0, 1.0).low)


def test_one_value_has_no_interval_and_unknown_values_do_not_count():
    found = mean([math.nan, 4.0])
    assert (found.n, found.centre, found.kind) == (1, 4.0, "none") and math.isnan(found.low) and math.isnan(found.high)
    assert mean([]).n == 0 and math.isnan(mean([math.nan]).centre)


def test_a_diverged_value_makes_the_interval_unknown():
    found = mean([1.0, math.inf])
    assert found.centre == math.inf and math.isnan(found.low)


def test_zero_lies_within_or_not():
    assert mean([-1.0, 2.0, 0.0]).contains_zero and not mean([1.0, 1.1, 1.2]).contains_zero
    assert not mean([0.0]).contains_zero  # one value says nothing
