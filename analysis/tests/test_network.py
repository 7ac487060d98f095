"""`trilemma_analysis network`: times of runs on networks, predicted and measured."""
import json
import math

import numpy as np
import pandas as pd
import pytest
from figure_parts import overlapping

from trilemma_analysis.cli.main import main
from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.io.run_file import read_run
from trilemma_analysis.network.figure import answer_of_bandwidths, draw_bandwidths, draw_rows
from trilemma_analysis.network.prediction import (answer, envelope_of, measured_times, rate, read_prediction, rows_of,
                                                  seconds_until, slowest)

BANDWIDTHS = (1e6, 1e7, 1e8)
COMPRESSORS = ("identity", "rand-k, k = 3 of 9")


def predicted(folder, whole=(100.0, 10.0, 1.0), small=(10.0, 5.0, 4.5), runs=COMPRESSORS, **more):
    """A prediction for three bandwidths; the runs are those of the compressors."""
    seconds = {"identity": whole, "rand-k, k = 3 of 9": small}
    answer = {"accuracy": 0.8, "crossings": [], "runs": [
        {"file": f"{i}.h5", "method": "cdp-sgd", "compressor": name, "compressor_label": name,
         "compressor_kind": name.split(",")[0]} for i, name in enumerate(runs)], "networks": [
        {"ranks": 4, "latency": 0.005, "topology": "star", "bandwidth": bandwidth, "predictions": [
            None if seconds[name][i] is None else {"seconds": seconds[name][i] * (1 + 0.1 * at)}
            for at, name in enumerate(runs)]} for i, bandwidth in enumerate(BANDWIDTHS)]} | more
    (folder / "p.json").write_text(json.dumps(answer))
    return folder / "p.json"


def frame(name, **seconds):
    return pd.DataFrame([{"method": "cdp-sgd", "compressor": compressor, "label": compressor, "network": name,
                          "seconds": each} for compressor, values in zip(COMPRESSORS, seconds.values()) for each in values])


def test_a_row_is_a_method_and_compressor_the_fastest_on_the_slowest_network_first(tmp_path):
    prediction = read_prediction(predicted(tmp_path))
    rows = rows_of(prediction, ["1 Mbit/s", "100 Mbit/s"], [])
    assert slowest(rows) == "1 Mbit/s" and [row.label for row in rows] == ["rand-k, k = 3 of 9", "identity"]
    assert [row.predicted["100 Mbit/s"].median for row in rows] == [pytest.approx(4.95), 1.0]
    assert answer(rows, "1 Mbit/s") == \
        "The best compression pays on 1 Mbit/s: 11 s (cdp-sgd, rand-k, k = 3 of 9) against 100 s (cdp-sgd) uncompressed"
    assert answer(rows, "100 Mbit/s", ["100 Mbit/s"]) == (
        "Compression does not pay on 100 Mbit/s: 4.95 s (cdp-sgd, rand-k, k = 3 of 9) against 1 s (cdp-sgd) uncompressed "
        "(unreliable times)")


def test_seeds_are_one_row_with_an_interval(tmp_path):
    prediction = read_prediction(predicted(tmp_path, runs=(COMPRESSORS[0],) * 3 + COMPRESSORS[1:]))
    rows = rows_of(prediction, ["1 Mbit/s"], [])
    found = rows[1].predicted["1 Mbit/s"]
    assert (found.n, found.median, found.low, found.high) == (3, pytest.approx(110), pytest.approx(100), pytest.approx(120))


def test_seeds_that_overlap_are_tied_and_measured_networks_are_the_answer(tmp_path):
    prediction = read_prediction(predicted(tmp_path))
    rows = rows_of(prediction, ["1 Mbit/s"], [frame("slow", whole=(60.0, 70.0), small=(65.0, 80.0)),
                                              frame("fast", whole=(1.0, 2.0), small=(3.0, 4.0))])
    assert slowest(rows) == "slow"  # 72 s measured, 100 s predicted
    assert answer(rows, "slow").startswith("The best runs with and without compression are tied on slow: ")
    assert answer(rows, "fast").startswith("Compression does not pay on fast: 3.5 s")


@pytest.mark.parametrize("small, verdict", [(95.0, "The best runs with and without compression are tied"),
                                            (80.0, "The best compression pays"), (120.0, "Compression does not pay")])
def test_single_runs_that_are_closer_than_a_tenth_are_tied(tmp_path, small, verdict):
    rows = rows_of(read_prediction(predicted(tmp_path)), [], [frame("slow", whole=(100.0,), small=(small,))])
    assert answer(rows, "slow").startswith(f"{verdict} on slow: {small:.3g} s")


def test_a_run_that_misses_the_accuracy_leaves_no_median(tmp_path):
    prediction = read_prediction(predicted(tmp_path, small=(None, 5.0, 4.5)))
    rows = rows_of(prediction, ["1 Mbit/s"], [])
    assert [row.label for row in rows] == ["identity", "rand-k, k = 3 of 9"] and rows[1].on("1 Mbit/s") is None
    assert answer(rows, "1 Mbit/s") == "Done first (1 Mbit/s): cdp-sgd, identity, in 100 s"


@pytest.mark.parametrize("small, crossing, said", [
    ((10.0, 10 / 1.1, 10.0), 1e7, "Compression pays below 10 Mbit/s"),
    ((1.0, 0.9, 0.1), None, "Compression pays at every bandwidth between 1 Mbit/s and 100 Mbit/s"),
    ((200.0, 90.0, 9.0), None, "Compression pays at no bandwidth between 1 Mbit/s and 100 Mbit/s"),
    ((10.0, 90.0, 0.1), None, "Compression pays at some bandwidths only between 1 Mbit/s and 100 Mbit/s")])
def test_the_crossing_of_the_best_runs(tmp_path, small, crossing, said):
    found = envelope_of(read_prediction(predicted(tmp_path, small=small)))
    assert found.crossing == (pytest.approx(crossing, rel=1e-3) if crossing else None)
    assert answer_of_bandwidths(found) == said


def test_bandwidths_need_both_kinds_of_run(tmp_path):
    with pytest.raises(RunFileError, match="compares compressed with uncompressed"):
        envelope_of(read_prediction(predicted(tmp_path, runs=COMPRESSORS[:1])))


def test_measured_seconds_are_those_of_rank_0_without_evaluation(make_run):
    run = read_run(make_run())
    counted = [i for i, name in enumerate(run.phase_names) if name not in ("evaluate", "record", "checkpoint")]
    assert seconds_until(run, None) == pytest.approx(run.phase_seconds[1:, 0][:, counted].sum())
    assert math.isnan(seconds_until(run, 2.0))
    best = np.nanmax(run.rounds["accuracy"].to_numpy()[1:])
    assert seconds_until(run, best) <= seconds_until(run, None)
    times = measured_times("here", [run], best)
    assert times.iloc[0][["method", "compressed", "network"]].tolist() == ["cdp-sgd", True, "here"]


def test_the_figures_name_networks_and_doubts(tmp_path):
    prediction = read_prediction(predicted(tmp_path))
    rows = rows_of(prediction, ["1 Mbit/s"], [frame("slow", whole=(80.0,), small=(9.0,))])
    figure = draw_rows(prediction, rows, ["1 Mbit/s"], {"slow": "unreliable times: load"})
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["slow", "predicted for 1 Mbit/s"]
    assert "unreliable times: load (open marks: slow)" in figure.get_label().splitlines()
    assert "predicted for 4 ranks, all messages through the link of rank 0, 5 ms one way" in figure.get_label().splitlines()
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["cdp-sgd, rand-k, k = 3 of 9",
                                                                              "cdp-sgd, identity"]
    assert not overlapping(figure)
    assert draw_bandwidths(prediction).get_label().startswith("Compression pays below ")


def test_the_command_prints_the_answer_and_marks_times_that_are_no_evidence(make_run, tmp_path, capsys):
    (tmp_path / "runs").mkdir()
    make_run("runs/a.h5", method="cdp-sgd", compressor="identity")
    file = predicted(tmp_path, accuracy=None)
    assert main(["network", str(file), "--measured", f"here={tmp_path / 'runs'}", "--at", "10Mbit"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [word for line in out[2:4] for word in line.split()] == ["method,", "compressor", "here", "10", "Mbit/s", "(predicted)"]
    assert out[-1] == "here: unreliable times: the file does not record the load of the machine"
    assert max(map(len, out)) <= 100


@pytest.mark.parametrize("words", ["7Mbit", "fast", "1.2.3Mbit"])
def test_other_bandwidths_are_refused(tmp_path, capsys, words):
    assert main(["network", str(predicted(tmp_path)), "--at", words]) == 2
    assert f"--at {words}: the prediction is for 1 Mbit/s, 10 Mbit/s, 100 Mbit/s" in capsys.readouterr().err


@pytest.mark.parametrize("content, problem", [("{", "not JSON"), ("[]", "not a prediction"),
                                              (json.dumps({"runs": [{}], "networks": []}), "not a prediction")])
def test_other_files_are_refused(tmp_path, content, problem):
    file = tmp_path / "p.json"
    file.write_text(content)
    with pytest.raises(RunFileError, match=problem):
        read_prediction(file)


def test_several_numbers_of_ranks_are_refused(tmp_path):
    file = predicted(tmp_path)
    content = json.loads(file.read_text())
    content["networks"][1]["ranks"] = 8
    file.write_text(json.dumps(content))
    with pytest.raises(RunFileError, match="several numbers of ranks"):
        read_prediction(file)


def test_a_folder_without_runs_is_refused(tmp_path, capsys):
    assert main(["network", str(predicted(tmp_path)), "--measured", f"x={tmp_path}"]) == 2
    assert "NAME=FOLDER" in capsys.readouterr().err


def test_rates_have_units():
    assert [rate(value) for value in (500, 2.34e4, 1e6, 9.96e8, 1.2e10)] == ["500 bit/s", "23 kbit/s", "1 Mbit/s", "1 Gbit/s",
                                                                            "12 Gbit/s"]
