"""The y axis of a metric (plot/scales.py)."""
import numpy as np

from trilemma_analysis.plot.scales import scale_of

SMALL_AND_LARGE = np.array([0.0, 0.05, 5e-5, 2e-4])


def test_distances_of_nodes_have_a_log_axis_without_the_zero_of_the_start():
    scale = scale_of(SMALL_AND_LARGE, SMALL_AND_LARGE, SMALL_AND_LARGE, "consensus_error")
    assert scale.log and 0 < scale.low < 5e-5 and 0.05 < scale.high < 1
    assert not scale_of(np.zeros(3), np.zeros(3), np.zeros(3), "consensus_error").log


def test_other_metrics_show_their_zero():
    scale = scale_of(SMALL_AND_LARGE, SMALL_AND_LARGE, SMALL_AND_LARGE, "objective")
    assert not scale.log and scale.low < 0
