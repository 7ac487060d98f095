"""Colours and ticks of the figures."""

import itertools

import numpy as np
import pytest
from matplotlib.figure import Figure

from trilemma_analysis.model.labels import METHODS
from trilemma_analysis.plot import style, vision


def labels(axis):
    return [text.get_text() for text in axis.get_majorticklabels()]


def test_the_colour_difference_is_that_of_the_standard():
    """Three pairs of the test data of Sharma, Wu and Dalal (2005)."""
    ones = np.array([[50, 2.6772, -79.7751], [50, 2.49, -0.0010], [60.2574, -34.0099, 36.2677]])
    others = np.array([[50, 0, -82.7485], [50, -2.49, 0.0009], [60.4626, -34.1751, 39.4387]])
    assert vision._ciede2000(ones, others) == pytest.approx([2.0425, 7.1792, 1.2644], abs=1e-4)
    assert vision.lab(["#ffffff", "#ff0000"]) == pytest.approx(np.array([[100, 0, 0], [53.24, 80.09, 67.20]]), abs=0.02)


@pytest.mark.parametrize("name", vision.VISIONS)
def test_methods_of_a_family_differ_for_colour_blind_readers_too(name):
    for family in style.FAMILIES:
        pairs = itertools.combinations([style.COLOURS[method] for method in family], 2)
        assert min(vision.distance(*pair, name) for pair in pairs) >= 11, family


def test_no_two_methods_share_a_colour_and_all_are_seen_on_white():
    assert min(vision.distance(*pair, "normal") for pair in itertools.combinations(style.COLOURS.values(), 2)) >= 8
    shades = [style.colours(list(range(count)), True) for count in range(2, 9)]
    assert min(map(vision.contrast, [*style.COLOURS.values(), *itertools.chain(*shades)])) >= 3


def test_all_methods_have_a_colour_and_a_place():
    assert set(style.COLOURS) == set(METHODS) == set(itertools.chain(*style.FAMILIES))


def test_other_words_have_colours_far_from_those_of_the_methods_with_them():
    found = style.colours(["ldp-sgd", "other", "another", "third"], False)
    assert found[0] == style.COLOURS["ldp-sgd"] == style.colours(["ldp-sgd"], False)[0]
    assert min(vision.distance(*pair) for pair in itertools.combinations(found, 2)) >= 11


@pytest.mark.parametrize("low, high", [(0.7638, 0.7642), (0.55, 0.75), (0.0, 1.0), (0.8231, 0.8239)])
def test_percents_are_distinct_and_not_rounded(low, high):
    axes = Figure().add_subplot()
    axes.set_ylim(low, high)
    style.linear_axis(axes.yaxis, low, high, percent=True)
    texts, ticks = labels(axes.yaxis), axes.yaxis.get_majorticklocs()
    assert len(set(texts)) == len(texts) >= 3
    assert [float(text.removesuffix(" %")) for text in texts] == pytest.approx([100 * tick for tick in ticks])


@pytest.mark.parametrize("value, text", [(0, "0"), (0.05, "0.05"), (100000.0, "100000"), (2e9, "2×10⁹"), (1e36, "10³⁶"),
                                         (1e-5, "10⁻⁵")])
def test_numbers_are_powers_of_ten_where_they_have_many_zeros(value, text):
    assert style.plain(value) == text


def test_prefixes_are_for_bits_and_seconds_alone():
    axes = Figure().add_subplot()
    for prefixes, texts in (True, ["1 k", "100 k", "10 M"]), (False, ["1000", "100000", "10⁷"]):
        style.ticks_at(axes.xaxis, [1e3, 1e5, 1e7], prefixes)
        assert labels(axes.xaxis) == texts


@pytest.mark.parametrize("low, high, texts", [(0.044, 0.17, ["0.05", "0.07", "0.1", "0.15"]),
                                              (0.04, 0.35, ["0.04", "0.1", "0.3"]), (1, 1e9, ["1", "100", "10000"])])
def test_log_axes_have_few_round_ticks_over_all_of_their_range(low, high, texts):
    axes = Figure().add_subplot()
    axes.set_yscale("log")
    style.log_axis(axes.yaxis, low, high)
    assert labels(axes.yaxis)[: len(texts)] == texts or set(texts) <= set(labels(axes.yaxis))
    assert len(labels(axes.yaxis)) <= style.MOST_TICKS and not axes.yaxis.get_minorticklocs().size


def test_linear_neighbours_have_equally_many_decimals():
    axes = Figure().add_subplot()
    style.linear_axis(axes.xaxis, 0, 1.1)
    assert labels(axes.xaxis) == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]


def test_twelve_variants_have_twelve_markers():
    assert len({look.marker for look in style.looks(12)}) == 12
