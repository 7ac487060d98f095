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
from trilemma_analysis.network.simulation import read_simulated, spikes, title


@pytest.fixture
def simulated(make_run):
    def make(name, platform, up, ranks, seconds, config="", computing="communication only", text=None, local=0.0):
        """A run of two rounds, with the given seconds up to the exchange in each, `local` of them for the clients' work,
        and 7 s to evaluation."""
        phases = np.zeros((3, ranks, len(PHASES)))
        phases[:, :, PHASES.index("exchange")] = seconds - local
        phases[:, :, PHASES.index("local")] = local
        phases[:, :, PHASES.index("evaluate")] = 7
        text = f"{platform}.xml, {ranks} ranks on {ranks} hosts, {computing}; SMPI 3.32" if text is None else text
        return make_run(f"{name}.h5", seconds=phases, ranks=ranks, environment={"simulation": text} if text else {},
                        config=f'method = "cdp-sgd"\nclients = 8\n{config}\n[exchange]\nup = "{up}"\n')
    return make


def points(*files):
    found = read_simulated([read_run(file) for file in files]).points
    return found.set_index(["platform", "exchange", "ranks"]).seconds.to_dict()


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
        (2, "gather", 5e-5), (2, "reduce", 5.05e-5), (4, "gather", 5e-5), (4, "reduce", 2.5e-5))]
    main(["simulated", *map(str, files), "--json", str(tmp_path / "points.json")])
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "SIMULATED, fastest: tree: gather or reduce, on 4 ranks reduce"
    lines = [line.split() for line in out]
    assert ["tree", "2", "50", "µs", "50.5", "µs", "gather,", "reduce"] in lines
    assert ["tree", "4", "50", "µs", "25", "µs", "reduce"] in lines
    assert out[-2].startswith("SIMULATED times of a round") and max(map(len, out)) <= 100
    found = json.loads((tmp_path / "points.json").read_text())[0]
    assert found["phases"]["exchange"] == 5e-5 and "evaluate" not in found.pop("phases")
    assert found == {"platform": "tree", "exchange": "gather", "ranks": 2, "seconds": 5e-5}


def test_exchanges_that_take_equally_long_are_one_line(simulated):
    runs = [read_run(simulated(f"{platform}{up}{ranks}", platform, up, ranks, 0.01 * ranks * (1 + (up == "gather"))))
            for platform in ("tree", "star") for up in ("gather", "hierarchical", "reduce") for ranks in (2, 4)]
    found = read_simulated(runs)
    assert [list(times) for times in found.times.values()] == [["gather", "hierarchical and reduce"]] * 2
    assert found.times["tree"]["hierarchical and reduce"].tolist() == [0.02, 0.04]
    figure = draw_simulated(found)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["star", "tree"]
    assert [len(axes.lines) for axes in figure.axes] == [2, 2]
    assert "SIMULATED (SimGrid)" in figure.get_label() and "each rank has a host of its own" in figure.get_label()


@pytest.mark.parametrize("seconds, local, told", [
    ((1.0, 4.0, 1.5), 0.5, [("tree", 4, "exchange: 3.5 s of 4 s")]), ((1.0, 4.0, 1.5), 0.0, []),
    ((1.0, 4.0, 5.0), 0.5, []), ((1.0, 1.2, 1.0), 0.5, [])])
def test_a_spike_is_explained_by_the_phase_that_grows(simulated, seconds, local, told):
    """Rounds that are all one phase have no reason to name."""
    runs = [read_run(simulated(f"{ranks}", "tree", "gather", ranks, each, local=local))
            for ranks, each in zip((2, 4, 8), seconds)]
    assert spikes(read_simulated(runs)) == told


def test_a_run_without_times_is_refused(simulated):
    with pytest.raises(RunFileError, match="incomplete, or without times of rounds"):
        points(simulated("a", "tree", "gather", 2, 0.0))


EARLY, LATE, NEVER = {2: 1e-5, 4: 9e-5, 8: 9e-5}, {2: 1e-5, 4: 1e-5, 8: 9e-5}, dict.fromkeys((2, 4, 8), 1e-5)
ALWAYS, TIED = dict.fromkeys((2, 4, 8), 9e-5), {2: 9e-5, 4: 9e-5, 8: 5e-5}


@pytest.mark.parametrize("reduce, said", [
    ({"bush": EARLY, "tree": LATE}, "SIMULATED: gather is fastest from 4 ranks on bush and from 8 ranks on tree"),
    ({"bush": EARLY, "tree": LATE, "star": LATE, "wood": ALWAYS},
     "SIMULATED: gather is fastest on wood, from 4 ranks on bush and from 8 ranks on star and tree"),
    ({"tree": LATE}, "SIMULATED: gather is fastest from 8 ranks on"),
    ({"bush": LATE, "tree": LATE}, "SIMULATED: gather is fastest from 8 ranks on"),
    ({"bush": ALWAYS, "tree": ALWAYS}, "SIMULATED: gather is fastest on all simulated numbers of ranks"),
    ({"bush": ALWAYS, "tree": TIED}, "SIMULATED: gather is fastest on all simulated numbers of ranks"),
    ({"bush": dict.fromkeys((2, 4, 8), 5e-5)},
     "SIMULATED: gather and reduce are fastest on all simulated numbers of ranks"),
    ({"tree": {2: 1e-5, 4: 5.01e-5, 8: 5.01e-5}, "bush": {2: 9e-5, 4: 5e-5, 8: 5e-5}},
     "SIMULATED: gather is fastest on bush and from 4 ranks on tree"),
    ({"bush": EARLY, "tree": NEVER}, "SIMULATED, fastest: bush: gather, on 2 ranks reduce; tree: reduce")])
def test_the_title_says_from_which_ranks_on_an_exchange_is_fastest(simulated, reduce, said):
    """Gather takes 50 µs everywhere."""
    files = [simulated(f"{platform}{up}{ranks}", platform, up, ranks, 5e-5 if up == "gather" else of_reduce)
             for platform, times in reduce.items() for ranks, of_reduce in times.items() for up in ("gather", "reduce")]
    assert title(read_simulated([read_run(file) for file in files])) == said
