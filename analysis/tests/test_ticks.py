"""Ticks of the figures: few, distinct and legible."""

import itertools
import math

import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from trilemma_analysis.plot import style


def labels(axis):
    return [text.get_text() for text in axis.get_majorticklabels()]


@pytest.mark.parametrize("low, high", [(0.7638, 0.7642), (0.55, 0.75), (0.0, 1.0), (0.8231, 0.8239)])
def test_percents_are_distinct_and_not_rounded(low, high):
    axes = Figure().add_subplot()
    axes.set_ylim(low, high)
    style.linear_axis(axes.yaxis, low, high, percent=True)
    texts, ticks = labels(axes.yaxis), axes.yaxis.get_majorticklocs()
    assert len(set(texts)) == len(texts) >= 3
    assert [float(text.removesuffix(" %")) for text in texts] == pytest.approx([100 * tick for tick in ticks])


@pytest.mark.parametrize("values, texts", [
    ([0.0, 0.5, 1.0], ["0.0", "0.5", "1.0"]), ([75.0, 77.5, 80.0], ["75.0", "77.5", "80.0"]),
    ([1, 5, 10], ["1", "5", "10"]), ([0.06, 0.08, 0.1], ["0.06", "0.08", "0.10"]), ([2e-14, 4e-14], ["2e-14", "4e-14"]),
    ([100, 200, 300, 10000], ["100", "200", "300", "10000"]), ([5.0], ["5"]),
])
def test_numbers_have_the_digits_that_tell_them_apart(values, texts):
    assert style.numbers(values) == texts


def test_log_axes_have_no_powers_of_ten_as_factors():
    axes = Figure().add_subplot()
    axes.set_yscale("log")
    axes.set_ylim(0.04, 0.35)
    style.log_axis(axes.yaxis, 0.04, 0.35)
    assert "0.06" in labels(axes.yaxis) and not any("×" in text or "^" in text for text in labels(axes.yaxis))
    assert not axes.yaxis.get_minorticklocs().size


def test_other_units_change_the_labels_and_not_the_places():
    axes = Figure().add_subplot()
    axes.set_xlim(0, 0.04)
    style.linear_axis(axes.xaxis, 0, 0.04, factor=1e3)
    assert labels(axes.xaxis) == ["0", "10", "20", "30", "40"]
    assert axes.xaxis.get_majorticklocs() == pytest.approx([0, 0.01, 0.02, 0.03, 0.04])


def test_colours_of_methods_do_not_depend_on_their_company():
    both = style.colours(["ldp-sgd", "other", "another"], False)
    assert both[0] == style.COLOURS["ldp-sgd"] == style.colours(["ldp-sgd"], False)[0]
    assert len(set(both)) == 3


def test_colours_that_look_alike_are_not_in_one_figure():
    both = style.colours(["soteriafl-sgd", "dp-fedavg-clip", "other"], False)
    assert both[0] == style.COLOURS["soteriafl-sgd"] and both[1] != style.COLOURS["dp-fedavg-clip"]
    everything = [to_rgb(colour) for colour in style.colours(["soteriafl-sgd", "dp-fedavg-clip", "dp-fedavg-smooth",
                                                              "cdp-sgd", "local", "fedprox"], False)]
    assert min(math.dist(one, other) for one, other in itertools.combinations(everything, 2)) >= style.ALIKE


def test_narrow_log_axes_have_ticks_over_all_of_their_range():
    axes = Figure().add_subplot()
    style.log_axis(axes.yaxis, 0.044, 0.17)
    assert labels(axes.yaxis) == ["0.05", "0.07", "0.1", "0.15"]


def test_twelve_variants_have_twelve_markers():
    assert len({look.marker for look in style.looks(12)}) == 12
