import math
import xml.etree.ElementTree as ElementTree

import matplotlib.image
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from trilemma_analysis import RunFileError, read_run, style
from trilemma_analysis.figures import choose_metric, draw_curves, save


@pytest.fixture
def runs(make_run):
    return [
        read_run(make_run("cdp.h5")),
        read_run(make_run("ldp.h5", method="ldp-sgd", compressor="identity",
                          columns={"bits_up_model": [0, 12800, 25600], "accuracy": [0.5, 0.7, 0.9]})),
    ]


def lines(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def words(figure):
    return " ".join(text.get_text() for text in figure.texts)


def test_png_holds_the_colours_of_the_methods(runs, tmp_path):
    save(draw_curves(runs), tmp_path / "a.png")
    picture = matplotlib.image.imread(tmp_path / "a.png")[:, :, :3]
    assert picture.shape[0] > 800 and picture.shape[1] > 1000
    for method in ("cdp-sgd", "ldp-sgd"):
        distance = np.abs(picture - np.array(to_rgb(style.COLOURS[method]))).max(axis=2)
        assert (distance < 0.02).sum() > 500
    absent = np.abs(picture - np.array(to_rgb(style.COLOURS["soteriafl-sgd"]))).max(axis=2)
    assert (absent < 0.02).sum() == 0


def test_svg_is_xml_with_the_methods_as_text_and_repeatable(runs, tmp_path):
    for name in ("a.svg", "b.svg"):
        save(draw_curves(runs), tmp_path / name)
    texts = [element.text for element in ElementTree.parse(tmp_path / "a.svg").iter() if element.text]
    assert "cdp-sgd" in texts and "ldp-sgd" in texts and "soteriafl-sgd" not in texts
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_panels_hold_the_columns_of_the_files(runs):
    utility_rounds, utility_bits, lower_rounds, lower_bits = draw_curves(runs, metric="objective").axes
    assert lines(utility_rounds)["cdp-sgd"].get_xydata().tolist() == [[0, 0.9], [1, 0.6], [2, 0.5]]
    assert lines(utility_bits)["ldp-sgd"].get_xdata().tolist() == [0, 12800, 25600]
    assert lines(lower_rounds)["cdp-sgd"].get_ydata().tolist() == [1.0, 0.5, 0.625]
    assert lines(lower_bits)["cdp-sgd"].get_xydata().tolist() == [[0, 1.0], [1280, 0.5], [2560, 0.625]]


def test_other_bits_are_other_columns(runs):
    assert lines(draw_curves(runs, bits="payload").axes[1])["cdp-sgd"].get_xdata().tolist() == [0, 640, 1280]


@pytest.mark.parametrize("equal_bits, end", [(True, 1.1 * 2560), (False, 1.1 * 25600)])
def test_bits_axis_ends_with_the_smallest_or_largest_count(runs, equal_bits, end):
    for axes in draw_curves(runs, equal_bits=equal_bits).axes[1::2]:
        assert axes.get_xlim() == pytest.approx((0, end))


def test_zero_bits_have_a_place_on_the_axis(runs):
    axes = draw_curves(runs).axes[1]
    transform = axes.transData.transform
    assert axes.get_xscale() == "symlog"
    assert transform((0, 0.5))[0] < transform((1280, 0.5))[0] < transform((2560, 0.5))[0]


def test_dashes_mean_uncompressed(runs):
    shown = lines(draw_curves(runs).axes[0])
    assert shown["cdp-sgd"].get_linestyle() == "-" and shown["ldp-sgd"].get_linestyle() == "--"


def test_scales_follow_the_range(make_run):
    narrow = draw_curves([read_run(make_run("a.h5"))], metric="objective")
    wide = draw_curves([read_run(make_run("b.h5", columns={"objective": [1.0, 0.5, 0.05]}))], metric="objective")
    assert [figure.axes[2].get_yscale() for figure in (narrow, wide)] == ["linear", "log"]
    assert narrow.axes[0].get_yscale() == "log"


def test_metric_is_accuracy_only_where_final_values_differ(runs, make_run):
    same = read_run(make_run("same.h5", seed=2, columns={"accuracy": [0.1, 0.2, 0.76]}))
    assert choose_metric(runs) == "accuracy"
    assert choose_metric([runs[0], same]) == "objective"


def test_band_spans_the_seeds(make_run):
    pair = [read_run(make_run(f"{i}.h5", seed=i, columns={"utility": u})) for i, u in enumerate([[1, 1, 2], [1, 3, 4]])]
    figure = draw_curves(pair)
    (collection,) = figure.axes[0].collections
    corners = collection.get_paths()[0].vertices.tolist()
    assert [1, 1] in corners and [1, 3] in corners and [2, 4] in corners
    assert lines(figure.axes[0])["cdp-sgd"].get_ydata().tolist() == [1, 2, 3]
    assert "median over 2 seeds" in words(figure)


def test_captions_name_experiment_privacy_and_claim(runs):
    text = words(draw_curves(runs))
    for part in ("demo", "nominal ε = 5,", "δ = 0.001", "claim: holds: local model", "accounted ε: not computed"):
        assert part in text
    assert "not a private run" not in text


def test_a_run_without_claim_stands_out_even_beside_private_ones(runs, make_run):
    public = read_run(make_run("p.h5", method="gd", epsilon_nominal=math.nan,
                               claim="not a private run: no noise, " + "and so on " * 50))
    figure = draw_curves([*runs, public])
    alarms = [text.get_text() for text in figure.texts if text.get_color() == style.WARNING]
    claim = " ".join(line.strip() for line in alarms)
    assert claim.startswith("not a private run: no noise") and claim.endswith("[gd]")
    assert claim.count("and so on") == 50, "a claim is wrapped, not cut"
    assert max(map(len, alarms)) <= 150
    assert "nominal ε = 5 | none" in words(figure)


def test_legend_and_footnote_stay_clear_of_the_panels(runs):
    figure = draw_curves(runs)
    figure.canvas.draw()
    panels = [axes.get_tightbbox() for axes in figure.axes]
    legend = figure.legends[0].get_window_extent()
    notes = [text.get_window_extent() for text in figure.texts]
    assert not any(panel.overlaps(box) for panel in panels for box in [legend, *notes])
    for box in [legend, *panels, *notes]:
        assert figure.bbox.contains(box.x0, box.y0) and figure.bbox.contains(box.x1, box.y1)


def test_single_process_has_no_mpi_axis(make_run):
    run = read_run(make_run(mpi={"bits_up": [0, 0, 0]}))
    with pytest.raises(RunFileError, match="bits_up_mpi' is 0"):
        draw_curves([run], bits="mpi")


def test_metric_without_values_is_refused(make_run):
    run = read_run(make_run(columns={"accuracy": [math.nan] * 3}))
    with pytest.raises(RunFileError, match="value of 'accuracy'"):
        draw_curves([run], metric="accuracy")
    draw_curves([run])


def test_unknown_picture_format_is_refused(runs, tmp_path):
    with pytest.raises(RunFileError, match="cannot draw into '.xyz'"):
        save(draw_curves(runs), tmp_path / "a.xyz")
