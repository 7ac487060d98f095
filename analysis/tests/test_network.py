"""`trilemma_analysis network`: time against bandwidth, and as measured."""
import json
import math

import numpy as np
import pytest

from trilemma_analysis.cli.main import main
from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.io.run_file import read_run
from trilemma_analysis.network.figure import draw_network, rate
from trilemma_analysis.network.prediction import predicted_runs, read_prediction, seconds_until

BANDWIDTHS = (1e6, 1e7, 1e8)


def _answer(whole=(100.0, 10.0, 1.0), small=(10.0, 5.0, 4.5)):
    runs = [{"file": f"{name}.h5", "method": "cdp-sgd", "compressor": name, "compressor_label": name,
             "compressor_kind": name.split(",")[0]} for name in ("identity", "rand-k, k = 3 of 9")]
    networks = [{"ranks": 4, "measured": False, "latency": 0.005, "bandwidth": bandwidth,
                 "predictions": [{"rounds": 3, "compute": 1, "down": 1, "up": 1, "seconds": seconds} for seconds in pair],
                 "first": 0} for bandwidth, pair in zip(BANDWIDTHS, zip(whole, small))]
    return {"accuracy": 0.8, "runs": runs, "networks": networks,
            "crossings": [{"below": 1, "above": 0, "bandwidth": 2.3e7}]}


def _texts(figure):
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


def test_the_crossing_is_marked():
    answer = _answer()
    texts = _texts(draw_network(answer, predicted_runs(answer), []))
    assert any("below 23 Mbit/s compression" in text for text in texts)


def test_what_does_not_cross_is_said():
    answer = _answer(small=(1.0, 0.9, 0.8)) | {"crossings": []}
    assert "at every bandwidth drawn" in draw_network(answer, predicted_runs(answer), []).get_label()


@pytest.mark.parametrize("small, told", [((100.5, 10.1, 1.0), True), ((100.0, 10.0, 0.9), False)])
def test_a_line_that_cannot_be_seen_is_told(small, told):
    answer = _answer(small=small) | {"crossings": []}
    said = draw_network(answer, predicted_runs(answer), []).get_label()
    assert ("cdp-sgd, identity takes as long as cdp-sgd, rand-k" in said and "which covers its line" in said) == told


@pytest.mark.parametrize("topology, said", [("star", "4 ranks, all messages through the link of rank 0, 5 ms one way"),
                                            ("tree", "messages forwarded by the MPI library")])
def test_the_topology_is_named(topology, said):
    answer = _answer()
    for network in answer["networks"]:
        network["topology"] = topology
    assert said in " ".join(" ".join(_texts(draw_network(answer, predicted_runs(answer), []))).split())


def test_several_numbers_of_ranks_are_refused(tmp_path):
    answer = _answer()
    answer["networks"][1]["ranks"] = 8
    (tmp_path / "p.json").write_text(json.dumps(answer))
    with pytest.raises(RunFileError, match="several numbers of ranks"):
        read_prediction(tmp_path / "p.json")


def test_runs_that_miss_the_target_are_gaps():
    answer = _answer()
    answer["networks"][0]["predictions"][1] = None
    assert math.isnan(predicted_runs(answer)[1].seconds[0])


def test_measured_seconds_are_those_of_rank_0_without_evaluation(make_run):
    run = read_run(make_run())
    phases = list(run.phase_names)
    counted = [i for i, name in enumerate(phases) if name not in ("evaluate", "record", "checkpoint")]
    assert seconds_until(run, None) == pytest.approx(run.phase_seconds[1:, 0][:, counted].sum())
    assert math.isnan(seconds_until(run, 2.0))
    best = np.nanmax(run.rounds["accuracy"].to_numpy()[1:])
    assert seconds_until(run, best) <= seconds_until(run, None)


def test_a_picture_with_measured_runs(make_run, tmp_path):
    (tmp_path / "runs").mkdir()
    make_run("runs/a.h5", method="cdp-sgd", compressor="identity")
    (tmp_path / "p.json").write_text(json.dumps(_answer() | {"accuracy": None}))
    picture = tmp_path / "p.png"
    assert main(["network", str(tmp_path / "p.json"), "--measured", f"here={tmp_path / 'runs'}", "-o", str(picture)]) == 0
    assert picture.stat().st_size > 0


@pytest.mark.parametrize("content, problem", [("{", "not JSON"), ("[]", "not a prediction"),
                                              (json.dumps(_answer() | {"networks": []}), "one network")])
def test_other_files_are_refused(tmp_path, content, problem):
    file = tmp_path / "p.json"
    file.write_text(content)
    with pytest.raises(RunFileError, match=problem):
        read_prediction(file)


def test_runs_that_look_alike_are_refused(tmp_path):
    answer = _answer()
    answer["runs"][1] = answer["runs"][0] | {"file": "again.h5"}
    file = tmp_path / "p.json"
    file.write_text(json.dumps(answer))
    with pytest.raises(RunFileError, match="two runs of cdp-sgd, identity"):
        read_prediction(file)


def test_a_folder_without_runs_is_refused(tmp_path, capsys):
    (tmp_path / "p.json").write_text(json.dumps(_answer()))
    assert main(["network", str(tmp_path / "p.json"), "--measured", f"x={tmp_path}", "-o", str(tmp_path / "x.png")]) == 2
    assert "NAME=FOLDER" in capsys.readouterr().err


def test_rates_have_units():
    assert [rate(value) for value in (500, 2.34e4, 1e6, 9.96e8, 1.2e10)] == ["500 bit/s", "23 kbit/s", "1 Mbit/s", "1 Gbit/s",
                                                                            "12 Gbit/s"]
