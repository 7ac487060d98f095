"""Simulated ranks (`scripts/build simgrid trilemma`, jobs/simulate): the bits of one process; the file says so."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "run"))
from conftest import PROGRAM, ROOT, call, environment, read  # noqa: E402

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


STUDY = f"""
name = "tiny"
experiment = "{DEMO}"
ranks = [1, 4, 8]
repetitions = 2
warm_up = 2
[set]
rounds = 20
clients = 24
server_hosts = true
[axes]
exchange.up = ["gather", "reduce"]
"""


def submit(folder, *words):
    (folder / "tiny.toml").write_text(STUDY)
    return [str(word) for word in (sys.executable, ROOT / "jobs/submit", "study", "tiny.toml", "--backend", "local",
                                   "--program", PROGRAM, "--platform", ROOT / "jobs/platforms/two-sites.xml", *words)]


@needs_simgrid
def test_a_study_of_simulated_ranks(tmp_path):
    done = subprocess.run(submit(tmp_path), cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "study tiny-two-sites: 6 points x 2 repetitions = 12 runs on 1, 4, 8 simulated ranks" in done.stdout
    assert "calibration" not in done.stdout
    folder = tmp_path / "runs/studies/tiny-two-sites"
    with h5py.File(next(folder.glob("*-r1.h5"))) as h5:
        assert "communication only" in h5["environment/simulation"].asstr()[()]
    judged = subprocess.run([ROOT / "scripts/analysis", "scaling", folder], capture_output=True, text=True, timeout=60,
                            env=environment())
    assert judged.returncode == 0, judged.stderr
    assert "SIMULATED: no time of" in judged.stdout + judged.stderr
    assert "SHARED CORES" not in judged.stdout and "DISTURBED" not in judged.stdout
    again = subprocess.run(submit(tmp_path), cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60)
    assert "nothing is missing" in again.stdout


@needs_simgrid
@pytest.mark.parametrize("words, sentence", [
    (["--backend", "slurm"], "add --backend local"),
    (["--platform", "no.xml"], "no.xml: no such file"),
    (["--simulated-program", "no"], "no: no such file"),
])
def test_mistakes_of_a_simulated_study(tmp_path, words, sentence):
    done = subprocess.run(submit(tmp_path, *words), cwd=tmp_path, env=environment(), capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 2 and sentence in done.stderr


@needs_simgrid
def test_a_signal_ends_all_of_it(tmp_path):
    words = ["--platform", ROOT / "jobs/platforms/two-sites.xml", "--ranks", "8", "--set", "rounds=1000000", "--output",
             tmp_path / "long.h5"]
    child = subprocess.Popen(list(map(str, [SIMULATE, DEMO, *words])), env=environment(), stdout=subprocess.DEVNULL)

    def simulated():
        return subprocess.run(["pgrep", "-f", str(tmp_path)], capture_output=True, text=True).stdout.split()

    deadline = time.monotonic() + 30
    while len(simulated()) < 3 and time.monotonic() < deadline:  # jobs/simulate, smpirun and all ranks
        time.sleep(0.1)
    os.kill(child.pid, signal.SIGTERM)
    assert child.wait(timeout=10) == 128 + signal.SIGTERM
    time.sleep(0.5)
    assert simulated() == []


@needs_simgrid
def test_an_older_file_is_no_result(tmp_path):
    """smpirun ends with 0 where its program has written nothing."""
    output, nothing = tmp_path / "old.h5", tmp_path / "nothing"
    output.write_text("old")
    nothing.write_text("#!/bin/sh\nexit 0\n")
    nothing.chmod(0o755)
    (tmp_path / "smpirun").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "smpirun").chmod(0o755)
    words = ["--platform", ROOT / "jobs/platforms/two-sites.xml", "--ranks", "4", "--output", output, "--program",
             nothing]
    done = subprocess.run(list(map(str, [SIMULATE, DEMO, *words])), capture_output=True, text=True, timeout=60,
                          env={**environment(), "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert done.returncode == 2 and f"ended without {output}" in done.stderr
