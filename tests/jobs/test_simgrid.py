"""Simulated ranks (`scripts/build simgrid trilemma`, jobs/simulate): the bits of one process; the file says so."""
import json
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "run"))
from conftest import ROOT, call, environment, read  # noqa: E402

SIMULATE = ROOT / "jobs/simulate"
DEMO = ROOT / "jobs/experiments/demo.toml"
FEW = ["rounds=20", "clients=20"]
LONG = ["data.features=60000", "data.rows=2000", "local.batch=20"]  # sums that collective calls cut into pieces
needs_simgrid = pytest.mark.skipif(
    not (ROOT / "build/simgrid/trilemma").exists() or shutil.which("smpirun") is None,
    reason="there is no program for SimGrid, or no smpirun")


def simulate(ranks, *words, platform="two-sites", file=DEMO):
    command = [SIMULATE, file, "--platform", ROOT / f"jobs/platforms/{platform}.xml", "--ranks", ranks, *words]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, env=environment())


def settings(*more):
    return [word for setting in (*FEW, *more) for word in ("--set", setting)]


@needs_simgrid
@pytest.mark.parametrize("ranks, up, more", [
    (4, "gather", []), (16, "gather", []), (16, "reduce", []), (16, "hierarchical", []), (8, "hierarchical", LONG)])
def test_the_bits_of_one_process(tmp_path, ranks, up, more):
    one, simulated = tmp_path / "one.h5", tmp_path / "simulated.h5"
    assert call("run", DEMO, *settings(*more), "--quiet", "--output", one).code == 0
    done = simulate(ranks, *settings(f"exchange.up={up}", *more), "--output", simulated)
    assert done.returncode == 0, done.stdout + done.stderr
    (model, columns), (its_model, its_columns) = read(one), read(simulated)
    assert model.tobytes() == its_model.tobytes()
    assert columns.keys() == its_columns.keys()
    for name in columns:
        assert columns[name].tobytes() == its_columns[name].tobytes(), name


@needs_simgrid
def test_a_file_says_that_it_is_a_simulation(tmp_path):
    file = tmp_path / "simulated.h5"
    assert simulate(4, *settings(), "--output", file, platform="edge-100").returncode == 0
    with h5py.File(file) as h5:
        text = h5["environment/simulation"].asstr()[()]
        seconds = h5["phases/seconds"][1:].sum(axis=2)
    assert text.startswith("edge-100.xml, 4 ranks on 4 hosts, communication only; SMPI")
    assert "SIMULATED" in call("show", file).out
    assert json.loads(call("show", file, "--json").out)["simulation"] == text
    assert "run 1 was made on simulated ranks" in call("predict", file, "--latency", "1ms", "--bandwidth", "1Gbit").out
    assert (seconds.max(axis=1) > 0.04).all()  # a model down and messages up, 20 ms each


@needs_simgrid
def test_computing_takes_time_where_that_is_asked_for(tmp_path):
    file = tmp_path / "slow.h5"
    done = simulate(4, *settings(), "--compute-factor", "1e6", "--output", file)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(file) as h5:
        phase = list(h5["phases/name"].asstr()).index("local")
        assert h5["phases/seconds"][-1, 1:, phase].min() > 1
        assert "1e+06 times as long as on" in h5["environment/simulation"].asstr()[()]


@needs_simgrid
def test_a_refusal_ends_with_its_code(tmp_path):
    done = simulate(4, "--set", "metod=gd", "--output", tmp_path / "no.h5")
    assert done.returncode == 2
    assert len([line for line in done.stderr.splitlines() if line.startswith("trilemma:")]) == 1


@needs_simgrid
@pytest.mark.parametrize("words, sentence", [
    (["--platform", "no.xml"], "no platform of SimGrid"),
    (["--output", "a b.h5"], "a word with a blank"),
    (["--compute-factor", "0"], "not a positive number"),
])
def test_mistakes_are_told(words, sentence):
    done = simulate(4, *words)
    assert done.returncode == 2 and sentence in done.stderr
