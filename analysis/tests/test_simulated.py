"""The command `simulated`, from files written by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import PHASES

from trilemma_analysis import RunFileError
from trilemma_analysis.cli.main import main
from trilemma_analysis.io.run_file import read_run
from trilemma_analysis.network.simulated_figure import draw_simulated
from trilemma_analysis.network.simulation import read_simulated


@pytest.fixture
def simulated(make_run):
    def make(name, platform, up, ranks, seconds, config="", computing="communication only", text=None):
        """A run of two rounds, with the given seconds up to the exchange in each, and 7 s to evaluation."""
        phases = np.zeros((3, ranks, len(PHASES)))
        phases[:, :, PHASES.index("exchange")] = seconds
        phases[:, :, PHASES.index("evaluate")] = 7
        text = f"{platform}.xml, {ranks} ranks on {ranks} hosts, {computing}; SMPI 3.32" if text is None else text
        return make_run(f"{name}.h5", seconds=phases, ranks=ranks, environment={"simulation": text} if text else {},
                        config=f'method = "cdp-sgd"\nclients = 8\n{config}\n[exchange]\nup = "{up}"\n')
    return make


def points(*files):
    return {(point.platform, point.exchange, point.ranks): point.seconds
            for point in read_simulated([read_run(file) for file in files]).points}


def test_a_round_is_timed_without_evaluation(simulated):
    assert points(simulated("a", "tree", "gather", 2, 0.5), simulated("b", "tree", "reduce", 2, 0.25)) == {
        ("tree", "gather", 2): 0.5, ("tree", "reduce", 2): 0.25}


@pytest.mark.parametrize(("other", "sentence"), [
    ({"text": ""}, "b.h5: not made on simulated ranks; `scaling` draws studies"),
    ({"text": "somewhere"}, "platform is empty in /environment; run it with jobs/simulate"),
    ({"config": "rounds = 9"}, r"b.h5: not the experiment of .*a.h5 \(it differs in rounds\)"),
    ({"computing": "computing takes 2 times as long as on here"}, "b.h5: simulated with computing takes 2 times"),
    ({}, "b.h5: gather on 2 ranks of tree again, as in .*a.h5; leave one out")])
def test_what_does_not_belong_together_is_refused(simulated, other, sentence):
    with pytest.raises(RunFileError, match=sentence):
        points(simulated("a", "tree", "gather", 2, 0.5), simulated("b", "tree", "gather", 2, 0.5, **other))


def test_the_table_names_the_fastest_and_that_it_is_a_simulation(simulated, tmp_path, capsys):
    files = [simulated(f"{up}{ranks}", "tree", up, ranks, seconds) for ranks, up, seconds in (
        (2, "gather", 0.5), (2, "reduce", 0.505), (4, "gather", 0.5), (4, "reduce", 0.25))]
    main(["simulated", *map(str, files), "--json", str(tmp_path / "points.json"), "-o", str(tmp_path / "picture.png")])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["tree", "2", "500", "505", "gather,", "reduce"] in lines
    assert ["tree", "4", "500", "250", "reduce"] in lines
    assert any(line[0] == "SIMULATED" for line in lines)
    assert json.loads((tmp_path / "points.json").read_text())[0] == {
        "platform": "tree", "exchange": "gather", "ranks": 2, "seconds": 0.5}
    assert (tmp_path / "picture.png").stat().st_size > 10_000


def test_a_panel_for_a_platform_and_a_word_on_covered_lines(simulated):
    runs = [read_run(simulated(f"{platform}{up}{ranks}", platform, up, ranks, 0.01 * ranks * (1 + (up == "gather"))))
            for platform in ("tree", "star") for up in ("gather", "hierarchical", "reduce") for ranks in (2, 4)]
    figure = draw_simulated(read_simulated(runs))
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["star", "tree"]
    assert [len(axes.lines) for axes in figure.axes] == [3, 3]
    assert "star: reduce takes as long as hierarchical and covers its line" in figure.get_label()
    assert "SIMULATED" in figure.get_label() and "each rank has a host of its own" in figure.get_label()


def test_a_run_without_times_is_refused(simulated):
    with pytest.raises(RunFileError, match="incomplete, or without times of rounds"):
        points(simulated("a", "tree", "gather", 2, 0.0))
