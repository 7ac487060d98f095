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
from extent import only_with_all  # noqa: E402

SIMULATE = ROOT / "jobs/simulate"
DEMO = ROOT / "jobs/experiments/demo.toml"
FEW = ["rounds=20", "clients=20"]
LONG = ["data.features=60000", "data.rows=2000", "local.batch=20"]  # sums that collective calls cut into pieces
needs_simgrid = pytest.mark.skipif(
    not (ROOT / "build/simgrid/trilemma").exists() or shutil.which("smpirun") is None,
    reason="there is no program for SimGrid, or no smpirun")


def simulate(ranks, *words, platform="two-sites", file=DEMO, seconds=120):
    command = [SIMULATE, file, "--platform", ROOT / f"jobs/platforms/{platform}.xml", "--ranks", ranks, *words]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=seconds,
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
@pytest.mark.parametrize("up", ["gather", "reduce"])
def test_predict_says_what_the_simulation_does(tmp_path, up):
    """On the fat tree, 4 us between two nodes at 100 Gbit/s, with a model of the size of that for MNIST."""
    file = tmp_path / "simulated.h5"
    model = ["data.features=50889", "data.rows=320", "local.batch=5", "evaluate.every=100", "clients=16", "server_hosts=true"]
    done = simulate(16, *settings(f"exchange.up={up}", *model, "rounds=4"), "--output", file, platform="fat-tree-1024")
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(file) as h5:
        measured = [i for i, name in enumerate(h5["phases/name"].asstr()[:]) if name not in ("evaluate", "record", "checkpoint")]
        seconds = h5["phases/seconds"][1:4][:, :, measured].sum(axis=2).max(axis=1).mean()
    answer = json.loads(call("predict", file, "--latency", "4us", "--bandwidth", "100Gbit", "--ranks", 16, "--topology", "tree",
                             "--json").out)
    predicted = answer["networks"][0]["predictions"][0]
    assert (predicted["down"] + predicted["up"]) / predicted["rounds"] == pytest.approx(seconds, rel=0.25)


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
def test_the_program_alone_says_who_starts_it():
    done = subprocess.run([ROOT / "build/simgrid/trilemma", "run", DEMO], capture_output=True, text=True, timeout=300,
                          env=environment())
    assert done.returncode == 2 and done.stderr == (
        "trilemma: this program is for SimGrid's simulated ranks; start it with jobs/simulate\n")


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
ranks = [2, 4, 8]
repetitions = 2
warm_up = 2
[set]
rounds = 20
clients = 24
server_hosts = true
[axes]
exchange.up = ["gather", "reduce"]
"""


def words_of(folder, *words, text=STUDY):
    (folder / "tiny.toml").write_text(text)
    return [str(word) for word in (sys.executable, ROOT / "jobs/submit", "study", "tiny.toml", "--backend", "local",
                                   "--program", PROGRAM, "--platform", "network.xml", *words)]


def submit(folder, *words, text=STUDY):
    return subprocess.run(words_of(folder, *words, text=text), cwd=folder, env=environment(), capture_output=True,
                          text=True, timeout=120)


@pytest.fixture
def network(tmp_path):
    """A platform of the test's own."""
    shutil.copy(ROOT / "jobs/platforms/two-sites.xml", tmp_path / "network.xml")
    return tmp_path / "network.xml"


def running(folder):
    """Processes whose command names this folder."""
    found = subprocess.run(["pgrep", "-f", str(folder)], capture_output=True, text=True).stdout.split()
    return [int(pid) for pid in found]


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert condition()


@needs_simgrid
def test_a_study_of_simulated_ranks(tmp_path, network):
    done = submit(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "study tiny-network: 6 points x 2 repetitions = 12 runs on 2, 4, 8 simulated ranks" in done.stdout
    assert "calibration" not in done.stdout
    folder = tmp_path / "runs/studies/tiny-network"
    with h5py.File(next(folder.glob("*-r1.h5"))) as h5:
        assert "communication only" in h5["environment/simulation"].asstr()[()]
    judged = subprocess.run([ROOT / "scripts/analysis", "scaling", folder], capture_output=True, text=True, timeout=300,
                            env=environment())
    assert judged.returncode == 0, judged.stderr
    assert judged.stdout.startswith("SIMULATED times, no measurements: network.xml, communication only")
    assert "nothing is missing" in submit(tmp_path).stdout
    network.write_text(network.read_text().replace("10ms", "20ms"))  # another network, whatever its file is called
    assert "12 of the runs there are not in this plan (on 2, 4, 8 ranks)" in submit(tmp_path, "--dry-run").stderr
    assert "study tiny-network-x2:" in submit(tmp_path, "--dry-run", "--compute-factor", "2").stdout


@needs_simgrid
@pytest.mark.parametrize("words, sentence", [
    (["--backend", "slurm"], "add --backend local"),
    (["--platform", "no.xml"], "no.xml: no platform of SimGrid"),
    (["--simulated-program", "no"], "no: no such program"),
    (["--launcher", "mpirun"], "--launcher has no meaning for simulated ranks"),
    (["--ranks", "1,2"], "a round on 1 rank takes no time"),
    (["--set", "name=two words"], "two words': smpirun takes a word with a blank for two"),
])
def test_mistakes_of_a_simulated_study(tmp_path, network, words, sentence):
    done = submit(tmp_path, *words)
    assert done.returncode == 2 and sentence in done.stderr
    assert not (tmp_path / "runs").exists()


@needs_simgrid
def test_what_simulated_ranks_cannot_do_is_refused(tmp_path, network):
    done = submit(tmp_path, text=STUDY.replace('"reduce"', '"overlap"'))
    assert done.returncode == 2 and 'exchange.up = "overlap" takes MPI calls that SimGrid lacks' in done.stderr


@needs_simgrid
def test_ctrl_c_ends_a_simulated_study(tmp_path, network):
    text = STUDY.replace("rounds = 20", "rounds = 1000000")
    child = subprocess.Popen(words_of(tmp_path, "--output-dir", tmp_path / "here", text=text), cwd=tmp_path,
                             env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: len(running(tmp_path / "here")) >= 4)  # submit, jobs/simulate, smpirun and all ranks
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=300) == 130
        assert "interrupted" in child.stderr.read()
        wait_for(lambda: not running(tmp_path / "here"), 300)
    finally:
        for pid in running(tmp_path / "here"):
            os.kill(pid, signal.SIGKILL)


@needs_simgrid
@pytest.mark.parametrize("moment", [0.1, *(pytest.param(other, marks=only_with_all) for other in (0, 0.05, 0.2, 0.4, 1))])
def test_a_signal_ends_all_of_it(tmp_path, moment):
    words = ["--platform", ROOT / "jobs/platforms/two-sites.xml", "--ranks", "8", "--set", "rounds=1000000", "--output",
             tmp_path / "long.h5"]
    child = subprocess.Popen(list(map(str, [SIMULATE, DEMO, *words])), env=environment(), stdout=subprocess.PIPE,
                             text=True)
    try:
        assert child.stdout.readline().startswith("simulated: ")  # the next it does is to start smpirun
        time.sleep(moment)
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=300) in (-signal.SIGTERM, 128 + signal.SIGTERM)
        wait_for(lambda: not running(tmp_path), 300)
    finally:
        for pid in running(tmp_path):
            os.kill(pid, signal.SIGKILL)


def test_an_older_file_is_no_result(tmp_path):
    """smpirun ends with 0 where its program has written nothing."""
    output, program, smpirun = (tmp_path / name for name in ("old.h5", "program", "smpirun"))
    output.write_text("old")
    for file in (program, smpirun):
        file.write_text("#!/bin/sh\nexit 0\n")
        file.chmod(0o755)
    words = ["--platform", ROOT / "jobs/platforms/two-sites.xml", "--ranks", "4", "--output", output, "--program",
             program]
    done = subprocess.run(list(map(str, [SIMULATE, DEMO, *words])), capture_output=True, text=True, timeout=300,
                          env={**environment(), "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert done.returncode == 2 and f"ended without {output}" in done.stderr
