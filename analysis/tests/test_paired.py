"""Means and differences of seeds against values computed by hand."""

import math

import pytest

from trilemma_analysis.stats.paired import mean, student


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


# From printed tables of the distribution.
@pytest.mark.parametrize("degrees, t", [(1, 12.7062), (5, 2.5706), (30, 2.0423), (40, 2.0211), (60, 2.0003),
                                        (120, 1.9799), (10**6, 1.9600)])
def test_points_of_students_t(degrees, t):
    assert student(degrees) == pytest.approx(t, abs=1e-4)


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
