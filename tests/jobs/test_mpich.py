"""The program built with MPICH (`scripts/build mpich trilemma`) and that with Open MPI: the same bits on any ranks."""
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "run"))
from conftest import LOGISTIC, MODEL, ROOT, call, environment, read, write_idx  # noqa: E402
from paused import wait_for  # noqa: E402
from test_own_model import EXPERIMENT  # noqa: E402

MPICH = ROOT / "build/mpich/trilemma"
LAUNCHER = "mpiexec.mpich"
pytestmark = pytest.mark.skipif(not MPICH.exists() or shutil.which(LAUNCHER) is None,
                                reason="there is no program with MPICH, or no mpiexec.mpich")


def command(ranks, *arguments):
    return [LAUNCHER, "-n", str(ranks), str(MPICH), *(str(word) for word in arguments)]


def with_mpich(ranks, *arguments):
    return subprocess.run(command(ranks, *arguments), capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, env=environment())


def assert_same_bits(one, other):
    (model, columns), (other_model, other_columns) = read(one), read(other)
    assert model.tobytes() == other_model.tobytes()
    assert columns.keys() == other_columns.keys()
    for name in columns:
        assert columns[name].tobytes() == other_columns[name].tobytes(), name


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(LOGISTIC)
    return path


@pytest.mark.parametrize("method", ["gd", "soteriafl-saga", "cdp-sgd", "fedbuff"])
def test_the_same_bits_on_one_to_three_ranks(experiment, tmp_path, method):
    choice = [experiment, "--set", f"method={method}", "--quiet"]
    with_open_mpi = tmp_path / "open-mpi.h5"
    assert call("run", *choice, "--output", with_open_mpi, ranks=3).code == 0
    for ranks in (1, 2, 3):
        file = tmp_path / f"mpich-{ranks}.h5"
        done = with_mpich(ranks, "run", *choice, "--output", file)
        assert done.returncode == 0, done.stderr
        assert_same_bits(with_open_mpi, file)
        with h5py.File(file) as h5:
            assert list(h5["starts/ranks"]) == [ranks]
            assert re.search(r", MPICH Version: +\d+\.\d+\S*$", h5["environment/libraries"].asstr()[()])


def test_a_run_that_is_stopped_goes_on_under_open_mpi(experiment, tmp_path):
    """mpiexec 4.0 passes USR1 on, and may say 0 afterwards; the checkpoint does not know which MPI wrote it."""
    choice = [experiment, "--set", "rounds=4000", "--set", "evaluate.every=100", "--quiet"]
    whole, parts, gate = tmp_path / "whole.h5", tmp_path / "parts.h5", tmp_path / "gate"
    assert call("run", *choice, "--output", whole).code == 0
    # Its first checkpoint waits for the gate to go, so that the signal does not come too late.
    env = environment(LD_PRELOAD=os.environ["TRILEMMA_DISK_FAULT"], TRILEMMA_HOLD_NAME=".checkpoint-",
                      TRILEMMA_HOLD_AT="1", TRILEMMA_HOLD_FILE=str(gate))
    words = command(2, "run", *choice, "--set", "checkpoint.rounds=50", "--output", parts)
    with subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        wait_for(lambda: gate.exists() or running.poll() is not None)
        running.send_signal(signal.SIGUSR1)
        gate.unlink()
        assert running.wait(60) in (0, 85)
        assert "stopped by a signal" in running.stderr.read()
    assert not parts.exists()
    assert call("run", *choice, "--resume", "--output", parts, ranks=2).code == 0
    assert_same_bits(whole, parts)


def test_a_model_that_ends_its_process_is_reported(tmp_path):
    """The program exports its _exit() to the libraries that it loads, whatever MPI it is linked with."""
    write_idx(tmp_path)
    file = tmp_path / "own.toml"
    file.write_text(EXPERIMENT.format(library=MODEL))
    done = with_mpich(2, "run", file, "--data-dir", tmp_path, "--set", "problem.options=_exit 40",
                      "--output", tmp_path / "no.h5")
    assert "gradient() called _exit(), which ends the rank" in done.stderr


def test_a_refusal_is_one_sentence_and_a_code(experiment, tmp_path):
    done = with_mpich(2, "run", experiment, "--set", "metod=gd", "--output", tmp_path / "no.h5")
    assert done.returncode == 2
    assert len([line for line in done.stderr.splitlines() if line.startswith("trilemma:")]) == 1
