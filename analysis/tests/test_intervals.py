"""Intervals against values computed by hand."""

import math

import numpy as np
import pytest

from trilemma_analysis.stats.intervals import bounds, coverage, interval, order_of, words


@pytest.mark.parametrize("n, covered", [(2, 50), (3, 75), (5, 93.75)])
def test_few_values_give_their_ends_and_how_often_these_cover_the_median(n, covered):
    found = interval([float(value) for value in range(n)])
    assert (found.n, found.low, found.high, found.kind) == (n, 0, n - 1, "range")
    # All values on one side of the median: 2 (1/2)^n.
    assert coverage(n) == covered == 100 * (1 - 2 * 0.5**n)


def test_words_name_the_interval():
    assert words("range", [3, 3, 2]) == "min to max (2 or 3 seeds), which covers the true median in 50 % or 75 % of " \
        "all cases"
    assert words("median", [7]) == "95 % interval of the median by order statistics (7 seeds)"
    assert words("none", [1]) == "none for one seed"


def test_six_values_give_their_ends_and_not_the_mean():
    found = interval([1, 2, 3, 4, 5, 1000])
    assert (found.median, found.low, found.high, found.kind) == (3.5, 1, 1000, "median")


# 2 P(X < k): n = 8, k = 2: 18/256 = 7.0 %; n = 9, k = 2: 20/512 = 3.9 %; n = 15, k = 4: 3.5 %; n = 20, k = 6: 4.1 %.
@pytest.mark.parametrize("n, k", [(6, 1), (8, 1), (9, 2), (15, 4), (20, 6), (100, 40)])
def test_order_statistics_cover_at_least_95_percent(n, k):
    assert order_of(n) == k
    missed = [2 * sum(math.comb(n, i) for i in range(j)) / 2**n for j in (k, k + 1)]
    assert missed[0] <= 0.05 < missed[1]


def test_nine_values_leave_out_one_at_each_end():
    found = interval([9, 8, 7, 6, 5, 4, 3, 2, 1])
    assert (found.median, found.low, found.high) == (5, 2, 8)


def test_one_value_has_no_interval_and_unknown_values_do_not_count():
    found = interval([math.nan, 4.0])
    assert (found.n, found.median, found.kind) == (1, 4.0, "none") and math.isnan(found.low) and math.isnan(found.high)
    assert interval([]).n == 0 and math.isnan(interval([math.nan]).median)


def test_rows_are_independent():
    low, high = bounds(np.array([[1.0, 2.0, 6.0], [5.0, 5.0, 5.0]]))
    assert low.tolist() == [1, 5] and high.tolist() == [6, 5]
