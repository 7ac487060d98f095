"""The figure of run files, from files written by hand."""

import math
import xml.etree.ElementTree as ElementTree

import matplotlib.image
import numpy as np
import pytest
from conftest import write_run
from figure_parts import curves, in_picture, legends, overlapping, panel, words
from matplotlib.colors import to_rgb

from trilemma_analysis import RunFileError, read_run
from trilemma_analysis.model.uploads import Upload
from trilemma_analysis.plot import style
from trilemma_analysis.plot.figures import draw_curves
from trilemma_analysis.plot.page import Sheet, save
from trilemma_analysis.plot.sweep_figure import Choice

CDP, LDP = (style.COLOURS[name] for name in ("cdp-sgd", "ldp-sgd"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return [
        read_run(write_run(folder / "cdp.h5")),
        read_run(write_run(folder / "ldp.h5", method="ldp-sgd", compressor="identity",
                           columns={"bits_up_payload": [0, 1000, 25600], "accuracy": [0.5, 0.7, 0.9]})),
    ]


@pytest.fixture(scope="module")
def figure(runs):
    """The figure of the runs without any choice, which no test changes."""
    return draw_curves(runs)


def shown(runs, **choice):
    return draw_curves(runs, Choice(**choice))


def test_png_holds_the_colours_of_the_methods(figure, tmp_path):
    save(figure, tmp_path / "a.png")
    picture = matplotlib.image.imread(tmp_path / "a.png")[:, :, :3]
    assert picture.shape[0] > 600 and picture.shape[1] > 1000
    for colour in (CDP, LDP):
        assert (np.abs(picture - np.array(to_rgb(colour))).max(axis=2) < 0.02).sum() > 500
    absent = np.abs(picture - np.array(to_rgb(style.COLOURS["soteriafl-sgd"]))).max(axis=2)
    assert (absent < 0.02).sum() == 0


@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_the_same_runs_give_the_same_file(runs, figure, tmp_path, kind):
    for name, each in ((f"a.{kind}", figure), (f"b.{kind}", draw_curves(runs))):
        save(each, tmp_path / name)
    assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


def test_svg_has_the_methods_as_text(figure, tmp_path):
    save(figure, tmp_path / "a.svg")
    texts = [element.text for element in ElementTree.parse(tmp_path / "a.svg").iter() if element.text]
    assert "cdp-sgd" in texts and "ldp-sgd" in texts and "soteriafl-sgd" not in texts


def test_panels_hold_the_columns_of_the_files(runs):
    figure = shown(runs, metrics=["utility", "objective"], bits=Upload(per_client=False))
    by_round, by_bits, objective, objective_bits = figure.axes
    assert curves(by_round, CDP)[0].get_xydata().tolist() == [[0, 0.9], [1, 0.6], [2, 0.5]]
    assert curves(by_bits, LDP)[0].get_xdata().tolist() == [0, 1000, 25600]
    assert curves(objective, CDP)[0].get_ydata().tolist() == [1.0, 0.5, 0.625]
    assert curves(objective_bits, CDP)[0].get_xydata().tolist() == [[0, 1.0], [640, 0.5], [1280, 0.625]]
    assert by_round.get_ylabel().startswith("mean squared gradient norm")


@pytest.mark.parametrize("bits, places", [("payload", [0, 640, 1280]), ("paper", [0, 1280, 2560]),
                                          ("mpi", [0, 640, 1280])])
def test_bits_are_those_of_the_exact_encoding_unless_others_are_asked_for(runs, bits, places):
    axes = shown(runs[:1], panels=["bits"], metrics=["utility"], bits=Upload(bits, per_client=False)).axes[0]
    assert curves(axes, CDP)[0].get_xdata().tolist() == places
    assert {"payload": "exact encoding", "paper": "the paper's own count", "mpi": "handed to MPI"}[bits] in \
        " ".join(axes.get_xlabel().split())


def test_the_axis_of_bits_ends_with_the_smallest_budget_if_all_lines_reach_it(runs, make_run):
    def last(choice, found=runs):
        choice = {"bits": Upload(per_client=False)} | choice
        return shown(found, panels=["bits"], metrics=["utility"], **choice).axes[0].get_xlim()[1]

    assert last({}) == pytest.approx(1.02 * 1280)
    assert last({"equal_bits": False}) >= 25600
    far = read_run(make_run("far.h5", method="ldp-sgd", columns={"bits_up_payload": [0, 2000, 25600]}))
    assert last({}, [runs[0], far]) >= 25600, "ldp-sgd has done no round at the budget of cdp-sgd"


@pytest.mark.parametrize("rounds", [1, 2, 3, 8])
def test_a_line_of_few_points_lies_within_its_axis(make_run, rounds):
    """Of a long one the start may lie beyond the axis, which the caption says then."""
    fall = [1.0, *(0.6 + 0.001 * t for t in range(rounds))]
    columns = {name: np.array(fall) for name in ("objective", "gradient_norm_squared", "utility", "accuracy")}
    counts = {name: np.arange(rounds + 1) * 640 for name in ("bits_up_model", "bits_down_model", "bits_up_payload",
                                                             "bits_down_payload", "batch_records")}
    mpi = dict.fromkeys(("bits_up", "bits_down", "bits_evaluation"), np.zeros(rounds + 1))
    run = read_run(make_run(rounds=np.int64(rounds), mpi=mpi, columns={
        "round": np.arange(rounds + 1), "epsilon": np.full(rounds + 1, np.nan), **columns, **counts}))
    for axes in shown([run], metrics=["objective"]).axes:
        low, high = axes.get_ylim()
        drawn = [y for line in axes.lines for y in line.get_ydata() if len(line.get_ydata()) > 1]
        inside = [low <= y <= high for y in drawn]
        assert drawn and (all(inside) if rounds <= 3 else sum(inside) > len(inside) / 2)


def test_an_axis_that_is_no_number_line_says_so(runs, make_run):
    far = read_run(make_run("far.h5", method="gd", columns={"bits_up_payload": [0, 1000, 200_000]}))
    assert "log" not in shown(runs, panels=["rounds"]).axes[0].get_xlabel()
    label = shown([*runs, far], panels=["bits"], equal_bits=False).axes[0].get_xlabel()
    assert " ".join(label.split()).endswith("(log, linear up to the first point)")


def test_what_longer_private_runs_have_spent_at_an_equal_budget_is_told(runs, make_run):
    far = read_run(make_run("far.h5", method="ldp-sgd", columns={"bits_up_payload": [0, 1000, 25600],
                                                                 "epsilon": [0, 1.25, 2.0]}))
    told = "where the equal budget ends, longer runs have spent less (ldp-sgd ε = 1.25)"
    choice = {"panels": ["bits"], "metrics": ["utility"]}
    assert told in words(shown([runs[0], far], **choice))
    assert "have spent less" not in words(shown([runs[0], far], equal_bits=False, **choice))
    # Without a budget the axis ends at the median over seeds, beyond which no run is cut.
    slow = [read_run(make_run(f"{seed}.h5", seed=seed, epsilon=2.0, columns={"epsilon": [0, 1.25, 2.0]},
                              seconds=seed * np.ones((3, 1, 13)))) for seed in (1, 2, 5)]
    assert "have spent less" not in words(shown(slow, panels=["seconds"], metrics=["utility"]))


def test_band_spans_the_seeds(make_run):
    pair = [read_run(make_run(f"{i}.h5", seed=i, columns={"utility": u})) for i, u in enumerate([[1, 1, 2], [1, 3, 4]])]
    figure = shown(pair, metrics=["utility"])
    (collection,) = figure.axes[0].collections
    corners = collection.get_paths()[0].vertices.tolist()
    assert [1, 1] in corners and [1, 3] in corners and [2, 4] in corners
    assert curves(figure.axes[0], CDP)[0].get_ydata().tolist() == [1, 2, 3]
    assert "median over seeds" in words(figure) and "min to max (2 seeds)" in words(figure)


def test_states_far_apart_are_points_and_no_line(make_run):
    columns = {name: np.arange(101) * step for name, step in (("round", 1), ("bits_up_payload", 10))}
    columns |= dict.fromkeys(("bits_up_model", "bits_down_model", "bits_down_payload", "batch_records"), np.arange(101))
    columns |= {name: np.full(101, math.nan) for name in ("objective", "gradient_norm_squared", "accuracy", "epsilon")}
    mpi = dict.fromkeys(("bits_up", "bits_down", "bits_evaluation"), np.arange(101))

    def drawn(name, every):
        utility = np.where(np.arange(101) % every == 0, 1.0 / (1 + np.arange(101)), math.nan)
        run = read_run(make_run(name, rounds=np.int64(100), columns=columns | {"utility": utility}, mpi=mpi))
        figure = shown([run], panels=["rounds"])
        return figure, curves(figure.axes[0], CDP)[0]

    figure, line = drawn("sparse.h5", 100)
    assert line.get_linestyle() == "None" and line.get_xdata().tolist() == [0, 100]
    assert "points that are not joined" in words(figure)
    figure, line = drawn("often.h5", 10)
    assert line.get_linestyle() == "-" and len(line.get_xdata()) == 11 and "nothing was" not in words(figure)


def test_runs_that_were_not_timed_have_no_axis_of_time(make_run):
    run = read_run(make_run(seconds=np.zeros((3, 2, 13))))
    with pytest.raises(RunFileError, match="timing.enabled"):
        shown([run], panels=["seconds"])


def test_captions_name_what_is_compared_privacy_and_claim(figure):
    text = words(figure)
    for part in ("ldp-sgd and cdp-sgd at ε = 5 on synthetic data", "δ = 0.001", "claim: holds: local model",
                 "accounted ε: not computed"):
        assert part in text
    assert "not a private run" not in text


def test_a_run_without_claim_stands_out_even_beside_private_ones(runs, make_run):
    public = read_run(make_run("p.h5", method="gd", epsilon_nominal=math.nan,
                               claim="not a private run: no noise, " + "and so on " * 50))
    figure = draw_curves([*runs, public])
    assert in_picture(figure, style.WARNING).startswith("not a private run: no noise")
    assert words(figure).count("and so on") == 50, "a claim is cut in the picture alone"
    assert not overlapping(figure)


@pytest.mark.parametrize("sheet", [Sheet(), Sheet(width=3.4, font=7), Sheet(width=11, font=12)])
def test_nothing_overlaps_or_leaves_the_figure(runs, make_run, sheet):
    more = [read_run(make_run(f"{i}.h5", seed=seed, method=method, epsilon_nominal=epsilon, data="libsvm a9a/a9a, "
                              "123 features and a bias, scaling spectral (divided by 1.34 (spectral norm 486.679))"))
            for i, (seed, method, epsilon) in enumerate([(1, "soteriafl-svrg", 1.0), (2, "dp-fedavg-clip", 10.0)])]
    figure = shown([*runs, *more], panels=["rounds", "bits", "seconds", "epsilon", "end-bits", "times"], sheet=sheet)
    assert overlapping(figure) == []
    assert figure.get_figwidth() == (sheet.width or 7.2)


def test_title_and_caption_can_be_left_out(runs):
    figure = shown(runs, sheet=Sheet(title="", caption=False))
    assert not figure.texts and "claim: holds" in figure.get_label()
    assert in_picture(shown(runs, sheet=Sheet(title="Mine", caption=False))) == "Mine"


@pytest.mark.parametrize("sheet", [Sheet(width=0.1), Sheet(font=math.nan), Sheet(width=math.inf)])
def test_sizes_that_cannot_be_drawn_are_refused(runs, sheet):
    with pytest.raises(RunFileError, match="cannot be drawn"):
        shown(runs, sheet=sheet)


def test_single_process_has_no_mpi_axis(make_run):
    run = read_run(make_run(mpi={"bits_up": [0, 0, 0]}))
    with pytest.raises(RunFileError, match="bits_up_mpi' is 0"):
        shown([run], bits=Upload("mpi"))


def test_bits_can_be_counted_per_client(make_run):
    run = read_run(make_run())
    sent = run.rounds["bits_up_payload"].iloc[-1]
    all_of_them, of_one = (shown([run], panels=["bits"], metrics=["accuracy"], bits=Upload(per_client=each)).axes[0]
                           for each in (False, True))
    assert all_of_them.get_xlabel() == "bits from all clients, exact encoding"
    assert of_one.get_xlabel() == "bits per client, exact encoding"
    ends = [max(max(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) > 2)
            for axes in (all_of_them, of_one)]
    assert ends == [sent, sent / run.attributes["clients"]] and run.attributes["clients"] > 1
    end = shown([run], panels=["end-bits"], metrics=["accuracy"],
                bits=Upload(per_client=True)).axes[0]
    assert end.lines[0].get_xdata()[0] == sent / run.attributes["clients"]


def test_nodes_have_metrics_and_bits_of_their_own(make_run):
    columns = {"bits_edges_payload": [0, 1280, 2560], "consensus_error": [0.0, 0.4, 0.2],
               "objective_node_most": [1.0, 0.9, 0.8], "accuracy_node_least": [0.1, 0.2, 0.3]}
    run = read_run(make_run("a.h5", method="choco-sgd", columns=columns))
    for metric in ("consensus_error", "objective_node_most", "accuracy_node_least"):
        axes = shown([run], panels=["bits"], metrics=[metric], bits=Upload("edges", per_client=False)).axes[0]
        assert axes.get_title(loc="left") == "Against bits on edges"
        [line] = [line for line in axes.lines if len(line.get_xdata()) == 3]
        assert line.get_xdata().tolist() == [0, 1280, 2560] and line.get_ydata().tolist() == columns[metric]
    with_server = read_run(make_run("b.h5"))  # a message to a server has one receiver
    assert Upload("edges", per_client=False).of(with_server).tolist() == [0, 640, 1280]
    with pytest.raises(RunFileError, match="consensus_error"):
        shown([with_server], metrics=["consensus_error"])


def test_clients_that_train_alone_have_no_axis_of_bits(make_run):
    nothing = dict.fromkeys(("bits_up_model", "bits_up_payload"), [0, 0, 0])
    figure = shown([read_run(make_run(method="local", columns=nothing))], metrics=["utility"])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Against rounds"]


def test_metric_without_values_is_refused(make_run):
    run = read_run(make_run(columns={"accuracy": [math.nan] * 3}))
    with pytest.raises(RunFileError, match="value of 'accuracy'"):
        shown([run], metrics=["accuracy"])
    assert panel(shown([run], metrics=["utility"], panels=["rounds"]), "Against rounds")


def test_unknown_pictures_and_panels_are_refused(runs, figure, tmp_path):
    for ending in (".xyz", ".jpg"):
        with pytest.raises(RunFileError, match=f"cannot draw into '{ending}'; use one of pdf, png, svg"):
            save(figure, tmp_path / f"a{ending}")
    with pytest.raises(RunFileError, match="'time' is not a panel; use some of rounds, bits, seconds"):
        shown(runs, panels=["time"])


@pytest.mark.parametrize("last, told", [(25600, True), (1280, False)])
def test_it_is_said_where_there_are_no_equal_bits(runs, make_run, last, told):
    """Nothing is known of ldp-sgd but its start and its end."""
    seldom = read_run(make_run(method="ldp-sgd", columns={
        "bits_up_payload": [0, 1200, last], "accuracy": [math.nan, math.nan, 0.9], "utility": [math.nan, math.nan, 0.9]}))
    said = "bits: every run is drawn to its end and not at equal bits, for which ldp-sgd was evaluated too seldom"
    for choice in {}, {"panels": ["bits"], "metrics": ["accuracy"]}:
        assert (said in words(shown([runs[0], seldom], **choice))) == told
    assert said not in words(shown([runs[0], seldom], equal_bits=False))


def test_lines_have_their_names_at_their_ends_and_one_look_in_any_order_of_files(make_run):
    runs = [read_run(make_run(f"{method}{epsilon}.h5", method=method, epsilon_nominal=epsilon))
            for method in ("soteriafl-sgd", "ldp-sgd") for epsilon in (5.0, 1.0)]
    there, back = (shown(found, panels=["rounds"], metrics=["utility"]).axes[0] for found in (runs, runs[::-1]))
    assert [text.get_text() for text in there.texts] == [text.get_text() for text in back.texts] == \
        [f"{method} (ε = {epsilon})" for method in ("ldp-sgd", "soteriafl-sgd") for epsilon in (1, 5)]
    looks = [[(line.get_color(), line.get_linestyle(), line.get_marker()) for line in axes.get_lines()]
             for axes in (there, back)]
    assert looks[0] == looks[1] and looks[0][0][1:] == looks[0][2][1:] == ("-", "o")


def test_time_is_rounds_times_the_median_time_of_a_round(make_run):
    """One slow round is no plateau; evaluation and recording do not count."""
    seconds = np.zeros((5, 2, 13))
    seconds[1:, :, 1], seconds[:, :, 9] = 1.0, 4.0
    seconds[2, :, 1] = 50.0
    columns = {name: np.arange(5) for name in ("round", "bits_up_model", "bits_down_model", "bits_up_payload",
                                               "bits_down_payload", "batch_records")}
    columns |= {name: np.linspace(1, 0.5, 5) for name in ("objective", "gradient_norm_squared", "utility", "accuracy",
                                                          "epsilon")}
    run = read_run(make_run(seconds=seconds, columns=columns, rounds=np.int64(4),
                            mpi=dict.fromkeys(("bits_up", "bits_down", "bits_evaluation"), np.arange(5))))
    figure = shown([run], panels=["seconds"], metrics=["utility"])
    assert curves(figure.axes[0], CDP)[0].get_xdata().tolist() == [0, 1, 2, 3, 4]
    assert "unreliable times" in in_picture(figure, style.WARNING)


def test_lines_with_the_same_values_are_told(make_run):
    runs = [read_run(make_run(f"{method}.h5", method=method, columns={"accuracy": [0.5, 0.7, last]}))
            for method, last in (("ldp-sgd", 0.9), ("cdp-sgd", 0.9), ("soteriafl-sgd", 0.8))]
    assert "ldp-sgd lies under cdp-sgd, with the same values" in \
        words(shown(runs, panels=["rounds"], metrics=["accuracy"]))


def test_methods_without_privacy_are_their_end_alone_at_an_equal_budget(runs, make_run):
    public = read_run(make_run("p.h5", method="gd", epsilon_nominal=math.nan, claim="not a private run: no noise",
                               columns={"bits_up_payload": [0, 1000, 25600], "accuracy": [0.5, 0.1, 0.95]}))
    private = [read_run(make_run(f"{method}.h5", method=method, epsilon=2.0)) for method in ("cdp-sgd", "ldp-sgd")]
    figure = shown([*private, public], panels=["bits"], metrics=["accuracy"])
    (line,) = curves(figure.axes[0], style.COLOURS["gd"])
    assert list(line.get_ydata()) == [0.95, 0.95]
    assert "without privacy, shown by the value at the end alone: gd 95.0 %" in " ".join(words(figure).replace("(no ε) ", "").split())


def test_a_run_that_is_evaluated_far_before_the_budget_is_not_compared_at_it(make_run):
    """Its last state within the budget, at half of it, says nothing of its end."""
    runs = [read_run(make_run("a.h5", method="cdp-sgd", columns={"bits_up_payload": [0, 600, 1280]})),
            read_run(make_run("b.h5", method="ldp-sgd", rounds=np.int64(3),
                              mpi=dict.fromkeys(("bits_up", "bits_down", "bits_evaluation"), [0] * 4),
                              columns={"bits_up_payload": [0, 640, 1200, 25600], "accuracy": [0.5, 0.6, math.nan, 0.7]} | longer(4)))]
    figure = shown(runs, panels=["bits"], metrics=["accuracy"])
    assert "not at equal bits, for which ldp-sgd was evaluated too seldom" in words(figure)
    assert figure.axes[0].get_xlim()[1] > 2000


def longer(rows):
    """The columns of a run with more states than the file that tests write has."""
    plain = {name: np.linspace(1, 0.5, rows) for name in ("objective", "gradient_norm_squared", "utility", "epsilon")}
    counts = {name: np.arange(rows) for name in ("round", "bits_up_model", "bits_down_model", "bits_down_payload", "batch_records")}
    return plain | counts


@pytest.mark.parametrize("bits, said", [
    ([0, 20000, 25600], "one round of ldp-sgd (2 kbit) exceeds the budget of the others, 128 bit per client"),
    ([0, 640, 25600], "one round of ldp-sgd (2.5 kbit) exceeds the budget of the others, 128 bit per client"),
    ([0, 900, 1900], "one round of ldp-sgd (100 bit) takes more than a quarter of the budget of the others, 128 bit per client")])
def test_where_a_round_is_larger_than_the_budget_no_evaluation_is_missed(make_run, bits, said):
    """Every round was evaluated, so that a smaller evaluate.every would change nothing."""
    runs = [read_run(make_run("a.h5", method="cdp-sgd", columns={"bits_up_payload": [0, 600, 1280]})),
            read_run(make_run("b.h5", method="ldp-sgd", columns={"bits_up_payload": bits}))]
    found = words(shown(runs, panels=["bits"], metrics=["accuracy"]))
    assert f"every run is drawn to its end and not at equal bits: {said}" in found and "evaluate.every" not in found


def test_seeds_are_counted_for_each_line(make_run):
    runs = [read_run(make_run(f"{method}.h5", method=method, seed=seed)) for seed, method in ((1, "ldp-sgd"), (2, "cdp-sgd"))]
    assert "one seed each" in in_picture(shown(runs, panels=["rounds"]))
